"""Tests of the translation. With the environment of setup.sh: ../.venv-1.110.2/bin/python -m unittest"""

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
        {"id": "m6", "role": "user", "content": "and now"},
    ]
]


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        for said in MESSAGES:
            self.assertEqual(said, adapter.plimsoll.message(**adapter.decode(adapter.encode(said))))

    def test_what_fits_comes_back(self):
        left = adapter.Litellm().fit(MESSAGES, {"max": 999})
        self.assertEqual(["m%d" % i for i in range(1, 7)], [item["id"] for item in left])

    def test_tokens_are_counted_as_declared(self):
        self.assertEqual(2 + 2 + 2 + 1 + 1 + 2, adapter.tokens(messages=[adapter.encode(said) for said in MESSAGES]))


if __name__ == "__main__":
    unittest.main()
