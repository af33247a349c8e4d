#!/usr/bin/env python3
"""The conversation managers of strands-agents behind the plimsoll adapter protocol.

    .venv-1.62.0/bin/python adapter.py --sliding-window   SlidingWindowConversationManager.apply_management
    .venv-1.62.0/bin/python adapter.py --summarizing      SummarizingConversationManager.reduce_context

A manager works on the list of messages of an agent, in place, and asks the agent's model. Both are all that it uses of an
agent, and all that there is of one here. README.md says what each claim rests on.
"""

from __future__ import annotations

import argparse
import logging
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import plimsoll  # noqa: E402

plimsoll.claim_stdout()

from strands.agent.conversation_manager import (  # noqa: E402
    SlidingWindowConversationManager,
    SummarizingConversationManager,
)
from strands.types.exceptions import ContextWindowOverflowException  # noqa: E402

logging.getLogger("strands").setLevel(logging.CRITICAL)
VERSION = metadata.version("strands-agents")
KEEP = 10  # messages: the default of preserve_recent_messages


# ---- the messages of strands and of the protocol -----------------------------------------------


def encode(said):
    """A message in blocks. A tool result is a block in a message of the user."""
    if said["role"] == "tool":
        result = {"toolUseId": said["call_id"], "status": "success", "content": [{"text": said["content"]}]}
        message = {"role": "user", "content": [{"toolResult": result}]}
    else:
        message = {"role": said["role"], "content": [{"text": said["content"]}]}
        for call in said["calls"]:
            message["content"].append({"toolUse": {"toolUseId": call, "name": "probe", "input": {}}})
    if said["pinned"]:
        message["metadata"] = {"custom": {"pinned": True}}
    return message


def append(messages, said):
    """The results of one message stand in one message: that is how the agent adds them."""
    new = encode(said)
    if said["role"] == "tool" and messages and "toolResult" in messages[-1]["content"][0]:
        messages[-1]["content"] += new["content"]
        return messages[-1], True
    messages.append(new)
    return new, False


def decode(message, ids):
    pinned = message.get("metadata", {}).get("custom", {}).get("pinned", False)
    if "toolResult" in message["content"][0]:
        results = [block["toolResult"] for block in message["content"]]
        return [
            {"id": known, "role": "tool", "content": text(result["content"]), "call_id": result["toolUseId"],
             "pinned": pinned}
            for known, result in zip(ids, results, strict=True)
        ]
    calls = [block["toolUse"]["toolUseId"] for block in message["content"] if "toolUse" in block]
    item = {"id": ids[0], "role": message["role"], "content": text(message["content"]), "calls": calls, "pinned": pinned}
    return [item]


def text(blocks):
    return "".join(block["text"] for block in blocks if "text" in block)


class Stored:
    """The messages of an agent, and the ids of what each stands for."""

    def __init__(self):
        self.messages, self.ids, self.own = [], {}, 0
        self.keep = []  # every message ever stored, so that no two have had the same identity

    def append(self, said):
        message, joined = append(self.messages, said)
        if joined:
            self.ids[id(message)].append(said["id"])
        else:
            self.ids[id(message)] = [said["id"]]
            self.keep.append(message)

    def view(self):
        items = []
        for message in self.messages:
            if id(message) not in self.ids:  # a manager writes summaries, and nothing else
                self.own += 1
                self.keep.append(message)
                self.ids[id(message)] = ["own%d" % self.own]
            items += decode(message, self.ids[id(message)])
            if items[-1]["id"].startswith("own"):
                items[-1]["summary"] = True
        return items


# ---- the candidates ----------------------------------------------------------------------------


class SlidingWindow(plimsoll.Candidate):
    name, version = "strands-agents sliding window", VERSION
    contract = {
        "capabilities": ["fit"],
        "messages": ["calls", "tool_role", "pinned"],
        "fit": {"unit": "messages", "max": "any"},
        "weight": "heavy",
    }

    def fit(self, messages, limit):
        stored = Stored()
        for said in messages:
            stored.append(said)
        SlidingWindowConversationManager(window_size=limit["max"]).apply_management(stored)
        return stored.view()


class Model:
    """The model of the agent: a stream of events in the form of Bedrock, its text the harness's."""

    ask = None

    async def stream(self, messages, tool_specs=None, system_prompt=None, **_):
        said = [block.get("text") or text(block.get("toolResult", {}).get("content", ()))
                for message in messages for block in message["content"]]
        try:
            answer = self.ask(text="\n".join(said))
        except plimsoll.SummarizeError as error:
            if error.kind == "overflow":
                raise ContextWindowOverflowException(error.kind) from None
            raise KeyboardInterrupt if error.kind == "aborted" else RuntimeError(error.kind) from None
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        if answer.text:
            yield {"contentBlockDelta": {"delta": {"text": answer.text}}}
        yield {"contentBlockStop": {}}
        reason = {"end": "end_turn", "length": "max_tokens", "refusal": "content_filtered"}[answer.stop]
        yield {"messageStop": {"stopReason": reason}}


class Summarizing(plimsoll.Candidate):
    """Reduced ahead of a call of the model, as `proactive_compression` does: that is a reduction without an exception."""

    name, version = "strands-agents summarizing", VERSION
    contract = {
        "capabilities": ["summarize", "view"],
        "messages": ["calls", "parallel_calls", "tool_role", "pinned"],
        "latch": None,
        "attempt": {"keep_last": KEEP, "pending": "host"},
        "view": {"latest_user": "covered"},
        "weight": "heavy",
    }

    def __init__(self):
        self.model, self.agents = Model(), {}

    def reset(self):
        self.agents = {}

    def agent(self, conversation):
        if conversation not in self.agents:
            self.agents[conversation] = Stored(), SummarizingConversationManager()
        return self.agents[conversation]

    def append(self, conversation, messages):
        for said in messages:
            self.agent(conversation)[0].append(said)

    def step(self, conversation, host):
        stored, manager = self.agent(conversation)
        if host.pressure != "summarize":
            return None
        self.model.ask = host.summarize
        try:
            manager.reduce_context(SimpleNamespace(messages=stored.messages, model=self.model, aux_model=self.model))
        except KeyboardInterrupt:
            raise plimsoll.SummarizeError("aborted") from None
        finally:
            self.model.ask = None
        return plimsoll.Step(None, (), stored.view())  # what it did it does not say

    def view(self, conversation):
        return {"view": self.agent(conversation)[0].view()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--sliding-window", dest="which", action="store_const", const=SlidingWindow)
    which.add_argument("--summarizing", dest="which", action="store_const", const=Summarizing)
    plimsoll.run(parser.parse_args().which())


if __name__ == "__main__":
    main()
