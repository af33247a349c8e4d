"""What was found, shown with llama-index-core alone: neither the adapter nor plimsoll takes part.

    ../.venv-0.14.25/bin/python found.py

A word is a token.
"""

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.memory import ChatMemoryBuffer, ChatSummaryMemoryBuffer


class Model(CustomLLM):
    answer: object = "what was said so far"
    calls: int = 0

    @property
    def metadata(self):
        return LLMMetadata()

    def chat(self, messages, **_):
        self.calls += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return ChatResponse(message=ChatMessage(role="assistant", content=self.answer))

    def complete(self, prompt, formatted=False, **_):
        raise NotImplementedError

    stream_complete = complete


def said(role, text, **more):
    return ChatMessage(role=role, content=text, additional_kwargs=more)


def call(name):
    return said("assistant", "I look", tool_calls=[{"id": name, "type": "function", "function": {"name": "look"}}])


def result(name):
    return said("tool", "seen", tool_call_id=name)


def show(what, messages):
    short = ["%s: %s" % (m.role.value, m.content if len(m.content) < 50 else m.content[:20] + "… (%d characters)" % len(m.content))
             for m in messages]
    print("  %-8s %s" % (what, short))


def buffer(what, limit, *messages):
    print("\nChatMemoryBuffer, %d tokens: %s" % (limit, what))
    show("put in:", messages)
    show("got:", ChatMemoryBuffer.from_defaults(list(messages), token_limit=limit, tokenizer_fn=str.split).get())


def summary(what, model, messages, limit=6, gets=1):
    print("\nChatSummaryMemoryBuffer, %d tokens of full text: %s" % (limit, what))
    memory = ChatSummaryMemoryBuffer.from_defaults(llm=model, token_limit=limit, tokenizer_fn=str.split)
    for message in messages:
        memory.put(message)
    show("stored:", memory.get_all())
    for _ in range(gets):
        try:
            memory.get()
        except RuntimeError as error:
            print("  get raised %r" % error)
        print("  model calls %d" % model.calls)
        show("stored:", memory.get_all())


TASK = [said("user", "the task"), call("c1"), result("c1"), call("c2"), result("c2")]
TALK = [said("user" if i % 2 == 0 else "assistant", "message number %d" % i) for i in range(6)]

buffer("a running turn", 6, *TASK)
buffer("a message larger than the limit", 2, said("user", "one two three"))
buffer("a result larger than the limit", 4, said("user", "the task"), call("c1"), said("tool", "word " * 5, tool_call_id="c1"))
summary("a model that fails", Model(answer=RuntimeError("refused")), TALK, gets=3)
summary("an empty answer", Model(answer=""), TALK)
summary("a large answer", Model(answer="word " * 100), TALK)
summary("a running turn", Model(), TASK)
