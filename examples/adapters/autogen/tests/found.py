"""What was found, shown with autogen-core alone: neither the adapter nor plimsoll takes part.

    ../.venv-0.7.5/bin/python found.py

A message is a word, and a word is a token for the model client, whose counting alone is asked for.
"""

import asyncio

from autogen_core import FunctionCall
from autogen_core.model_context import (
    BufferedChatCompletionContext,
    HeadAndTailChatCompletionContext,
    TokenLimitedChatCompletionContext,
)
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    UserMessage,
)


class Client(ChatCompletionClient):
    def count_tokens(self, messages, *, tools=()):
        return len(messages)

    def _unused(self, *_, **__):
        raise NotImplementedError

    create = create_stream = close = actual_usage = total_usage = remaining_tokens = _unused
    capabilities = model_info = property(_unused)


def user(text):
    return UserMessage(content=text, source="user")


def assistant(text):
    return AssistantMessage(content=text, source="assistant")


def call(name):
    return AssistantMessage(content=[FunctionCall(id=name, name="look", arguments="{}")], source="assistant")


def result(name):
    return FunctionExecutionResultMessage(content=[FunctionExecutionResult(content="seen", name="look", call_id=name)])


def short(message):
    if isinstance(message, FunctionExecutionResultMessage):
        return "result of %s" % message.content[0].call_id
    if isinstance(message.content, str):
        return "%s: %s" % (message.type.replace("Message", "").lower(), message.content)
    return "call %s" % message.content[0].id


def show(what, context, *messages):
    async def ask():
        for message in messages:
            await context.add_message(message)
        return await context.get_messages()

    print("\n%s" % what)
    print("  put in: %s" % [short(message) for message in messages])
    print("  got:    %s" % [short(message) for message in asyncio.run(ask())])


TASK = [user("the task"), call("c1"), result("c1"), call("c2"), result("c2")]

show("the last 4: the task of a running turn", BufferedChatCompletionContext(buffer_size=4), *TASK)
show("head 1, tail 1: three messages", HeadAndTailChatCompletionContext(1, 1), user("a"), user("b"), user("c"))
show("head 1, tail 1: the last thing that a person said", HeadAndTailChatCompletionContext(1, 1),
     user("an old task"), user("the task"), call("c1"))
show("head 2, tail 1: half of the messages that there is room for", HeadAndTailChatCompletionContext(2, 1), *TASK)
show("2 tokens: a call and its result around the middle", TokenLimitedChatCompletionContext(Client(), token_limit=2),
     call("c1"), result("c1"), assistant("done"))
show("3 tokens: a running turn", TokenLimitedChatCompletionContext(Client(), token_limit=3), *TASK)


class Large(Client):
    def count_tokens(self, messages, *, tools=()):
        return 30 * len(messages)


show("29 tokens, a message of 30", TokenLimitedChatCompletionContext(Large(), token_limit=29), user("the task"))
