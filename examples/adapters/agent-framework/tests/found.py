"""What was found, shown with agent-framework-core alone: neither the adapter nor plimsoll takes part.

    ../.venv-1.23.0/bin/python found.py

The tokenizer counts ten tokens for each message, and the chat client notes what it is asked.
"""

import asyncio
import logging

from agent_framework import (
    ChatResponse,
    Content,
    Message,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    TruncationStrategy,
    apply_compaction,
)

logging.getLogger("agent_framework").setLevel(logging.CRITICAL)


class Tokenizer:
    def count_tokens(self, text):
        return 10


class Client:
    additional_properties: dict = {}

    def __init__(self, answer="what was said so far", finish="stop"):
        self.answer, self.finish, self.calls = answer, finish, 0

    async def get_response(self, messages, *, stream=False, **_):
        self.calls += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return ChatResponse(messages=[Message("assistant", [self.answer])], finish_reason=self.finish)


def said(role, text):
    return Message(role, [text])


def call(name):
    return Message("assistant", [Content.from_function_call(name, "look", arguments="{}")])


def result(name):
    return Message("tool", [Content.from_function_result(name, result="seen")])


def short(message):
    parts = []
    for part in message.contents:
        parts.append({"text": part.text, "function_call": "call %s" % part.call_id,
                      "function_result": "result of %s" % part.call_id}[part.type])
    text = " ".join(parts)
    return "%s: %s" % (message.role, text if len(text) < 70 else text[:30] + "… (%d characters)" % len(text))


def apply(what, strategy, messages):
    print("\n%s" % what)
    print("  put in: %s" % [short(message) for message in messages])
    left = asyncio.run(apply_compaction(list(messages), strategy=strategy))
    print("  got:    %s" % [short(message) for message in left])
    return left


SYSTEM, TASK = ("system", "be brief"), ("user", "the task")


def turn():
    return [said(*SYSTEM), said(*TASK), call("c1"), result("c1"), call("c2"), result("c2")]


apply("truncation to 4 messages: a running turn", TruncationStrategy(max_n=4, compact_to=4), turn())
apply("truncation to 2 messages", TruncationStrategy(max_n=2, compact_to=2), turn())
budget = TokenBudgetComposedStrategy(token_budget=40, tokenizer=Tokenizer(), strategies=[])
apply("a budget of 40 tokens, 10 a message", budget, turn())
budget = TokenBudgetComposedStrategy(token_budget=20, tokenizer=Tokenizer(), strategies=[])
apply("a budget of 20", budget, turn())
budget = TokenBudgetComposedStrategy(token_budget=5, tokenizer=Tokenizer(), strategies=[])
apply("a budget of 5", budget, turn())

TALK = [("user" if i % 2 == 0 else "assistant", "question or answer %d" % i) for i in range(8)]
for what, client in [
    ("an answer", Client()),
    ("an answer that was cut", Client("The user wants to", "length")),
    ("a large answer", Client("word " * 100)),
    ("an empty answer", Client("")),
]:
    apply("summarization: " + what, SummarizationStrategy(client=client), [said(*one) for one in TALK])
    print("  client calls: %d" % client.calls)

print("\nsummarization: a client that fails, before ten calls of the model")
client = Client(RuntimeError("refused"))
strategy, messages = SummarizationStrategy(client=client), [said(*one) for one in TALK]
for _ in range(10):
    asyncio.run(apply_compaction(messages, strategy=strategy))
print("  client calls: %d" % client.calls)

print("\nsummarization: a running turn of eight tool steps")
client = Client()
long = [said(*TASK)] + [m for i in range(8) for m in (call("c%d" % i), result("c%d" % i))]
apply("  the task", SummarizationStrategy(client=client), long)
