#!/usr/bin/env python3
"""gptme's context compaction behind the plimsoll adapter protocol; one file for 0.34.0 and 0.35.1.

    .venv-VERSION/bin/python adapter.py               the compaction hook, its view, its log, /compact
    .venv-VERSION/bin/python adapter.py --no-stream   the same, the model's answers not streamed
    .venv-VERSION/bin/python adapter.py --own         the same, and gptme measures for itself
    .venv-VERSION/bin/python adapter.py --overflow    0.35.1: with its recovery from a proven overflow
    .venv-VERSION/bin/python adapter.py --field       0.35.1: the reducer of the `instructions` field
    .venv-VERSION/bin/python adapter.py --request     0.35.1: the assembled request

Everything under test is the shipped code. Replaced are: the model (the functions of gptme's own
offline provider, `gptme.llm.llm_mock`, ask the harness), the clock (`hook.time`) and the verdict on
size (`hook.should_auto_compact` answers what the host says; with `--own` it is left alone). README.md
says why, and what each claim rests on.
"""

from __future__ import annotations

import argparse
import atexit
import copy
import dataclasses
import importlib
import itertools
import json
import logging
import os
import re
import shutil
import sys
import tempfile
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import plimsoll  # noqa: E402

plimsoll.claim_stdout()  # gptme prints


