"""Tests of the translation. With the environment of setup.sh: ../.venv-0.1.0/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]
import adapter  # noqa: E402
from adapter_test import BRIEF, Host, ids, stepped, talk  # noqa: E402


LONG = talk(BRIEF, *({"role": "user", "content": "word " * 40} for _ in range(8)))


class Both(unittest.TestCase):
    def test_nothing_without_pressure(self):
        for kind in (adapter.Chatcram, adapter.Contextclip):
            candidate, host = kind(), Host("short", pressure="none")
            candidate.append("a", LONG)
            self.assertIsNone(candidate.step("a", host))
            self.assertEqual([], host.asked)

    def test_chatcram_keeps_system_and_tail(self):
        _, host, step = stepped(adapter.Chatcram(), LONG, "short")
        self.assertEqual("summarize", step.action)
        self.assertEqual(["m1", "own1", "m9"], ids(step.view))
        self.assertTrue(step.view[1]["summary"])
        self.assertEqual(1, len(host.asked))

    def test_contextclip_keeps_the_tail(self):
        _, host, step = stepped(adapter.Contextclip(), LONG, "short")
        self.assertEqual(["own1", "m6", "m7", "m8", "m9"], ids(step.view))

    def test_a_failed_call_changes_nothing(self):
        for kind in (adapter.Chatcram, adapter.Contextclip):
            candidate, host = kind(), Host(adapter.plimsoll.SummarizeError("rejected"))
            candidate.append("a", LONG)
            with self.assertRaises(adapter.plimsoll.SummarizeError):
                candidate.step("a", host)
            self.assertEqual(9, len(candidate.view("a")["view"]), kind.name)


if __name__ == "__main__":
    unittest.main()
