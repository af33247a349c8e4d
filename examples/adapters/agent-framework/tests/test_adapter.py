"""Tests of the translation. With the environment of setup.sh: ../.venv-1.23.0/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]
import adapter  # noqa: E402
from adapter_test import BRIEF, DONE, LOOK, NEXT, ONE, TASK, TWO, ids, stepped, talk  # noqa: E402

MESSAGES = talk(BRIEF, TASK, {**LOOK, "reasoning": "let me see"}, ONE, TWO, DONE, NEXT)


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        for said in MESSAGES:
            self.assertEqual(said, adapter.plimsoll.message(**adapter.decode(adapter.encode(said))))

    def test_what_fits_comes_back(self):
        for which in adapter.STRATEGIES:
            left = adapter.Fit(which).fit(MESSAGES, {"max": 99})
            self.assertEqual(["m%d" % i for i in range(1, 8)], ids(left), which)

    def test_tokens_are_counted_as_declared(self):
        text = [2, 2, 2 + 3, 1, 1, 1, 2]
        for budget, whole in [(sum(text), True), (sum(text) - 1, False)]:
            left = adapter.Fit("token-budget").fit(MESSAGES, {"max": budget})
            self.assertEqual(whole, len(left) == 7, budget)

    def step(self, answer):
        return stepped(adapter.Summarization(), MESSAGES, answer)

    def test_a_summary_is_own_and_what_it_covers_is_not_shown(self):
        _, host, step = self.step("short")
        self.assertEqual(("summarize", 1), (step.action, len(host.asked)))
        own = [item for item in step.view if item["id"].startswith("own")]
        self.assertEqual(["short"], [item["content"] for item in own])
        self.assertNotIn("m2", ids(step.view))
        self.assertIn("m1", ids(step.view))

    def test_a_failed_call_changes_nothing(self):
        candidate, _, step = self.step(adapter.plimsoll.SummarizeError("rejected"))
        self.assertEqual(("none", 7), (step.action, len(candidate.view("a")["view"])))

    def test_an_abort_is_one(self):
        with self.assertRaises(adapter.plimsoll.SummarizeError):
            self.step(adapter.plimsoll.SummarizeError("aborted"))


if __name__ == "__main__":
    unittest.main()
