"""What was found, shown with langchain alone: neither the adapter nor plimsoll takes part.

    ../.venv-1.5.2/bin/python found.py

The model is a fake one of langchain's, which notes what it is asked; nothing waits between retries.
"""

from types import SimpleNamespace

import tenacity.nap
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.exceptions import ModelTimeoutError
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import trim_messages
from langchain_core.outputs import ChatGeneration, ChatResult

tenacity.nap.time = SimpleNamespace(sleep=lambda seconds: None)
ASKED = []


class Model(BaseChatModel):
    answer: object = "what was said so far"
    finish: str = "stop"

    @property
    def _llm_type(self):
        return "fake"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        ASKED.append(messages)
        if isinstance(self.answer, Exception):
            raise self.answer
        answer = AIMessage(self.answer, response_metadata={"finish_reason": self.finish})
        return ChatResult(generations=[ChatGeneration(message=answer)])


def call(name):
    return AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": name}])


def result(name, text="seen"):
    return ToolMessage(text, tool_call_id=name)


def short(message):
    text = "call " + message.tool_calls[0]["id"] if getattr(message, "tool_calls", None) else message.content
    return "%s: %s" % (message.type, text if len(text) < 80 else text[:30] + "… (%d characters)" % len(text))


def trim(what, messages, maximum, **more):
    left = trim_messages(messages, max_tokens=maximum, token_counter=more.pop("counter", len), strategy="last",
                         start_on="human", include_system=True, **more)
    print("\n%s" % what)
    print("  put in: %s" % [short(message) for message in messages])
    print("  got:    %s" % [short(message) for message in left])


def summarize(what, messages, model, keep=4):
    ASKED.clear()
    middleware = SummarizationMiddleware(model, trigger=("messages", 1), keep=("messages", keep))
    print("\n%s" % what)
    try:
        update = middleware.before_model({"messages": messages}, None)
    except Exception as error:  # noqa: BLE001 - whatever leaves the middleware
        print("  model calls %d; it raised %r" % (len(ASKED), error))
        return
    left = update["messages"][1:]
    size = sum(len(message.content) for message in messages), sum(len(message.content) for message in left)
    print("  model calls %d, %d messages before, %d after; characters %d, %d" % (len(ASKED), len(messages), len(left), *size))
    print("  the first now: %r" % left[0].content[:140])
    print("  kept: %s" % [short(message) for message in left[1:]])


SYSTEM, TASK = SystemMessage("be brief"), HumanMessage("the task")
STEPS = [call("c1"), result("c1"), call("c2"), result("c2")]


def chars(messages):
    return sum(len(message.content) for message in messages)


trim("a running turn, 4 messages", [SYSTEM, TASK, *STEPS], 4)
trim("a system message, and no room for it", [SYSTEM, TASK], 0)
trim("a system message, and room for it alone", [SYSTEM, TASK], 1)
trim("a list that fits, without a message of a person", [AIMessage("hello")], 9)
trim("allow_partial, 8 characters, split at spaces", [HumanMessage("one two three")], 8, counter=chars, allow_partial=True,
     text_splitter=lambda text: text.replace(" ", " \0").split("\0"))

LONG = [HumanMessage("the task"), *(m for i in range(20) for m in (call("c%d" % i), result("c%d" % i, "word " * 250)))]
summarize("one task, twenty tool steps of 1,250 characters", LONG, Model())
print("  the model was asked: %s" % ASKED)
TALK = [HumanMessage("question %d" % i) if i % 2 == 0 else AIMessage("answer %d" % i) for i in range(10)]
OLD = [HumanMessage("old: the deploy key is kept in the safe"), AIMessage("noted " * 2_000), HumanMessage("yes"),
       AIMessage("word " * 3_000), *TALK]
summarize("an old part of more than 4,000 tokens", OLD, Model())
print("  what it was about was shown to the model: %s" % any("deploy key" in str(asked) for asked in ASKED))
summarize("an empty answer", TALK, Model(answer=""))
summarize("an answer that was cut", TALK, Model(answer="The user wants to", finish="length"))
summarize("a large answer", TALK, Model(answer="word " * 100))
summarize("a model that cannot be reached in time", TALK, Model(answer=ModelTimeoutError("timed out")))
summarize("the same error, as a provider's client raises it", TALK, Model(answer=TimeoutError("timed out")))
summarize("the task of a running turn", [TASK, *STEPS], Model())
