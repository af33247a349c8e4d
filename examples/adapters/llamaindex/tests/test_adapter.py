"""Tests of the translation. With the environment of setup.sh: ../.venv-0.14.25/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]
import adapter  # noqa: E402
from adapter_test import DONE, LOOK, NEXT, ONE, TASK, TWO, ids, stepped, talk  # noqa: E402

MESSAGES = talk({**TASK, "content": "the task " * 30}, LOOK, ONE, TWO, DONE, {**NEXT, "content": "and now " * 30})


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        for said in MESSAGES:
            self.assertEqual(said, adapter.plimsoll.message(**adapter.decode(adapter.encode(said))))

    def test_what_fits_comes_back(self):
        left = adapter.Buffer().fit(MESSAGES, {"max": 999})
        self.assertEqual(["m%d" % i for i in range(1, 7)], ids(left))

    def test_tokens_are_counted_as_declared(self):
        self.assertEqual(["abcd", "ef"], adapter.fours("abcdef"))

    def step(self, answer):
        return stepped(adapter.Summary(), MESSAGES, answer)

    def test_a_summary_is_own(self):
        _, host, step = self.step("short")
        self.assertEqual(["own1", "m6"], ids(step.view))
        self.assertEqual("short", step.view[0]["content"])
        self.assertIn("the task", host.asked[0])

    def test_an_abort_is_one(self):
        with self.assertRaises(adapter.plimsoll.SummarizeError) as raised:
            self.step(adapter.plimsoll.SummarizeError("aborted"))
        self.assertEqual("aborted", raised.exception.kind)


if __name__ == "__main__":
    unittest.main()