def private_home():
    """Point gptme at directories of its own, so that nobody's settings take part."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir()  # there fsync costs nothing
    for left in Path(base).glob("plimsoll-gptme-*-*"):  # by an adapter that was killed
        if not alive(left.name.split("-")[2]):
            shutil.rmtree(left, ignore_errors=True)
    home = Path(tempfile.mkdtemp(prefix="plimsoll-gptme-%d-" % os.getpid(), dir=base))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for name in [n for n in os.environ if n.startswith("GPTME_") or n in ("MODEL", "TOOL_ALLOWLIST")]:
        del os.environ[name]
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        os.environ["XDG_%s_HOME" % name] = str(home / name.lower())
    os.environ["HOME"] = str(home)
    os.environ["GPTME_TIKTOKEN_TIMEOUT"] = "0"       # a token is four characters; nothing is downloaded
    os.environ["PYTEST_CURRENT_TEST"] = "plimsoll"   # no lock file for a conversation
    (home / "workspace").mkdir()
    return home


def alive(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (OSError, ValueError):
        pass
    return True


HOME = private_home()

import httpx  # noqa: E402
import openai  # noqa: E402
from gptme.commands import execute_cmd  # noqa: E402
from gptme.constants import INTERRUPT_CONTENT, LLM_REQUEST_FAILED_PREFIX  # noqa: E402
from gptme.hooks import HookType, trigger_hook  # noqa: E402
from gptme.llm import llm_mock, mark_llm_reply_origin  # noqa: E402
from gptme.llm import llm_openai_subscription as subscription  # noqa: E402
from gptme.llm.models import ModelMeta, get_model, set_default_model  # noqa: E402
from gptme.llm.openai_responses import _messages_to_responses_input  # noqa: E402
from gptme.logmanager import LogManager, prepare_messages  # noqa: E402
from gptme.logmanager import manager as log_manager  # noqa: E402
from gptme.message import Message, len_tokens, set_output_format  # noqa: E402
from gptme.tools import get_tools, init_tools, set_tools  # noqa: E402
from gptme.tools.autocompact import decision, hook  # noqa: E402
from gptme.tools.autocompact.config import _get_keep_head  # noqa: E402
from gptme.tools.base import ToolSpec, set_tool_format  # noqa: E402
from gptme.util import console  # noqa: E402
from gptme.util import tokens as token_counts  # noqa: E402

chat_loop = importlib.import_module("gptme.chat")  # `gptme.chat` as an attribute is a function

VERSION = metadata.version("gptme")
HAS_UI_ONLY = "ui_only" in {f.name for f in dataclasses.fields(Message)}
HAS_BUDGET = hasattr(hook, "get_context_budget")              # 0.35: a budget apart from the window
HAS_CHECKPOINT_TURN = hasattr(hook, "_pending_checkpoint_turn")  # 0.35: the summary is an ordinary turn
if HAS_BUDGET:
    from gptme.context.config import parse_context_budget
    from gptme.util import context_measurement as measurement
HAS_CLAMP = hasattr(subscription, "_clamp_codex_instructions")
# 0.34.0 names no limit for the field: the one that the provider holds it to is the same.
FIELD_LIMIT = getattr(subscription, "CODEX_INSTRUCTIONS_MAX_CHARS", 1_048_576)

ROOMY = 10_000_000
MODEL = ModelMeta(provider="mock", model="echo", context=ROOMY, max_output=1000, supports_parallel_tool_calls=True)

# What gptme's own messages look like; read, never written.
SUMMARY_DONE = "✅ LLM-powered resume completed"
TRIM_DONE = ("🔄 Auto-compacted conversation", "✅ Trim compaction completed")
SUMMARY_FRAME = "Previous conversation resumed from"


# ---- contracts ---------------------------------------------------------------------------------
# Each line is what the release says of itself, in its code or its comments. README.md has the sources.

THROTTLE = {
    "0.35.1": {
        "capabilities": ["summarize", "throttle", "latch", "trim", "force", "conversations", "restart", "rewind", "log", "view"],
        "messages": ["ui_only", "hidden", "pinned", "calls", "parallel_calls", "reasoning", "system", "many_system", "tool_role"],
        "throttle": {"cooldown_s": 60, "growth": "reopens", "clock": "wall"},
        "latch": {"strikes": 1, "reopen_growth": 20, "after_reopen": "half_open"},
        "attempt": {"calls": 9, "noop": "failure", "pending": "never", "keep_size": 81_000},
        "trim": {"min_chars": 800, "keep_last": 3, "min_saving": 0.1, "how": "marker"},
        "status": {"visible": ["checkpoint", "reminder"]},
        "view": {"latest_user": "covered"},
        "restart": "volatile",
        "conversations": {"max": 512},
        "pressure": "given",
        "sizes": {"small": 3_600, "large": 12_000},
        "drive": "step",
        "weight": "heavy",
    },
    "0.34.0": {
        "capabilities": ["summarize", "throttle", "trim", "force", "restart", "rewind", "log", "view"],
        "messages": ["hidden", "pinned", "calls", "parallel_calls", "reasoning", "system", "many_system", "tool_role"],
        "throttle": {"cooldown_s": 60, "growth": "ignored", "clock": "wall"},
        "latch": None,
        "attempt": {"calls": 1, "pending": "host"},
        "trim": {"min_chars": 8_003, "keep_last": 0, "min_saving": 0.0, "how": "marker"},
        "view": {"latest_user": "covered"},
        "restart": "volatile",
        "pressure": "given",
        "sizes": {"small": 3_600, "large": 12_000},
        "drive": "step",
        "weight": "heavy",
    },
}


# The window of a model that a person has at home: a log that is too large for it is 300,000 characters long.
WINDOW = 49_152

# Where gptme itself begins in that window, and where a trim of its is to end. In 0.35.1 the budget, by default what the
# window leaves beside an answer, and `decision.TRIM_TARGET_RATIO` of it; in 0.34.0 more than 90 % of the window, and 80 %.
OWN_GAUGE = {
    "0.35.1": {"trigger": 44_056, "target": 30_839},
    "0.34.0": {"trigger": 44_237, "target": 39_321},
}


def own_contract():
    contract = copy.deepcopy(THROTTLE[VERSION])
    contract["capabilities"].append("gauge")
    contract["pressure"] = "own"
    contract["gauge"] = {**OWN_GAUGE[VERSION], "unit": "tokens", "counter": "chars/4"}
    return contract


def overflow_contract():
    contract = copy.deepcopy(THROTTLE[VERSION])
    contract["capabilities"].append("overflow")
    contract["overflow"] = {"recoveries": 1}
    return contract


def field_contract(capability):
    field = {
        "unit": "code_points",
        "max": FIELD_LIMIT,
        "structure": "text",
        "notice": "none",
        "join": {"separator": "\n\n", "skip_empty": True, "strip": True},
    }
    messages = ["hidden", "pinned", "calls", "parallel_calls", "system", "many_system", "tool_role"]
    if HAS_CLAMP:
        marker = subscription.CODEX_INSTRUCTIONS_TRUNCATION_MARKER
        field.update(marker=marker, tail=(FIELD_LIMIT - len(marker)) // 2, notice="reported")
        messages.append("ui_only")
    return {
        "capabilities": [capability],
        "messages": messages,
        "field": field,
        "request": {"paths": ["codex"]},
        "weight": "heavy",
    }


# ---- the replaced parts ------------------------------------------------------------------------


class Clock:
    """Stands in for the module `time` in gptme's hook."""

    now = 0.0

    def time(self):
        return self.now


