"""Tests of the translation. With the environment of setup.sh: ../.venv-1.110.2/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]
import adapter  # noqa: E402
from adapter_test import BRIEF, LOOK, NEXT, ONE, TASK, TWO, ids, talk  # noqa: E402

MESSAGES = talk(BRIEF, TASK, LOOK, ONE, TWO, NEXT)


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        for said in MESSAGES:
            self.assertEqual(said, adapter.plimsoll.message(**adapter.decode(adapter.encode(said))))

    def test_what_fits_comes_back(self):
        left = adapter.Litellm().fit(MESSAGES, {"max": 999})
        self.assertEqual(["m%d" % i for i in range(1, 7)], ids(left))

    def test_tokens_are_counted_as_declared(self):
        self.assertEqual(2 + 2 + 2 + 1 + 1 + 2, adapter.tokens(messages=[adapter.encode(said) for said in MESSAGES]))


if __name__ == "__main__":
    unittest.main()
