"""Write a plimsoll adapter in Python: this file and the standard library, nothing else.

An adapter is a program that puts one implementation of context compaction (the *candidate*)
behind JSON-RPC 2.0 lines on stdin and stdout, so that the harness can drive it:

    import plimsoll

    class Mine(plimsoll.Candidate):
        name, version = "mine", "1.0"
        contract = {"capabilities": ["summarize", "throttle"]}
        def append(self, conversation, messages): ...
        def step(self, conversation, host): ...
        ...

    plimsoll.run(Mine())

Override the methods of the capabilities that you claim, and no others. This module does the rest:
it keeps stdout clean, fills message defaults, calls back for summaries, turns exceptions into
error replies, and runs whole cases in one line (batch mode).

Shapes, all plain JSON:

* message: `{"id", "role", "content", "ui_only", "hidden", "pinned", "call_id", "calls", "reasoning",
  "interim"}`; messages from the host always have every member (see `DEFAULTS`).
* view item: a message as the candidate now holds it. Two more members: `"summary": true` on a
  summary, `"trimmed": true` on a message that was shortened. `{"id": "m3"}` stands for that message.
* times are seconds, as floats; `wall_s` can step, `monotonic_s` cannot. A length or a size is
  whatever unit the contract declares; the functions here count code points, as `len(str)` does.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback

__all__ = [
    "Candidate", "Conversation", "Conversations", "CutOff", "DEFAULTS", "Host", "Infeasible", "Keeper",
    "SummarizeError", "Step", "Summary", "claim_stdout", "external", "groups", "has_open_call",
    "latest_user", "leading_system", "message", "must_stay", "reducer", "run", "size", "status",
    "trimmer", "turn_runs", "visible",
]

PROTOCOL = 1
DEFAULTS = {
    "id": None, "role": "user", "content": "", "ui_only": False, "hidden": False, "pinned": False,
    "call_id": None, "calls": (), "reasoning": None, "interim": False,
}


# ---- what an adapter's author subclasses -------------------------------------------------------


class Candidate:
    """The implementation under test. Override what you claim; the rest answers "method not found".

    Any exception that leaves a method becomes an error reply (code -32000, the exception's text),
    and the adapter goes on with the next request.
    """

    name = "unnamed"
    version = "0"
    contract: dict = {"capabilities": []}
    """What the candidate declares about itself; dotted names are nested objects."""
    batch = True
    """Whether whole cases may be sent in one line. Turn it off only to find a fault in batch mode."""

    def reset(self):
        """A new case: forget every conversation and all throttle and latch state.

        A candidate without state need not override it.
        """
        if _overrides(self, "append") or _overrides(self, "attempt"):
            raise _not_found("reset")

    def append(self, conversation, messages):
        """External messages arrive. An unknown `conversation` (a string) is created empty.

        May return a list of extra messages that the target's own host adds; they count as external.
        """
        raise _not_found("append")

    def step(self, conversation, host):
        """The host calls once, after a turn: decide, and perhaps trim or call `host.summarize`.

        Returns a `Step`, or None for "nothing was done".
        """
        raise _not_found("step")

    def view(self, conversation):
        """The full state: `{"view": [items], "log": [messages]}`; without `log` if that is not claimed."""
        raise _not_found("view")

    def rewind(self, conversation, to):
        """A person's undo or redo: the view becomes the log up to and including the message `to` (an id).

        Returns the new view, or None if the host can work it out itself.
        """
        raise _not_found("rewind")

    def restart(self, wall_s, monotonic_s, without=()):
        """Save, drop all state in memory, load. `without`: members an older log did not have yet."""
        raise _not_found("restart")

    def usage(self, conversation, tokens, upto):
        """The provider has reported `tokens` for the request that ended with the message `upto`."""
        raise _not_found("usage")

    def auto(self, on):
        """Automatic compaction is switched on or off (a bool)."""
        raise _not_found("auto")

    def reduce(self, blocks, limit):
        """Reduce a field: `blocks` is a list of `{"text", "required"}`, `limit` is `{"max", "unit"}`.

        Returns the text; or (text, notice), the notice None or `{"before": n, "after": n}`.
        Raises `Infeasible`.
        """
        raise _not_found("reduce")

    def fit(self, messages, limit):
        """Fit messages into `limit`, `{"max", "unit"}`.

        Returns the view items; or (items, notice). Raises `Infeasible`.
        """
        raise _not_found("fit")

    def assemble(self, conversation=None, messages=None, limit=None, path=None):
        """Build the request that would be sent, from a conversation or from messages.

        Returns `{"instructions": text or None, "sent": [ids], "notice": ...}`. Raises `Infeasible`.
        """
        raise _not_found("assemble")

    def gauge(self, messages, reported=None):
        """Measure. `reported` is None or `{"tokens": n or None, "upto": id}`.

        Returns `{"pressure": "none" | "trim" | "summarize", "tokens": n or None}`.
        """
        raise _not_found("gauge")

    def configure_gauge(self, trigger, target, limit):
        """Set the gauge. Returns the three as now in force; raises, naming the member it refuses."""
        raise _not_found("configure_gauge")

    def change(self, guard, event):
        """Something changed: `event` is `{"by": "external" | "self", "relevant": bool}`."""
        raise _not_found("change")

    def attempt(self, guard, outcome, during=(), monotonic_s=0.0):
        """Try the guarded operation, which would end in `outcome` ("ok" or "fail"), the events of
        `during` happening while it runs. Returns True if it ran, False if the guard held it back.
        """
        raise _not_found("attempt")


class Step:
    """What one step did.

    action     "none", "trim" or "summarize", the strongest thing done; None: not reported
    appended   the candidate's own messages that are now in the log; ids begin with "own"
    view       the whole view as a list of items; None: unchanged but for what was appended
    extra      messages that the target's own host added; they count as external
    """

    def __init__(self, action="none", appended=(), view=None, extra=()):
        self.action, self.appended, self.view, self.extra = action, appended, view, extra


class Summary:
    """A summariser's answer: `text`, `stop` ("end", "length" or "refusal"; only "end" is a whole
    answer) and `arrived`, the external messages that came in meanwhile. The text can be empty.
    """

    def __init__(self, text, stop, arrived=()):
        self.text, self.stop, self.arrived = text, stop, list(arrived)

    @property
    def usable(self):
        """Whether the answer is whole and says something."""
        return self.stop == "end" and bool(self.text.strip())


class SummarizeError(Exception):
    """The summariser call failed: `kind` is rejected, overflow, timeout, transport or aborted.

    An abort is a person's interruption. Everything else is a failure.
    """

    def __init__(self, kind, text=None):
        super().__init__(text or kind)
        self.kind = kind
        self.data = {"kind": kind}


class CutOff(BaseException):
    """The process has ended during a summariser call, as far as the candidate can tell: `restart` is next.

    It passes through `except Exception`, for no code of a process runs once that has ended.
    """


class Infeasible(Exception):
    """What must stay cannot fit into the limit."""


class Host:
    """The host's side of one open step.

    kind         "step"; "force": a person asked; "overflow": the provider proved it does not fit
    pressure     "none", "trim" (trimming is enough) or "summarize" (it is not); None: the contract
                 says that the candidate measures for itself
    wall_s, monotonic_s   the time now, in seconds
    """

    def __init__(self, params, summarize):
        self.kind = params.get("kind", "step")
        self.pressure = params.get("pressure", "none")
        self.wall_s = params.get("wall_s", 0.0)
        self.monotonic_s = params.get("monotonic_s", 0.0)
        self._summarize = summarize

    def summarize(self, items=None, text=None):
        """Call the summariser with exactly what would be sent: `items` (view items), or `text`.

        Returns a `Summary`; raises `SummarizeError`, or `CutOff`, which is not for catching.
        """
        if self._summarize is None:
            raise RuntimeError("the step is over")
        if (items is None) == (text is None):
            raise TypeError("summarize takes items or text")
        return self._summarize({"items": list(items)} if text is None else {"text": text})

    def _close(self):
        self._summarize = None


# ---- the contract's terms, as functions --------------------------------------------------------


def message(**members):
    """A message with all defaults filled in; members that the protocol lacks are dropped."""
    return _filled(members)


def _filled(members):
    filled = {**DEFAULTS, **members}
    if len(filled) > len(DEFAULTS):
        filled = {name: filled[name] for name in DEFAULTS}
    calls = filled["calls"]
    filled["calls"] = list(calls) if calls else []
    return filled


def status(text, **members):
    """A message for the person's eyes only. `Conversation.say` gives it an id."""
    return message(**{"role": "system", "content": text, "ui_only": True, **members})