class Model:
    """The functions of gptme's offline provider. `ask` is set while a step is open."""

    ask = None

    def chat(self, messages, model, tools=None, **_):
        return self._reply(messages), {"model": model}

    def stream(self, messages, model, tools=None, **_):
        yield self._reply(messages)
        return {"model": model}

    def _reply(self, messages):
        if self.ask is None:
            raise RuntimeError("gptme called its model outside a step")
        try:
            return self.ask(messages).text
        except plimsoll.SummarizeError as error:
            raise provider_error(error.kind) from None


def provider_error(kind):
    """What the provider's client raises; gptme looks at the class, and at the code of a refusal for length."""
    request = httpx.Request("POST", "http://127.0.0.1/v1/responses")
    if kind == "aborted":
        return KeyboardInterrupt()
    if kind == "timeout":
        return openai.APITimeoutError(request=request)
    if kind == "transport":
        return openai.APIConnectionError(request=request)
    code = "context_length_exceeded" if kind == "overflow" else "invalid_request_error"
    return openai.BadRequestError(code, response=httpx.Response(400, request=request), body={"code": code})


MODULES = [m for n, m in sys.modules.items() if n.startswith("gptme.tools.autocompact.")]
PROCESS_STATE = [
    (module, name, copy.deepcopy(value))
    for module in MODULES
    for name, value in vars(module).items()
    if name.startswith("_last_") or name.startswith("_failed_")
]


def new_process():
    """Everything that the hook keeps in its module is as it was after the import."""
    for module, name, value in PROCESS_STATE:
        setattr(module, name, copy.deepcopy(value))


def prepare_process(clock, model):
    logging.getLogger("gptme").setLevel(logging.ERROR)
    console.quiet = True
    set_output_format("quiet")
    set_tool_format("tool")
    init_tools(["autocompact"])
    set_tools([*get_tools(), ToolSpec(name="probe", desc="A tool that the host offers.", execute=lambda *_: iter(()))])
    set_default_model(MODEL)
    hook.time = clock
    token_counts._hash_content = str  # the key of a count: the text itself is as good as its hash, and costs nothing
    llm_mock.chat, llm_mock.stream = model.chat, model.stream


# ---- gptme's messages and the protocol's -------------------------------------------------------

MEMBERS = {"ui_only": "ui_only", "hidden": "hide", "pinned": "pinned"}  # the protocol's word: gptme's
THINK = re.compile(r"<think>\n?(.*?)(?:\n?</think>\s*|\Z)", re.DOTALL)
ARRIVED = datetime(2001, 1, 1, tzinfo=timezone.utc)


def encode(said, timestamp, call_names):
    """A message of the host as gptme would store it.

    A tool result is a system message with a call id, a call is a line in the assistant's content, and
    reasoning stands before the content in a think block: that is how gptme's providers write them.
    """
    content = said["content"]
    if said["reasoning"]:
        content = "<think>\n%s\n</think>\n\n%s" % (said["reasoning"], content)
    for call in said["calls"]:
        call_names.setdefault(call, "call_%d" % (len(call_names) + 1))
        content += call_line(call_names[call])
    flags = {ours: said[theirs] for theirs, ours in MEMBERS.items() if ours != "ui_only" or HAS_UI_ONLY}
    role = "system" if said["role"] == "tool" else said["role"]
    return Message(role, content, timestamp=timestamp, call_id=call_names.get(said["call_id"]), **flags)


def call_line(name):
    return '\n\n@probe(%s): {"about": "%s"}' % (name, name)


