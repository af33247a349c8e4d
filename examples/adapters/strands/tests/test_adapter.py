"""Tests of the translation. With the environment of setup.sh: ../.venv-1.62.0/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]
import adapter  # noqa: E402
from adapter_test import DONE, LOOK, ONE, TASK, TWO, ids, stepped, talk  # noqa: E402

MESSAGES = talk({**TASK, "pinned": True}, LOOK, ONE, TWO, DONE)
LONG = [
    adapter.plimsoll.message(id="n%d" % i, role="user" if i % 2 else "assistant", content="message %d" % i) for i in range(1, 15)
]


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        stored = adapter.Stored()
        for said in MESSAGES:
            stored.append(said)
        self.assertEqual(4, len(stored.messages), "the results of one message are one message")
        self.assertEqual(MESSAGES, [adapter.plimsoll.message(**item) for item in stored.view()])

    def test_what_fits_comes_back(self):
        left = adapter.SlidingWindow().fit(MESSAGES, {"max": 99})
        self.assertEqual(["m1", "m2", "m3", "m4", "m5"], ids(left))

    def step(self, answer):
        return stepped(adapter.Summarizing(), LONG, answer)

    def test_a_summary_is_own(self):
        _, host, step = self.step("short")
        self.assertEqual(1, len(host.asked))
        self.assertEqual(["own1", "n5"], ids(step.view)[:2])
        self.assertEqual("short", step.view[0]["content"])

    def test_a_failed_call_changes_nothing(self):
        candidate, _, _ = self.step(adapter.plimsoll.SummarizeError("rejected"))
        self.assertEqual(14, len(candidate.view("a")["view"]))

    def test_an_abort_is_one(self):
        with self.assertRaises(adapter.plimsoll.SummarizeError):
            self.step(adapter.plimsoll.SummarizeError("aborted"))


if __name__ == "__main__":
    unittest.main()
