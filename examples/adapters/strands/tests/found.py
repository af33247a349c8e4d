"""What was found, shown with strands-agents alone: neither the adapter nor plimsoll takes part.

    ../.venv-1.62.0/bin/python found.py

The agent is a whole one, with its loop, its conversation manager and where it matters its session on disk; the model is a
stand-in that notes how often it was asked for a summary.
"""

import logging
import tempfile
from types import SimpleNamespace

from strands import Agent
from strands.agent.conversation_manager import SlidingWindowConversationManager, SummarizingConversationManager
from strands.models.model import Model
from strands.session import FileSessionManager

logging.disable(logging.CRITICAL)


class StandIn(Model):
    def __init__(self, summary="what was said so far", stop="end_turn"):
        self.summary, self.stop, self.asked = summary, stop, 0

    def get_config(self):
        return {"context_window_limit": 400}

    def update_config(self, **_):
        pass

    def structured_output(self, *_, **__):
        raise NotImplementedError

    async def count_tokens(self, messages, *_, **__):
        return 50 * len(messages)

    async def stream(self, messages, tool_specs=None, system_prompt=None, **_):
        text, stop = "answer", "end_turn"
        if system_prompt:  # the agents here have none, and so it is a request for a summary
            self.asked += 1
            text, stop = self.summary, self.stop
            if isinstance(text, Exception):
                raise text
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": text}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": stop}}
        yield {"metadata": {"usage": {"inputTokens": 50 * len(messages), "outputTokens": 1, "totalTokens": 1},
                            "metrics": {"latencyMs": 1}}}


def said(role, text):
    return {"role": role, "content": [{"text": text}]}


def call(name):
    return {"role": "assistant", "content": [{"toolUse": {"toolUseId": name, "name": "look", "input": {}}}]}


def result(name):
    content = [{"toolResult": {"toolUseId": name, "status": "success", "content": [{"text": "seen"}]}}]
    return {"role": "user", "content": content}


def short(message):
    block = message["content"][0]
    if "toolUse" in block:
        return "call " + block["toolUse"]["toolUseId"]
    if "toolResult" in block:
        return "result of " + block["toolResult"]["toolUseId"]
    return "%s: %s" % (message["role"], block["text"] if len(block["text"]) < 40 else "%d characters" % len(block["text"]))


def window(what, size, *messages, **more):
    agent = SimpleNamespace(messages=list(messages))
    print("\nsliding window of %d: %s" % (size, what))
    print("  put in: %s" % [short(message) for message in messages])
    SlidingWindowConversationManager(size, **more).apply_management(agent)
    print("  got:    %s" % [short(message) for message in agent.messages])


STEPS = [call("c1"), result("c1"), call("c2"), result("c2")]
window("a running turn", 4, said("user", "the task"), *STEPS)
window("a running turn, after an older one", 3, said("user", "an old task"), said("assistant", "done"), said("user", "the task"),
       *STEPS[:2])
window("nothing but an assistant's messages", 1, said("assistant", "a"), said("assistant", "b"))
pinned = {**said("user", "the task"), "metadata": {"custom": {"pinned": True}}}
window("a pinned message and two more", 1, pinned, said("assistant", "a"), said("user", "b"))


def talk(count):
    return [said("user" if i % 2 == 0 else "assistant", "message %d" % i) for i in range(count)]


def summarizing(what, model, messages):
    agent = SimpleNamespace(messages=list(messages), model=model, aux_model=model)
    manager = SummarizingConversationManager()
    print("\nsummarizing: %s" % what)
    print("  put in: %s" % [short(message) for message in messages])
    manager.reduce_context(agent)
    print("  got:    %s" % [short(message) for message in agent.messages])
    print("  asked for a summary %d times; removed_message_count %d" % (model.asked, manager.removed_message_count))


summarizing("an answer", StandIn(), talk(14))
summarizing("a blank answer", StandIn(" "), talk(14))
summarizing("an answer that was cut", StandIn("The user wants to", "max_tokens"), talk(14))
summarizing("a large answer", StandIn("word " * 100), talk(14))
summarizing("a model that fails", StandIn(RuntimeError("refused")), talk(14))
summarizing("a running turn", StandIn(), [said("user", "the task"), *(m for i in range(8) for m in (call("c%d" % i), result("c%d" % i)))])

print("\nsummaries that fail, ten turns, and then the session is loaded again")
with tempfile.TemporaryDirectory() as home:
    def agent(model):
        return Agent(model=model, callback_handler=None, agent_id="a", session_manager=FileSessionManager("s", home),
                     conversation_manager=SummarizingConversationManager(proactive_compression=True))

    model = StandIn(RuntimeError("refused"))
    first = agent(model)
    for turn in range(10):
        first("question %d" % turn)
    print("  asked for a summary %d times; removed_message_count %d" % (
        model.asked, first.conversation_manager.removed_message_count))
    print("  messages of the agent: %d" % len(first.messages))
    again = agent(StandIn())
    print("  after loading: %d, %s" % (len(again.messages), [short(message) for message in again.messages]))