class Chat:
    """One conversation: gptme's LogManager, and which of its messages has which id on the wire.

    An external message is known by its timestamp, which gptme keeps through every copy.
    """

    def __init__(self, logdir, numbers):
        shutil.rmtree(logdir, ignore_errors=True)  # preparing a request may leave it behind
        logdir.mkdir(parents=True)
        (logdir / "workspace").symlink_to(HOME / "workspace")
        self.logdir, self.numbers = logdir, numbers
        self.said = {}        # timestamp -> (message of the host, as gptme was given it)
        self.call_names = {}
        self.own = {}         # identity of an own message -> its id
        self.told = set()     # ids of own messages that the harness knows
        self.by_host = set()  # identities of messages that gptme's chat loop added
        self.typed = set()    # identities of commands that the person typed
        self.load()

    def load(self):
        self.manager = LogManager.load(self.logdir, lock=False, create=True)

    def enter(self):
        """Make this the conversation that gptme's tools and its chat loop see as the current one."""
        log_manager._current_log_var.set(self.manager)
        return self.manager

    def append(self, said):
        stored = encode(said, ARRIVED + timedelta(seconds=len(self.said)), self.call_names)
        self.said[stored.timestamp] = said, stored
        self.manager.append(stored)

    # Ids and items.

    def id_of(self, stored):
        known = self.said.get(stored.timestamp)
        if known:
            return known[0]["id"]
        identity = identify(stored)
        if identity not in self.own:
            prefix = "host" if identity in self.by_host else "own"
            self.own[identity] = "%s%d" % (prefix, next(self.numbers))
        return self.own[identity]

    def item(self, stored, short=True):
        """A stored message as a view item."""
        known = self.said.get(stored.timestamp)
        flags = {theirs: bool(getattr(stored, ours, False)) for theirs, ours in MEMBERS.items()}
        if not known:
            return {"id": self.id_of(stored), "role": stored.role, "content": stored.content, **flags}
        said, original = known
        item = {**said, **flags}
        if stored.content == original.content:
            # gptme pins what stands at the head of a trimmed view; that loses nothing
            same = all(said[name] == value or (name == "pinned" and value) for name, value in flags.items())
            return {"id": said["id"]} if short and same else item
        return {**item, **self.decode(said, stored.content)}

    def decode(self, said, stored):
        """What is left of a message of the host in a content that gptme has changed."""
        think = THINK.match(stored)
        content = stored[think.end():] if think else stored
        calls = [call for call in said["calls"] if call_line(self.call_names[call]) in content]
        for call in calls:
            content = content.replace(call_line(self.call_names[call]), "")
        left = {"content": content, "reasoning": think and think[1], "calls": calls}
        if content == said["content"] and calls == said["calls"] and left["reasoning"] is None:
            return left  # the reasoning is gone, and nothing else
        return {**left, "trimmed": True}

    def items(self, prepared):
        """What is sent to a model, message for message, as view items."""
        return [self.item(part) if stored else raw(part) for part, stored in self.unmerge(prepared)]

    def view(self):
        """What the next request is built from; what the person alone sees stands in its place."""
        stored = self.manager.log.messages
        sent = self.unmerge(prepare_messages(stored, self.manager.workspace, self.manager.logdir))
        places = {id(m): i for i, m in enumerate(stored)}
        at, view, summary = 0, [], self.summary(stored)
        for part, is_stored in sent + [(None, False)]:
            place = places.get(id(part), at) if is_stored else (len(stored) if part is None else at)
            view += [self.item(m) for m in stored[at:place] if getattr(m, "ui_only", False)]
            at = max(at, place)
            if is_stored:
                item = self.item(part)
                if part is summary:
                    item["summary"] = True
                if item.get("ui_only"):
                    item["ui_only"] = False  # it is sent all the same
                view.append(item)
                at += 1
            elif part is not None:
                view.append(raw(part))
        return view

    def summary(self, stored):
        """The summary in a view: gptme puts it behind a line of its own."""
        for before, after in zip(stored, stored[1:]):
            framed = before.role == "system" and before.content.startswith(SUMMARY_FRAME)
            if framed and after.role == "assistant" and not {before.timestamp, after.timestamp} & set(self.said):
                return after
        return None

    def unmerge(self, prepared):
        """gptme joins neighbours of one role into one message: the messages that stand in a request.

        Pairs (message, whether it is stored) in order. A message whose content was changed on the way
        is returned as sent; it has the timestamp of the stored one.
        """
        stored, at, out = self.manager.log.messages, 0, []
        for sent in prepared:
            parts, end = split(sent, stored, at)
            if parts:
                out += [(part, True) for part in parts]
                at = end
            else:
                out.append((sent, sent.timestamp in self.said))
        return out

    def news(self):
        """Own messages that are in the log since this was last asked, and what the chat loop added."""
        own, extra = [], []
        for stored in self.lossless():
            number = self.id_of(stored)
            if stored.timestamp in self.said or number in self.told:
                continue
            self.told.add(number)
            (extra if number.startswith("host") else own).append(self.item(stored))
        return own, extra

    def log(self):
        return [self.item(m, short=False) for m in self.lossless()]

    def lossless(self):
        """gptme's log: all messages ever said, but for what the person typed to have it compacted."""
        return [m for m in self.manager.master_log.messages if identify(m) not in self.typed]

    def without(self, members):
        """Rewrite the stored log as a version wrote it that did not have these members."""
        gone = {MEMBERS.get(m, m) for m in members}
        for path in self.logdir.rglob("*.jsonl"):
            if not {"workspace", "events.jsonl"} & set(path.parts):
                lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
                path.write_text("".join(json.dumps({k: v for k, v in m.items() if k not in gone}) + "\n" for m in lines))


