"""What was found, shown with gptme alone: neither the adapter nor plimsoll takes part.

    ../.venv-0.35.1/bin/python found.py
    ../.venv-0.34.0/bin/python found.py

Each part builds a log, calls gptme's own function, and prints what came of it. The only replaced part is
the model (gptme's offline provider); the budget is set so that the log stands above it. README.md tells
what each part means. `chat_loop.py` shows what becomes of a failed and of an interrupted checkpoint.
"""

import os
import sys
import tempfile
from importlib import metadata
from pathlib import Path

HOME = tempfile.TemporaryDirectory()
for name in ("CONFIG", "DATA", "STATE", "CACHE"):
    os.environ["XDG_%s_HOME" % name] = os.path.join(HOME.name, name.lower())
os.environ.update(HOME=HOME.name, GPTME_TIKTOKEN_TIMEOUT="0", PYTEST_CURRENT_TEST="plimsoll")

import logging  # noqa: E402

from gptme.commands import execute_cmd  # noqa: E402
from gptme.llm import llm_mock  # noqa: E402
from gptme.llm import llm_openai_subscription as subscription  # noqa: E402
from gptme.llm.openai_responses import _messages_to_responses_input  # noqa: E402
from gptme.llm.models import ModelMeta, set_default_model  # noqa: E402
from gptme.logmanager import LogManager, prepare_messages  # noqa: E402
from gptme.message import Message, len_tokens, set_output_format  # noqa: E402
from gptme.tools import init_tools  # noqa: E402
from gptme.tools.autocompact import hook  # noqa: E402
from gptme.tools.autocompact.config import _get_keep_head  # noqa: E402
from gptme.tools.autocompact.decision import should_auto_compact  # noqa: E402
from gptme.util import console  # noqa: E402

VERSION = metadata.version("gptme")
NEW = VERSION != "0.34.0"
ANSWER = {"text": "what was said so far"}


def model(messages, model, tools=None, **_):
    ANSWER["calls"] += 1
    ANSWER["shown"] = [m.content for m in messages]
    if isinstance(ANSWER["text"], Exception):
        raise ANSWER["text"]
    return ANSWER["text"], {"model": model}


def log(name, *messages):
    """A conversation with these messages, on a model whose budget it has just reached."""
    logdir = Path(HOME.name) / "logs" / name
    (logdir / "workspace").mkdir(parents=True)
    manager = LogManager.load(logdir, lock=False, create=True)
    for message in messages:
        manager.append(message)
    tokens = len_tokens(manager.log.messages, "echo")
    os.environ["GPTME_CONTEXT_BUDGET"] = str(tokens - len(messages))
    set_default_model(ModelMeta(provider="mock", model="echo", context=10_000_000 if NEW else int(tokens / 0.9)))
    for name in ("_last_autocompact_attempt", "_failed_summarize"):
        getattr(hook, name, {}).clear()
    hook._last_autocompact_time = 0.0
    ANSWER.update(text="what was said so far", calls=0)
    print("\n%s" % logdir.name)
    return manager


def words(text, count=700):
    return text + " " + "word " * count


def talk(turns):
    said = [Message("system", "You are an agent.")]
    for i in range(turns):
        said += [Message("user", words("question %d" % i)), Message("assistant", words("answer %d" % i))]
    return said


def call(number, length):
    return [
        Message("assistant", '@shell(call_%d): {"command": "true"}' % number),
        Message("system", words("result %d" % number, length), call_id="call_%d" % number),
    ]


def run_hook(manager):
    calls = ANSWER["calls"]
    own = list(hook.autocompact_hook(manager))
    for message in own:
        manager.append(message)
    show("hook", manager, own, ANSWER["calls"] - calls)


def command(manager, answer):
    calls, before = ANSWER["calls"], len(manager.log)
    ANSWER["text"] = answer
    manager.append(Message("user", "/compact summarize"))
    execute_cmd(manager.log[-1], manager)
    show("/compact", manager, manager.log[before:], ANSWER["calls"] - calls)


