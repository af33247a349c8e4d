"""The reference candidate and the minimal one, judged over named histories and random ones."""

import os
import random
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import plimsoll
import reference
from test_protocol import Adapter, answered

with mock.patch.object(plimsoll, "run"):
    import minimal

USABLE = {"text": "in short", "stop": "end"}
ANSWERS = [
    USABLE, USABLE, USABLE, {"text": "", "stop": "end"}, {"text": " \n\t", "stop": "end"},
    {"text": "cut", "stop": "length"}, {"text": "I will not", "stop": "refusal"}, {"text": "x" * 30000, "stop": "end"},
    {"text": "in short", "stop": "end", "arrived": [{"id": "late", "role": "user", "content": "by the way"}]},
    "rejected", "overflow", "timeout", "transport", "aborted",
]


SCRATCH = tempfile.TemporaryDirectory()
SHARED = reference.Reference(SCRATCH.name)


def tearDownModule():
    SCRATCH.cleanup()


def both():
    """A fresh conversation with each of the two."""
    return Play(SHARED), Play(minimal.Minimal())


def request(method, **params):
    return {"method": method, "params": params}


def run_case(candidate, requests, summaries=None):
    """The trace of a case, in this process: [(request, result or error, calls)]."""
    import json
    server = plimsoll._Server(candidate, None)
    wire = json.loads(json.dumps({"requests": requests, "summaries": summaries or {"default": USABLE}}))
    case = json.loads(plimsoll._encode(server._do_case(wire, None)))
    calls = [[c["params"]["items"] for c in case["summarize_calls"] if c["request"] == i] for i in range(len(requests))]
    return list(zip(requests, case["results"], calls))


class Apart(unittest.TestCase):
    """What is asked apart from conversations: guards by change, and the gauge."""

    def setUp(self):
        SHARED.reset()

    def test_a_guard_ignores_its_own_traces_and_loses_no_wake_up(self):
        news, own, noise = (
            {"by": by, "relevant": relevant} for by, relevant in (("external", True), ("self", True), ("external", False))
        )
        self.assertTrue(SHARED.attempt("file", "fail", [own]))
        for event in own, noise, news:
            SHARED.change("file", event)
            self.assertFalse(SHARED.attempt("file", "ok"))
        SHARED.change("file", news)
        self.assertTrue(SHARED.attempt("file", "ok", [news, own]))
        self.assertTrue(SHARED.attempt("file", "ok"))
        self.assertFalse(SHARED.attempt("file", "ok"))
        self.assertTrue(SHARED.attempt("health", "ok"))

    def test_a_figure_governs_while_it_is_about_these_messages(self):
        said = [plimsoll.message(id="m1", role="user", content="x" * 400), plimsoll.message(id="m2", role="user", content="yy")]
        size = lambda *reported: SHARED.gauge(said, {"tokens": reported[0], "upto": reported[1]})["tokens"]
        self.assertEqual(SHARED.gauge(said), {"pressure": "none", "tokens": 101})
        self.assertEqual([size(9000, "m2"), size(9000, "m1"), size(9000, "m0")], [9000, 9001, 101])
        self.assertEqual([size(None, "m2"), size(0, "m2")], [101, 101])
        self.assertEqual(SHARED.gauge(said, {"tokens": 9000, "upto": "m2"})["pressure"], "summarize")

    def test_settings_that_cannot_work_are_refused_by_name(self):
        for settings, name in ((8000, 8000, 9000), "target"), ((8000, 6000, 0), "limit"), ((8000, 6000, 7000), "trigger"):
            with self.assertRaisesRegex(ValueError, name):
                SHARED.configure_gauge(*settings)
        SHARED.configure_gauge(50, 20, 100)
        said = [plimsoll.message(id="m1", role="user", content="x" * 400)]
        self.assertEqual(SHARED.gauge(said)["pressure"], "summarize")


class Play:
    """One conversation with a candidate, a line at a time."""

    def __init__(self, candidate=None):
        self.candidate = candidate or SHARED
        self.candidate.reset()
        self.now, self.count, self.calls = 1000.0, 0, 0
        self.said = []

    def say(self, n=1, role="user", text="a message of some length, so that there is something to sum up " * 2, **members):
        for _ in range(n):
            self.count += 1
            self.said.append(plimsoll.message(id="m%d" % self.count, role=role, content=text, **members))
            self.candidate.append(members.pop("conversation", "a"), [dict(self.said[-1])])
        return self

    def step(self, pressure="summarize", kind="step", answer=USABLE, conversation="a"):
        """The action, with "!" for each call of the summariser."""
        self.calls = 0

        def summarize(sent):
            self.calls += 1
            self.sent = list(sent["items"])
            return plimsoll._summary(answered(answer))

        params = {"kind": kind, "pressure": pressure, "wall_s": self.now, "monotonic_s": self.now}
        done = self.candidate.step(conversation, plimsoll.Host(params, summarize)) or plimsoll.Step()
        self.done = done
        return done.action + "!" * self.calls

    def wait(self, seconds):
        self.now += seconds
        return self

    def view(self, conversation="a"):
        return self.candidate.view(conversation)["view"]

    def ids(self):
        return " ".join(i["id"] for i in self.view() if plimsoll.visible(i))