def identify(stored):
    return stored.timestamp, stored.role, stored.content


def raw(sent):
    return {"role": sent.role, "content": sent.content}


def split(sent, stored, start):
    """The stored messages from `start` on that make up `sent`, and the place after the last of them."""
    parts, rest = [], sent.content
    for place in range(start, len(stored)):
        part = stored[place]
        if part.role != sent.role:
            continue
        if rest == part.content:
            return [*parts, part], place + 1
        if rest.startswith(part.content + "\n\n"):
            parts.append(part)
            rest = rest[len(part.content) + 2:]
    return [], start


# ---- the hook ----------------------------------------------------------------------------------


class Gptme(plimsoll.Candidate):
    """gptme's compaction hook, in the way that its chat loop calls it."""

    name, version = "gptme", VERSION

    def __init__(self, contract, stream=True):
        self.contract, self.stream = contract, stream
        self.clock, self.model = Clock(), Model()
        self.chats, self.numbers = {}, itertools.count(1)
        prepare_process(self.clock, self.model)

    def chat(self, conversation):
        if conversation not in self.chats:
            self.chats[conversation] = self.new_chat()
        return self.chats[conversation]

    def new_chat(self):
        return Chat(HOME / "logs" / ("%08d" % next(self.numbers)), self.numbers)

    def reset(self):
        for chat in self.chats.values():
            shutil.rmtree(chat.logdir, ignore_errors=True)
        self.chats, self.numbers = {}, itertools.count(1)
        new_process()

    def append(self, conversation, messages):
        chat = self.chat(conversation)
        for said in messages:
            chat.append(said)

    def step(self, conversation, host):
        chat = self.chat(conversation)
        manager = chat.enter()
        recovered = False
        self.clock.now = host.wall_s
        self.model.ask = lambda messages: host.summarize(chat.items(messages))
        try:
            with self.verdict(manager, host):
                if host.kind == "force":
                    self.command(chat)
                elif host.kind == "overflow":
                    recovered = recover(manager)
                else:
                    self.after_turn(chat)
        finally:
            self.model.ask = None
        own, extra = chat.news()
        return plimsoll.Step("trim" if recovered else done(own), own, chat.view(), extra)

    def view(self, conversation):
        chat = self.chat(conversation)
        chat.enter()
        chat.news()  # this tells all, and so nothing is left for the next step to tell
        return {"view": chat.view(), "log": chat.log()}

    def rewind(self, conversation, to):
        """The person leaves the compacted view for the whole history, and undoes its end.

        For redo gptme keeps a branch of what was undone; the log is edited to be that branch's beginning.
        Where no log of gptme's has the message any more, a person can do nothing: the view stays as it is.
        """
        chat = self.chat(conversation)
        manager = chat.enter()
        main = manager._branches["main"].messages
        kept = upto(chat, main, to)
        if kept is not None:
            if manager.current_view is not None:
                manager.switch_to_master()
            if len(kept) < len(main):
                manager.undo(len(main) - len(kept), quiet=True)
            return chat.view()
        for other in [manager.master_log, *reversed(list(manager._branches.values()))]:
            kept = upto(chat, other.messages, to)
            if kept is not None:
                if manager.current_view is not None:
                    manager.switch_to_master()
                manager.edit(kept)
                break
        return chat.view()

    def restart(self, wall_s, monotonic_s, without=()):
        self.clock.now = wall_s
        for chat in self.chats.values():
            chat.manager.write(sync=True)
            if without:
                chat.without(without)
        new_process()
        for chat in self.chats.values():
            chat.load()

    # What gptme's chat loop does.

    def after_turn(self, chat):
        """`chat._process_message_conversation` from where the tool results of a step are on the log."""
        manager = chat.manager
        if not HAS_CHECKPOINT_TURN:
            for own in trigger_hook(HookType.TURN_POST, manager=manager):
                manager.append(own)
            return
        chat_loop._run_post_tool_compaction(manager)
        while asks_for_checkpoint(manager) and self.model_turn(chat):
            chat_loop._run_post_tool_compaction(manager)

    def model_turn(self, chat):
        """One pass of `chat.step`, with what `chat._run_chat_loop` makes of its exceptions."""
        manager = chat.manager
        try:
            answers = list(chat_loop.step(
                manager.log, self.stream, tool_format="tool", workspace=manager.workspace, logdir=manager.logdir))
        except KeyboardInterrupt:
            return self.loop_says(chat, INTERRUPT_CONTENT)
        except Exception as error:  # noqa: BLE001 - as the chat loop
            if not chat_loop.is_llm_reply_error(error):
                raise
            return self.loop_says(chat, "%s %s" % (LLM_REQUEST_FAILED_PREFIX, error))
        for answer in answers:
            manager.append(answer)
        return True

    def command(self, chat):
        """A person types /compact."""
        typed = Message("user", "/compact summarize")
        chat.typed.add(identify(typed))
        chat.manager.append(typed)
        try:
            execute_cmd(typed, chat.manager)
        except KeyboardInterrupt:
            self.loop_says(chat, INTERRUPT_CONTENT)

    @staticmethod
    def loop_says(chat, text):
        """The chat loop's own system message, which it would add after any failed request. Ends the turn."""
        said = Message("system", text)
        chat.by_host.add(identify(said))
        chat.manager.append(said)
        return False

    @contextmanager
    def verdict(self, manager, host):
        """The host's verdict in the place of gptme's measuring, and a budget that agrees with it.

        Under pressure the view stands at its budget, where gptme itself would act; else there is room. The
        budget is a token a message below the view's size, so that rounding to tokens decides nothing. In
        0.34.0 the budget is 90 % of the model's window.
        """
        action = {"none": "none", "trim": "rule_based", "summarize": "summarize"}[host.pressure]
        hook.should_auto_compact = lambda *_, **__: action
        try:
            if HAS_BUDGET:
                sent = [m for m in manager.log.messages if not m.ui_only]
                tokens = hook.measure_context_tokens(sent, MODEL.full)
                budget = ROOMY if action == "none" else max(tokens - len(sent), 2)
                os.environ["GPTME_CONTEXT_BUDGET"] = str(budget)
            elif action != "none":
                tokens = len_tokens(manager.log.messages, MODEL.model)
                set_default_model(dataclasses.replace(MODEL, context=window_below(tokens)))
            yield
        finally:
            os.environ.pop("GPTME_CONTEXT_BUDGET", None)
            set_default_model(MODEL)


