#!/usr/bin/env python3
"""chatcram and contextclip behind the plimsoll adapter protocol.

    .venv-0.1.0/bin/python adapter.py                 chatcram: Compactor.compact
    .venv-0.1.0/bin/python adapter.py --contextclip   contextclip: ContextClipper.check and .recover

The host keeps what they return and hands it in again the next time. Their summariser is the harness's; their budget is
set to agree with the host's verdict. README.md says what each claim rests on.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import plimsoll  # noqa: E402

import chatcram  # noqa: E402
import contextclip  # noqa: E402

# Both give a function of the user's a text, or messages, and get a text: how an answer ended, they cannot see.
OUTCOMES = ["rejected", "overflow", "timeout", "transport", "empty", "blank", "inflated", "equal", "ineffective", "raised"]
KEEP_RECENT = 100  # tokens, of four characters
LOOP = asyncio.new_event_loop()
TAIL = 4           # messages: the default of ContextClipper


class Host(plimsoll.Keeper):
    """Calls the library at pressure `summarize`, and keeps what it returns."""

    def step(self, conversation, host):
        talk = self.conversations[conversation]
        if host.pressure != "summarize":
            return None
        items = talk.visible()
        stored = [self.encode(item) for item in items]
        known = {id(message): item for message, item in zip(stored, items)}
        done, left = self.compacted(stored, host)
        if not done:
            return plimsoll.Step("none")
        talk.view = [known.get(id(message)) or talk.summary(*self.decode(message)) for message in left]
        return plimsoll.Step(done, (), talk.view)


class Chatcram(Host):
    name, version = "chatcram", metadata.version("chatcram")
    contract = {
        "capabilities": ["summarize", "view"],
        "messages": ["system", "many_system", "tool_role"],
        "latch": None,
        "attempt": {"keep_size": 4 * KEEP_RECENT, "outcomes": OUTCOMES},
        "view": {"latest_user": "covered"},
        "weight": "heavy",
    }

    @staticmethod
    def encode(item):
        return {"role": item["role"], "content": item["content"]}

    @staticmethod
    def decode(message):
        return message["content"], message["role"]

    @staticmethod
    def compacted(stored, host):
        def summarize(transcript):
            return host.summarize(text=transcript).text

        size = chatcram.Compactor(sys.maxsize, summarize).compact(stored).used_tokens
        if size < 2:
            return None, stored  # a budget is at least 1
        result = chatcram.Compactor(size - 1, summarize, keep_recent=KEEP_RECENT).compact(stored)
        return "summarize" if result.summarized else None, result.messages


class Contextclip(Host):
    name, version = "contextclip", metadata.version("contextclip")
    contract = {
        "capabilities": ["summarize", "view"],
        "messages": ["system", "many_system", "tool_role"],
        "latch": None,
        "attempt": {"keep_last": TAIL, "outcomes": OUTCOMES},
        "view": {"latest_user": "covered"},
        "weight": "heavy",
    }

    @staticmethod
    def encode(item):
        return contextclip.Message(item["role"], item["content"])

    @staticmethod
    def decode(message):
        return message.content, message.role

    @staticmethod
    def compacted(stored, host):
        class Summarizer(contextclip.Summarizer):
            async def summarize(self, messages):
                text = "\n".join("[%s] %s" % (message.role, message.content) for message in messages)
                return contextclip.Message("system", host.summarize(text=text).text)

        clipper = contextclip.ContextClipper(1, tail_messages=TAIL, summarizer=Summarizer())
        if clipper.check(stored).action != "over_hard_limit":
            return None, stored
        result = LOOP.run_until_complete(clipper.recover(stored))
        done = {"unchanged": None, "drained": "trim", "summarized": "summarize"}[result.action]
        return done, result.messages


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--contextclip", action="store_true", help="contextclip in place of chatcram")
    plimsoll.run(Contextclip() if parser.parse_args().contextclip else Chatcram())


if __name__ == "__main__":
    main()
