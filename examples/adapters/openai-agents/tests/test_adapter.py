"""Tests of the translation. With the environment of setup.sh: ../.venv-0.24.0/bin/python -m unittest"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]
import adapter  # noqa: E402
from adapter_test import DONE, LOOK, ONE, TASK, TWO, Host, stepped, talk  # noqa: E402

MESSAGES = talk(TASK, LOOK, ONE, TWO, DONE)


class Translation(unittest.TestCase):
    def step(self, answer):
        return stepped(adapter.Session(), MESSAGES, answer)

    def test_there_and_back(self):
        items = [item for said in MESSAGES for item in adapter.encode(said)]
        back = [adapter.plimsoll.message(**item) for item in adapter.decode(items)]
        self.assertEqual([{**said, "id": None} for said in MESSAGES], back)

    def test_a_summary_is_own(self):
        _, host, step = self.step("sealed")
        self.assertEqual(1, len(host.asked))
        self.assertEqual([("own_cmp_1", "sealed")], [(item["id"], item["content"]) for item in step.view])
        self.assertIn("the task", host.asked[0])

    def test_a_failed_call_changes_nothing(self):
        candidate, host = adapter.Session(), Host(adapter.plimsoll.SummarizeError("rejected"))
        candidate.append("a", MESSAGES)
        with self.assertRaises(RuntimeError):
            candidate.step("a", host)
        self.assertEqual(5, len(candidate.view("a")["view"]))

    def test_an_abort_is_one(self):
        with self.assertRaises(adapter.plimsoll.SummarizeError):
            self.step(adapter.plimsoll.SummarizeError("aborted"))


if __name__ == "__main__":
    unittest.main()
