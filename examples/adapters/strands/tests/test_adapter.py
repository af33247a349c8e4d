"""Tests of the translation. With the environment of setup.sh: ../.venv-1.62.0/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import adapter  # noqa: E402

MESSAGES = [
    adapter.plimsoll.message(**said)
    for said in [
        {"id": "m1", "role": "user", "content": "the task", "pinned": True},
        {"id": "m2", "role": "assistant", "content": "I look", "calls": ["c1", "c2"]},
        {"id": "m3", "role": "tool", "content": "one", "call_id": "c1"},
        {"id": "m4", "role": "tool", "content": "two", "call_id": "c2"},
        {"id": "m5", "role": "assistant", "content": "done"},
    ]
]
LONG = [
    adapter.plimsoll.message(id="n%d" % i, role="user" if i % 2 else "assistant", content="message %d" % i) for i in range(1, 15)
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
        stored = adapter.Stored()
        for said in MESSAGES:
            stored.append(said)
        self.assertEqual(4, len(stored.messages), "the results of one message are one message")
        self.assertEqual(MESSAGES, [adapter.plimsoll.message(**item) for item in stored.view()])

    def test_what_fits_comes_back(self):
        left = adapter.SlidingWindow().fit(MESSAGES, {"max": 99})
        self.assertEqual(["m1", "m2", "m3", "m4", "m5"], [item["id"] for item in left])

    def step(self, answer):
        candidate, host = adapter.Summarizing(), Host(answer)
        candidate.append("a", LONG)
        return candidate, host, candidate.step("a", host)

    def test_a_summary_is_own(self):
        _, host, step = self.step("short")
        self.assertEqual(1, len(host.asked))
        self.assertEqual(["own1", "n5"], [item["id"] for item in step.view][:2])
        self.assertEqual("short", step.view[0]["content"])

    def test_a_failed_call_changes_nothing(self):
        candidate, _, _ = self.step(adapter.plimsoll.SummarizeError("rejected"))
        self.assertEqual(14, len(candidate.view("a")["view"]))

    def test_an_abort_is_one(self):
        with self.assertRaises(adapter.plimsoll.SummarizeError):
            self.step(adapter.plimsoll.SummarizeError("aborted"))


if __name__ == "__main__":
    unittest.main()