class Own(Gptme):
    """The same with nothing in the place of gptme's measuring: its verdict, its budget, its model's window.

    The view is read as gptme keeps it, without the last-resort limit of a request, which drops what is above
    the window: a log that nobody has compacted yet is whole. In a step that limit is in force.
    """

    def __init__(self, contract):
        super().__init__(contract)
        self.built_in = self.model_meta = dataclasses.replace(
            get_model(MODEL.full), context=WINDOW, supports_parallel_tool_calls=True)

    def reset(self):
        super().reset()
        self.use(self.built_in)

    def use(self, model, budget=None):
        self.model_meta = model
        os.environ.pop("GPTME_CONTEXT_BUDGET", None)
        if budget is not None:
            os.environ["GPTME_CONTEXT_BUDGET"] = str(budget)

    @contextmanager
    def verdict(self, manager, host):
        with self.window():
            yield

    @contextmanager
    def window(self):
        set_default_model(self.model_meta)
        try:
            yield
        finally:
            set_default_model(MODEL)

    def gauge(self, messages, reported=None):
        """Its verdict, asked as the hook asks it, and the count that the verdict goes by."""
        call_names, stored = {}, []
        for said in messages:
            stored.append(encode(said, ARRIVED + timedelta(seconds=len(stored)), call_names))
        if reported is not None and HAS_BUDGET:
            stored.append(answered(stored, messages, reported, self.model_meta))
        with self.window():
            if HAS_BUDGET:
                action = hook.should_auto_compact(stored, limit=self.budget(), keep_head=_get_keep_head())
                tokens = hook.measure_context_tokens(stored, self.model_meta.full)
            else:
                action = hook.should_auto_compact(stored)
                tokens = len_tokens(stored, self.model_meta.model)
        return {"pressure": {"rule_based": "trim"}.get(action, action), "tokens": tokens}

    def budget(self):
        model = self.model_meta
        return hook.get_context_budget(model.context, max_output=model.max_output or 8192, model_id=model.full,
                                       model_context_budget=model.context_budget)

    def configure_gauge(self, trigger, target, limit):
        """The limit is the window that the provider names; in 0.35.1 the trigger is the budget that a person sets.

        There is no setting for the rest, and the answer says what is in force.
        """
        model = dataclasses.replace(self.built_in, context=limit)
        if not HAS_BUDGET:
            self.use(model)
            return {"trigger": int(0.9 * limit) + 1, "target": int(0.8 * limit), "limit": limit}
        self.use(model, parse_context_budget(trigger, "trigger"))
        budget = self.budget()
        return {"trigger": budget, "target": max(1, int(budget * decision.TRIM_TARGET_RATIO)), "limit": limit}


