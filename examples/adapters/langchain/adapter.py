#!/usr/bin/env python3
"""langchain's trimmer and its summarization middleware behind the plimsoll adapter protocol.

    .venv-1.5.2/bin/python adapter.py --messages    trim_messages, counting messages
    .venv-1.5.2/bin/python adapter.py --tokens      trim_messages, counting tokens
    .venv-1.5.2/bin/python adapter.py --partial     the same, with allow_partial
    .venv-1.5.2/bin/python adapter.py --summarize   SummarizationMiddleware.before_model

The trimmer is set as its documentation says it should usually be: the last messages, starting on one of a person, with
the system message. The middleware's chat model asks the harness. README.md says what each claim rests on.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import plimsoll  # noqa: E402

plimsoll.claim_stdout()
os.environ["LANGSMITH_TRACING"] = "false"

import tenacity.nap  # noqa: E402
from langchain.agents.middleware import SummarizationMiddleware  # noqa: E402
from langchain_core import exceptions  # noqa: E402
from langchain_core.language_models.chat_models import BaseChatModel  # noqa: E402
from langchain_core.messages import (  # noqa: E402
    AIMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.utils import trim_messages  # noqa: E402
from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: E402

KEEP = 4  # messages that the middleware keeps


# ---- the messages of langchain and of the protocol ---------------------------------------------


def encode(said):
    common = {"content": said["content"], "id": said["id"]}
    if said["role"] == "system":
        return SystemMessage(**common)
    if said["role"] == "user":
        return HumanMessage(**common)
    if said["role"] == "tool":
        return ToolMessage(**common, tool_call_id=said["call_id"])
    calls = [{"name": "probe", "args": {}, "id": call} for call in said["calls"]]
    return AIMessage(**common, tool_calls=calls)


ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def decode(message):
    item = {"id": message.id, "role": ROLES[message.type], "content": message.content}
    if message.type == "ai":
        item["calls"] = [call["id"] for call in message.tool_calls]
    if message.type == "tool":
        item["call_id"] = message.tool_call_id
    return item


# ---- the trimmer -------------------------------------------------------------------------------


def words(text):
    """The splitter that a user brings: words, each with the space after it."""
    return re.split(r"(?<=\s)", text)


def tokens(messages):
    """The counter that a user brings: four characters are a token, as `fit.counter` declares."""
    return sum(-(-len(message.content) // 4) for message in messages)


class Trimmer(plimsoll.Candidate):
    version = metadata.version("langchain-core")

    def __init__(self, counter, partial=False):
        self.name = "langchain-core trim_messages " + ("messages" if counter is len else "partial" if partial else "tokens")
        self.counter, self.partial = counter, partial
        unit = {"unit": "messages"} if counter is len else {"unit": "tokens", "counter": "chars/4"}
        self.contract = {
            "capabilities": ["fit"],
            "messages": ["calls", "parallel_calls", "tool_role", "system"],
            "fit": {**unit, "max": "any"},
            "weight": "heavy",
        }

    def fit(self, messages, limit):
        left = trim_messages(
            [encode(said) for said in messages],
            max_tokens=limit["max"],
            token_counter=self.counter,
            strategy="last",
            start_on="human",
            include_system=True,
            allow_partial=self.partial,
            text_splitter=words if self.partial else None,
        )
        return [decode(message) for message in left]


# ---- the middleware ----------------------------------------------------------------------------

ERRORS = {
    "rejected": exceptions.ModelInvalidRequestError,
    "overflow": exceptions.ContextOverflowError,
    "timeout": exceptions.ModelTimeoutError,
    "transport": exceptions.ModelConnectionError,
    "aborted": KeyboardInterrupt,
}


class Model(BaseChatModel):
    """A chat model whose answers are the harness's. What a provider says of how an answer ended stands in its metadata."""

    ask: object = None

    @property
    def _llm_type(self):
        return "plimsoll"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        try:
            answer = self.ask(text="\n".join(message.content for message in messages))
        except plimsoll.SummarizeError as error:
            raise ERRORS[error.kind](error.kind) from None
        finish = {"finish_reason": {"end": "stop"}.get(answer.stop, answer.stop)}
        return ChatResult(generations=[ChatGeneration(message=AIMessage(answer.text, response_metadata=finish))])


class Middleware(plimsoll.Keeper):
    name, version = "langchain SummarizationMiddleware", metadata.version("langchain")
    contract = {
        "capabilities": ["summarize", "view"],
        "messages": ["calls", "parallel_calls", "tool_role"],
        "latch": None,
        "attempt": {"calls": 4, "keep_last": KEEP, "pending": "host"},
        "view": {"latest_user": "covered"},
        "weight": "heavy",
    }

    def __init__(self):
        super().__init__()
        tenacity.nap.time = SimpleNamespace(sleep=lambda seconds: None)  # the wait before a retry
        self.model = Model()
        self.middleware = SummarizationMiddleware(self.model, trigger=("messages", 1), keep=("messages", KEEP))

    def step(self, conversation, host):
        talk = self.conversations[conversation]
        if host.pressure != "summarize" or not talk.view:
            return None
        items = talk.visible()
        self.model.ask = host.summarize
        try:
            update = self.middleware.before_model({"messages": [encode(item) for item in items]}, None)
        except KeyboardInterrupt:
            raise plimsoll.SummarizeError("aborted") from None
        finally:
            self.model.ask = None
        if update is None:
            return None
        known = {item["id"]: item for item in items}
        view = []
        for message in update["messages"]:
            if isinstance(message, RemoveMessage):
                view = []
            elif message.id in known:
                view.append({**known[message.id], **decode(message)})
            else:
                view.append(talk.summary(message.content, ROLES[message.type]))
        talk.view = view
        return plimsoll.Step(None, (), view)  # what it did it does not say


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--messages", action="store_const", dest="which", const=lambda: Trimmer(len))
    which.add_argument("--tokens", action="store_const", dest="which", const=lambda: Trimmer(tokens))
    which.add_argument("--partial", action="store_const", dest="which", const=lambda: Trimmer(tokens, True))
    which.add_argument("--summarize", action="store_const", dest="which", const=Middleware)
    plimsoll.run(parser.parse_args().which())


if __name__ == "__main__":
    main()
