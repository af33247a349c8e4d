"""Tests of the translation. With the environment of setup.sh: ../.venv-1.23.0/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import adapter  # noqa: E402

MESSAGES = [
    adapter.plimsoll.message(**said)
    for said in [
        {"id": "m1", "role": "system", "content": "be brief"},
        {"id": "m2", "role": "user", "content": "the task"},
        {"id": "m3", "role": "assistant", "content": "I look", "calls": ["c1", "c2"], "reasoning": "let me see"},
        {"id": "m4", "role": "tool", "content": "one", "call_id": "c1"},
        {"id": "m5", "role": "tool", "content": "two", "call_id": "c2"},
        {"id": "m6", "role": "assistant", "content": "done"},
        {"id": "m7", "role": "user", "content": "and now"},
    ]
]


class Host:
    """The host's side of a step."""

    pressure = "summarize"

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def summarize(self, items=None, text=None):
        self.asked.append(text)
        if isinstance(self.answer, str):
            return adapter.plimsoll.Summary(self.answer, "end")
        raise self.answer


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        for said in MESSAGES:
            self.assertEqual(said, adapter.plimsoll.message(**adapter.decode(adapter.encode(said))))

    def test_what_fits_comes_back(self):
        for which in adapter.STRATEGIES:
            left = adapter.Fit(which).fit(MESSAGES, {"max": 99})
            self.assertEqual(["m%d" % i for i in range(1, 8)], [item["id"] for item in left], which)

    def test_tokens_are_counted_as_declared(self):
        text = [2, 2, 2 + 3, 1, 1, 1, 2]
        for budget, whole in [(sum(text), True), (sum(text) - 1, False)]:
            left = adapter.Fit("token-budget").fit(MESSAGES, {"max": budget})
            self.assertEqual(whole, len(left) == 7, budget)

    def step(self, answer):
        candidate, host = adapter.Summarization(), Host(answer)
        candidate.append("a", MESSAGES)
        return candidate, host, candidate.step("a", host)

    def test_a_summary_is_own_and_what_it_covers_is_not_shown(self):
        _, host, step = self.step("short")
        self.assertEqual(("summarize", 1), (step.action, len(host.asked)))
        own = [item for item in step.view if item["id"].startswith("own")]
        self.assertEqual(["short"], [item["content"] for item in own])
        self.assertNotIn("m2", [item["id"] for item in step.view])
        self.assertIn("m1", [item["id"] for item in step.view])

    def test_a_failed_call_changes_nothing(self):
        candidate, _, step = self.step(adapter.plimsoll.SummarizeError("rejected"))
        self.assertEqual(("none", 7), (step.action, len(candidate.view("a")["view"])))

    def test_an_abort_is_one(self):
        with self.assertRaises(adapter.plimsoll.SummarizeError):
            self.step(adapter.plimsoll.SummarizeError("aborted"))


if __name__ == "__main__":
    unittest.main()