class Own(unittest.TestCase):
    """It measures for itself: nobody tells it of pressure."""

    def play(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        return Play(reference.Reference(scratch.name, reference.OWN))

    def test_the_trigger_and_what_only_the_person_sees(self):
        play = self.play().say(5, text="x" * 6396)  # 7,995 tokens
        self.assertEqual(play.say(text="x" * 99999, ui_only=True).step(pressure=None), "none")
        self.assertEqual(play.say(text="x" * 20).step(pressure=None), "summarize!")
        self.assertEqual(play.wait(60).say(3).step(pressure=None), "none")

    def test_a_trim_to_the_target_is_enough_and_no_more_is_trimmed(self):
        play = self.play().say(4, "tool", "x" * 8000).say(3)
        self.assertEqual(play.step(pressure=None), "trim")
        self.assertEqual([bool(i.get("trimmed")) for i in play.view()], [True, True] + [False] * 5)
        self.assertEqual(play.step(pressure=None), "none")

    def test_a_summary_that_leaves_little_room_is_followed_by_a_rest(self):
        play = self.play().say(text="x" * 28000, pinned=True).say(6, text="x" * 1000)
        self.assertEqual(play.step(pressure=None), "summarize!")
        self.assertEqual(play.wait(60).say(5, text="x" * 1500).step(pressure=None), "none")
        self.assertEqual(play.wait(60).say(1, text="x" * 1500).step(pressure=None), "summarize!")

    def test_one_attempt_under_a_floor(self):
        play = self.play().say(text="x" * 40000, pinned=True).say(5, text="x" * 4000)
        self.assertEqual(play.step(pressure=None), "summarize!")
        self.assertEqual(play.wait(60).say(19, text="x" * 2000).step(pressure=None), "none")
        self.assertEqual(play.wait(60).say(1).step(pressure=None), "summarize!")

    def test_the_figure_governs_until_a_compaction(self):
        play = self.play().say(6)
        play.candidate.usage("a", 9000, "m6")
        self.assertEqual(play.step(pressure=None), "summarize!")
        self.assertEqual(play.wait(60).say(6).step(pressure=None), "none")


class Throttle(unittest.TestCase):
    def test_cooldown(self):
        for play in both():
            self.assertEqual(play.say(8).step(), "summarize!")
            play.candidate.rewind("a", "m8")  # the same matter again
            self.assertEqual([play.step(), play.wait(59.999).step(), play.wait(0.001).step()], ["none", "none", "summarize!"])

    def test_growth_has_its_declared_effect_and_status_has_none(self):
        for play in both():
            self.assertEqual(play.say(8).step(), "summarize!")
            play.candidate.rewind("a", "m8")
            self.assertEqual(play.say(3, ui_only=True).step(), "none")
            ignored = play.candidate.contract.get("throttle", {}).get("growth") == "ignored"
            self.assertEqual(play.say().step(), "none" if ignored else "summarize!")

    def test_latch(self):
        for answer in ANSWERS[3:8] + ["rejected", "overflow", "timeout", "transport"]:
            for play in both():
                self.assertEqual(play.say(8).step(answer=answer), "none!", answer)
                self.assertEqual(play.step(), "none")
                play.wait(1000)
                self.assertEqual([play.say(19).step(), play.say(1).step(answer=answer)], ["none", "none!"])
                play.wait(1000)
                self.assertEqual([play.say(19).step(), play.say(1).step()], ["none", "summarize!"])
                self.assertEqual(play.wait(60).say(8).step(), "summarize!")

    def test_abort_is_ignored(self):
        for play in both():
            self.assertEqual([play.say(8).step(answer="aborted"), play.step()], ["none!", "summarize!"])

    def test_pressure_matter_and_open_calls(self):
        for play in both():
            self.assertEqual(play.say(4).step(), "none", "three are eligible")
            self.assertEqual([play.say(1).step("none"), play.step("trim"), play.step()], ["none", "none", "summarize!"])
            play.wait(60).say(8).say(role="assistant", calls=["c"])
            self.assertEqual(play.step(), "none")
            self.assertEqual(play.say(role="tool", call_id="c", interim=True).step(), "none")
            self.assertEqual(play.say(role="tool", call_id="c").step(), "summarize!")

    def test_small_matter(self):
        for play in both():
            self.assertEqual(play.say(5, text="x" * 79).say(1, text="").step(), "none", "395 characters")
            self.assertEqual(play.say(1, text="x" * 5).say().step(), "summarize!", "400")

    def test_wall_clock_steps_back(self):
        play = Play()
        self.assertEqual(play.say(8).step(), "summarize!")
        play.candidate.rewind("a", "m8")
        self.assertEqual(play.wait(-500).step(), "none")
        self.assertEqual([play.wait(59).step(), play.wait(1).step()], ["none", "summarize!"])

    def test_another_conversations_step_sees_the_clock_first(self):
        play = Play()
        self.assertEqual(play.say(8).step(), "summarize!")
        play.candidate.rewind("a", "m8")
        play.wait(-500).step(conversation="b")
        self.assertEqual([play.wait(59).step(), play.wait(1).step()], ["none", "summarize!"])


class Kinds(unittest.TestCase):
    def test_force(self):
        play = Play().say(8)
        self.assertEqual([play.step(answer="rejected"), play.step()], ["none!", "none"])
        play.candidate.auto(False)
        self.assertEqual(play.step(kind="force", pressure="none", answer="timeout"), "none!")
        self.assertEqual([play.say(20).step(), play.step(kind="overflow")], ["none", "none"], "auto is off")
        play.candidate.auto(True)
        self.assertEqual(play.step(answer="timeout"), "none!", "the forced failure did not move the base")
        self.assertEqual(play.step(kind="force", pressure="none"), "summarize!")
        self.assertEqual(play.say(8).step(), "summarize!", "the forced success opened the latch")

    def test_overflow(self):
        play = Play().say(8)
        self.assertEqual(play.step(answer="rejected"), "none!")
        self.assertEqual(play.step(kind="overflow", answer="rejected"), "none!", "latched, but there is proof")
        self.assertEqual(play.step(kind="overflow"), "none", "once")
        self.assertEqual(play.say().step(kind="overflow"), "summarize!", "growth renews it")
        self.assertEqual(play.step(kind="overflow"), "none", "nothing left to compact")
        play.candidate.rewind("a", "m9")
        self.assertEqual(play.step(kind="overflow"), "summarize!", "progress renewed it")

    def test_overflow_falls_back_to_trimming(self):
        play = Play().say(1, "tool", "x" * 2000).say(3)
        self.assertEqual(play.step(kind="overflow"), "trim")
        self.assertEqual(play.step(kind="overflow"), "none")
        play = Play().say().say(1, "tool", "x" * 2000).say(6)
        self.assertEqual([play.step(kind="overflow", answer="timeout") for _ in range(3)], ["trim!", "none!", "none"])
        play.candidate.rewind("a", "m8")  # the long one is back
        self.assertEqual([play.step(kind="overflow") for _ in range(2)], ["trim", "summarize!"], "the trim renewed it")

    def test_conversations(self):
        play = Play().say(8)
        for n in range(60):
            play.candidate.append("b%d" % n, [dict(m) for m in play.said])
            self.assertEqual(play.step(conversation="b%d" % n, answer="rejected"), "none!")
        self.assertEqual(play.step(), "summarize!")
        self.assertEqual([play.step(conversation="b%d" % n) for n in range(60)], ["none"] * 60)

    def test_restart(self):
        play = Play().say(8)
        self.assertEqual(play.step(), "summarize!")
        play.candidate.usage("a", 5, "m8")
        view, log = play.view(), play.candidate.view("a")["log"]
        play.candidate.restart(play.now, 0.0)
        self.assertEqual(play.candidate.view("a"), {"view": view, "log": log})
        play.candidate.rewind("a", "m8")
        self.assertEqual(play.step(), "none", "the cooldown holds")
        self.assertEqual(play.wait(60).step(answer="rejected"), "none!")
        play.candidate.auto(False)
        play.candidate.restart(play.now, 0.0)
        self.assertEqual([play.wait(60).step(), play.say(20).step()], ["none", "none"], "auto is still off")
        play.candidate.auto(True)
        self.assertEqual(play.step(answer="rejected"), "none!")
        play.candidate.restart(play.now, 0.0)
        self.assertEqual([play.wait(60).step(), play.say(19).step(), play.say().step()], ["none", "none", "summarize!"], "the latch too")

    def test_restart_inside_an_attempt(self):
        play = Play().say(8)

        def cut_off(_):
            play.candidate.restart(play.now, 0.0)
            raise SystemExit

        with self.assertRaises(SystemExit):
            play.candidate.step("a", plimsoll.Host({"kind": "step", "pressure": "summarize", "wall_s": play.now}, cut_off))
        self.assertEqual([play.wait(60).step(), play.say(20).step()], ["none", "summarize!"])

    def test_cut_off_on_the_wire(self):
        """The step ends in an error, none of the candidate's code runs after the call, and the attempt has failed."""
        said = [{"id": "m%d" % i, "role": "user", "content": "something to sum up " * 10} for i in range(8)]
        step = request("step", conversation="a", pressure="summarize", wall_s=1000.0)
        requests = [
            request("reset"), request("append", conversation="a", messages=said), step,
            request("restart", wall_s=1000.0, monotonic_s=0.0), request("view", conversation="a"), step,
        ]
        trace = run_case(SHARED, requests, {"default": USABLE, "steps": {"2": [{"kind": "cut_off"}]}})
        self.assertIn("error", trace[2][1])
        self.assertEqual([i["id"] for i in trace[4][1]["result"]["view"]], [m["id"] for m in said])
        self.assertEqual((trace[5][1]["result"]["action"], trace[5][2]), ("none", []), "the cooldown runs")

    def test_restart_from_an_old_log(self):
        play = Play().say(8).say(1, ui_only=True, text="a note")
        play.step(answer="rejected")
        play.candidate.restart(play.now, 0.0, without=("ui_only",))
        state = play.candidate.view("a")
        self.assertEqual(state["view"], state["log"])
        self.assertEqual([m["ui_only"] for m in state["log"]], [False] * 10)
        self.assertEqual(play.say(18).step(), "none", "what was said before does not count as growth")
        self.assertEqual(play.say(2).step(), "summarize!")


class Views(unittest.TestCase):
    def test_what_stays(self):
        play = Play().say(2, "system").say(1).say(2, "assistant").say(1, "user", pinned=True).say(2, "system", hidden=True)
        play.say(1).say(3, "assistant", reasoning="because")
        self.assertEqual(play.step(), "summarize!")
        self.assertEqual(play.ids(), "m1 m2 own1 m6 m9 m12")
        self.assertEqual(" ".join(i["id"] for i in play.sent), "m3 m4 m5 m7 m8 m10 m11")
        play.say(4, "assistant")
        self.assertEqual(play.wait(60).step(), "summarize!")
        self.assertEqual(play.ids(), "m1 m2 own3 m6 m9 m16", "the summary was compacted with the rest")
        self.assertEqual(play.sent[0]["id"], "own1")

    def test_groups_stay_whole(self):
        play = Play().say(4).say(1, "assistant", calls=["c", "d"]).say(1, "tool", call_id="c").say(1, "tool", call_id="d")
        self.assertEqual(play.step(), "none")
        self.assertEqual(play.say(1, "assistant").step(), "summarize!")
        self.assertEqual(play.ids(), "own1 m4 m8")

    def test_equal_is_not_smaller(self):
        for extra, action in (0, "none!"), (-1, "summarize!"):
            for play in both():
                play.say(8, text="x" * 100)
                self.assertEqual(play.step(answer={"text": "y" * (700 + extra), "stop": "end"}), action)

    def test_status_is_for_the_person(self):
        play = Play().say(8)
        for answer in "rejected", USABLE:
            play.step(kind="force", answer=answer)
            self.assertEqual([(m["ui_only"], m["id"][:3]) for m in play.done.appended], [(True, "own")])
        self.assertFalse(any(i["ui_only"] for i in play.sent))

    def test_arrived(self):
        for answer in ANSWERS[8], {**ANSWERS[8], "text": ""}:
            play = Play().say(8)
            play.step(answer=answer)
            self.assertEqual(play.view()[-1]["id"], "late")
            self.assertEqual(play.done.view, play.view())

    def test_trim(self):
        long = "\U0001F6A2" * 1001
        play = Play().say(1).say(1, "tool", long).say(1, "tool", long[1:]).say(1, "tool", long, pinned=True).say(1, "tool", long).say(2)
        self.assertEqual([play.step("none"), play.step("trim"), play.step("trim")], ["none", "trim", "none"])
        self.assertEqual([i["id"] for i in play.view() if i.get("trimmed")], ["m2"])
        short = play.view()[1]["content"]
        self.assertEqual(short, "\U0001F6A2" * 200 + "\n[… 801 characters trimmed …]")
        self.assertEqual(play.candidate.view("a")["log"][1]["content"], long)
        self.assertEqual(play.say().step("trim"), "trim", "another one has left the tail")

    def test_trim_goes_on(self):
        play = Play().say(7)
        play.step(answer="rejected")
        self.assertEqual(play.say(1, "tool", "x" * 1500).say(3).step(), "trim", "latched")
        play.candidate.auto(False)
        self.assertEqual(play.say(1, "tool", "x" * 1500).say(3).step("trim"), "trim", "auto is off")
        play.say(1, "tool", "x" * 1500).say(3).say(1, "assistant", calls=["c"])
        self.assertEqual(play.step("trim"), "none", "a call is open")


class Limits(unittest.TestCase):
    def reduced(self, texts, maximum):
        """Blocks marked with * are required."""
        blocks = [{"text": t.strip("*"), "required": t.startswith("*")} for t in texts]
        return SHARED.reduce(blocks, {"max": maximum, "unit": "code_points"})

    def test_reduce(self):
        self.assertEqual(self.reduced(["aaaa", "*bb"], 8), ("aaaa\n\nbb", None))
        self.assertEqual(self.reduced(["aaaa", "*bb"], 7), ("aaa\n\nbb", {"before": 8, "after": 7}))
        self.assertEqual(self.reduced(["aaaa", "*bb"], 4), ("bb", {"before": 8, "after": 2}))
        self.assertEqual(self.reduced(["aa", "", "cccc", "ddd"], 10), ("aa\n\nc\n\nddd", {"before": 13, "after": 10}))
        self.assertEqual(self.reduced([], 0), ("", None))
        self.assertEqual(self.reduced(["aa"], 0), ("", {"before": 2, "after": 0}))
        with self.assertRaises(plimsoll.Infeasible):
            self.reduced(["aaaa", "*bb", "*cc"], 5)

    def test_reduce_at_random(self):
        rng = random.Random(1)
        for _ in range(3000):
            texts = ["*" * (rng.random() < 0.3) + rng.choice("abcdé\U0001F6A2") * rng.randrange(9) for _ in range(rng.randrange(6))]
            plain, required = [t.strip("*") for t in texts], [t.strip("*") for t in texts if t[:1] == "*"]
            whole, need = reference.joined(plain), len(reference.joined(required))
            maximum = rng.randrange(len(whole) + 4)
            try:
                text, notice = self.reduced(texts, maximum)
            except plimsoll.Infeasible:
                self.assertGreater(need, maximum)
                continue
            self.assertLessEqual(need, maximum)
            self.assertLessEqual(len(text), maximum)
            self.assertEqual(notice is None, text == whole)
            self.assertEqual(text == whole, len(whole) <= maximum)
            rest = iter(whole)
            self.assertTrue(all(c in rest for c in text), "a subsequence")
            rest = text
            for block in required:
                self.assertIn(block, rest, "required blocks, in order")
                rest = rest[rest.index(block) + len(block):]
            if texts and plain[-1] and texts[-1][0] == "*":
                self.assertTrue(text.endswith(plain[-1]))
            if len(whole) > maximum:
                self.assertGreater(len(text), maximum - 3, "no more is lost than a separator")

    def test_assemble(self):
        play = Play().say(1, "system", "aaaa").say(1, "user", "hi").say(1, "system", "bb\n\nb", pinned=True)
        play.say(1, "system", "note", ui_only=True).say(1, "assistant", "yes", hidden=True)

        def build(maximum=None, **given):
            limit = {} if maximum is None else {"limit": {"max": maximum, "unit": "code_points"}}
            return play.candidate.assemble(**(given or {"conversation": "a"}), **limit)

        whole = {"instructions": "aaaa\n\nbb\n\nb", "sent": ["m1", "m2", "m3", "m5"], "notice": None}
        before = play.candidate.view("a")
        self.assertEqual([build(), build(11), build(messages=play.said)], [whole] * 3)
        self.assertEqual(build(6), {"instructions": "bb\n\nb", "sent": ["m2", "m3", "m5"], "notice": {"before": 11, "after": 5}})
        self.assertEqual(build(8)["instructions"], "a\n\nbb\n\nb")
        self.assertEqual(build(5, messages=play.said[1:2]), {"instructions": None, "sent": ["m2"], "notice": None})
        with self.assertRaises(plimsoll.Infeasible):
            build(4)
        self.assertEqual(play.candidate.view("a"), before)


def history(seed, length=60, calls=True, kinds=("step",), claims=()):
    """A random history, as the requests and summaries of a case. Each step is followed by a `view`."""
    rng = random.Random(seed)
    requests, summaries = [request("reset")], {"default": USABLE, "steps": {}}
    wall, mono, count = 1000.0, 0.0, 0
    names = ["a", "b"] if "conversations" in claims and rng.random() < 0.4 else ["a"]
    path, redo = {n: [] for n in names}, {n: [] for n in names}
    for _ in range(length):
        name = rng.choice(names)
        what = rng.choices(["say", "step", "wait", "rewind", "restart", "clock", "auto"], [50, 40, 10, 4, 3, 1, 2])[0]
        if what == "say":
            messages = []
            for _ in range(rng.choice([1, 1, 2, 3, 8, 19, 20])):
                count += 1
                waiting = [c for m in path[name] for c in m["calls"]]
                for m in path[name]:
                    if m["call_id"] in waiting and not m["interim"]:
                        waiting.remove(m["call_id"])
                said = plimsoll.message(
                    id="m%d" % count, role=rng.choice(["user", "assistant", "assistant"]) if count > 1 else "system",
                    ui_only=rng.random() < 0.1, hidden=rng.random() < 0.05, pinned=rng.random() < 0.04,
                    content="%d %s" % (count, "word " * rng.choices([2, 20, 40, 230], [3, 4, 2, 1])[0]),
                )
                if calls and waiting and rng.random() < 0.9:
                    said.update(role="tool", call_id=waiting[0], ui_only=False, interim=rng.random() < 0.1)
                elif calls and said["role"] == "assistant" and rng.random() < 0.3:
                    said.update(calls=["c%d.%d" % (count, n) for n in range(rng.choice([1, 1, 2]))], ui_only=False)
                elif said["role"] == "assistant" and rng.random() < 0.2:
                    said["reasoning"] = "because " * 5
                messages.append(said)
                path[name].append(said)
            redo[name] = []
            requests.append(request("append", conversation=name, messages=messages))
        elif what == "step":
            params = {"kind": rng.choice(kinds), "pressure": rng.choice(["none", "trim", "summarize", "summarize", "summarize"])}
            answer = rng.choice(ANSWERS if "arrivals" in claims else ANSWERS[:8] + ANSWERS[9:])
            if isinstance(answer, dict) and answer.get("arrived"):
                count += 1
                answer = {**answer, "arrived": [{**answer["arrived"][0], "id": "m%d" % count}]}
            summaries["steps"][str(len(requests))] = [answered(answer)]
            requests.append(request("step", conversation=name, wall_s=wall, monotonic_s=mono, **params))
            requests.append(request("view", conversation=name))
        elif what == "wait":
            passed = rng.choice([1.0, 30.0, 59.0, 60.0, 61.0, 500.0])
            wall, mono = wall + passed, mono + passed
        elif what == "rewind" and "rewind" in claims:
            whole = path[name] + redo[name]
            targets = [n for n in range(len(whole)) if not plimsoll.has_open_call(whole[: n + 1])]
            if targets:
                n = rng.choice(targets)
                path[name], redo[name] = whole[: n + 1], whole[n + 1:]
                requests.append(request("rewind", conversation=name, to=whole[n]["id"]))
        elif what == "restart" and "restart" in claims:
            mono = 0.0
            requests.append(request("restart", wall_s=wall, monotonic_s=mono))
            requests += [request("view", conversation=n) for n in names]
        elif what == "clock" and "clock" in claims:
            wall += rng.choice([-1000.0, -30.0, 1000.0])
        elif what == "auto" and "auto" in claims:
            requests.append(request("auto", on=rng.random() < 0.7))
    return requests, summaries


class Judge:
    """What the contract says about each step of a trace, of default parameters, without clock steps.

    `lifts`: growth inside the cooldown lifts it, as it does by default; else it is ignored.
    """

    def __init__(self, test, trims, lifts):
        self.test, self.trims, self.lifts = test, trims, lifts
        self.talks, self.auto, self.counts = {}, True, {}

    class Talk:
        def __init__(self):
            self.view, self.log = [], []
            self.at = self.at_view = None       # last unforced attempt: wall time, visible external items
            self.grown = self.most = 0          # growth since it; with what rewinds brought back
            self.rewound = False
            self.latch = None                   # growth since the failure: [least, most, smallest view]
            self.spent = False

    def judge(self, trace):
        for at, (asked, got, calls) in enumerate(trace):
            self.test.assertIn("result", got, asked)
            getattr(self, "_" + asked["method"])(asked["params"], got["result"], calls, trace[at + 1: at + 2])
        return self.counts

    def _talk(self, params):
        return self.talks.setdefault(params["conversation"], self.Talk())

    def _reset(self, *_):
        self.talks, self.auto = {}, True

    def _auto(self, params, *_):
        self.auto = params["on"]

    def _append(self, params, *_):
        self._grow(self._talk(params), params["messages"])

    def _grow(self, talk, messages):
        talk.view += messages
        talk.log += messages
        n = sum(map(plimsoll.visible, messages))
        talk.grown, talk.most = talk.grown + n, talk.most + n
        if talk.latch:
            talk.latch[0] += n
            talk.latch[1] += n
        if n:
            talk.spent = False

    def _rewind(self, params, result, *_):
        talk = self._talk(params)
        old = {i["id"] for i in talk.view}
        talk.view, talk.rewound = result["view"], True
        self.test.assertEqual(talk.view[-1]["id"], params["to"])
        back = sum(i["id"] not in old for i in self._external(talk.view))
        talk.most += back
        if talk.latch:
            talk.latch[1] += back

    def _restart(self, *_):
        pass

    def _view(self, params, result, *_):
        talk = self._talk(params)
        self.test.assertEqual(result["view"], talk.view)
        self.test.assertEqual([m for m in result["log"] if plimsoll.external(m)], talk.log)

    @staticmethod
    def _external(items):
        return [i for i in items if plimsoll.visible(i) and plimsoll.external(i)]

    def _step(self, params, result, calls, _):
        test, talk, now, kind = self.test, self._talk(params), params["wall_s"], params["kind"]
        view, seen = talk.view, [i for i in talk.view if plimsoll.visible(i)]
        stay = plimsoll.must_stay(view, also=[plimsoll.latest_user(view), *seen[-1:]])
        surely = [i for i in self._external(view) if i["id"] not in stay]
        enough = len(surely) >= 4 and plimsoll.size(surely) >= 400
        opened = plimsoll.has_open_call(view)
        tail = {i["id"] for i in seen[-3:]} | {i["id"] for i in seen if i["pinned"]}
        trimmable = self.trims and not opened and any(
            i["role"] == "tool" and len(i["content"]) > 1000 and not i.get("trimmed")
            for g in plimsoll.groups(seen) if not tail & {i["id"] for i in g} for i in g
        )
        cooling = talk.at is not None and now - talk.at < 60
        if talk.latch and params["pressure"] == "summarize" and kind == "step" and not cooling and not opened:
            talk.latch[2] = min(talk.latch[2], len(self._external(view)))

        forbidden = [opened and "open call"]
        if kind == "step":
            forbidden += [
                params["pressure"] == "none" and "no pressure",
                params["pressure"] == "trim" and trimmable and "a trim would do",
                cooling and (not self.lifts or talk.most == 0 and not talk.rewound) and "cooling",
                talk.latch is not None and talk.latch[1] < 20 and "latched",
            ]
        if kind != "force":
            forbidden.append(not self.auto and "auto is off")
        if kind == "overflow":
            forbidden.append(talk.spent and "no recovery left")
        forbidden = [reason for reason in forbidden if reason]
        required = enough and not forbidden
        if kind == "step":
            reopened = talk.latch is None or talk.latch[0] >= 20 and len(self._external(view)) - talk.latch[2] >= 20
            more = self.lifts and talk.grown > 0 and talk.at is not None and len(self._external(view)) > max(talk.at_view)
            required = required and params["pressure"] == "summarize" and reopened and (talk.at is None or not cooling or more)

        story = (params, forbidden, talk.__dict__)
        test.assertLessEqual(len(calls), 1, story)
        if forbidden:
            test.assertEqual(calls, [], story)
        shrunk = result["view"] is not None and plimsoll.size(result["view"]) < plimsoll.size(view)
        if required:
            test.assertTrue(calls or kind == "overflow" and shrunk, story)
        if self.trims and kind == "step" and trimmable and params["pressure"] != "none" and not calls:
            test.assertEqual(result["action"], "trim", story)
        self.counts[kind, bool(calls), result["action"]] = self.counts.get((kind, bool(calls), result["action"]), 0) + 1

        answer = self.answer if calls else None
        own = result["appended"]
        test.assertTrue(all(m["ui_only"] and m["id"].startswith("own") for m in own), story)
        success = result["action"] == "summarize"
        if calls:
            self._call(talk, calls[0], answer, result, success)
            aborted = answer.get("error", {}).get("data", {}).get("kind") == "aborted"
            if success:
                talk.latch = None
            if kind != "force" and not aborted:
                talk.at, talk.grown, talk.most, talk.rewound = now, 0, 0, False
                after = result["view"] if success else view
                talk.at_view = len(self._external(view)), len(self._external(after))
                if not success:
                    talk.latch = [0, 0, len(self._external(view))]
        if kind == "overflow" and calls:
            talk.spent = not shrunk
        elif kind == "overflow" and shrunk:
            talk.spent = False
        talk.view = talk.view + own if result["view"] is None else result["view"]
        arrived = [plimsoll.message(**m) for m in (answer or {}).get("result", {}).get("arrived", ())]
        if arrived:
            talk.view = [i for i in talk.view if i["id"] != arrived[0]["id"]]
            self._grow(talk, arrived)
        if result["view"] is not None:
            test.assertEqual([i["id"] for i in result["view"]], [i["id"] for i in talk.view], story)
            self._installed(view, result["view"], success, answer)

    def _call(self, talk, items, answer, result, success):
        self.test.assertFalse(any(i["ui_only"] for i in items))
        usable = answer.get("result", {}).get("stop") == "end" and answer["result"]["text"].strip() != ""
        if not usable:
            self.test.assertFalse(success)
        else:
            gain = plimsoll.size(items) > len(answer["result"]["text"])
            self.test.assertEqual(success, gain)
        self.input = items

    def _installed(self, before, after, success, answer):
        test, ids = self.test, [i["id"] for i in after]
        test.assertEqual(len(ids), len(set(ids)))
        kept = [i["id"] for i in before if i["id"] in ids]
        test.assertEqual(kept, [i for i in ids if i in kept], "order")
        was = {i["id"]: i for i in before}
        gone = {i["id"] for i in before if plimsoll.visible(i)} - set(ids)
        test.assertEqual(gone, {i["id"] for i in self.input} if success else set())
        for item in after:
            old = was.get(item["id"])
            if old is not None and old != item:
                test.assertTrue(item["trimmed"] and not old.get("trimmed") and len(item["content"]) < len(old["content"]))
                test.assertEqual({**old, "content": 0}, {k: v for k, v in {**item, "content": 0}.items() if k != "trimmed"})
        test.assertLessEqual(gone & plimsoll.must_stay(before), set())
        if success:
            test.assertEqual([i["content"] for i in after if i.get("summary")], [answer["result"]["text"]])
            test.assertLess(plimsoll.size([i for i in after if i["id"] in was or i.get("summary")]), plimsoll.size(before))
            calls = {c for i in after for c in i["calls"]}
            answers = {i["call_id"] for i in after if i["call_id"]}
            test.assertEqual(calls, answers)
            test.assertIn(plimsoll.latest_user(before), [*after, None])


REFERENCE = {
    "kinds": ("step", "step", "step", "force", "overflow"),
    "claims": ("conversations", "rewind", "restart", "auto", "arrivals"),
}
MINIMAL = {"claims": ("conversations", "rewind")}


def judged(test, candidate, requests, summaries, trims, lifts=True):
    trace = run_case(candidate, requests, summaries)
    judge = Judge(test, trims, lifts)
    script = iter([(i, summaries["steps"][str(i)][0]) for i in range(len(requests)) if str(i) in summaries["steps"]])
    ordinary = judge._step

    def step(params, result, calls, rest):
        judge.answer = next(script)[1]
        ordinary(params, result, calls, rest)

    judge._step = step
    return judge.judge(trace), trace


class Random(unittest.TestCase):
    def test_reference(self):
        total, candidate = {}, SHARED
        for seed in range(100):
            with self.subTest(seed=seed):
                counts, _ = judged(self, candidate, *history(seed, **REFERENCE), trims=True)
                for key, n in counts.items():
                    total[key] = total.get(key, 0) + n
        for key in [
            ("step", True, "summarize"), ("step", True, "none"), ("step", True, "trim"), ("step", False, "trim"),
            ("force", True, "summarize"), ("force", True, "none"), ("overflow", True, "summarize"),
            ("overflow", True, "none"), ("overflow", False, "trim"), ("overflow", False, "none"),
        ]:
            self.assertGreater(total.get(key, 0), 3, (key, total))

    def test_minimal(self):
        candidate = minimal.Minimal()
        for seed in range(100):
            with self.subTest(seed=seed):
                judged(self, candidate, *history(seed, **MINIMAL), trims=False, lifts=False)

    def test_restarts_change_nothing(self):
        candidate, hints = SHARED, {**REFERENCE, "claims": ("conversations", "rewind", "auto", "arrivals")}
        for seed in range(25):
            requests, summaries = history(seed, **hints)
            plain = run_case(candidate, requests, summaries)
            wall, more, steps = 1000.0, [], {}
            for index, asked in enumerate(requests):
                wall = asked["params"].get("wall_s", wall)
                if index > 0:
                    more.append(request("restart", wall_s=wall, monotonic_s=0.0))
                if str(index) in summaries["steps"]:
                    steps[str(len(more))] = summaries["steps"][str(index)]
                more.append(asked)
            restarted = [t for t in run_case(candidate, more, {**summaries, "steps": steps}) if t[0]["method"] != "restart"]
            self.assertEqual(plain, restarted, seed)

    def test_status_messages_of_the_host_change_nothing(self):
        for candidate, hints in (SHARED, REFERENCE), (minimal.Minimal(), MINIMAL):
            for seed in range(30):
                requests, summaries = history(seed, **hints)
                fewer = [
                    request("append", **{**r["params"], "messages": [m for m in r["params"]["messages"] if not m["ui_only"]]})
                    if r["method"] == "append" else r for r in requests
                ]
                noted = {m["id"] for r in requests if r["method"] == "append" for m in r["params"]["messages"] if m["ui_only"]}
                if any(r["method"] == "rewind" and r["params"]["to"] in noted for r in requests):
                    continue

                def model_sees(trace):
                    return [
                        (got["result"].get("action"), [i for i in got["result"].get("view") or () if plimsoll.visible(i)], calls)
                        for asked, got, calls in trace if asked["method"] in ("step", "view")
                    ]

                with self.subTest(candidate.name, seed=seed):
                    self.assertEqual(model_sees(run_case(candidate, requests, summaries)), model_sees(run_case(candidate, fewer, summaries)))

    def test_batch_is_single(self):
        for file, hints in ("reference.py", {**REFERENCE, "claims": REFERENCE["claims"] + ("clock",)}), ("minimal.py", MINIMAL):
            with self.subTest(file), Adapter(file) as one, Adapter(file) as other:
                for seed in range(10):
                    requests, summaries = history(1000 + seed, **hints)
                    self.assertEqual(one.singly(requests, summaries), other.call("case", requests=requests, summaries=summaries))
                for adapter in one, other:
                    adapter.call("bye")
                    self.assertEqual(adapter.end(), (0, b"", b""))


if __name__ == "__main__":
    unittest.main()
