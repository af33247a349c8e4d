"""The helper module on the wire: a small harness drives small adapters, singly and in batch."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ADAPTERS = os.path.dirname(HERE)
sys.path.insert(0, ADAPTERS)


class Error(Exception):
    """An error reply."""

    def __init__(self, reply):
        super().__init__(reply["error"]["message"])
        self.code = reply["error"]["code"]
        self.data = reply["error"].get("data")


class Adapter:
    """An adapter in a process of its own: a file of this repository, or the source of one."""

    def __init__(self, file=None, source=None):
        self.scratch = None
        if source is not None:
            self.scratch = tempfile.TemporaryDirectory()
            file = os.path.join(self.scratch.name, "adapter.py")
            with open(file, "w", encoding="utf-8") as out:
                out.write(textwrap.dedent(source))
        self.stderr = tempfile.TemporaryFile()  # a pipe that nobody reads would fill up
        self.process = subprocess.Popen(
            [sys.executable, "-X", "dev", "-W", "error", os.path.join(ADAPTERS, file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr,
            env={**os.environ, "PYTHONPATH": ADAPTERS, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        self.sent = 0
        self.summarized = []   # params of every summariser call
        self.answers = []      # scripted answers, the next one first
        self.default = {"text": "in short", "stop": "end"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in self.process.stdin, self.process.stdout, self.stderr:
            pipe.close()
        if self.scratch:
            self.scratch.cleanup()

    def write(self, value):
        line = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(self.complaints().decode())
        assert line.isascii(), line
        return json.loads(line)

    def call(self, method, **params):
        self.sent += 1
        self.write({"jsonrpc": "2.0", "id": self.sent, "method": method, "params": params})
        while True:
            reply = self.read()
            if reply.get("method") == "summarize":
                self.summarized.append(reply["params"])
                answer = self.answers.pop(0) if self.answers else self.default
                self.write({"jsonrpc": "2.0", "id": reply["id"], **answered(answer)})
                continue
            assert reply["id"] == self.sent, reply
            if "error" in reply:
                raise Error(reply)
            return reply["result"]

    def singly(self, requests, summaries):
        """The result that `case` would give, from single requests."""
        results, calls = [], []
        for index, request in enumerate(requests):
            self.answers = list(summaries["steps"].get(str(index), ()))
            self.default = summaries["default"]
            self.summarized = []
            try:
                results.append({"result": self.call(request["method"], **request["params"])})
            except Error as error:
                body = {"code": error.code, "message": str(error)}
                if error.data is not None:
                    body["data"] = error.data
                results.append({"error": body})
                if request["method"] == "step":
                    results[-1]["state"] = self.call("view", conversation=request["params"]["conversation"])
            calls += [{"request": index, "params": p} for p in self.summarized]
        return {"results": results, "summarize_calls": calls}

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=20)
        return code, self.process.stdout.read(), self.complaints()

    def complaints(self):
        self.stderr.seek(0)
        return self.stderr.read()


def answered(answer):
    """A scripted answer as a member of a reply: a kind of error as text, or a summary."""
    if isinstance(answer, str):
        return {"error": {"code": -32000, "message": answer, "data": {"kind": answer}}}
    return answer if "error" in answer or "result" in answer else {"result": answer}


ECHO = """
    import plimsoll, sys
    class Echo(plimsoll.Keeper):
        name, version = "echo", "2.1"
        contract = {"capabilities": ["summarize", "view", "log"], "attempt": {"eligible_min": 1}}
        def step(self, conversation, host):
            talk = self.conversations[conversation]
            if host.kind == "overflow":
                talk.say("going down")
                raise ValueError("no idea")
            answer = host.summarize(talk.visible())
            talk.view = [talk.summary(answer.text)]
            talk.say("done")
            return plimsoll.Step("summarize", talk.said(), talk.view)
    plimsoll.run(Echo())
