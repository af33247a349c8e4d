#!/usr/bin/env python3
"""The chat memories of llama-index-core behind the plimsoll adapter protocol.

    .venv-0.14.25/bin/python adapter.py --buffer    ChatMemoryBuffer.get
    .venv-0.14.25/bin/python adapter.py --summary   ChatSummaryMemoryBuffer.get

The tokenizer and the model are the user's to bring: the one here splits into words or into four characters, the other asks
the harness. README.md says what each claim rests on.
"""

from __future__ import annotations

import argparse
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import plimsoll  # noqa: E402

plimsoll.claim_stdout()

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata  # noqa: E402
from llama_index.core.llms import CustomLLM  # noqa: E402
from llama_index.core.memory import ChatMemoryBuffer, ChatSummaryMemoryBuffer  # noqa: E402

VERSION = metadata.version("llama-index-core")
KEEP = 100  # tokens, of four characters, that ChatSummaryMemoryBuffer leaves in full text


# ---- the messages of llama-index and of the protocol -------------------------------------------


def encode(said):
    extra = {"id": said["id"]}
    if said["calls"]:
        extra["tool_calls"] = [
            {"id": call, "type": "function", "function": {"name": "probe", "arguments": "{}"}} for call in said["calls"]
        ]
    if said["call_id"]:
        extra["tool_call_id"] = said["call_id"]
    return ChatMessage(role=said["role"], content=said["content"], additional_kwargs=extra)


def decode(message):
    extra = message.additional_kwargs
    return {
        "id": extra.get("id"),
        "role": message.role.value,
        "content": message.content or "",
        "calls": [call["id"] for call in extra.get("tool_calls", ())],
        "call_id": extra.get("tool_call_id"),
    }


def fours(text):
    return [text[at:at + 4] for at in range(0, len(text), 4)]


# ---- the candidates ----------------------------------------------------------------------------


class Buffer(plimsoll.Candidate):
    name, version = "llama-index-core ChatMemoryBuffer", VERSION
    contract = {
        "capabilities": ["fit"],
        "messages": ["calls", "parallel_calls", "tool_role"],
        "fit": {"unit": "tokens", "counter": "words", "max": "any"},
        "weight": "heavy",
    }

    def fit(self, messages, limit):
        history = [encode(said) for said in messages]
        memory = ChatMemoryBuffer.from_defaults(history, token_limit=limit["max"], tokenizer_fn=str.split)
        return [decode(message) for message in memory.get()]


class Model(CustomLLM):
    """A model whose answers are the harness's."""

    ask: object = None

    @property
    def metadata(self):
        return LLMMetadata(context_window=1_000_000)

    def chat(self, messages, **_):
        try:
            answer = self.ask(text="\n".join(message.content for message in messages))
        except plimsoll.SummarizeError as error:
            raise KeyboardInterrupt if error.kind == "aborted" else RuntimeError(error.kind) from None
        return ChatResponse(message=ChatMessage(role="assistant", content=answer.text), raw={"stop": answer.stop})

    def complete(self, prompt, formatted=False, **_):
        raise NotImplementedError("the memory uses chat")

    stream_complete = complete


class Summary(plimsoll.Candidate):
    """A memory for each conversation. The host asks it for what to send at pressure `summarize`."""

    name, version = "llama-index-core ChatSummaryMemoryBuffer", VERSION
    contract = {
        "capabilities": ["summarize", "view"],
        "messages": ["calls", "parallel_calls", "tool_role"],
        "latch": None,
        "attempt": {"keep_size": 4 * KEEP, "pending": "host"},
        "view": {"latest_user": "covered"},
        "weight": "heavy",
    }

    def __init__(self):
        self.model, self.memories, self.own = Model(), {}, 0

    def reset(self):
        self.memories, self.own = {}, 0

    def memory(self, conversation):
        if conversation not in self.memories:
            self.memories[conversation] = ChatSummaryMemoryBuffer.from_defaults(
                llm=self.model, token_limit=KEEP, tokenizer_fn=fours)
        return self.memories[conversation]

    def append(self, conversation, messages):
        for said in messages:
            self.memory(conversation).put(encode(said))

    def step(self, conversation, host):
        if host.pressure != "summarize":
            return None
        self.model.ask = host.summarize
        try:
            self.memory(conversation).get()
        except KeyboardInterrupt:
            raise plimsoll.SummarizeError("aborted") from None
        finally:
            self.model.ask = None
        return plimsoll.Step(None, (), self.view(conversation)["view"])

    def view(self, conversation):
        items = []
        for message in self.memory(conversation).get_all():
            if "id" not in message.additional_kwargs:
                self.own += 1
                message.additional_kwargs["id"] = "own%d" % self.own
            item = decode(message)
            if item["id"].startswith("own"):  # the memory writes nothing else
                item["summary"] = True
            items.append(item)
        return {"view": items}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--buffer", dest="which", action="store_const", const=Buffer)
    which.add_argument("--summary", dest="which", action="store_const", const=Summary)
    plimsoll.run(parser.parse_args().which())


if __name__ == "__main__":
    main()