def visible(item):
    """Whether the model sees it: everything but `ui_only`. `hidden` hides from the person alone."""
    return not item.get("ui_only", False)


def external(item):
    """Whether the host said it, by the prefix of its id."""
    return not str(item.get("id") or "own").startswith("own")


def size(items):
    """Code points of content and reasoning of the visible items."""
    return sum(len(i.get("content") or "") + len(i.get("reasoning") or "") for i in items if visible(i))


def groups(items):
    """The items as a list of lists: a call message with its results, anything else by itself.

    Groups are in the order of their first items; a result belongs to the nearest call before it.
    """
    found, by_call = [], {}
    for item in items:
        group = by_call.get(item.get("call_id"))
        if group is None:
            group = []
            found.append(group)
        group.append(item)
        for call in item.get("calls") or ():
            by_call[call] = group
    return found


def has_open_call(items):
    """Whether a call stands among the items without its final result."""
    waiting = set()
    for item in items:
        waiting.update(item.get("calls") or ())
        if not item.get("interim"):
            waiting.discard(item.get("call_id"))
    return bool(waiting)


def leading_system(items):
    """The external system messages that stand before any other visible external message.

    What a compaction has put in front of them does not change what they are.
    """
    found = []
    for item in filter(visible, items):
        if not external(item) and not found:
            continue
        if item["role"] != "system" or not external(item):
            break
        found.append(item)
    return found


