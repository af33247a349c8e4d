"""What the tests of the adapters in the directories beside this one share: messages to translate, and the host's side of a step.

    sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]      # HERE: the adapter's directory
    import adapter
    from adapter_test import TASK, LOOK, ONE, TWO, DONE, Host, talk
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import plimsoll  # noqa: E402

BRIEF = {"role": "system", "content": "be brief"}
TASK = {"role": "user", "content": "the task"}
LOOK = {"role": "assistant", "content": "I look", "calls": ["c1", "c2"]}
ONE = {"role": "tool", "content": "one", "call_id": "c1"}
TWO = {"role": "tool", "content": "two", "call_id": "c2"}
DONE = {"role": "assistant", "content": "done"}
NEXT = {"role": "user", "content": "and now"}


def talk(*said):
    """Messages as the host sends them, with the ids `m1`, `m2`, …"""
    return [plimsoll.message(**{"id": "m%d" % at, **one}) for at, one in enumerate(said, 1)]


def ids(messages):
    return [item["id"] for item in messages]


class Host:
    """The host's side of a step. Each call gets the next of `answers`, the last again and again: a text, or an error that is
    raised. `asked` has the texts that it was asked for.
    """

    def __init__(self, *answers, pressure="summarize"):
        self.answers, self.pressure, self.asked = list(answers), pressure, []

    def summarize(self, items=None, text=None):
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append(text)
        if isinstance(answer, str):
            return plimsoll.Summary(answer, "end")
        raise answer


def stepped(candidate, messages, *answers):
    """The candidate, the host and the step, after a step at pressure `summarize` over `messages`."""
    host = Host(*answers)
    candidate.append("a", messages)
    return candidate, host, candidate.step("a", host)