def answered(stored, messages, reported, model):
    """The answer that brought the figure: the provider reports with an answer what it was sent before that.

    The answer says nothing, so that the figure is all there is. A figure from before a compaction came with
    other messages before it.
    """
    before = stored
    if all(said["id"] != reported["upto"] for said in messages):
        before = [Message("user", "gone", timestamp=ARRIVED), *stored[1:]]
    usage = {} if reported["tokens"] is None else {"usage": {"input_tokens": reported["tokens"]}}
    answer = Message("assistant", "", metadata=usage, timestamp=ARRIVED + timedelta(seconds=len(stored)))
    measurement.anchor_context_usage(answer, len(before), measurement.input_log_digest(before), model.full)
    return answer


def done(own):
    """What gptme itself reports of a step, in its status messages."""
    said = [m["content"] for m in own]
    if any(text.startswith(SUMMARY_DONE) for text in said):
        return "summarize"
    return "trim" if any(text.startswith(TRIM_DONE) for text in said) else "none"


def asks_for_checkpoint(manager):
    """The chat loop's test for "call the model at once": `chat._process_message_conversation`."""
    last = manager.log.messages[-1] if manager.log.messages else None
    return last is not None and last.role == "user" and "compaction_checkpoint_view" in (last.metadata or {})


def upto(chat, messages, to):
    for place, stored in enumerate(messages):
        known = chat.said.get(stored.timestamp)
        if known and known[0]["id"] == to:
            return list(messages[:place + 1])
    return None


def window_below(tokens):
    """The largest window of which 90 % is less than this."""
    window = int(tokens / 0.9) + 2
    while window > 1 and int(0.9 * window) >= tokens:
        window -= 1
    return window


def recover(manager):
    """An ordinary request has been refused for its length; the next one, smaller, is answered.

    What `chat._reply_with_overflow_recovery` does. True if a smaller view was found.
    """
    refusals = [provider_error("overflow")]

    def generate(messages):
        if refusals:
            error = refusals.pop()
            mark_llm_reply_origin(error)
            raise error
        return Message("assistant", "it fits")

    def prepare(messages):
        return prepare_messages(messages, manager.workspace, logdir=manager.logdir)

    try:
        importlib.import_module("gptme.tools.autocompact.recovery").recover_reply(
            manager, prepare(manager.log.messages), MODEL.full, generate, prepare)
    except openai.BadRequestError:
        return False  # nothing smaller was to be had
    return True


# ---- the field and the request -----------------------------------------------------------------


class Warnings(logging.Handler):
    """What the reducer reports: it warns with the limit, the length before and how much was removed."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.seen = []
        for module in (subscription.__name__, _messages_to_responses_input.__module__):
            logger = logging.getLogger(module)
            logger.addHandler(self)
            logger.setLevel(logging.WARNING)
            logger.propagate = False

    def emit(self, record):
        self.seen.append(record)

    def notice(self, before, after):
        """None without a warning. The reducer's own figures where it gives them."""
        seen, self.seen = self.seen, []
        for record in reversed(seen):
            if len(record.args) == 3:
                _, length, removed = record.args
                return {"before": length, "after": length - removed}
        return {"before": before, "after": after} if seen else None