def latest_user(items):
    """The latest visible external user message, or None."""
    users = [i for i in items if visible(i) and external(i) and i["role"] == "user"]
    return users[-1] if users else None


def turn_runs(items):
    """Whether a turn runs: the last visible external message is not an assistant's final word."""
    said = [i for i in items if visible(i) and external(i)]
    return bool(said) and (said[-1]["role"] != "assistant" or bool(said[-1].get("calls")))


def must_stay(items, also=()):
    """The ids of the items that have to stay: leading system messages, pinned ones, the latest user
    message while its turn runs, and those of `also`; each with its whole call group.
    """
    kept = leading_system(items) + [i for i in items if visible(i) and i.get("pinned")] + list(also)
    if turn_runs(items):
        kept.append(latest_user(items))
    ids = {i["id"] for i in kept if i is not None}
    return {i["id"] for group in groups(items) if any(i["id"] in ids for i in group) for i in group}


# ---- bookkeeping that most adapters need -------------------------------------------------------


class Conversation:
    """One conversation's log and view. Treat the messages in them as read-only: copy to change.

    log        every message ever said, in order
    view       what the next request is built from
    external   how many visible external messages were ever appended: the measure of growth
    """

    def __init__(self):
        self.log, self.view, self.external = [], [], 0
        self.after = {}       # id -> id of the message that it was said after: undo leaves branches
        self.last = None      # id of the message that the next one will be said after
        self.own_ids = 0
        self._said = []

    def append(self, messages):
        """Take external messages into log and view."""
        log, view, after, last = self.log.append, self.view.append, self.after, self.last
        for said in messages:
            log(said)
            view(said)
            after[said["id"]] = last
            last = self.last = said["id"]
            self.external += not said.get("ui_only", False)

    def say(self, own):
        """Take an own message (a dict, or text for a `status`) into log and view; returns it."""
        own = status(own) if isinstance(own, str) else own
        own["id"] = own.get("id") or self.own_id()
        self._add(own)
        self._said.append(own)
        return own

    def said(self):
        """The own messages said since this was last asked: what `Step.appended` wants."""
        said, self._said = self._said, []
        return said

    def summary(self, text, role="assistant"):
        """A summary for the view. It is not in the log, for nobody said it."""
        return {**message(id=self.own_id(), role=role, content=text), "summary": True}

    def own_id(self):
        """A new id for an own message: own1, own2, ..."""
        self.own_ids += 1
        return "own%d" % self.own_ids

    def rewind(self, to):
        """Make the view the log up to and including the message `to`; what was undone before `to`
        was said stays out. Returns the view; raises ValueError for an unknown id.
        """
        by_id = {m["id"]: m for m in self.log}
        if to not in by_id:
            raise ValueError("no such message: %s" % to)
        path, at = [], to
        while at is not None:
            path.append(by_id[at])
            at = self.after[at]
        self.view, self.last = path[::-1], to
        return self.view

    def visible(self):
        """The items of the view that the model sees."""
        return [i for i in self.view if visible(i)]

    def state(self):
        """What the `view` method answers. It tells all, and so nothing is left for `said` to tell."""
        self._said = []
        return {"view": self.view, "log": self.log}

    def _add(self, said):
        self.log.append(said)
        self.view.append(said)
        self.after[said["id"]] = self.last
        self.last = said["id"]


