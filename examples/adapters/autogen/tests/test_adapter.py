"""Tests of the translation. With the environment of setup.sh: ../.venv-0.7.5/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]
import adapter  # noqa: E402
from adapter_test import DONE, LOOK, ONE, TASK, TWO, ids, talk  # noqa: E402

MESSAGES = talk(TASK, LOOK, ONE, TWO, DONE)


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        stored, ids = adapter.encode(MESSAGES)
        self.assertEqual(4, len(stored), "the results of one message are one message")
        back = [adapter.plimsoll.message(**item) for m, known in zip(stored, ids) for item in adapter.decode(m, known)]
        self.assertEqual(MESSAGES, back)

    def test_what_fits_comes_back(self):
        for which in adapter.CONTEXTS:
            left = adapter.Context(which).fit(MESSAGES, {"max": 99})
            self.assertEqual(["m1", "m2", "m3", "m4", "m5"], ids(left), which)

    def test_what_a_context_writes_is_its_own(self):
        left = adapter.Context("head-and-tail").fit(MESSAGES, {"max": 2})
        self.assertEqual(["m1", "own1", "m5"], ids(left))

    def test_tokens_are_counted_as_declared(self):
        stored, _ = adapter.encode(MESSAGES)
        self.assertEqual(2 + 2 + 1 + 1 + 1, adapter.Client().count_tokens(stored))


if __name__ == "__main__":
    unittest.main()
