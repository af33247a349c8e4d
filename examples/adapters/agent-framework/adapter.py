#!/usr/bin/env python3
"""The compaction strategies of agent-framework-core behind the plimsoll adapter protocol.

    .venv-1.23.0/bin/python adapter.py --truncation          TruncationStrategy, counting messages
    .venv-1.23.0/bin/python adapter.py --truncation-tokens   the same, counting tokens
    .venv-1.23.0/bin/python adapter.py --token-budget        TokenBudgetComposedStrategy, its own fallback alone
    .venv-1.23.0/bin/python adapter.py --summarization       SummarizationStrategy

Each is run by `apply_compaction`, over a list that is kept. The tokenizer and the chat client are the user's to bring: the
one here counts four characters as a token, the other asks the harness. README.md says what each claim rests on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import plimsoll  # noqa: E402

from agent_framework import (  # noqa: E402
    ChatResponse,
    Content,
    Message,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    TruncationStrategy,
    apply_compaction,
)

logging.getLogger("agent_framework").setLevel(logging.CRITICAL)
FEATURES = ["calls", "parallel_calls", "tool_role", "system", "many_system", "reasoning"]
KEEP = 4  # messages: the default of SummarizationStrategy.target_count


# ---- the messages of agent-framework and of the protocol ---------------------------------------


def encode(said):
    if said["role"] == "tool":
        contents = [Content.from_function_result(said["call_id"], result=said["content"])]
    else:
        contents = [Content.from_text_reasoning(text=said["reasoning"])] if said["reasoning"] else []
        contents.append(Content.from_text(said["content"]))
        contents += [Content.from_function_call(call, "probe", arguments="{}") for call in said["calls"]]
    return Message(said["role"], contents, message_id=said["id"])


def decode(message):
    """A view item. Messages that a strategy wrote are own."""
    summary = message.message_id.startswith("summary_")
    item = {
        "id": "own_" + message.message_id if summary else message.message_id,
        "role": message.role,
        "content": "".join(part.result if part.type == "function_result" else part.text
                           for part in message.contents if part.type in ("text", "function_result")),
    }
    calls = [part.call_id for part in message.contents if part.type == "function_call"]
    answers = [part.call_id for part in message.contents if part.type == "function_result"]
    reasoning = [part.text for part in message.contents if part.type == "text_reasoning"]
    if calls:
        item["calls"] = calls
    if answers:
        item["call_id"] = answers[0]
    if reasoning:
        item["reasoning"] = "".join(reasoning)
    if summary:
        item["summary"] = True
    return item


# ---- what a user brings ------------------------------------------------------------------------


class Tokenizer:
    """Counts what a message says, four characters a token; it is given the message as JSON."""

    def count_tokens(self, text):
        said = [part.get("text") or part.get("result") or "" for part in json.loads(text)["contents"]]
        return sum(-(-len(part) // 4) for part in said)


class Client:
    """A chat client whose answers are the harness's."""

    additional_properties: dict = {}
    ask = None

    async def get_response(self, messages, *, stream=False, **_):
        try:
            answer = self.ask(text="\n".join(message.text for message in messages))
        except plimsoll.SummarizeError as error:
            if error.kind == "aborted":
                raise asyncio.CancelledError from None
            raise RuntimeError(error.kind) from None
        finish = {"end": "stop", "length": "length", "refusal": "content_filter"}[answer.stop]
        return ChatResponse(messages=[Message("assistant", [answer.text])], finish_reason=finish)


# ---- the candidates ----------------------------------------------------------------------------


def truncation(maximum):
    return TruncationStrategy(max_n=maximum, compact_to=maximum)


def truncation_tokens(maximum):
    return TruncationStrategy(max_n=maximum, compact_to=maximum, tokenizer=Tokenizer())


def token_budget(maximum):
    return TokenBudgetComposedStrategy(token_budget=maximum, tokenizer=Tokenizer(), strategies=[])


STRATEGIES = {
    "truncation": (truncation, {"unit": "messages"}),
    "truncation-tokens": (truncation_tokens, {"unit": "tokens", "counter": "chars/4"}),
    "token-budget": (token_budget, {"unit": "tokens", "counter": "chars/4"}),
}


class Fit(plimsoll.Candidate):
    version = metadata.version("agent-framework-core")

    def __init__(self, which):
        self.name = "agent-framework-core " + which
        self.make, unit = STRATEGIES[which]
        self.contract = {
            "capabilities": ["fit"],
            "messages": FEATURES,
            "fit": {**unit, "max": "any"},
            "weight": "heavy",
        }
        self.loop = asyncio.new_event_loop()

    def fit(self, messages, limit):
        stored = [encode(said) for said in messages]
        left = self.loop.run_until_complete(apply_compaction(stored, strategy=self.make(limit["max"])))
        return [decode(message) for message in left]


class Summarization(plimsoll.Candidate):
    """The stored list of each conversation, which the strategy annotates and adds its summaries to."""

    name, version = "agent-framework-core summarization", metadata.version("agent-framework-core")
    contract = {
        "capabilities": ["summarize", "view"],
        "messages": FEATURES,
        "latch": None,
        "attempt": {"keep_last": KEEP, "pending": "host"},
        "view": {"latest_user": "covered"},
        "weight": "heavy",
    }

    def __init__(self):
        self.client, self.loop = Client(), asyncio.new_event_loop()
        self.stored, self.shown = {}, {}
        self.reset()

    def reset(self):
        self.stored, self.shown = {}, {}
        self.strategy = SummarizationStrategy(client=self.client, target_count=KEEP, threshold=0)

    def append(self, conversation, messages):
        new = [encode(said) for said in messages if not said["ui_only"]]
        self.stored.setdefault(conversation, []).extend(new)
        self.shown.setdefault(conversation, []).extend(new)

    def step(self, conversation, host):
        stored = self.stored.setdefault(conversation, [])
        if host.pressure != "summarize":
            return None
        changed = []

        async def strategy(messages):
            changed.append(await self.strategy(messages))
            return changed[-1]

        self.client.ask = host.summarize
        try:
            left = self.loop.run_until_complete(apply_compaction(stored, strategy=strategy))
        except asyncio.CancelledError:
            raise plimsoll.SummarizeError("aborted") from None
        finally:
            self.client.ask = None
        self.shown[conversation] = list(left)
        return plimsoll.Step("summarize" if changed[-1] else "none", (), self.view(conversation)["view"])

    def view(self, conversation):
        return {"view": [decode(message) for message in self.shown.get(conversation, [])]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group(required=True)
    for name in [*STRATEGIES, "summarization"]:
        which.add_argument("--" + name, dest="which", action="store_const", const=name)
    which = parser.parse_args().which
    plimsoll.run(Fit(which) if which in STRATEGIES else Summarization())


if __name__ == "__main__":
    main()
