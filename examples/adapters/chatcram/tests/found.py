"""What was found, shown with chatcram and contextclip alone: neither the adapter nor plimsoll takes part.

    ../.venv-0.1.0/bin/python found.py
"""

import asyncio

from chatcram import Compactor
from contextclip import ContextClipper, Message, Summarizer

CALLS = []


def summarizer(answer):
    def summarize(transcript):
        CALLS.append(transcript)
        if isinstance(answer, Exception):
            raise answer
        return answer
    return summarize


def talk(count, first=0):
    return [{"role": "user" if i % 2 == 0 else "assistant", "content": "%d %s" % (i, "word " * 20)}
            for i in range(first, first + count)]


def show(messages):
    short = ["%s: %s" % (m["role"], m["content"][:24].replace("\n", " ")) for m in messages]
    print("  %d characters, %s" % (sum(len(m["content"]) for m in messages), short))


def chatcram():
    print("\nchatcram: a large answer")
    messages = talk(6)
    show(messages)
    show(Compactor(100, summarizer("word " * 500), keep_recent=60).compact(messages).messages)

    print("\nchatcram: compacted three times, each time four messages later")
    messages = [{"role": "system", "content": "be brief"}, *talk(6)]
    for round in range(3):
        messages = Compactor(100, summarizer("summary %d" % round), keep_recent=60).compact(messages).messages
        show(messages)
        messages = messages + talk(4, 6 + 4 * round)

    print("\nchatcram: a task, steps after it, and a system message among them")
    messages = [{"role": "user", "content": "the task"}, *talk(4)[1:], {"role": "system", "content": "be brief"}, *talk(6)[4:]]
    show(messages)
    show(Compactor(100, summarizer("what was said so far"), keep_recent=60).compact(messages).messages)

    print("\nchatcram: a summarizer that raises")
    try:
        Compactor(100, summarizer(RuntimeError("refused")), keep_recent=60).compact(talk(6))
    except RuntimeError as error:
        print("  it raised %r" % error)


class Answer(Summarizer):
    def __init__(self, answer):
        self.answer = answer

    async def summarize(self, messages):
        CALLS.append(messages)
        return Message("system", self.answer)


def clip(what, messages, answer="what was said so far", budget=50):
    print("\ncontextclip: %s" % what)
    CALLS.clear()
    clipper = ContextClipper(budget, summarizer=Answer(answer))
    given = [Message(m["role"], m["content"]) for m in messages]
    show(messages)
    result = asyncio.run(clipper.recover(given))
    print("  check %s, recover %s, summarizer calls %d" % (clipper.check(given).action, result.action, len(CALLS)))
    show([{"role": m.role, "content": m.content} for m in result.messages])
    seen = [m.content[:8] for call in CALLS for m in call]
    kept = [m.content[:8] for m in result.messages]
    print("  neither kept nor summarised: %s" % [m["content"][:8] for m in messages if m["content"][:8] not in seen + kept])


chatcram()
clip("a system message and nine more", [{"role": "system", "content": "be brief and polite"}, *talk(9)])
clip("an empty answer", talk(8), "")
clip("a large answer", talk(8), "word " * 500)
clip("four messages", talk(4))