class Conversations(dict):
    """Conversations by name; one that is asked for and not known is created by `make`."""

    def __init__(self, make=Conversation):
        super().__init__()
        self.make = make

    def __missing__(self, name):
        self[name] = self.make()
        return self[name]


class Keeper(Candidate):
    """A candidate that keeps its messages in `self.conversations`: override `step` and be done.

    `Conversation` may be replaced by a subclass with state of its own.
    """

    Conversation = Conversation

    def __init__(self):
        self.conversations = Conversations(self.Conversation)

    def reset(self):
        self.conversations = Conversations(self.Conversation)

    def append(self, conversation, messages):
        self.conversations[conversation].append(messages)

    def view(self, conversation):
        return self.conversations[conversation].state()

    def rewind(self, conversation, to):
        return self.conversations[conversation].rewind(to)


def trimmer(fit, contract=None, name=None, version="0"):
    """A candidate out of one function: `fit(messages, maximum)` returns the messages that stay.

    `maximum` is a number in the unit that `contract["fit"]` declares. Raise `Infeasible` where what
    must stay cannot fit. The capability is `fit`, unless the contract claims others.
    """
    class Trimmer(Candidate):
        def fit(self, messages, limit):
            return fit(messages, limit["max"])
    return _function(Trimmer, fit, "fit", contract, name, version)


def reducer(reduce, contract=None, name=None, version="0"):
    """A candidate out of one function: `reduce(blocks, maximum)`, results as `Candidate.reduce`.

    With `contract["field"]["structure"] == "text"` it is `reduce(text, maximum)`.
    """
    text = ((contract or {}).get("field") or {}).get("structure") == "text"

    class Reducer(Candidate):
        def reduce(self, blocks, limit):
            return reduce(blocks[0]["text"] if text else blocks, limit["max"])
    return _function(Reducer, reduce, "field", contract, name, version)


def _function(kind, function, capability, contract, name, version):
    candidate = kind()
    candidate.contract = {"capabilities": [capability], **(contract or {})}
    candidate.name = name or getattr(function, "__name__", capability)
    candidate.version = version
    return candidate


# ---- the wire ----------------------------------------------------------------------------------


def claim_stdout():
    """Take stdin and stdout for the protocol; afterwards fd 1 is stderr and fd 0 is empty.

    `run` calls it. Call it yourself, first thing, before importing a library that prints. Harmless
    when called again.
    """
    global _wire
    if _wire is not None:
        return
    try:
        sys.stdout.flush()
    except (AttributeError, OSError, ValueError):
        pass
    # A whole case is a long line: it is read at once.
    reader, writer = os.fdopen(os.dup(0), "rb", 1 << 16), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)
    _wire = _Wire(reader, writer)


def run(candidate):
    """Serve the candidate until `bye` or the end of stdin; then return."""
    claim_stdout()
    try:
        _Server(candidate, _wire).serve()
    finally:
        _wire.close()


class _Failure(Exception):
    """An error reply: JSON-RPC code, text, and data or None."""

    def __init__(self, code, text, data=None):
        super().__init__(text)
        self.code, self.data = code, data


