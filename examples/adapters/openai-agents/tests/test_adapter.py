"""Tests of the translation. With the environment of setup.sh: ../.venv-0.24.0/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import adapter  # noqa: E402

MESSAGES = [
    adapter.plimsoll.message(**said)
    for said in [
        {"id": "m1", "role": "user", "content": "the task"},
        {"id": "m2", "role": "assistant", "content": "I look", "calls": ["c1", "c2"]},
        {"id": "m3", "role": "tool", "content": "one", "call_id": "c1"},
        {"id": "m4", "role": "tool", "content": "two", "call_id": "c2"},
        {"id": "m5", "role": "assistant", "content": "done"},
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
    def step(self, answer):
        candidate, host = adapter.Session(), Host(answer)
        candidate.append("a", MESSAGES)
        return candidate, host, candidate.step("a", host)

    def test_there_and_back(self):
        items = [item for said in MESSAGES for item in adapter.encode(said)]
        back = [adapter.plimsoll.message(**item) for item in adapter.decode(items)]
        self.assertEqual([{**said, "id": None} for said in MESSAGES], back)

    def test_a_summary_is_own(self):
        _, host, step = self.step("sealed")
        self.assertEqual(1, len(host.asked))
        self.assertEqual([("own_cmp_1", "sealed")], [(item["id"], item["content"]) for item in step.view])
        self.assertIn("the task", host.asked[0])

    def test_a_failed_call_changes_nothing(self):
        candidate, host = adapter.Session(), Host(adapter.plimsoll.SummarizeError("rejected"))
        candidate.append("a", MESSAGES)
        with self.assertRaises(RuntimeError):
            candidate.step("a", host)
        self.assertEqual(5, len(candidate.view("a")["view"]))

    def test_an_abort_is_one(self):
        with self.assertRaises(adapter.plimsoll.SummarizeError):
            self.step(adapter.plimsoll.SummarizeError("aborted"))


if __name__ == "__main__":
    unittest.main()