"""


class Lines(unittest.TestCase):
    def test_hello(self):
        with Adapter(source=ECHO) as echo:
            hello = echo.call("hello", protocol=[1, 1], harness="test", unheard_of=1)
            self.assertEqual(hello, {
                "protocol": 1, "name": "echo", "version": "2.1", "batch": True,
                "contract": {"capabilities": ["summarize", "view", "log"], "attempt": {"eligible_min": 1}},
            })
            with self.assertRaisesRegex(Error, "speaks protocol 1"):
                echo.call("hello", protocol=[2, 3])

    def test_bye_and_end_of_input(self):
        with Adapter(source=ECHO) as echo:
            self.assertEqual(echo.call("bye"), {})
            self.assertEqual(echo.end(), (0, b"", b""))
        with Adapter(source=ECHO) as echo:
            self.assertEqual(echo.end(), (0, b"", b""))

    def test_end_of_input_inside_a_step(self):
        with Adapter(source=ECHO) as echo:
            echo.write({"id": 1, "method": "step", "params": {"conversation": "a"}})
            self.assertEqual(echo.read()["method"], "summarize")
            self.assertEqual(echo.end(), (0, b"", b""))

    def test_what_is_not_a_request(self):
        with Adapter(source=ECHO) as echo:
            for line, code in [(b"{", -32700), (b"\xff\xfe", -32700), (b"[]", -32600), (b'{"id":7}', -32600)]:
                echo.write(line)
                self.assertEqual(echo.read()["error"]["code"], code, line)
            echo.write(b"")
            echo.write({"id": "stray", "result": {}})
            echo.write({"method": "reset"})  # a notification: no reply
            for params, sentence in [({}, "missing member: messages"), ({"messages": []}, "missing member: conv")]:
                with self.assertRaises(Error) as caught:
                    echo.call("append", **({"conversation": "a"} if not params else params))
                self.assertEqual(caught.exception.code, -32602)
                self.assertIn(sentence, str(caught.exception))

    def test_what_is_not_there(self):
        with Adapter(source=ECHO) as echo:
            for method, params in [
                ("dance", {}), ("__class__", {}), ("auto", {"on": True}),
                ("reduce", {"blocks": [], "limit": {"max": 1, "unit": "code_points"}}),
                ("restart", {"wall_s": 1.0, "monotonic_s": 0.0}),
                ("assemble", {"conversation": "a", "limit": {}}), ("gauge", {"messages": []}),
                ("configure_gauge", {"trigger": 2, "target": 1, "limit": 3}),
                ("change", {"guard": "any", "event": {}}), ("attempt", {"guard": "any", "outcome": "ok"}),
                ("fit", {"messages": [], "limit": {}}), ("usage", {"conversation": "a", "tokens": 1, "upto": "m"}),
            ]:
                with self.assertRaises(Error) as caught:
                    echo.call(method, **params)
                self.assertEqual((caught.exception.code, str(caught.exception)), (-32601, "method not found: " + method))

    def test_defaults_and_difficult_text(self):
        text = "line\nbreak \u2028 \x00 \x7f \U0001F6A2 lone \ud83d end"
        with Adapter(source=ECHO) as echo:
            echo.call("append", conversation="a", messages=[{"id": "m1", "content": text, "novel": 1, "calls": None}])
            expected = {
                "id": "m1", "role": "user", "content": text, "ui_only": False, "hidden": False, "pinned": False,
                "call_id": None, "calls": [], "reasoning": None, "interim": False,
            }
            self.assertEqual(echo.call("view", conversation="a"), {"view": [expected], "log": [expected]})

    def test_summarize_inside_a_step(self):
        with Adapter(source=ECHO) as echo:
            echo.call("append", conversation="a", messages=[{"id": "m1", "content": "long"}])
            echo.write({"id": 1, "method": "step", "params": {"conversation": "a", "kind": "step"}})
            request = echo.read()
            self.assertEqual([i["id"] for i in request["params"]["items"]], ["m1"])
            echo.write({"id": 2, "method": "view", "params": {"conversation": "a"}})
            self.assertEqual(echo.read()["error"], {"code": -32600, "message": "a step is open"})
            echo.write({"id": "not that one", "result": {"text": "no", "stop": "end"}})
            echo.write({"id": request["id"], "result": {"text": "short", "stop": "end"}})
            step = echo.read()["result"]
            self.assertEqual(step["action"], "summarize")
            self.assertEqual([i["content"] for i in step["view"]], ["short", "done"])
            self.assertEqual([(i["id"], i["ui_only"]) for i in step["appended"]], [("own2", True)])

    def test_a_step_that_raises(self):
        with Adapter(source=ECHO) as echo:
            for kind in "rejected", "overflow", "timeout", "transport", "aborted":
                echo.answers = [kind]
                with self.assertRaises(Error) as caught:
                    echo.call("step", conversation="a")
                self.assertEqual(caught.exception.data, {"kind": kind})
            with self.assertRaises(Error) as caught:
                echo.call("step", conversation="a", kind="overflow")
            self.assertEqual((caught.exception.code, str(caught.exception)), (-32000, "ValueError: no idea (adapter.py:10)"))
            self.assertEqual(len(echo.call("view", conversation="a")["log"]), 1)
            echo.call("append", conversation="a", messages=[{"id": "m1"}])
            self.assertEqual(len(echo.call("step", conversation="a")["appended"]), 1, "what `view` told is not told again")
            echo.call("bye")
            self.assertIn(b"ValueError: no idea", echo.end()[2])

    def test_a_printing_library_does_no_harm(self):
        source = """
            import plimsoll
            plimsoll.claim_stdout()
            import os, subprocess, sys
            print("hello from an import")
            class Loud(plimsoll.Candidate):
                def reduce(self, blocks, limit):
                    print("a line")
                    os.write(1, b"bytes\\n")
                    subprocess.run([sys.executable, "-c", "print('child')"], check=True)
                    assert sys.stdin.read() == ""
                    return "x"
            plimsoll.run(Loud())
        """
        with Adapter(source=source) as loud:
            self.assertEqual(loud.call("reset"), {})
            self.assertEqual(loud.call("reduce", blocks=[], limit={"max": 1}), {"text": "x", "notice": None})
            loud.call("bye")
            code, out, err = loud.end()
            self.assertEqual((code, out), (0, b""))
            for noise in b"hello from an import", b"a line", b"bytes", b"child":
                self.assertIn(noise, err)

    def test_results_of_every_method(self):
        source = """
            import plimsoll
            class All(plimsoll.Candidate):
                def reset(self): pass
                def append(self, conversation, messages): return [plimsoll.message(id="x1", content="mine")]
                def step(self, conversation, host):
                    if host.kind == "force":
                        return {"action": None, "extra": [plimsoll.message(id="x2")]}
                    self.host = host
                def view(self, conversation):
                    self.host.summarize([])
                def rewind(self, conversation, to): return None
                def restart(self, wall_s, monotonic_s, without=()): assert without == ("ui_only",), without
                def usage(self, conversation, tokens, upto): pass
                def auto(self, on): pass
                def reduce(self, blocks, limit):
                    if not blocks: raise plimsoll.Infeasible
                    return "a", {"before": 2, "after": 1}
                def fit(self, messages, limit): return messages, None
                def assemble(self, conversation=None, messages=None, limit=None, path=None):
                    return {"instructions": path, "sent": [m["id"] for m in messages or ()], "notice": None}
                def gauge(self, messages, reported=None): return {"pressure": "none", "tokens": reported and reported["tokens"]}
                def configure_gauge(self, trigger, target, limit):
                    if target >= trigger: raise ValueError("target")
                    return {"trigger": trigger, "target": target, "limit": limit}
                def change(self, guard, event): pass
                def attempt(self, guard, outcome, during=(), monotonic_s=0.0): return len(during) == 1
            plimsoll.run(All())
        """
        with Adapter(source=source) as every:
            call = every.call
            self.assertEqual(call("append", conversation="a", messages=[])["extra"][0]["id"], "x1")
            self.assertEqual(call("step", conversation="a"), {"action": "none", "appended": [], "view": None})
            forced = call("step", conversation="a", kind="force")
            self.assertEqual((forced["action"], forced["extra"][0]["id"]), (None, "x2"))
            with self.assertRaisesRegex(Error, "the step is over"):
                call("view", conversation="a")
            self.assertEqual(call("rewind", conversation="a", to="m"), {"view": None})
            self.assertEqual(call("restart", wall_s=1, monotonic_s=0, without=["ui_only"]), {})
            self.assertEqual(call("usage", conversation="a", tokens=1, upto="m"), {})
            self.assertEqual(call("auto", on=False), {})
            self.assertEqual(call("reduce", blocks=[], limit={}), {"infeasible": True})
            self.assertEqual(call("reduce", blocks=[{}], limit={}), {"text": "a", "notice": {"before": 2, "after": 1}})
            self.assertEqual(call("fit", messages=[{"id": "m"}], limit={})["view"][0]["role"], "user")
            self.assertEqual(call("assemble", messages=[{"id": "m"}], limit={}, path="p")["sent"], ["m"])
            self.assertEqual(call("assemble", conversation="a", limit={})["instructions"], None)
            self.assertEqual(call("gauge", messages=[], reported={"tokens": 3, "upto": "m"})["tokens"], 3)
            self.assertEqual(call("configure_gauge", trigger=2, target=1, limit=3)["limit"], 3)
            with self.assertRaisesRegex(Error, r"^ValueError: target \(adapter.py:\d+\)$"):
                call("configure_gauge", trigger=1, target=1, limit=3)
            self.assertEqual(call("change", guard="any", event={}), {})
            self.assertEqual(call("attempt", guard="any", outcome="ok", during=[{}]), {"ran": True})
            self.assertEqual(call("attempt", guard="any", outcome="ok"), {"ran": False})

    def test_a_result_that_holds_itself_or_is_deep(self):
        source = """
            import plimsoll

            class Mine(plimsoll.Candidate):
                def gauge(self, messages, reported=None):
                    deep = []
                    for _ in range(100_000):
                        deep = [deep]
                    if messages:
                        deep = {}
                        deep["deep"] = deep
                    return {"pressure": "none", "tokens": deep}

            plimsoll.run(Mine())
        """
        with Adapter(source=source) as mine:
            for messages, says in (([{"id": "m1"}], "Circular reference"), ([], "recursion")):
                with self.assertRaisesRegex(Error, says):
                    mine.call("gauge", messages=messages)

    def test_a_result_that_is_not_json(self):
        source = """
            import plimsoll
            class Odd(plimsoll.Candidate):
                def gauge(self, messages, reported=None): return {"pressure": "none", "tokens": float("nan")}
                def assemble(self, **_): return {1, 2}
            plimsoll.run(Odd())
        """
        with Adapter(source=source) as odd:
            for method, params in ("gauge", {"messages": []}), ("assemble", {"conversation": "a"}):
                with self.assertRaises(Error) as caught:
                    odd.call(method, **params)
                self.assertEqual(caught.exception.code, -32000)


class Batch(unittest.TestCase):
    def test_same_as_single(self):
        requests = [
            {"method": "reset", "params": {}},
            {"method": "append", "params": {"conversation": "a", "messages": [{"id": "m1", "content": "one"}]}},
            {"method": "step", "params": {"conversation": "a", "kind": "step", "pressure": "summarize"}},
            {"method": "step", "params": {"conversation": "a", "kind": "overflow"}},
            {"method": "dance", "params": {}},
            {"method": "step", "params": {"conversation": "a", "kind": "step"}},
            {"method": "step", "params": {"conversation": "b", "kind": "step"}},
            {"method": "view", "params": {"conversation": "a"}},
        ]
        summaries = {
            "default": {"text": "usual", "stop": "end"},
            "steps": {"5": [answered("rejected")], "6": [{"text": "", "stop": "length"}]},
        }
        with Adapter(source=ECHO) as one, Adapter(source=ECHO) as other:
            single, batch = one.singly(requests, summaries), other.call("case", requests=requests, summaries=summaries)
        self.assertEqual(single, batch)
        results = batch["results"]
        self.assertEqual([("error" in r, "state" in r) for r in results[3:6]], [(True, True), (True, False), (True, True)])
        self.assertEqual([c["request"] for c in batch["summarize_calls"]], [2, 5, 6])
        self.assertEqual(results[2]["result"]["view"][0]["content"], "usual")

    def test_what_changes_later_is_told_as_it_was(self):
        source = """
            import plimsoll
            class Same(plimsoll.Candidate):
                def reset(self): self.items = []
                def append(self, conversation, messages): self.items += messages
                def step(self, conversation, host):
                    host.summarize(self.items)
                    return plimsoll.Step(view=self.items)
            plimsoll.run(Same())
        """
        step = {"method": "step", "params": {"conversation": "a"}}
        append = {"method": "append", "params": {"conversation": "a", "messages": [{"id": "m"}]}}
        with Adapter(source=source) as same:
            case = same.call("case", requests=[{"method": "reset"}, step, append, step], summaries={"default": {"text": "x", "stop": "end"}})
        self.assertEqual([len(case["results"][i]["result"]["view"]) for i in (1, 3)], [0, 1])
        self.assertEqual([len(c["params"]["items"]) for c in case["summarize_calls"]], [0, 1])

    def test_no_case_in_a_case(self):
        with Adapter(source=ECHO) as echo:
            case = echo.call("case", requests=[{"method": "case"}, {"method": "bye"}, {"method": "reset"}])
            self.assertEqual([r.get("error", {}).get("code") for r in case["results"]], [-32600, -32600, None])


class Terms(unittest.TestCase):
    def test_groups(self):
        import plimsoll
        items = [
            plimsoll.message(id="1", role="assistant", calls=["a", "b"]),
            plimsoll.message(id="2", role="tool", call_id="a", interim=True),
            plimsoll.message(id="3", role="user"),
            plimsoll.message(id="4", role="tool", call_id="a"),
            plimsoll.message(id="5", role="tool", call_id="b"),
            plimsoll.message(id="6", role="tool"),
        ]
        self.assertEqual([[i["id"] for i in g] for g in plimsoll.groups(items)], [["1", "2", "4", "5"], ["3"], ["6"]])
        self.assertEqual([plimsoll.has_open_call(items[:n]) for n in range(7)], [False, True, True, True, True, False, False])

    def test_undo_and_redo(self):
        import plimsoll
        talk = plimsoll.Conversation()

        def ids():
            return " ".join(i["id"] for i in talk.view)

        talk.append([plimsoll.message(id=i) for i in "12345"])
        talk.rewind("2")
        self.assertEqual(ids(), "1 2")
        talk.rewind("4")
        self.assertEqual(ids(), "1 2 3 4")
        talk.rewind("2")
        talk.append([plimsoll.message(id=i) for i in "67"])
        self.assertEqual(ids(), "1 2 6 7")
        self.assertEqual(talk.rewind("6"), talk.view)
        self.assertEqual(ids(), "1 2 6")
        self.assertEqual("".join(m["id"] for m in talk.log), "1234567")
        with self.assertRaisesRegex(ValueError, "no such message: 9"):
            talk.rewind("9")

    def test_must_stay(self):
        import plimsoll
        items = [
            plimsoll.message(id="s", role="system"), plimsoll.message(id="u", role="user"),
            plimsoll.message(id="c", role="assistant", calls=["a"]),
            plimsoll.message(id="r", role="tool", call_id="a", pinned=True),
            plimsoll.message(id="t", role="system"), plimsoll.message(id="v", role="user"),
            plimsoll.message(id="x", role="user", ui_only=True),
        ]
        self.assertEqual(plimsoll.must_stay(items), {"s", "c", "r", "v"})
        ended = items + [plimsoll.message(id="e", role="assistant")]
        self.assertEqual(plimsoll.must_stay(ended), {"s", "c", "r"})
        self.assertEqual(plimsoll.must_stay(ended, also=[items[4], None]), {"s", "c", "r", "t"})

    def test_leading_system(self):
        import plimsoll
        items = [
            plimsoll.message(id="n", role="assistant", ui_only=True), plimsoll.message(id="s", role="system"),
            plimsoll.message(id="own1", role="system"), plimsoll.message(id="t", role="system"),
        ]
        self.assertEqual([i["id"] for i in plimsoll.leading_system(items)], ["s"])
        self.assertEqual(plimsoll.leading_system(items[:1]), [])
        self.assertFalse(plimsoll.turn_runs(items[:1]))
        self.assertTrue(plimsoll.turn_runs(items))


if __name__ == "__main__":
    unittest.main()
