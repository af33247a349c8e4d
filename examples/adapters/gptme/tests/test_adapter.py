"""The adapter's own tests: `python3 -m unittest` in this directory. Releases that are not installed are skipped.

They test the translation, not gptme: ids, forms, what is told once, what survives a restart.
"""

import subprocess
import sys
import unittest
from pathlib import Path

import drive

HERE = Path(__file__).resolve().parent.parent
OK = drive.OK


def adapter(version, *arguments):
    python = HERE / (".venv-" + version) / "bin" / "python"
    if not python.exists():
        raise unittest.SkipTest("gptme %s is not installed: setup.sh %s" % (version, version))
    return drive.Adapter(*arguments, python=str(python))


class Both:
    version = ""

    @classmethod
    def setUpClass(cls):
        cls.adapter = adapter(cls.version)

    @classmethod
    def tearDownClass(cls):
        cls.adapter.bye()

    def history(self):
        h = drive.History(self.adapter, self.id(), quiet=True)
        h.append("system", length=400), h.turns(14)
        return h

    def test_version_and_contract(self):
        hello = self.adapter.hello
        self.assertEqual((hello["name"], hello["version"]), ("gptme", self.version))
        self.assertEqual("ui_only" in hello["contract"]["messages"], self.version != "0.34.0")

    def test_no_pressure_changes_nothing(self):
        h = self.history()
        calls, step = h.step("none", OK)
        self.assertEqual((calls, step["action"], step["appended"]), (0, "none", []))
        self.assertEqual(step["view"], [{"id": "m%d" % i} for i in range(1, 30)])

    def test_the_input_is_the_view(self):
        h = self.history()
        h.step("summarize", OK)
        ids = [i.get("id") for i in self.adapter.calls[0]["items"]]
        self.assertEqual(ids[:29], ["m%d" % i for i in range(1, 30)])
        self.assertIn(self.adapter.calls[0]["items"][-1]["role"], ("user",))

    def test_a_summary_is_marked_and_whole(self):
        h = self.history()
        _, step = h.step("summarize", OK)
        self.assertEqual([i["content"] for i in step["view"] if i.get("summary")], [OK["text"]])
        self.assertEqual(step["action"], "summarize")

    def test_neighbours_of_one_role_stay_apart(self):
        h = drive.History(self.adapter, self.id(), quiet=True)
        h.append("system", 3, length=200), h.append("user", 3, length=200)
        _, step = h.step("none")
        self.assertEqual(step["view"], [{"id": "m%d" % i} for i in range(1, 7)])

    def test_own_messages_are_told_once(self):
        h = self.history()
        _, first = h.step("summarize", OK)
        h.append("user")
        _, second = h.step("none")
        self.assertTrue(first["appended"])
        self.assertEqual(second["appended"], [])
        own = [i["id"] for i in h.view()["log"] if i["id"].startswith("own")]
        self.assertEqual(own, [i["id"] for i in first["appended"]])

    def test_log_and_flags_survive_a_restart(self):
        h = drive.History(self.adapter, self.id(), quiet=True)
        h.append("user", pinned=True), h.append("assistant", reasoning="because", calls=["c1"], hidden=True)
        h.append("tool", call_id="c1")
        before = h.view()
        self.adapter.ask("restart", wall_s=1.0, monotonic_s=0.0)
        self.assertEqual(h.view(), before)
        said = before["log"][1]
        self.assertEqual((said["reasoning"], said["calls"], said["hidden"]), ("because", ["c1"], True))
        self.assertEqual(before["log"][2]["role"], "tool")

    def test_rewind_and_redo(self):
        h = self.history()
        h.step("summarize", OK)
        self.assertEqual(self.adapter.ask("rewind", conversation="a", to="m7")["view"][-1], {"id": "m7"})
        self.assertEqual(len(self.adapter.ask("rewind", conversation="a", to="m9")["view"]), 9)

    def test_a_trimmed_result_says_so(self):
        h = drive.History(self.adapter, self.id(), quiet=True)
        h.append("system", length=400), h.append("user")
        for _ in range(5):
            h.call(length=12000)
        h.append("user")
        calls, step = h.step("trim", OK)
        trimmed = [i for i in step["view"] if i.get("trimmed")]
        self.assertEqual((calls, step["action"]), (0, "trim"))
        self.assertTrue(trimmed and all(len(i["content"]) < 2000 and i["role"] == "tool" for i in trimmed))


