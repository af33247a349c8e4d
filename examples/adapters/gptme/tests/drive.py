"""Drive the adapter as a child process and print what it decides, one step a line.

    ../.venv-0.35.1/bin/python drive.py [adapter arguments]

The histories are small; each line shows the host's verdict, the answers of the summariser, the number
of its calls, the action, and the view by ids. Nothing is judged here but the form of the replies.
"""

import itertools
import json
import subprocess
import sys
import time
from pathlib import Path

ADAPTER = Path(__file__).resolve().parent.parent / "adapter.py"
WORDS = "amber basin cedar delta ember fjord grove heron inlet juniper kelp lagoon meadow north".split()


def words(token, length):
    text = token
    for word in itertools.cycle(WORDS):
        if len(text) + len(word) + len(token) + 2 > length:
            return text + " " + token
        text += " " + word


class Adapter:
    def __init__(self, *arguments, python=sys.executable):
        self.child = subprocess.Popen(
            [python, str(ADAPTER), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.numbers = itertools.count(1)
        self.answers, self.calls = iter(()), []
        self.hello = self.ask("hello", protocol=[1, 1], harness="drive")

    def ask(self, method, **params):
        number = next(self.numbers)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            line = self.child.stdout.readline()
            if not line:
                raise SystemExit("the adapter ended")
            reply = json.loads(line)
            if reply.get("method") == "summarize":
                self.calls.append(reply["params"])
                answer = next(self.answers, "rejected")
                if isinstance(answer, str):
                    body = {"error": {"code": -32000, "message": answer, "data": {"kind": answer}}}
                else:
                    body = {"result": {"stop": "end", **answer}}
                self.send({"jsonrpc": "2.0", "id": reply["id"], **body})
            elif reply.get("id") == number:
                return reply.get("result", reply.get("error"))

    def send(self, value):
        self.child.stdin.write(json.dumps(value) + "\n")
        self.child.stdin.flush()

    def bye(self):
        self.ask("bye")
        self.child.wait(60)
        self.child.stdin.close()
        self.child.stdout.close()


class History:
    def __init__(self, adapter, name, quiet=False):
        self.adapter, self.quiet = adapter, quiet
        self.count, self.open = 0, []
        self.wall = 1000.0
        adapter.ask("reset")
        self.say("\n== %s" % name)

    def say(self, text):
        if not self.quiet:
            print(text)

    def append(self, role, times=1, length=3600, conversation="a", **members):
        ids = []
        for _ in range(times):
            self.count += 1
            message = {"id": "m%d" % self.count, "role": role, "content": words("tok%05d" % self.count, length), **members}
            self.adapter.ask("append", conversation=conversation, messages=[message])
            ids.append(message["id"])
        return ids

    def call(self, results=1, length=3600, conversation="a"):
        names = ["c%d_%d" % (self.count, i) for i in range(results)]
        self.append("assistant", length=200, calls=names, conversation=conversation)
        for name in names:
            self.append("tool", length=length, call_id=name, conversation=conversation)

    def turns(self, times, length=3600, conversation="a"):
        for _ in range(times):
            self.append("user", length=length, conversation=conversation)
            self.append("assistant", length=length, conversation=conversation)

    def step(self, pressure="summarize", *answers, kind="step", conversation="a", at=None):
        self.wall = self.wall if at is None else at
        self.adapter.answers, self.adapter.calls = iter(answers), []
        result = self.adapter.ask(
            "step", conversation=conversation, kind=kind, pressure=pressure, wall_s=self.wall, monotonic_s=self.wall)
        calls = len(self.adapter.calls)
        if "action" not in result:
            self.say("%8.1f %-9s %-9s RAISED %s" % (self.wall, kind, pressure, result))
            return calls, result
        marks = {i["id"]: i for i in result["appended"] + result.get("extra", [])}
        self.say("%8.1f %-9s %-9s calls %d  %-9s view %s" % (
            self.wall, kind, pressure, calls, result["action"], brief(result["view"])))
        for item in marks.values():
            self.say("           + %s %s %s%s" % (
                item["id"], item["role"], "(ui_only) " if item.get("ui_only") else "", item["content"][:70].replace("\n", " | ")))
        return calls, result

    def view(self, conversation="a"):
        return self.adapter.ask("view", conversation=conversation)


def brief(view):
    out = []
    for item in view or []:
        name = item.get("id", "?")
        name += "*" if item.get("summary") else "~" if item.get("trimmed") else "-" if item.get("ui_only") else ""
        out.append(name)
    return len(out), " ".join(out if len(out) < 26 else out[:10] + ["..."] + out[-12:])


OK = {"text": "summary of what was said so far, in a few words"}


def main():
    adapter = Adapter(*sys.argv[1:])
    print(json.dumps(adapter.hello))
    started = time.time()
    if "field" in adapter.hello["contract"]["capabilities"]:
        field(adapter)
    elif "request" in adapter.hello["contract"]["capabilities"]:
        request(adapter)
    else:
        throttle(adapter)
    adapter.bye()
    print("\n%.1f s" % (time.time() - started))


def throttle(adapter):
    h = History(adapter, "the incident: enough, a rejected step, then five times one tool result and a step")
    h.append("system", length=400), h.turns(14)
    h.step("summarize", "rejected")
    for _ in range(5):
        h.append("tool", length=400)
        h.step("summarize", OK)

    h = History(adapter, "the same with calls")
    h.append("system", length=400), h.turns(14)
    h.step("summarize", "rejected")
    for _ in range(5):
        h.call(length=400)
        h.step("summarize", OK)

    h = History(adapter, "the same, a user message each time")
    h.append("system", length=400), h.turns(14)
    h.step("summarize", "rejected")
    for _ in range(5):
        h.append("user", length=400)
        h.step("summarize", "rejected")

    for kind in ("timeout", "transport", "overflow", "aborted", {"text": ""}, {"text": "  "}, {**OK, "stop": "length"}):
        h = History(adapter, "answer %s, then 19 and 20 messages, the first a user's" % kind)
        h.append("system", length=400), h.turns(14)
        h.step("summarize", *[kind] * 12)
        h.append("user", length=100), h.append("assistant", 18, length=100)
        h.step("summarize", OK)
        h.append("assistant", length=100)
        h.step("summarize", OK)

    h = History(adapter, "a success; unchanged at +59 and +60")
    h.append("system", length=400), h.turns(14)
    h.step("summarize", OK)
    h.step("summarize", OK, at=1059)
    h.step("summarize", OK, at=1060)

    h = History(adapter, "a success; growth 1 at +1")
    h.append("system", length=400), h.turns(14)
    h.step("summarize", OK)
    h.append("user")
    h.step("summarize", OK, at=1001)

    h = History(adapter, "trim, then trim again")
    h.append("system", length=400), h.append("user")
    for _ in range(5):
        h.call(length=12000)
    h.append("user")
    h.step("trim", OK)
    h.step("trim", OK, at=1070)
    h.append("user")
    h.step("summarize", OK, at=1071)

    h = History(adapter, "an open call")
    h.append("system", length=400), h.turns(14), h.append("assistant", calls=["x1", "x2"]), h.append("tool", call_id="x1")
    h.step("summarize", OK)
    h.append("tool", call_id="x2")
    h.step("summarize", OK)

    h = History(adapter, "force ok, force rejected, force on a short log")
    h.append("system", length=400), h.turns(14)
    h.step("none", OK, kind="force")
    h.append("user")
    h.step("none", "rejected", kind="force")
    h = History(adapter, "force short")
    h.turns(3)
    h.step("none", OK, kind="force")
    v = h.view()
    print("   log", brief(v["log"]))

    h = History(adapter, "few messages; users only")
    h.append("user", 2)
    h.step("summarize", OK)
    h = History(adapter, "12 users")
    h.append("user", 12)
    h.step("summarize", OK)

    h = History(adapter, "pinned in the middle, latest user far back, restart, rewind")
    h.append("system", length=400), h.turns(2), h.append("user", pinned=True), h.append("assistant"), h.append("user")
    for _ in range(28):
        h.call(length=3600)
    h.step("summarize", OK)
    adapter.ask("restart", wall_s=1001.0, monotonic_s=0.0)
    print("   after restart", brief(h.view()["view"]))
    print("   rewind", brief(adapter.ask("rewind", conversation="a", to="m30")["view"]))
    h.append("user")
    print("   view", brief(h.view()["view"]), "log", brief(h.view()["log"]))
    print("   rewind", brief(adapter.ask("rewind", conversation="a", to="m10")["view"]))
    print("   redo", brief(adapter.ask("rewind", conversation="a", to="m20")["view"]))
    if "overflow" in adapter.hello["contract"]["capabilities"]:
        h = History(adapter, "overflow")
        h.append("system", length=400), h.turns(14)
        h.step("summarize", OK)
        h.step("none", kind="overflow")
        h.step("none", kind="overflow")


def field(adapter):
    limit = adapter.hello["contract"]["field"]["max"]
    for name, text in [
        ("short", "abc"), ("empty", ""), ("at the limit", "x" * limit), ("one paragraph, one over", "x" * limit + "E"),
        ("largest first, guidance last", "x" * limit + "\n\nGUIDANCE"),
        ("largest last", "abc\n\n" + "x" * limit + "E"),
        ("two halves", "a" * (limit // 2 + 9) + "\n\n" + "b" * (limit // 2 + 9)),
        ("many small", "\n\n".join("p%06d %s" % (i, "w" * 90) for i in range(limit // 100 + 50)) + "\n\nGUIDANCE"),
        ("many small, a little over", ("q" * 98 + "\n\n") * (limit // 100) + "w" * 50),
    ]:
        out = adapter.ask("reduce", blocks=[{"text": text, "required": True}], limit={"max": limit, "unit": "code_points"})
        got = out["text"]
        again = adapter.ask("reduce", blocks=[{"text": got, "required": True}], limit={"max": limit, "unit": "code_points"})["text"]
        print("%-30s %8d -> %8d %s ends %r notice %s again %s" % (
            name, len(text), len(got), "same" if got == text else "cut", got[-12:], out["notice"], again == got))


def request(adapter):
    limit = adapter.hello["contract"]["field"]["max"]

    def ask(name, *sizes):
        messages = [{"id": "m%d" % i, "role": "system", "content": words("tok%05d" % i, n)} for i, n in enumerate(sizes)]
        messages.append({"id": "m98", "role": "system", "content": "seen by a person", "ui_only": True})
        messages.append({"id": "m99", "role": "user", "content": "hello"})
        out = adapter.ask("assemble", messages=messages, limit={"max": limit, "unit": "code_points"})
        text = out["instructions"]
        print("%-30s %8d ends %r sent %s notice %s" % (
            name, len(text), text[-12:], brief([{"id": i} for i in out["sent"]]), out["notice"]))
    ask("none")
    ask("two small", 300, 400)
    ask("large, then guidance", limit, 300)
    ask("guidance, then large", 300, limit)
    ask("one over", limit + 1)
    ask("many", *[1000] * (limit // 1000 + 20))


if __name__ == "__main__":
    main()