def show(what, manager, own, calls):
    print("  %-9s model calls %d, view %s, %d messages" % (what, calls, manager.current_view, len(manager.log)))
    for message in own:
        print("    + %-9s %s %s" % (
            message.role, "ui_only" if getattr(message, "ui_only", False) else "visible", first(message)))


def first(message):
    return repr(message.content.split("\n")[0][:60])


def visible(manager):
    return sum(not getattr(m, "ui_only", False) for m in manager.log)


def holding(manager, text):
    return [str(p.relative_to(manager.logdir)) for p in manager.logdir.rglob("*") if p.is_file() and text in p.read_text()]


def finish(manager, answer="the checkpoint"):
    """The hook, and in 0.35.1 the answer to the request that it adds, and the hook again."""
    run_hook(manager)
    if NEW:
        manager.append(Message("assistant", answer))
        run_hook(manager)


def in_view(manager, *texts):
    sent = prepare_messages(manager.log.messages)
    print("  in the view: %s" % {text: any(text in m.content for m in sent) for text in texts})


def both():
    manager = log("a command and a model that fails, then the hook", *talk(14))
    before = visible(manager)
    command(manager, RuntimeError("refused"))
    print("  visible messages: %d before, %d after" % (before, visible(manager)))

    manager = log("an empty answer to a command", *talk(14))
    command(manager, "")
    print("  the view ends: %s" % [first(m) for m in manager.log][-4:])

    profile = Message("system", "# Agent Profile: careful", hide=True, pinned=True)
    manager = log("a pinned message in the middle", *talk(2), profile, *talk(14)[1:])
    finish(manager)
    in_view(manager, "# Agent Profile", "answer 13")

    steps = [message for number in range(130) for message in call(number, 150)]
    manager = log("a turn that runs", *talk(2), Message("user", "the task"), *steps)
    finish(manager)
    in_view(manager, "the task", "call_129")

    manager = log("a view and a load", *talk(14))
    finish(manager)
    manager.write(sync=True)
    again = LogManager.load(manager.logdir, lock=False)
    print("  loaded: view %s, %d messages; before: view %s, %d messages" % (
        again.current_view, len(again.log), manager.current_view, len(manager.log)))


def only_034():
    manager = log("a command and the last message", *talk(3), Message("user", "the last thing that was said"))
    command(manager, "what was said so far")
    print("  the model was shown it: %s" % any("the last thing" in text for text in ANSWER["shown"]))
    print("  files with what was said: %s" % holding(manager, "question 0"))
    for i in range(50):
        manager.append(Message("assistant", "later %d" % i))
    print("  and 50 messages later: %s" % holding(manager, "question 0"))

    manager = log("status messages and the provider", *talk(14))
    run_hook(manager)
    print("  sent to the provider: %s" % [first(m) for m in prepare_messages(manager.log.messages)])

    manager = log("a large answer", *talk(3))
    before = len_tokens(manager.log.messages, "echo")
    ANSWER["text"] = "word " * 10_000
    run_hook(manager)
    print("  tokens: %d before, %d after" % (before, len_tokens(manager.log.messages, "echo")))

    manager = log("an empty answer", *talk(14))
    ANSWER["text"] = ""
    run_hook(manager)

    manager = log("a massive result among the first two messages", *call(1, 3_000), Message("user", "go on"))
    print("  verdict: %s" % should_auto_compact(manager.log.messages))
    run_hook(manager)
    print("  verdict again: %s" % should_auto_compact(manager.log.messages))

    manager = log("a log whose messages have one role", *(Message("user", words("again %d" % i)) for i in range(30)))
    print("  verdict: %s; as the provider would get them: %d" % (
        should_auto_compact(manager.log.messages), len(prepare_messages(manager.log.messages))))
    run_hook(manager)

    manager = log("a massive result inside the cooldown", *talk(2), *call(1, 3_000), Message("user", "go on"))
    run_hook(manager)
    for message in [*call(2, 9_000), Message("user", "go on")]:
        manager.append(message)
    print("  verdict: %s" % should_auto_compact(manager.log.messages))
    run_hook(manager)


