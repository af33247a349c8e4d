"""Tests of the translation. With the environment of setup.sh: ../.venv-0.14.25/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import adapter  # noqa: E402

MESSAGES = [
    adapter.plimsoll.message(**said)
    for said in [
        {"id": "m1", "role": "user", "content": "the task " * 30},
        {"id": "m2", "role": "assistant", "content": "I look", "calls": ["c1", "c2"]},
        {"id": "m3", "role": "tool", "content": "one", "call_id": "c1"},
        {"id": "m4", "role": "tool", "content": "two", "call_id": "c2"},
        {"id": "m5", "role": "assistant", "content": "done"},
        {"id": "m6", "role": "user", "content": "and now " * 30},
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
        left = adapter.Buffer().fit(MESSAGES, {"max": 999})
        self.assertEqual(["m%d" % i for i in range(1, 7)], [item["id"] for item in left])

    def test_tokens_are_counted_as_declared(self):
        self.assertEqual(["abcd", "ef"], adapter.fours("abcdef"))

    def step(self, answer):
        candidate, host = adapter.Summary(), Host(answer)
        candidate.append("a", MESSAGES)
        return candidate, host, candidate.step("a", host)

    def test_a_summary_is_own(self):
        _, host, step = self.step("short")
        self.assertEqual(["own1", "m6"], [item["id"] for item in step.view])
        self.assertEqual("short", step.view[0]["content"])
        self.assertIn("the task", host.asked[0])

    def test_an_abort_is_one(self):
        with self.assertRaises(adapter.plimsoll.SummarizeError) as raised:
            self.step(adapter.plimsoll.SummarizeError("aborted"))
        self.assertEqual("aborted", raised.exception.kind)


if __name__ == "__main__":
    unittest.main()
