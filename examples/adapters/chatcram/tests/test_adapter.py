"""Tests of the translation. With the environment of setup.sh: ../.venv-0.1.0/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import adapter  # noqa: E402


class Host:
    """The host's side of a step."""

    def __init__(self, answer, pressure="summarize"):
        self.answer, self.pressure, self.asked = answer, pressure, []

    def summarize(self, items=None, text=None):
        self.asked.append(text)
        return adapter.plimsoll.Summary(self.answer, "end")


def talk(count):
    said = [{"id": "m1", "role": "system", "content": "be brief"}]
    said += [{"id": "m%d" % i, "role": "user", "content": "word " * 40} for i in range(2, count + 1)]
    return [adapter.plimsoll.message(**one) for one in said]


class Both(unittest.TestCase):
    def made(self, kind, count=9):
        candidate = kind()
        candidate.append("a", talk(count))
        return candidate

    def test_nothing_without_pressure(self):
        for kind in (adapter.Chatcram, adapter.Contextclip):
            candidate, host = self.made(kind), Host("short", "none")
            self.assertIsNone(candidate.step("a", host))
            self.assertEqual([], host.asked)

    def test_chatcram_keeps_system_and_tail(self):
        candidate, host = self.made(adapter.Chatcram), Host("short")
        step = candidate.step("a", host)
        self.assertEqual("summarize", step.action)
        self.assertEqual(["m1", "own1", "m9"], [item["id"] for item in step.view])
        self.assertTrue(step.view[1]["summary"])
        self.assertEqual(1, len(host.asked))

    def test_contextclip_keeps_the_tail(self):
        candidate, host = self.made(adapter.Contextclip), Host("short")
        step = candidate.step("a", host)
        self.assertEqual(["own1", "m6", "m7", "m8", "m9"], [item["id"] for item in step.view])

    def test_a_failed_call_changes_nothing(self):
        for kind in (adapter.Chatcram, adapter.Contextclip):
            candidate, host = self.made(kind), Host("")
            host.summarize = self.raising
            with self.assertRaises(adapter.plimsoll.SummarizeError):
                candidate.step("a", host)
            self.assertEqual(9, len(candidate.view("a")["view"]), kind.name)

    @staticmethod
    def raising(items=None, text=None):
        raise adapter.plimsoll.SummarizeError("rejected")


if __name__ == "__main__":
    unittest.main()
