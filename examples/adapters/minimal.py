"""A whole candidate in forty lines: plimsoll check -- python3 minimal.py"""
import plimsoll


class Minimal(plimsoll.Keeper):
    name, version = "minimal", "1.0"
    contract = {
        "capabilities": ["summarize", "throttle", "latch", "log", "view", "conversations", "rewind"],
        "throttle": {"cooldown_s": 60, "growth": "ignored", "clock": "monotonic"}, "latch": {"reopen_growth": 20},
    }

    class Conversation(plimsoll.Conversation):
        tried_at, failed = None, None  # the time of the last attempt, growth at the last failure

    def step(self, conversation, host):
        talk = self.conversations[conversation]
        stay = plimsoll.must_stay(talk.view, also=[plimsoll.latest_user(talk.view), *talk.visible()[-1:]])
        old = [i for i in talk.visible() if i["id"] not in stay]
        worth = sum(map(plimsoll.external, old)) >= 4 and plimsoll.size(old) >= 400
        cooling = talk.tried_at is not None and host.monotonic_s - talk.tried_at < 60
        latched = talk.failed is not None and talk.external - talk.failed < 20
        if host.pressure != "summarize" or not worth or cooling or latched or plimsoll.has_open_call(talk.view):
            return None
        try:
            answer = host.summarize(old)
        except plimsoll.SummarizeError as error:
            if error.kind == "aborted":
                return None
            answer = plimsoll.Summary("", error.kind)
        talk.tried_at, talk.failed = host.monotonic_s, talk.external
        summary, gone = talk.summary(answer.text), {i["id"] for i in old[1:]}
        shorter = [summary if i is old[0] else i for i in talk.view if i["id"] not in gone]
        if not answer.usable or plimsoll.size(shorter) >= plimsoll.size(talk.view):
            return plimsoll.Step("none", [talk.say("compaction failed: " + answer.stop)])
        talk.view, talk.failed = shorter, None
        return plimsoll.Step("summarize", view=talk.view)


plimsoll.run(Minimal())
