"""What was found where gptme measures for itself, shown with gptme alone: neither the adapter nor plimsoll takes part.

    ../.venv-0.35.1/bin/python own.py
    ../.venv-0.34.0/bin/python own.py

Nothing of gptme's measuring is replaced and nothing is set: the model is its offline provider, with a window of 49,152
tokens, and its answers are counted. README.md tells what each part means.
"""

import dataclasses
import importlib
import logging
import os
import sys
import tempfile
from importlib import metadata
from pathlib import Path

HOME = tempfile.TemporaryDirectory()
for name in ("CONFIG", "DATA", "STATE", "CACHE"):
    os.environ["XDG_%s_HOME" % name] = os.path.join(HOME.name, name.lower())
os.environ.update(HOME=HOME.name, GPTME_TIKTOKEN_TIMEOUT="0", PYTEST_CURRENT_TEST="plimsoll")

from gptme.commands import execute_cmd  # noqa: E402
from gptme.llm import llm_mock  # noqa: E402
from gptme.llm.models import get_model, set_default_model  # noqa: E402
from gptme.logmanager import LogManager  # noqa: E402
from gptme.message import Message, len_tokens, set_output_format  # noqa: E402
from gptme.tools import init_tools  # noqa: E402
from gptme.tools.autocompact import decision, hook  # noqa: E402
from gptme.util import console  # noqa: E402

chat = importlib.import_module("gptme.chat")
VERSION = metadata.version("gptme")
NEW = VERSION != "0.34.0"
MODEL = dataclasses.replace(get_model("mock/echo"), context=49_152)
SHOWN = []


def model(messages, model, tools=None, **_):
    SHOWN.append("\n".join(m.content for m in messages))
    return "what was said so far", {"model": model}


def log(name, *messages):
    logdir = Path(HOME.name) / "logs" / name
    (logdir / "workspace").mkdir(parents=True)
    manager = LogManager.load(logdir, lock=False, create=True)
    for message in messages:
        manager.append(message)
    hook._last_autocompact_time = 0.0
    del SHOWN[:]
    print("\n%s" % name)
    return manager


def words(text, tokens):
    return (text + " " + "word " * tokens)[:4 * tokens]


def said(role, text, tokens, **more):
    return Message(role, words(text, tokens), **more)


def talk(count, tokens, start=0):
    """Messages of a person and the model in turn."""
    return [said(("user", "assistant")[n % 2], "said %d" % n, tokens) for n in range(start, start + count)]


def call(number, tokens):
    return [Message("assistant", '@shell(call_%d): {"command": "true"}' % number),
            said("system", "result %d" % number, tokens, call_id="call_%d" % number)]


def size(manager):
    return len_tokens([m for m in manager.log if not getattr(m, "ui_only", False)], MODEL.model)


def turn(manager):
    """The hook at the end of a turn, and in 0.35.1 the turn that it asks for."""
    before, calls = size(manager), len(SHOWN)
    for own in hook.autocompact_hook(manager):
        manager.append(own)
        if own.role == "user":
            manager.append(list(chat.step(manager.log, False, tool_format="tool", workspace=manager.workspace))[-1])
            for more in hook.autocompact_hook(manager):
                manager.append(more)
    print("  hook      %6d tokens, model calls %d, then %6d tokens in view %s" % (
        before, len(SHOWN) - calls, size(manager), manager.current_view))


def command(manager):
    before, calls = size(manager), len(SHOWN)
    manager.append(Message("user", "/compact summarize"))
    execute_cmd(manager.log[-1], manager)
    print("  /compact  %6d tokens, model calls %d, then %6d tokens" % (before, len(SHOWN) - calls, size(manager)))


def in_view(manager, *texts):
    view = "\n".join(m.content for m in manager.log)
    for text in texts:
        print("  %-10r in the view %s, shown to the model %s" % (text, text in view, any(text in s for s in SHOWN)))


def figure():
    """An answer with the provider's figure for the request before it, far above the trigger; and the verdict."""
    messages = [*talk(4, 1_000)]
    messages.append(Message("assistant", "yes", metadata={"usage": {"input_tokens": 90_000, "output_tokens": 1}}))
    if NEW:
        from gptme.util.context_measurement import anchor_context_usage, input_log_digest
        anchor_context_usage(messages[-1], 4, input_log_digest(messages[:4]), MODEL.full)
    print("\nan answer to a request of 90,000 tokens, of which 4,000 are in the log\n  verdict %s" % (
        decision.should_auto_compact(messages)))


def both():
    figure()
    manager = log("a prompt that is larger than the trigger", said("system", "You are an agent.", 45_000), *talk(4, 300))
    for number in range(3):
        turn(manager)
        for message in talk(2, 300, 4 + 2 * number):
            manager.append(message)
        hook._last_autocompact_time = 0.0
    manager = log("a log that is larger than the window", Message("system", "You are an agent."), *talk(20, 3_000))
    turn(manager)
    hook._last_autocompact_time = 0.0
    if not NEW:
        turn(manager)
    in_view(manager, "said 1 ", "said 2 ", "said 5 ", "said 19 ")


def only_035():
    print("\nbudgets\n  %s" % {window: hook.get_context_budget(window, max_output=4096) for window in (49_152, 5_000, 1, 0, -1)})
    for more in [[], [Message("user", "for the person", ui_only=True)]]:
        manager = log("a rejected checkpoint and %d messages for the person only" % len(more),
                      Message("system", "You are an agent."), *talk(20, 2_300))
        for own in hook.autocompact_hook(manager):
            manager.append(own)
        for message in [Message("system", "LLM request failed: refused"), *more]:
            manager.append(message)
        print("  the hook asks again: %s" % any(own.role == "user" for own in hook.autocompact_hook(manager)))

    manager = log("a command, and the same again", Message("system", "You are an agent."), *talk(20, 2_300))
    turn(manager)
    command(manager)
    command(manager)


def verdict_in(window, messages):
    set_default_model(dataclasses.replace(MODEL, context=window))
    try:
        return decision.should_auto_compact(messages)
    finally:
        set_default_model(MODEL)


def only_034():
    head = [Message("system", "You are an agent."), said("user", "do it", 300)]
    manager = log("half of the window, without a massive result and with one", *head, *talk(12, 1_950, 1))
    print("  verdict %s at %d of %d" % (decision.should_auto_compact(manager.log.messages), size(manager), MODEL.context))
    manager = log("the same with one", *head, *call(1, 2_001), *talk(12, 1_950, 1))
    print("  verdict %s at %d of %d" % (decision.should_auto_compact(manager.log.messages), size(manager), MODEL.context))
    turn(manager)

    print("\na window of nothing\n  verdict %s" % verdict_in(0, [Message("user", "hello")]))
    results = [message for n in range(3) for message in call(n, 9_000)]
    manager = log("results above half of the window and below 80 %", *head, *results, *talk(2, 300))
    turn(manager)


def main():
    console.quiet = True
    logging.getLogger("gptme").setLevel(logging.CRITICAL)
    set_output_format("quiet")
    init_tools(["autocompact", "shell"])
    set_default_model(MODEL)
    llm_mock.chat = model
    print("gptme %s" % VERSION)
    both()
    (only_035 if NEW else only_034)()
    sys.stdout.flush()


if __name__ == "__main__":
    main()
