"""What was found, shown with litellm alone: neither the adapter nor plimsoll takes part.

    ../.venv-1.110.2/bin/python found.py

First with litellm's own counting, then with a counter in its place.
"""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import copy  # noqa: E402
import logging  # noqa: E402

from litellm import utils  # noqa: E402

logging.disable(logging.CRITICAL)


def said(role, text, **more):
    return {"role": role, "content": text, **more}


def call(name):
    return said("assistant", "", tool_calls=[{"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}}])


def result(name, text="seen"):
    return said("tool", text, tool_call_id=name)


def short(message):
    text = message["tool_calls"][0]["id"] if "tool_calls" in message else message["content"]
    return "%s: %s" % (message["role"], text if len(text) < 60 else text[:20] + "… (%d characters)" % len(text))


def trim(what, messages, maximum):
    given = copy.deepcopy(messages)
    left = utils.trim_messages(messages, max_tokens=maximum)
    print("\n%s: at most %d tokens" % (what, maximum))
    print("  put in: %d tokens, %s" % (utils.token_counter(model="", messages=given), [short(m) for m in given]))
    print("  got:    %d tokens, %s" % (utils.token_counter(model="", messages=left), [short(m) for m in left]))


TURN = [said("user", "the task"), call("c1"), result("c1"), said("assistant", "word " * 30), said("user", "go on")]


def both():
    size = utils.token_counter(model="", messages=TURN)
    trim("exactly the limit", TURN, size)
    trim("a running turn that ends in a large result", [said("user", "the task"), call("c1"), result("c1", "word " * 99)], 40)
    trim("a result within, its call before", [said("user", "the task"), call("c1"), result("c1"), said("user", "go on")], 25)
    trim("a system message larger than the limit", [said("system", "word " * 40), said("user", "the task")], 20)


def by_words():
    utils.token_counter = lambda model="", messages=(), **_: sum(len(m["content"].split()) for m in messages)
    trim("what a person asked, and steps after it", [said("user", "one two three four five six seven eight nine ten"),
                                                     said("assistant", "eleven twelve thirteen"), said("user", "go on")], 12)
    trim("one word too long for what is left", [said("user", "incomprehensibilities"), said("user", "a b c d e")], 5)
    trim("four tokens, of which three are never used", [said("user", "a b c"), said("user", "d")], 3)
    trim("two system messages, the second not in first place",
         [said("system", "a b c"), said("user", "d e f"), said("system", "g h i"), said("user", "j k l m n o p q r s")], 16)
    utils.token_counter = lambda model="", messages=(), **_: sum(-(-len(m["content"]) // 4) for m in messages)
    trim("four characters are a token: two tokens too many", [said("system", "be brief and polite"), said("user", "go on")], 1)
    trim("no room for a system message", [said("system", "be brief and polite")], 0)
    trim("a call too large for what is left, and its result", [said("assistant", "I look at it now", tool_calls=[{"id": "c1"}]), result("c1")], 2)
    trim("what a person asked, cut", [said("user", "do not delete anything " * 4), said("assistant", "I see")], 20)


print("litellm's counting")
both()
print("\n\na word is a token, then four characters are one")
by_words()
