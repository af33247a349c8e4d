"""Tests of the translation. With the environment of setup.sh: ../.venv-1.5.2/bin/python -m unittest"""

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
        {"id": "m3", "role": "assistant", "content": "I look", "calls": ["c1", "c2"]},
        {"id": "m4", "role": "tool", "content": "one", "call_id": "c1"},
        {"id": "m5", "role": "tool", "content": "two", "call_id": "c2"},
        {"id": "m6", "role": "assistant", "content": "done"},
        {"id": "m7", "role": "user", "content": "and now"},
    ]
]


class Host:
    """The host's side of a step, which answers each call with the next of `answers`."""

    pressure = "summarize"

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    def summarize(self, items=None, text=None):
        self.asked.append(text)
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return adapter.plimsoll.Summary(answer, "end")
        raise answer


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        for said in MESSAGES:
            self.assertEqual(said, adapter.plimsoll.message(**adapter.decode(adapter.encode(said))))

    def test_what_fits_comes_back(self):
        for trimmer in (adapter.Trimmer(len), adapter.Trimmer(adapter.tokens), adapter.Trimmer(adapter.tokens, True)):
            left = trimmer.fit(MESSAGES, {"max": 99})
            self.assertEqual(["m%d" % i for i in range(1, 8)], [item["id"] for item in left])

    def test_a_summary_is_own(self):
        middleware, host = adapter.Middleware(), Host("short")
        middleware.append("a", MESSAGES[1:])
        step = middleware.step("a", host)
        self.assertEqual(["own1", "m3", "m4", "m5", "m6", "m7"], [item["id"] for item in step.view])
        self.assertTrue(step.view[0]["summary"])
        self.assertIn("the task", host.asked[0])

    def test_a_lost_connection_is_tried_three_times(self):
        middleware = adapter.Middleware()
        host = Host(*(adapter.plimsoll.SummarizeError("transport") for _ in range(3)))
        middleware.append("a", MESSAGES[1:])
        with self.assertRaises(adapter.exceptions.ModelConnectionError):
            middleware.step("a", host)
        self.assertEqual(3, len(host.asked))
        self.assertEqual(6, len(middleware.view("a")["view"]))

    def test_an_abort_is_one(self):
        middleware = adapter.Middleware()
        middleware.append("a", MESSAGES[1:])
        with self.assertRaises(adapter.plimsoll.SummarizeError) as raised:
            middleware.step("a", Host(adapter.plimsoll.SummarizeError("aborted")))
        self.assertEqual("aborted", raised.exception.kind)


if __name__ == "__main__":
    unittest.main()