def only_035():
    def verdict(manager):
        return should_auto_compact(manager.log.messages, int(os.environ["GPTME_CONTEXT_BUDGET"]), _get_keep_head())

    manager = log("a checkpoint that was not answered", *talk(2), *call(1, 3_000), *call(2, 3_000), *talk(2)[1:])
    manager.append(Message("user", "…", metadata={"compaction_checkpoint_view": ""}))
    manager.append(Message("system", "LLM request failed: refused"))
    print("  verdict: %s" % verdict(manager))
    run_hook(manager)
    print("  and after a person's message")
    manager.append(Message("user", "go on"))
    run_hook(manager)

    manager = log("a checkpoint of a log with one message", Message("system", words("You are an agent.")))
    run_hook(manager)
    manager.append(Message("assistant", "the checkpoint"))
    run_hook(manager)

    manager = log("a call among the first two messages", Message("user", words("do it")), *call(1, 700))
    finish(manager)
    in_view(manager, "@shell(call_1)", "result 1")
    manager = log("the same, and later messages", Message("user", words("do it")), *call(1, 700), *talk(14)[1:])
    finish(manager)
    in_view(manager, "@shell(call_1)", "result 1")

    manager = log("a log whose messages have one role", *(Message("assistant", words("part %d" % i)) for i in range(30)))
    finish(manager)
    print("  failures recorded: %d" % len(hook._failed_summarize))

    manager = log("a checkpoint request that failed, and an answer far below the budget", *talk(14))
    run_hook(manager)
    manager.append(Message("system", "LLM request failed: refused"))
    os.environ["GPTME_CONTEXT_BUDGET"] = "1000000"
    print("  verdict: %s" % verdict(manager))
    manager.append(Message("assistant", "a few words of something else"))
    run_hook(manager)
    in_view(manager, "question 1 word", "a few words of something else")

    for what, more in [("without", []), ("with", [Message("system", words("for the person", 9_000), ui_only=True)])]:
        manager = log("%s a message for the person only" % what, *talk(2), *more, *talk(2)[1:])
        tokens = len_tokens([m for m in manager.log if not m.ui_only], "echo")
        os.environ["GPTME_CONTEXT_BUDGET"] = str(tokens - 10)
        print("  tokens that the model is sent: %d of %d; verdict: %s" % (tokens, tokens - 10, verdict(manager)))
        run_hook(manager)

    manager = log("a checkpoint that is larger than the budget", *talk(14))
    run_hook(manager)
    manager.append(Message("assistant", "word " * 200_000 + "END"))
    run_hook(manager)
    summary = next(m for m in manager.log if m.role == "assistant" and m.content.startswith("word word"))
    print("  the checkpoint has %d of 1,000,003 characters and ends %r" % (len(summary.content), summary.content[-24:]))


def request_field(*texts):
    """The field as `_messages_to_responses_input` makes it, as it stands in the request, and as the reducer alone leaves it."""
    instructions, items = _messages_to_responses_input([Message("system", text) for text in texts])
    field = subscription._transform_to_codex_request(items, "gpt-5", instructions=instructions)["instructions"]
    clamp = getattr(subscription, "_clamp_codex_instructions", None)
    alone = clamp("\n\n".join(texts)) if clamp else ""
    print("\nsystem messages of %s characters" % " and ".join(str(len(text)) for text in texts))
    for what, text in [("joined", "\n\n".join(texts)), ("converted", instructions), ("sent", field), ("reducer alone", alone)]:
        print("  %-13s %8d ends %r" % (what, len(text), text[-12:]))


def main():
    console.quiet = True
    logging.getLogger("gptme").setLevel(logging.CRITICAL)
    set_output_format("quiet")
    init_tools(["autocompact", "shell"])
    llm_mock.chat = model
    print("gptme %s" % VERSION)
    both()
    (only_035 if NEW else only_034)()
    request_field(("word " * 209_715)[:1_048_574], "b")
    request_field(("word " * 209_716)[:1_048_576] + "z")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
