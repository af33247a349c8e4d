#!/usr/bin/env python3
"""The model contexts of autogen-core behind the plimsoll adapter protocol.

    .venv-0.7.5/bin/python adapter.py --buffered        BufferedChatCompletionContext
    .venv-0.7.5/bin/python adapter.py --head-and-tail   HeadAndTailChatCompletionContext
    .venv-0.7.5/bin/python adapter.py --token-limited   TokenLimitedChatCompletionContext

A context is filled with `add_message` and asked with `get_messages`. Nothing of it is replaced; the model client, which a
token limit needs for counting and which a user supplies, counts four characters as a token. README.md says what each
claim rests on.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import plimsoll  # noqa: E402

from autogen_core import FunctionCall  # noqa: E402
from autogen_core.model_context import (  # noqa: E402
    BufferedChatCompletionContext,
    HeadAndTailChatCompletionContext,
    TokenLimitedChatCompletionContext,
)
from autogen_core.models import (  # noqa: E402
    AssistantMessage,
    ChatCompletionClient,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    UserMessage,
)


# ---- the messages of autogen and of the protocol -----------------------------------------------


def encode(messages):
    """The messages as autogen's agents store them, and the ids that each of these stands for.

    The results of one assistant message stand together in one message; the text beside calls is the `thought`.
    """
    stored, ids = [], []
    for said in messages:
        if said["role"] == "tool":
            result = FunctionExecutionResult(content=said["content"], name="probe", call_id=said["call_id"])
            if stored and isinstance(stored[-1], FunctionExecutionResultMessage):
                stored[-1].content.append(result)
                ids[-1].append(said["id"])
                continue
            stored.append(FunctionExecutionResultMessage(content=[result]))
        elif said["role"] == "user":
            stored.append(UserMessage(content=said["content"], source="user"))
        elif said["calls"]:
            calls = [FunctionCall(id=call, name="probe", arguments="{}") for call in said["calls"]]
            stored.append(AssistantMessage(content=calls, thought=said["content"], source="assistant"))
        else:
            stored.append(AssistantMessage(content=said["content"], source="assistant"))
        ids.append([said["id"]])
    return stored, ids


def decode(message, ids):
    """The view items that one message of autogen stands for. What the context wrote itself has no ids."""
    if isinstance(message, FunctionExecutionResultMessage):
        return [
            {"id": known, "role": "tool", "content": result.content, "call_id": result.call_id}
            for known, result in zip(ids, message.content, strict=True)
        ]
    known = ids[0] if ids else "own1"
    if isinstance(message, UserMessage):
        return [{"id": known, "role": "user", "content": message.content}]
    if isinstance(message.content, str):
        return [{"id": known, "role": "assistant", "content": message.content}]
    calls = [call.id for call in message.content]
    return [{"id": known, "role": "assistant", "content": message.thought or "", "calls": calls}]


# ---- the candidate -----------------------------------------------------------------------------


def count(text):
    """Tokens: four characters each, as `fit.counter` declares."""
    return -(-len(text) // 4)


class Client(ChatCompletionClient):
    """The model client that a user of a token limit brings: only the counting is ever asked for."""

    def __init__(self):
        self.known = {}  # a context counts the same messages again and again

    def count_tokens(self, messages, *, tools=()):
        return sum(self.known.get(id(message)) or self.count(message) for message in messages)

    def count(self, message):
        ids = [""] * (len(message.content) if isinstance(message, FunctionExecutionResultMessage) else 1)
        self.known[id(message)] = sum(count(item["content"]) for item in decode(message, ids))
        return self.known[id(message)]

    def _unused(self, *_, **__):
        raise NotImplementedError("a model context only counts")

    create = create_stream = close = actual_usage = total_usage = remaining_tokens = _unused
    capabilities = model_info = property(_unused)


def buffered(maximum):
    return BufferedChatCompletionContext(buffer_size=maximum)


def head_and_tail(maximum):
    head = max(maximum // 2, 1)
    return HeadAndTailChatCompletionContext(head_size=head, tail_size=maximum - head)


def token_limited(maximum):
    return TokenLimitedChatCompletionContext(Client(), token_limit=maximum)


MESSAGES = {"capabilities": ["fit"], "messages": ["calls", "tool_role"], "fit": {"unit": "messages", "max": "any"}}
TOKENS = {
    "capabilities": ["fit"],
    "messages": ["calls", "parallel_calls", "tool_role"],
    "fit": {"unit": "tokens", "counter": "chars/4", "max": "any"},
    "weight": "heavy",
}
CONTEXTS = {
    "buffered": (buffered, MESSAGES),
    "head-and-tail": (head_and_tail, MESSAGES),
    "token-limited": (token_limited, TOKENS),
}


class Context(plimsoll.Candidate):
    """One of the contexts, made anew for each list."""

    version = metadata.version("autogen-core")

    def __init__(self, which):
        self.name = "autogen-core " + which
        self.make, self.contract = CONTEXTS[which]
        self.loop = asyncio.new_event_loop()

    def fit(self, messages, limit):
        return self.loop.run_until_complete(self.trimmed(messages, limit["max"]))

    async def trimmed(self, messages, maximum):
        context = self.make(maximum)
        stored, ids = encode(messages)
        for message in stored:
            await context.add_message(message)
        known = {id(message): which for message, which in zip(stored, ids)}
        return [item for message in await context.get_messages() for item in decode(message, known.get(id(message)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group(required=True)
    for name in CONTEXTS:
        which.add_argument("--" + name, dest="which", action="store_const", const=name)
    plimsoll.run(Context(parser.parse_args().which))


if __name__ == "__main__":
    main()
