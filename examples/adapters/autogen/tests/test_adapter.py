"""Tests of the translation. With the environment of setup.sh: ../.venv-0.7.5/bin/python -m unittest"""

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


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        stored, ids = adapter.encode(MESSAGES)
        self.assertEqual(4, len(stored), "the results of one message are one message")
        back = [adapter.plimsoll.message(**item) for m, known in zip(stored, ids) for item in adapter.decode(m, known)]
        self.assertEqual(MESSAGES, back)

    def test_what_fits_comes_back(self):
        for which in adapter.CONTEXTS:
            left = adapter.Context(which).fit(MESSAGES, {"max": 99})
            self.assertEqual(["m1", "m2", "m3", "m4", "m5"], [item["id"] for item in left], which)

    def test_what_a_context_writes_is_its_own(self):
        left = adapter.Context("head-and-tail").fit(MESSAGES, {"max": 2})
        self.assertEqual(["m1", "own1", "m5"], [item["id"] for item in left])

    def test_tokens_are_counted_as_declared(self):
        stored, _ = adapter.encode(MESSAGES)
        self.assertEqual(2 + 2 + 1 + 1 + 1, adapter.Client().count_tokens(stored))


if __name__ == "__main__":
    unittest.main()