class _Wire:
    """One JSON value a line, both ways."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    def read(self):
        """The next line that is not blank, as bytes; None at the end."""
        while True:
            line = self.reader.readline()
            if not line:
                return None
            if not line.isspace():
                return line

    def write(self, text):
        try:
            self.writer.write(text.encode("ascii") + b"\n")
            self.writer.flush()
        except BrokenPipeError:
            os.dup2(2, self.writer.fileno())  # nothing will ever read the rest of the buffer
            raise SystemExit(0) from None

    def close(self):
        self.reader.close()
        self.writer.close()


class _Server:
    """Requests in, replies out; and a step's own requests in between."""

    def __init__(self, candidate, wire):
        self.candidate, self.wire = candidate, wire
        self.calls = 0
        self.lock = threading.Lock()

    def serve(self):
        while True:
            line = self.wire.read()
            if line is None:
                return
            request = self._parse(line)
            if request is None or self._is_reply(request):
                continue
            ending = self._answer(request, self._ask_host)
            if "id" in request:
                self.wire.write(_reply(request["id"], ending))
            if request.get("method") == "bye":
                return

    def _parse(self, line):
        try:
            request = _from_json(line.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError) as error:
            self._refuse(None, -32700, "not JSON: %s" % error)
            return None
        if not isinstance(request, dict):
            self._refuse(None, -32600, "not a request")
            return None
        return request

    def _refuse(self, number, code, text):
        self.wire.write(_reply(number, ("error", _failure(_Failure(code, text)))))

    @staticmethod
    def _is_reply(line):
        return "method" not in line and ("result" in line or "error" in line)

    def _answer(self, request, summarize):
        """Run one request; returns how it ended: ("result" or "error", that member as JSON text)."""
        try:
            method, params = request.get("method"), request.get("params", {})
            if not isinstance(method, str):
                raise _Failure(-32600, "a request has a method")
            if not isinstance(params, dict):
                raise _Failure(-32602, "params is an object")
            handler = getattr(self, "_do_" + method, None)
            if handler is None:
                raise _not_found(method)
            return "result", _encode(handler(params, summarize))
        except Infeasible:
            return "result", '{"infeasible":true}'
        except CutOff:
            return "error", _failure(_Failure(-32000, "the process ended"))
        except Exception as error:  # noqa: BLE001 - whatever a candidate raises is its answer
            return "error", _failure(error)

    def _ask_host(self, params):
        """Send `summarize` and wait for the reply with its id."""
        with self.lock:
            self.calls += 1
            number = "s%d" % self.calls
            self.wire.write('{"jsonrpc":"2.0","id":"%s","method":"summarize","params":%s}' % (number, _encode(params)))
            while True:
                line = self.wire.read()
                if line is None:
                    raise SystemExit(0)
                reply = self._parse(line)
                if reply is None:
                    continue
                if "method" in reply:
                    if "id" in reply:
                        self._refuse(reply["id"], -32600, "a step is open")
                elif reply.get("id") == number:
                    return _summary(reply)

    # Each of these takes the params of one method and returns its result.

    def _do_hello(self, params, _):
        low, high = (params.get("protocol") or [PROTOCOL, PROTOCOL])[:2]
        if not low <= PROTOCOL <= high:
            raise _Failure(-32000, "this adapter speaks protocol %d" % PROTOCOL)
        c = self.candidate
        return {"protocol": PROTOCOL, "name": c.name, "version": c.version, "contract": c.contract, "batch": bool(c.batch)}

    def _do_bye(self, _, __):
        return {}

    def _do_reset(self, _, __):
        self.candidate.reset()
        return {}

    def _do_append(self, params, _):
        conversation, messages = _members(params, "conversation", "messages")
        extra = self.candidate.append(conversation, _messages(messages))
        return {"extra": list(extra)} if extra else {}

    def _do_step(self, params, summarize):
        (conversation,) = _members(params, "conversation")
        host = Host(params, summarize)
        try:
            step = self.candidate.step(conversation, host)
        finally:
            host._close()
        if isinstance(step, dict):
            step = Step(**step)
        if not step:
            return _NOTHING
        result = {
            "action": step.action,
            "appended": list(step.appended or ()),
            "view": None if step.view is None else list(step.view),
        }
        if step.extra:
            result["extra"] = list(step.extra)
        return result

    def _do_view(self, params, _):
        return self.candidate.view(*_members(params, "conversation"))

    def _do_rewind(self, params, _):
        return {"view": self.candidate.rewind(*_members(params, "conversation", "to"))}

    def _do_restart(self, params, _):
        without = tuple(params.get("without") or ())
        self.candidate.restart(*_members(params, "wall_s", "monotonic_s"), without=without)
        return {}

    def _do_usage(self, params, _):
        self.candidate.usage(*_members(params, "conversation", "tokens", "upto"))
        return {}

    def _do_auto(self, params, _):
        self.candidate.auto(*_members(params, "on"))
        return {}

    def _do_reduce(self, params, _):
        return _with_notice("text", self.candidate.reduce(*_members(params, "blocks", "limit")))

    def _do_fit(self, params, _):
        messages, limit = _members(params, "messages", "limit")
        return _with_notice("view", self.candidate.fit(_messages(messages), limit))

    def _do_assemble(self, params, _):
        given = {name: params[name] for name in ("conversation", "limit", "path") if name in params}
        if params.get("messages") is not None:
            given["messages"] = _messages(params["messages"])
        return self.candidate.assemble(**given)

    def _do_gauge(self, params, _):
        (messages,) = _members(params, "messages")
        return self.candidate.gauge(_messages(messages), params.get("reported"))

    def _do_configure_gauge(self, params, _):
        return self.candidate.configure_gauge(*_members(params, "trigger", "target", "limit"))

    def _do_change(self, params, _):
        self.candidate.change(*_members(params, "guard", "event"))
        return {}

    def _do_attempt(self, params, _):
        guard, outcome = _members(params, "guard", "outcome")
        ran = self.candidate.attempt(guard, outcome, params.get("during") or (), params.get("monotonic_s", 0.0))
        return ran if isinstance(ran, dict) else {"ran": bool(ran)}

    def _do_case(self, params, _):
        """Batch mode: all requests of a case, the summariser's answers fixed beforehand.

        Everything is encoded as it happens, for what a candidate returned may change later on.
        """
        (requests,) = _members(params, "requests")
        script = params.get("summaries") or {}
        steps = {index: iter(answers or ()) for index, answers in (script.get("steps") or {}).items()}
        endings, calls = [], []

        def summarize(sent):
            calls.append('{"request":%d,"params":%s}' % (index, _encode(sent)))
            return _summary(next(steps.get(str(index), _NO_ANSWERS), script.get("default")))

        for index, request in enumerate(requests):
            if request.get("method") in ("case", "hello", "bye"):
                ending = "error", _failure(_Failure(-32600, "%s has no place in a case" % request["method"]))
            else:
                ending = self._answer(request, summarize)
            endings.append('{"%s":%s%s}' % (*ending, self._state_after(request, ending)))
        return _Encoded('{"results":[%s],"summarize_calls":[%s]}' % (",".join(endings), ",".join(calls)))

    def _state_after(self, request, ending):
        """Beside the error of a step that raised stands the state, as `view` would give it."""
        if ending[0] == "result" or request.get("method") != "step":
            return ""
        kind, state = self._answer({"method": "view", "params": request.get("params")}, None)
        return ',"state":' + state if kind == "result" else ""


