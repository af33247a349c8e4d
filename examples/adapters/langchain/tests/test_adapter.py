"""Tests of the translation. With the environment of setup.sh: ../.venv-1.5.2/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]
import adapter  # noqa: E402
from adapter_test import BRIEF, DONE, LOOK, NEXT, ONE, TASK, TWO, Host, ids, stepped, talk  # noqa: E402

MESSAGES = talk(BRIEF, TASK, LOOK, ONE, TWO, DONE, NEXT)


class Translation(unittest.TestCase):
    def test_there_and_back(self):
        for said in MESSAGES:
            self.assertEqual(said, adapter.plimsoll.message(**adapter.decode(adapter.encode(said))))

    def test_what_fits_comes_back(self):
        for trimmer in (adapter.Trimmer(len), adapter.Trimmer(adapter.tokens), adapter.Trimmer(adapter.tokens, True)):
            left = trimmer.fit(MESSAGES, {"max": 99})
            self.assertEqual(["m%d" % i for i in range(1, 8)], ids(left))

    def test_a_summary_is_own(self):
        _, host, step = stepped(adapter.Middleware(), MESSAGES[1:], "short")
        self.assertEqual(["own1", "m3", "m4", "m5", "m6", "m7"], ids(step.view))
        self.assertTrue(step.view[0]["summary"])
        self.assertIn("the task", host.asked[0])

    def test_a_lost_connection_is_tried_three_times(self):
        middleware, host = adapter.Middleware(), Host(adapter.plimsoll.SummarizeError("transport"))
        middleware.append("a", MESSAGES[1:])
        with self.assertRaises(adapter.exceptions.ModelConnectionError):
            middleware.step("a", host)
        self.assertEqual(3, len(host.asked))
        self.assertEqual(6, len(middleware.view("a")["view"]))

    def test_an_abort_is_one(self):
        with self.assertRaises(adapter.plimsoll.SummarizeError) as raised:
            stepped(adapter.Middleware(), MESSAGES[1:], adapter.plimsoll.SummarizeError("aborted"))
        self.assertEqual("aborted", raised.exception.kind)


if __name__ == "__main__":
    unittest.main()
