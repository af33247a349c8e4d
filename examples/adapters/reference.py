"""The reference candidate: every rule of the contract that a compactor can keep, in readable Python.

    plimsoll check -- python3 reference.py
    plimsoll check -- python3 reference.py --own     measuring for itself

From top to bottom: the parameters; the guard, which says when an attempt may be made, and the same in
its general form; what may be
compacted and what may be trimmed; the size; reduction of a field and fitting of messages; the stored form;
and the candidate, which puts them together.

Sizes are code points of content and reasoning of visible messages. Times are seconds of the wall
clock. Growth is a count: visible external messages appended to the conversation.
"""

from __future__ import annotations

import collections
import json
import os
import sys
import tempfile

import plimsoll

COOLDOWN_S = 60.0     # after an attempt, this long nothing is tried while nothing was said
REOPEN_GROWTH = 20    # after a failure, this much must be said before the next attempt
ELIGIBLE_MIN = 4      # fewer messages are not worth a summary
ELIGIBLE_MIN_SIZE = 400
TRIM_MIN_CHARS = 1000  # tool results longer than this are trimmed
TRIM_KEEP_LAST = 3    # but not among the last visible messages
TRIM_HEAD = 200       # what a trimmed one keeps
TRIGGER = 8000        # tokens from which on there is pressure
TARGET = 6000         # and those that it is brought down to
AFTER_SUCCESS = 1     # relevant changes that reopen a guarded operation
AFTER_FAILURE = 2
SEPARATOR = "\n\n"    # between the blocks of the assembled field

CONTRACT = {
    "capabilities": [
        "summarize", "throttle", "latch", "trim", "force", "overflow", "conversations", "restart",
        "rewind", "log", "view", "usage", "arrivals", "auto", "field", "request", "fit", "gauge",
        "change",
    ],
    "throttle": {"cooldown_s": COOLDOWN_S, "growth": "reopens", "clock": "wall"},
    "latch": {"strikes": 1, "reopen_growth": REOPEN_GROWTH},
    "attempt": {"eligible_min": ELIGIBLE_MIN, "eligible_min_size": ELIGIBLE_MIN_SIZE},
    "overflow": {"recoveries": 1},
    "trim": {"min_chars": TRIM_MIN_CHARS, "keep_last": TRIM_KEEP_LAST, "how": "marker"},
    "field": {
        "unit": "code_points", "max": "any", "structure": "blocks", "notice": "reported",
        "join": {"separator": SEPARATOR, "skip_empty": True},
    },
    "fit": {"unit": "code_points", "max": "any"},
    "pressure": "given",
    "gauge": {"trigger": TRIGGER, "target": TARGET, "unit": "tokens", "counter": "chars/4"},
    "change": {"after_success": AFTER_SUCCESS, "after_failure": AFTER_FAILURE},
}
OWN = {**CONTRACT, "pressure": "own"}  # nobody says that the log is too large: it measures


# ---- when --------------------------------------------------------------------------------------


class Guard:
    """Throttle, latch and overflow budget of one conversation, None where unset.

    tried_at      wall time of the last unforced attempt that succeeded or failed
    tried         growth at that attempt
    failed        growth at the last failure, while no success has come since: the latch
    recovered     growth at the last overflow recovery that gained nothing
    settled       length of the log at the last success
    fixed, under  what could not be compacted at the last attempt, and growth then
    """

    def __init__(self, tried_at=None, tried=None, failed=None, recovered=None, settled=None, fixed=None, under=None):
        self.tried_at, self.tried, self.failed, self.recovered = tried_at, tried, failed, recovered
        self.settled, self.fixed, self.under = settled, fixed, under

    def copy(self):
        return Guard(**vars(self))

    def cooling(self, now_s, growth):
        """Tried less than a cooldown ago, and nothing was said since."""
        return self.tried_at is not None and now_s - self.tried_at < COOLDOWN_S and growth == self.tried

    def latched(self, growth):
        """Failed, and not enough was said since to expect another outcome.

        Growth counts what was appended; neither a rewind nor a trim can take any of it back.
        """
        return self.failed is not None and growth - self.failed < REOPEN_GROWTH

    def recovery_left(self, growth):
        """An overflow gets one recovery until something was said or a recovery made the view smaller."""
        return growth != self.recovered

    def failure(self, now_s, growth):
        self.tried_at, self.tried, self.failed = now_s, growth, growth

    def success(self, said):
        self.failed, self.settled = None, said

    def clock(self, now_s):
        """A wall clock that stepped back must not prolong a cooldown: it begins anew, at most."""
        if self.tried_at is not None:
            self.tried_at = min(self.tried_at, now_s)


