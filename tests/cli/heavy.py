"""A candidate for tests that run often: few histories, and some of them fail."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/adapters"))

import plimsoll  # noqa: E402


class Forgetful(plimsoll.Keeper):
    """Summarises whenever it is asked to, without any throttle: so THR-2 fails, which it claims."""

    name, version = "forgetful", "1"
    contract = {
        "capabilities": ["summarize", "throttle", "view", "log"],
        "messages": ["ui_only", "system"],
        "weight": "heavy",
    }

    def step(self, conversation, host):
        kept = self.conversations[conversation]
        seen = kept.visible()
        stay = plimsoll.must_stay(seen, seen[-1:])
        old = [item for item in seen if item["id"] not in stay]
        if host.pressure != "summarize" or len(old) < 4:
            return None
        try:
            answer = host.summarize(old)
        except plimsoll.SummarizeError:
            return None
        summary = kept.summary(answer.text)
        if not answer.usable or plimsoll.size([summary]) >= plimsoll.size(old):
            return None
        at = seen.index(old[0])
        kept.view = [i for i in seen[:at] if i["id"] in stay] + [summary] + [i for i in seen[at:] if i["id"] in stay]
        return plimsoll.Step("summarize", view=kept.view)


plimsoll.run(Forgetful())