class _Encoded:
    """A result that is JSON text already."""

    def __init__(self, text):
        self.text = text


_wire = None
# What most steps do, and what need not be written anew each time.
_NOTHING = _Encoded('{"action":"none","appended":[],"view":null}')
_NO_ANSWERS = iter(())
_from_json = json.JSONDecoder().decode
_FORMAT = {"ensure_ascii": True, "allow_nan": False, "separators": (",", ":")}
_to_json = json.JSONEncoder(check_circular=False, **_FORMAT).encode
_to_json_slowly = json.JSONEncoder(**_FORMAT).encode


def _encode(value):
    if isinstance(value, _Encoded):
        return value.text
    if not value and value == {}:
        return "{}"
    try:
        return _to_json(value)
    except RecursionError:
        return _to_json_slowly(value)  # says whether it holds itself, or is only deep


def _reply(number, ending):
    return '{"jsonrpc":"2.0","id":%s,"%s":%s}' % (_encode(number), *ending)


def _failure(error):
    """The error object for an exception, as JSON text; the traceback goes to stderr."""
    known = isinstance(error, (_Failure, SummarizeError))
    text = str(error) or type(error).__name__
    if not known:
        traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)
        text = ": ".join([type(error).__name__] + [str(error)] * bool(str(error)))
        for frame in traceback.extract_tb(error.__traceback__)[-1:]:
            text += " (%s:%d)" % (os.path.basename(frame.filename), frame.lineno)
    body = {"code": getattr(error, "code", -32000) if known else -32000, "message": text}
    try:
        data = getattr(error, "data", None)
        return _encode(body if data is None else {**body, "data": data})
    except (TypeError, ValueError, RecursionError):
        return _encode(body)


def _not_found(method):
    return _Failure(-32601, "method not found: %s" % method)


def _overrides(candidate, method):
    return getattr(type(candidate), method) is not getattr(Candidate, method)


def _members(params, *names):
    for name in names:
        if name not in params:
            raise _Failure(-32602, "missing member: %s" % name)
    return [params[name] for name in names]


def _messages(given):
    return [_filled(m) for m in given]


def _with_notice(name, given):
    if isinstance(given, dict):
        return given
    value, notice = given if isinstance(given, tuple) else (given, None)
    return {name: value, "notice": notice}


def _summary(answer):
    """A `Summary` out of a reply or a scripted answer, which may be a bare result or error."""
    answer = answer or {"error": {"data": {"kind": "transport"}}}
    if "error" in answer or "kind" in answer:
        error = answer.get("error", answer)
        if isinstance(error, str):
            raise SummarizeError(error)
        kind = (error.get("data") or {}).get("kind") or error.get("kind") or "transport"
        if kind == "cut_off":
            raise CutOff
        raise SummarizeError(kind, error.get("message"))
    answer = answer.get("result", answer)
    return Summary(answer["text"], answer.get("stop", "end"), _messages(answer.get("arrived") or ()))
