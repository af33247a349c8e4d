#!/usr/bin/env python3
"""The compaction session of openai-agents behind the plimsoll adapter protocol.

    .venv-0.24.0/bin/python adapter.py     OpenAIResponsesCompactionSession.run_compaction over a SQLiteSession in memory

The service that compacts, `client.responses.compact`, is the harness's summariser. README.md says what each claim rests on.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import plimsoll  # noqa: E402

plimsoll.claim_stdout()
os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"

from agents import SQLiteSession  # noqa: E402
from agents.memory import OpenAIResponsesCompactionSession  # noqa: E402

logging.getLogger("openai.agents").setLevel(logging.CRITICAL)
logging.getLogger("openai-agents").setLevel(logging.CRITICAL)


# ---- the items of the Responses API and the messages of the protocol ---------------------------


def encode(said):
    """The items that a message is stored as: calls and results are items of their own."""
    if said["role"] == "user":
        return [{"role": "user", "content": said["content"]}]
    if said["role"] == "tool":
        return [{"type": "function_call_output", "call_id": said["call_id"], "output": said["content"]}]
    text = {"type": "output_text", "text": said["content"], "annotations": []}
    items = [{"type": "message", "role": "assistant", "status": "completed", "content": [text]}]
    return items + [{"type": "function_call", "call_id": c, "name": "probe", "arguments": "{}"} for c in said["calls"]]


def decode(items):
    """The view. The items have no ids of the harness's: it knows its messages by what they say."""
    view = []
    for item in items:
        kind = item.get("type")
        if kind == "compaction":
            view.append({"id": "own_" + item["id"], "role": "assistant", "content": item["encrypted_content"], "summary": True})
        elif kind == "function_call":
            view[-1].setdefault("calls", []).append(item["call_id"])
        elif kind == "function_call_output":
            view.append({"role": "tool", "content": item["output"], "call_id": item["call_id"]})
        elif item["role"] == "user":
            view.append({"role": "user", "content": item["content"]})
        else:
            view.append({"role": "assistant", "content": "".join(part["text"] for part in item["content"])})
    return view


def anything_new(context):
    """The user's hook: the size is the host's verdict, and one item beside a compacted one is nothing to compact."""
    return sum(item.get("type") != "compaction" for item in context["session_items"]) > 1


# ---- the candidate -----------------------------------------------------------------------------


class Responses:
    """The service: what it is sent becomes one compaction item, whose content is the harness's answer."""

    def __init__(self):
        self.ask, self.answers = None, 0

    async def compact(self, model, input):
        try:
            answer = self.ask(text=json.dumps(input, ensure_ascii=False))
        except plimsoll.SummarizeError as error:
            raise asyncio.CancelledError if error.kind == "aborted" else RuntimeError(error.kind) from None
        self.answers += 1
        item = {"type": "compaction", "id": "cmp_%d" % self.answers, "encrypted_content": answer.text}
        return SimpleNamespace(output=[item] if answer.text else [], usage=None)


class Session(plimsoll.Candidate):
    name, version = "openai-agents compaction session", metadata.version("openai-agents")
    contract = {
        "capabilities": ["summarize"],
        "messages": ["calls", "parallel_calls", "tool_role"],
        "latch": None,
        "attempt": {
            "pending": "host",
            # What the service returns is sealed: a size says nothing, and cut or refused it never is.
            "outcomes": ["rejected", "overflow", "timeout", "transport", "empty", "raised"],
        },
        "view": {"latest_user": "covered"},
        "weight": "heavy",
    }

    def __init__(self):
        self.loop, self.responses = asyncio.new_event_loop(), Responses()
        self.sessions = {}

    def reset(self):
        for session in self.sessions.values():
            session.underlying_session.close()
        self.sessions = {}

    def session(self, conversation):
        if conversation not in self.sessions:
            self.sessions[conversation] = OpenAIResponsesCompactionSession(
                conversation,
                SQLiteSession(conversation, ":memory:"),
                client=SimpleNamespace(responses=self.responses),
                compaction_mode="input",
                should_trigger_compaction=anything_new,
            )
        return self.sessions[conversation]

    def run(self, work):
        return self.loop.run_until_complete(work)

    def append(self, conversation, messages):
        items = [item for said in messages for item in encode(said)]
        self.run(self.session(conversation).add_items(items))

    def step(self, conversation, host):
        if host.pressure != "summarize":
            return None
        self.responses.ask = host.summarize
        try:
            self.run(self.session(conversation).run_compaction())
        except asyncio.CancelledError:
            raise plimsoll.SummarizeError("aborted") from None
        finally:
            self.responses.ask = None
        return plimsoll.Step(None, (), self.view(conversation)["view"])  # what it did it does not say

    def view(self, conversation):
        return {"view": decode(self.run(self.session(conversation).get_items()))}


def main():
    plimsoll.run(Session())


if __name__ == "__main__":
    main()