class Changes:
    """The general form: what happened around one operation, and what its last attempt had seen of it.

    news     relevant changes by others, ever
    seen     how many there were when the operation last began
    needed   how many more reopen it; none before the first attempt
    """

    def __init__(self):
        self.news, self.seen, self.needed = 0, 0, 0

    def change(self, event):
        """Its own traces, and what it does not depend on, are no reason to run it again."""
        self.news += event["by"] == "external" and event["relevant"]

    def attempt(self, outcome, during):
        """What happens while it runs comes after it, and so is not seen."""
        if self.news - self.seen < self.needed:
            return False
        self.seen = self.news
        self.needed = AFTER_SUCCESS if outcome == "ok" else AFTER_FAILURE
        for event in during:
            self.change(event)
        return True


# ---- what --------------------------------------------------------------------------------------


def eligible(view):
    """The items that a summary may replace.

    Not the leading system messages, nor pinned ones, nor the latest user message, nor the last one;
    nor anything in a call group with one of these. An earlier summary is compacted with the rest.
    """
    seen = [i for i in view if plimsoll.visible(i)]
    stay = plimsoll.must_stay(view, also=[plimsoll.latest_user(view), *seen[-1:]])
    return [i for i in seen if i["id"] not in stay]


def worth_it(matter):
    """Enough to compact. Only what the host said counts: a summary alone is not summarised again."""
    return sum(map(plimsoll.external, matter)) >= ELIGIBLE_MIN and plimsoll.size(matter) >= ELIGIBLE_MIN_SIZE


def replaced(view, matter, summary):
    """The view with the summary where the first of the matter stood; all else in its order."""
    first, gone = matter[0]["id"], {i["id"] for i in matter[1:]}
    return [summary if i["id"] == first else i for i in view if i["id"] not in gone]


def trimmable(view):
    """The tool results that are long, old, and not yet trimmed; none while a call is open."""
    if plimsoll.has_open_call(view):
        return []
    seen = [i for i in view if plimsoll.visible(i)]
    kept = {i["id"] for i in seen[-TRIM_KEEP_LAST:]} | {i["id"] for i in seen if i["pinned"]}
    return [
        item
        for group in plimsoll.groups(seen) if not any(i["id"] in kept for i in group)
        for item in group
        if item["role"] == "tool" and len(item["content"]) > TRIM_MIN_CHARS and not item.get("trimmed")
    ]


def trimmed(item):
    """The item with the head of its content and a marker that says how much is gone."""
    head, gone = item["content"][:TRIM_HEAD], len(item["content"]) - TRIM_HEAD
    return {**item, "content": "%s\n[… %d characters trimmed …]" % (head, gone), "trimmed": True}


# ---- how much ----------------------------------------------------------------------------------