class Gptme0340(Both, unittest.TestCase):
    version = "0.34.0"

    def test_a_rewind_to_what_is_gone_leaves_the_view(self):
        h = self.history()
        h.step("none", OK, kind="force")
        before = h.view()["view"]
        self.assertEqual(self.adapter.ask("rewind", conversation="a", to="m7"), {"view": before})


class Gptme0351(Both, unittest.TestCase):
    version = "0.35.1"

    def test_ui_only_reaches_no_model(self):
        h = self.history()
        h.append("user", ui_only=True)
        h.append("user")
        _, step = h.step("summarize", OK)
        self.assertNotIn("m30", [i.get("id") for i in self.adapter.calls[0]["items"]])

    def test_ui_only_is_no_part_of_the_budget(self):
        long = {"text": drive.words("sum00001", 400_000)}
        views = []
        for times in (0, 2):
            h = self.history()
            h.append("user", times, length=12_000, ui_only=True)
            _, step = h.step("summarize", long)
            views.append([i["content"] for i in step["view"] if i.get("summary")])
        self.assertEqual(len(views[0]), 1)
        self.assertEqual(views[0], views[1])

    def test_a_log_from_before_ui_only(self):
        h = self.history()
        h.append("user", ui_only=True)
        self.adapter.ask("restart", wall_s=1.0, monotonic_s=0.0, without=["ui_only"])
        self.assertFalse(h.view()["log"][-1]["ui_only"])

    def test_what_the_chat_loop_adds_is_extra(self):
        h = self.history()
        _, step = h.step("summarize", "rejected")
        self.assertEqual([i["role"] for i in step["extra"]], ["system"])