class Field(plimsoll.Candidate):
    """The reducer alone: `_clamp_codex_instructions`."""

    name, version = "gptme", VERSION

    def __init__(self, contract):
        self.contract = contract
        self.warnings = Warnings()
        set_output_format("quiet")
        set_tool_format("tool")
        set_default_model(MODEL)

    def reset(self):
        pass

    def reduce(self, blocks, limit):
        same_limit(limit)
        text = "\n\n".join(block["text"] for block in blocks)
        output = subscription._clamp_codex_instructions(text)
        return output, self.warnings.notice(len(text), len(output))


class Request(Field):
    """The request, where it is built: the stored messages are prepared, converted and put into a body."""

    def __init__(self, contract):
        super().__init__(contract)
        self.chats, self.numbers = {}, itertools.count(1)
        prepare_process(Clock(), Model())

    chat, new_chat = Gptme.chat, Gptme.new_chat
    reset, append, view = Gptme.reset, Gptme.append, Gptme.view

    def assemble(self, conversation=None, messages=None, limit=None, path=None):
        same_limit(limit)
        chat = self.chat(conversation) if messages is None else self.scratch(messages)
        prepared = prepare_messages(chat.manager.log.messages, chat.manager.workspace, logdir=chat.manager.logdir)
        instructions, items = _messages_to_responses_input(prepared)
        body = subscription._transform_to_codex_request(items, "gpt-5", instructions=instructions)
        notice = self.warnings.notice(None, None)
        parts = chat.unmerge(prepared)
        field = [part for part, _ in parts if part.role == "system" and not part.call_id]
        joined = "\n\n".join(t for t in (part.content.strip() for part in field) if t)
        if notice and notice["before"] is None:
            notice = {"before": len(joined), "after": len(body["instructions"])}
        gone = {id(part) for part in cut_whole(field, joined, body["instructions"])}
        sent = [chat.id_of(part) for part, stored in parts if stored and id(part) not in gone]
        return {"instructions": body["instructions"], "sent": sent, "notice": notice}

    def scratch(self, messages):
        chat = self.new_chat()
        for said in messages:
            chat.append(said)
        shutil.rmtree(chat.logdir, ignore_errors=True)
        return chat


def same_limit(limit):
    if limit and limit["max"] != FIELD_LIMIT:
        raise ValueError("there is one limit for this field: %d" % FIELD_LIMIT)


def cut_whole(field, joined, output):
    """The messages of a field of which nothing is left after something between two ends was cut."""
    if output == joined:
        return []
    head = common(joined, output)
    tail = min(common(joined[::-1], output[::-1]), len(joined) - head, len(output) - head)
    gone, at = [], 0
    for part in field:
        length = len(part.content.strip())
        if length and head <= at and at + length <= len(joined) - tail:
            gone.append(part)
        at += length + 2 if length else 0
    return gone


def common(one, other):
    """The length of what two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


# ---- which candidate ---------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--no-stream", action="store_true", help="the model's answers are not streamed")
    which.add_argument("--own", action="store_true", help="gptme measures for itself")
    which.add_argument("--overflow", action="store_true", help="claim the recovery from a proven overflow too")
    which.add_argument("--field", action="store_true", help="the reducer of the instructions field")
    which.add_argument("--request", action="store_true", help="the assembled request")
    chosen = parser.parse_args()
    if VERSION not in THROTTLE:
        parser.error("no contract for gptme %s; there is one for %s" % (VERSION, ", ".join(sorted(THROTTLE))))
    if chosen.field and not HAS_CLAMP:
        parser.error("gptme %s has no reducer of a request field; `--request` judges the request" % VERSION)
    if chosen.overflow and not HAS_CHECKPOINT_TURN:
        parser.error("gptme %s claims no recovery from an overflow" % VERSION)
    if chosen.field:
        candidate = Field(field_contract("field"))
    elif chosen.request:
        candidate = Request(field_contract("request"))
    elif chosen.own:
        candidate = Own(own_contract())
    elif chosen.overflow:
        candidate = Gptme(overflow_contract())
    else:
        candidate = Gptme(THROTTLE[VERSION], stream=not chosen.no_stream)
    plimsoll.run(candidate)


if __name__ == "__main__":
    main()