def tokens(messages):
    """The local estimate: a token is four code points, and each text is rounded up."""
    texts = [t for m in messages if plimsoll.visible(m) for t in (m["content"], m["reasoning"] or "")]
    return sum(-(-len(t) // 4) for t in texts)


def measured(messages, reported):
    """Tokens: the provider's figure and an estimate of what was said since, or an estimate of all.

    Nothing and 0 say that the provider does not know; and where the last message of its request is
    gone, a compaction came between, and the figure is about other messages.
    """
    ids = [m["id"] for m in messages]
    if reported and reported["tokens"] and reported["upto"] in ids:
        return reported["tokens"] + tokens(messages[ids.index(reported["upto"]) + 1:])
    return tokens(messages)


def fixed(view):
    """What can never be compacted: leading system messages and pinned ones."""
    seen = [i for i in view if plimsoll.visible(i)]
    leading = 0
    while leading < len(seen) and seen[leading]["role"] == "system" and plimsoll.external(seen[leading]):
        leading += 1
    return [i for at, i in enumerate(seen) if at < leading or i["pinned"]]


# ---- limits ------------------------------------------------------------------------------------


def joined(texts):
    return SEPARATOR.join(filter(None, texts))


def cut(texts, required, maximum):
    """Cut removable texts until all of them, joined, have at most `maximum` code points.

    The largest one gives way first, at its end: where one can absorb the overflow, one does.
    Returns the texts, the empty ones in their places; raises `Infeasible`.
    """
    texts, behind = list(texts), len(SEPARATOR)
    # Each with a separator behind it, the last one in vain: so that one more fits.
    size, room = sum(len(text) + behind for text in texts if text), maximum + behind
    removable = [i for i, text in enumerate(texts) if text and not required[i]]
    for i in sorted(removable, key=lambda i: len(texts[i]), reverse=True):
        if size <= room:
            break
        left = max(0, len(texts[i]) - (size - room))
        size -= len(texts[i]) - left + (0 if left else behind)
        texts[i] = texts[i][:left]
    if size > room:
        raise plimsoll.Infeasible
    return texts


def notice(before, after):
    """The sizes of a text before and after a cut, in code points; None if nothing was cut."""
    return None if after == before else {"before": len(before), "after": len(after)}


def fitted(messages, maximum):
    """The messages without the oldest groups that may go, as many as it takes; or `Infeasible`."""
    stay, excess, gone = plimsoll.must_stay(messages), plimsoll.size(messages) - maximum, set()
    for group in plimsoll.groups(messages):
        ids = {i["id"] for i in group}
        if excess > 0 and not ids & stay:
            gone |= ids
            excess -= plimsoll.size(group)
    if excess > 0:
        raise plimsoll.Infeasible
    return [m for m in messages if m["id"] not in gone]


# ---- the stored form ---------------------------------------------------------------------------


class Talk(plimsoll.Conversation):
    """One conversation: log and view, the guard, and how much of all this is stored."""

    def __init__(self):
        super().__init__()
        self.guard, self.usage = Guard(), None
        self.stored, self.stored_rest = 0, None  # messages of the log that are; the rest, as it was stored last

    def rest(self):
        """All but the log, as it is stored. An item of the view that is a message of the log stands as its id alone."""
        logged = {m["id"]: m for m in self.log}
        return {
            "view": [i["id"] if logged.get(i["id"]) is i else i for i in self.view], "last": self.last,
            "external": self.external, "own_ids": self.own_ids, "usage": self.usage, "guard": dict(vars(self.guard)),
        }

    def restore(self, rest):
        """The rest, as it was stored; and so nothing is new."""
        logged = {m["id"]: m for m in self.log}
        self.view = [logged[i] if isinstance(i, str) else i for i in rest["view"]]
        self.last, self.external, self.own_ids = rest["last"], rest["external"], rest["own_ids"]
        self.usage, self.guard = rest["usage"], Guard(**rest["guard"])
        self.stored, self.stored_rest = len(self.log), rest


class Store:
    """A file of JSON lines in a directory, written at the end only.

    A line is `{"conversation": name, "message": ..., "after": id}`, a message and what it was said after; or
    `{"conversation": name, "rest": ...}`, everything else of it, or `{"auto": ...}`, which hold until the next such line.
    """

    def __init__(self, directory):
        self.path, self.begin = os.path.join(directory, "journal.jsonl"), 0
        self._write([])

    def clear(self):
        # What is there is passed over: to make or to empty a file costs more than all that a case writes to it.
        self.begin = os.path.getsize(self.path)
        if self.begin > 1 << 20:
            self._cut(0)

    def save(self, name, talk):
        """Add what is new since the last time."""
        lines = [{"conversation": name, "message": m, "after": talk.after[m["id"]]} for m in talk.log[talk.stored:]]
        rest = talk.rest()
        if rest != talk.stored_rest:
            self._write([*lines, {"conversation": name, "rest": rest}])
        talk.stored, talk.stored_rest = len(talk.log), rest

    def load(self):
        """All conversations by name."""
        talks, rests = collections.defaultdict(Talk), {}
        for line in self._read():
            if "rest" in line:
                rests[line["conversation"]] = line["rest"]
            elif "message" in line:
                talk, said = talks[line["conversation"]], plimsoll.message(**line["message"])  # an old log lacks members
                talk.log.append(said)
                talk.after[said["id"]] = line["after"]
        for name, rest in rests.items():
            talks[name].restore(rest)
        return talks

    def forget(self, member):
        """Take a member out of every stored message, as a version wrote it that did not know it yet."""
        lines = self._read()
        for line in lines:
            line.get("message", {}).pop(member, None)
        self._cut(self.begin)
        self._write(lines)

    def save_auto(self, on):
        self._write([{"auto": on}])

    def load_auto(self):
        return [True, *(line["auto"] for line in self._read() if "auto" in line)][-1]

    def _cut(self, begin):
        os.truncate(self.path, begin)
        self.begin = begin

    def _read(self):
        with open(self.path, encoding="ascii") as stored:
            stored.seek(self.begin)
            return [json.loads(line) for line in stored]

    def _write(self, lines):
        with open(self.path, "a", encoding="ascii") as stored:
            stored.write("".join(json.dumps(line) + "\n" for line in lines))


# ---- the candidate -----------------------------------------------------------------------------


class Reference(plimsoll.Keeper):
    name, version, contract = "reference-python", "1.0", CONTRACT
    Conversation = Talk

    def __init__(self, directory, contract=CONTRACT):
        super().__init__()
        self.contract = contract
        self.store, self.auto_on = Store(directory), True
        self.guards, self.trigger = collections.defaultdict(Changes), TRIGGER

    def reset(self):
        super().reset()
        self.store.clear()
        self.auto_on = True
        self.guards.clear()
        self.trigger = TRIGGER

    def append(self, conversation, messages):
        super().append(conversation, messages)
        self._save(conversation)

    def rewind(self, conversation, to):
        view = super().rewind(conversation, to)
        self._save(conversation)
        return view

    def auto(self, on):
        self.auto_on = on
        self.store.save_auto(on)

    def usage(self, conversation, tokens, upto):
        self.conversations[conversation].usage = {"tokens": tokens, "upto": upto}
        self._save(conversation)

    def restart(self, wall_s, monotonic_s, without=()):
        for member in without:
            self.store.forget(member)
        super().reset()
        self.conversations.update(self.store.load())
        self.auto_on = self.store.load_auto()
        self._clock(wall_s)

    def step(self, conversation, host):
        self._clock(host.wall_s)
        talk = self.conversations[conversation]
        before = list(talk.view)
        if host.kind == "force":
            action = self._forced(conversation, talk, host)
        elif host.kind == "overflow":
            action = self._recovery(conversation, talk, host)
        else:
            action = self._unforced(conversation, talk, host)
        self._save(conversation)
        said = talk.said()
        return plimsoll.Step(action, said, None if talk.view == before + said else talk.view)

    def _forced(self, conversation, talk, host):
        """A person asked: neither throttle nor latch nor `auto` has a say."""
        return "summarize" if self._attempt(conversation, talk, host) == "success" else "none"

    def _unforced(self, conversation, talk, host):
        """Summarise if that is needed and may be tried; else trim, latched and cooling too."""
        if self.contract["pressure"] == "own":
            return self._measured(conversation, talk, host)
        if host.pressure == "none":
            return "none"
        held = talk.guard.cooling(host.wall_s, talk.external) or talk.guard.latched(talk.external)
        if host.pressure == "summarize" and self.auto_on and not held:
            if self._attempt(conversation, talk, host) == "success":
                return "summarize"
        return self._trim(talk)

    def _measured(self, conversation, talk, host):
        """Nothing below the trigger; above it a trim if that alone gets to the target, else an attempt."""
        if measured(talk.view, talk.usage) < TRIGGER:
            return "none"
        if self._trim_to_target(talk):
            return "trim"
        guard = talk.guard
        held = guard.cooling(host.wall_s, talk.external) or guard.latched(talk.external)
        stays = fixed(talk.view)
        ids = [i["id"] for i in stays]
        if tokens(stays) >= TRIGGER and guard.fixed == ids and talk.external - guard.under < REOPEN_GROWTH:
            held = True  # one attempt was enough to find out
        if guard.settled is not None:
            said = [m for m in talk.log[guard.settled:] if plimsoll.external(m)]
            held = held or tokens(said) < TRIGGER - TARGET
        if self.auto_on and not held:
            guard.fixed, guard.under = ids, talk.external
            if self._attempt(conversation, talk, host) == "success":
                return "summarize"
        return self._trim(talk)

    def _trim_to_target(self, talk):
        """Trim the oldest results, no more of them than it takes to get to the target. Whether that is enough."""
        size, gone = measured(talk.view, talk.usage), {}
        for item in trimmable(talk.view):
            gone[item["id"]] = short = trimmed(item)
            size += tokens([short]) - tokens([item])
            if size <= TARGET:
                talk.view, talk.usage = [gone.get(i["id"], i) for i in talk.view], None
                return True
        return False

    def _recovery(self, conversation, talk, host):
        """The provider proved that the request does not fit: one attempt, cooling and latched too.

        Where it does not help, a trim may. Whatever made the view smaller renews the budget.
        """
        growth, outcome = talk.external, "declined"
        if self.auto_on and talk.guard.recovery_left(growth):
            outcome = self._attempt(conversation, talk, host)
        action = "summarize" if outcome == "success" else self._trim(talk)
        if action != "none":
            talk.guard.recovered = None
        elif outcome != "declined":
            talk.guard.recovered = growth
        return action

    def _attempt(self, conversation, talk, host):
        """One call of the summariser: "declined" without it, else "success", "failure" or "aborted".

        An unforced attempt is stored as a failure before the call, so that a restart which cuts it
        off finds one. A forced one that fails leaves no trace but its status.
        """
        matter, guard, said = eligible(talk.view), talk.guard.copy(), len(talk.log)
        if plimsoll.has_open_call(talk.view) or not worth_it(matter):
            return "declined"
        if host.kind != "force":
            talk.guard.failure(host.wall_s, talk.external)
            self._save(conversation)
        try:
            answer = host.summarize(matter)
        except plimsoll.SummarizeError as error:
            if error.kind == "aborted":
                talk.guard = guard
                talk.say("compaction interrupted")
                return "aborted"
            talk.say("compaction failed: " + error.kind)
            return "failure"
        shorter = replaced(talk.view, matter, talk.summary(answer.text))
        before, after = plimsoll.size(talk.view), plimsoll.size(shorter)
        if answer.usable and after < before:
            talk.view, talk.usage = shorter, None  # the reported size was that of the old view
            talk.guard.success(said)
            talk.say("compacted: %d characters, now %d" % (before, after))
            outcome = "success"
        else:
            talk.say("compaction failed: " + ("no gain" if answer.usable else "no usable summary"))
            outcome = "failure"
        talk.append(answer.arrived)  # said meanwhile, and so after the summary
        return outcome

    def _trim(self, talk):
        """Trim whatever may be trimmed. Only the view changes: the log has it all."""
        long = {i["id"] for i in trimmable(talk.view)}
        talk.view = [trimmed(i) if i["id"] in long else i for i in talk.view]
        if long:
            talk.usage = None
        return "trim" if long else "none"

    def reduce(self, blocks, limit):
        texts = [b["text"] for b in blocks]
        left = cut(texts, [b["required"] for b in blocks], limit["max"])
        return joined(left), notice(joined(texts), joined(left))

    def fit(self, messages, limit):
        return fitted(messages, limit["max"])

    def assemble(self, conversation=None, messages=None, limit=None, path=None):
        """The visible system messages become the instructions, a message a block, pinned required."""
        given = self.conversations[conversation].view if messages is None else messages
        seen = [i for i in given if plimsoll.visible(i)]
        system = [i for i in seen if i["role"] == "system"]
        texts = [i["content"] for i in system]
        left = cut(texts, [i["pinned"] for i in system], limit["max"]) if limit else texts
        dropped = {i["id"] for i, text in zip(system, left) if not text}
        return {
            "instructions": joined(left) or None,
            "sent": [i["id"] for i in seen if i["id"] not in dropped],
            "notice": notice(joined(texts), joined(left)),
        }

    def gauge(self, messages, reported=None):
        size = measured(messages, reported)
        return {"pressure": "summarize" if size >= self.trigger else "none", "tokens": size}

    def configure_gauge(self, trigger, target, limit):
        """What cannot work is refused by name, and then nothing has changed."""
        if limit <= 0:
            raise ValueError("limit is %d: it must be above 0" % limit)
        if not 0 < target < trigger:
            raise ValueError("target is %d: it must be above 0 and below trigger, %d" % (target, trigger))
        if trigger > limit:
            raise ValueError("trigger is %d: it must not be above limit, %d" % (trigger, limit))
        self.trigger = trigger
        return {"trigger": trigger, "target": target, "limit": limit}

    def change(self, guard, event):
        self.guards[guard].change(event)

    def attempt(self, guard, outcome, during=(), monotonic_s=0.0):
        return self.guards[guard].attempt(outcome, during)

    def _clock(self, now_s):
        for talk in self.conversations.values():
            talk.guard.clock(now_s)

    def _save(self, conversation):
        self.store.save(conversation, self.conversations[conversation])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="plimsoll-reference-") as scratch:
        plimsoll.run(Reference(scratch, OWN if "--own" in sys.argv[1:] else CONTRACT))