class Own:
    """gptme measures for itself: the contract's numbers are those by which it acts."""

    version = ""

    @classmethod
    def setUpClass(cls):
        cls.adapter = adapter(cls.version, "--own")
        cls.rules = cls.adapter.hello["contract"]["gauge"]

    @classmethod
    def tearDownClass(cls):
        cls.adapter.bye()

    def log(self, tokens):
        """Messages that come to exactly so many tokens."""
        h = drive.History(self.adapter, self.id(), quiet=True)
        each = tokens // 5
        for role, size in [("system", 10), ("user", each), ("assistant", each), ("user", each), ("assistant", tokens - 3 * each - 10)]:
            self.say(h, role, size)
        return h

    def say(self, h, role, tokens):
        h.count += 1
        message = {"id": "m%d" % h.count, "role": role, "content": exactly(h.count, 4 * tokens)}
        self.adapter.ask("append", conversation="a", messages=[message])

    def gauge(self, size, **reported):
        half = size // 2
        messages = [{"id": "m1", "role": "user", "content": exactly(1, 4 * half)},
                    {"id": "m2", "role": "assistant", "content": exactly(2, 4 * (size - half))}]
        return self.adapter.ask("gauge", messages=messages, reported=reported or None)

    def test_the_contract_is_that_of_the_given_pressure_and_a_gauge(self):
        other = adapter(self.version)
        given, own = other.hello["contract"], dict(self.adapter.hello["contract"])
        other.bye()
        self.assertEqual((own.pop("pressure"), own.pop("gauge")["unit"]), ("own", "tokens"))
        self.assertEqual(own.pop("capabilities"), given.pop("capabilities") + ["gauge"])
        self.assertEqual(given.pop("pressure"), "given")
        self.assertEqual(own, given)

    def test_it_acts_at_the_trigger_and_not_below(self):
        for tokens, calls in [(self.rules["trigger"] - 1, 0), (self.rules["trigger"], 1)]:
            h = self.log(tokens)
            asked, step = h.step(None, OK)
            self.assertEqual((asked, step["action"]), (calls, ["none", "summarize"][calls]), tokens)

    def test_the_gauge_is_what_the_step_goes_by(self):
        self.adapter.ask("reset")
        trigger = self.rules["trigger"]
        self.assertEqual(self.gauge(trigger - 1), {"pressure": "none", "tokens": trigger - 1})
        self.assertEqual(self.gauge(trigger), {"pressure": "summarize", "tokens": trigger})

    def test_a_trim_ends_at_the_target(self):
        h = drive.History(self.adapter, self.id(), quiet=True)
        h.append("system", length=400), h.append("user")
        for _ in range(1 + self.rules["trigger"] // 3000):
            h.call(length=12_000)
        h.turns(3)
        calls, step = h.step(None, OK)
        sizes = [len(i["content"]) if "content" in i else 3600 for i in step["view"] if not i.get("ui_only")]
        self.assertEqual((calls, step["action"]), (0, "trim"))
        self.assertLessEqual(sum(sizes) // 4, self.rules["target"])

    def test_what_is_configured_is_in_force(self):
        self.adapter.ask("reset")
        asked = self.adapter.ask("configure_gauge", trigger=4_500, target=4_000, limit=5_000)
        self.assertEqual(self.gauge(asked["trigger"] - 1)["pressure"], "none")
        self.assertEqual(self.gauge(asked["trigger"])["pressure"], "summarize")
        self.adapter.ask("reset")
        self.assertEqual(self.gauge(asked["trigger"])["pressure"], "none")


def exactly(number, length):
    text = drive.words("tok%05d" % number, length)
    return text + " " * (length - len(text))


class Own0340(Own, unittest.TestCase):
    version = "0.34.0"

    def test_a_figure_changes_nothing(self):
        self.adapter.ask("reset")
        self.assertEqual(self.gauge(5_000, tokens=90_000, upto="m2"), {"pressure": "none", "tokens": 5_000})


class Own0351(Own, unittest.TestCase):
    version = "0.35.1"

    def test_a_figure_governs_while_its_messages_are_there(self):
        self.adapter.ask("reset")
        self.assertEqual(self.gauge(5_000, tokens=90_000, upto="m2")["tokens"], 90_000)
        self.assertEqual(self.gauge(5_000, tokens=90_000, upto="gone"), {"pressure": "none", "tokens": 5_000})
        self.assertEqual(self.gauge(5_000, tokens=0, upto="m2"), {"pressure": "none", "tokens": 5_000})
        self.assertEqual(self.gauge(5_000, tokens=None, upto="m2"), {"pressure": "none", "tokens": 5_000})

    def test_a_budget_that_cannot_be_is_refused_by_name(self):
        self.assertIn("trigger", self.adapter.ask("configure_gauge", trigger=0, target=0, limit=5_000)["message"])


class Fields(unittest.TestCase):
    def test_reducer(self):
        child = adapter("0.35.1", "--field")
        limit = child.hello["contract"]["field"]["max"]
        text = "x" * limit + "\n\nguidance"
        out = child.ask("reduce", blocks=[{"text": text, "required": False}], limit={"max": limit, "unit": "code_points"})
        child.bye()
        self.assertEqual((len(out["text"]), out["notice"]), (limit, {"before": len(text), "after": limit}))

    def test_request(self):
        child = adapter("0.35.1", "--request")
        messages = [{"id": "m1", "role": "system", "content": "one"}, {"id": "m2", "role": "system", "content": "two"},
                    {"id": "m3", "role": "system", "content": "three", "ui_only": True}, {"id": "m4", "role": "user", "content": "four"}]
        out = child.ask("assemble", messages=messages)
        child.bye()
        self.assertEqual(out, {"instructions": "one\n\ntwo", "sent": ["m1", "m2", "m4"], "notice": None})

    def test_no_field_in_the_older_release(self):
        python = HERE / ".venv-0.34.0" / "bin" / "python"
        if not python.exists():
            self.skipTest("gptme 0.34.0 is not installed")
        run = subprocess.run([str(python), str(HERE / "adapter.py"), "--field"], stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual((run.returncode, run.stdout), (2, b""))


if __name__ == "__main__":
    sys.exit(unittest.main())
