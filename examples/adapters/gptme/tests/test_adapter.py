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


class Gptme0351(Both, unittest.TestCase):
    version = "0.35.1"

    def test_ui_only_reaches_no_model(self):
        h = self.history()
        h.append("user", ui_only=True)
        h.append("user")
        _, step = h.step("summarize", OK)
        self.assertNotIn("m30", [i.get("id") for i in self.adapter.calls[0]["items"]])

    def test_a_log_from_before_ui_only(self):
        h = self.history()
        h.append("user", ui_only=True)
        self.adapter.ask("restart", wall_s=1.0, monotonic_s=0.0, without=["ui_only"])
        self.assertFalse(h.view()["log"][-1]["ui_only"])

    def test_what_the_chat_loop_adds_is_extra(self):
        h = self.history()
        _, step = h.step("summarize", "rejected")
        self.assertEqual([i["role"] for i in step["extra"]], ["system"])


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
