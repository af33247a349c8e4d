"""The short examples stay short, and do what they say."""

import os
import random
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import plimsoll
from test_protocol import ADAPTERS, Adapter, Error

LIMIT = {"minimal.py": 40, "trimmer.py": 15}


def lines(name):
    with open(os.path.join(ADAPTERS, name), encoding="utf-8") as source:
        return source.read().splitlines()


class Short(unittest.TestCase):
    def test_lines(self):
        for name, most in LIMIT.items():
            self.assertLessEqual(len(lines(name)), most, name)

    def test_hello(self):
        for name, capability in ("minimal.py", "latch"), ("trimmer.py", "fit"), ("reference.py", "restart"):
            with Adapter(name) as adapter:
                hello = adapter.call("hello", protocol=[1, 1], harness="test")
                self.assertIn(capability, hello["contract"]["capabilities"])
                self.assertTrue(hello["name"] and hello["version"] and hello["batch"])
                self.assertEqual(adapter.call("reset"), {})
                self.assertEqual(adapter.call("bye"), {})
                self.assertEqual(adapter.end(), (0, b"", b""))


class Readme(unittest.TestCase):
    """Every Python block of the readme is an adapter that runs."""

    def test_blocks(self):
        blocks = re.findall(r"```python\n(.*?)```", "\n".join(lines("README.md")), re.S)
        self.assertGreaterEqual(len(blocks), 2)
        for block in blocks:
            with Adapter(source=block) as adapter:
                claimed = adapter.call("hello", protocol=[1, 1])["contract"]["capabilities"]
                adapter.call("reset")
                if "summarize" in claimed:
                    adapter.call("append", conversation="a", messages=[{"id": "m%d" % n, "content": "x" * 200} for n in range(9)])
                    step = adapter.call("step", conversation="a", kind="step", pressure="summarize", wall_s=0, monotonic_s=0)
                    self.assertEqual(step["action"], "summarize")
                    self.assertLess(plimsoll.size(adapter.call("view", conversation="a")["view"]), 9 * 200)
                if "field" in claimed:
                    for size in 0, 10, 20:
                        reduced = adapter.call("reduce", blocks=[{"text": "x" * size, "required": False}], limit={"max": 10})
                        self.assertEqual(len(reduced["text"]), min(size, 10))


class Trimmer(unittest.TestCase):
    def test_at_random(self):
        rng = random.Random(3)
        with Adapter("trimmer.py") as trimmer:
            infeasible = 0
            for _ in range(400):
                messages, open_calls = [], []
                for n in range(rng.randrange(12)):
                    said = plimsoll.message(
                        id="m%d" % n, role=rng.choice(["system", "user", "assistant"]),
                        pinned=rng.random() < 0.1, ui_only=rng.random() < 0.1,
                    )
                    if open_calls and rng.random() < 0.7:
                        said.update(role="tool", call_id=open_calls.pop(0), ui_only=False)
                    elif said["role"] == "assistant" and rng.random() < 0.5:
                        open_calls += [said["id"] + "a", said["id"] + "b"][: rng.randrange(1, 3)]
                        said.update(calls=open_calls[:], ui_only=False)
                        said["calls"] = [c for c in open_calls if c.startswith(said["id"])]
                    messages.append(said)
                most = rng.randrange(10)
                seen, stay = list(filter(plimsoll.visible, messages)), plimsoll.must_stay(messages)
                limit = {"max": most, "unit": "messages"}
                result = trimmer.call("fit", messages=messages, limit=limit)
                if result.get("infeasible"):
                    infeasible += 1
                    self.assertGreater(len(stay), most)
                    continue
                kept = [m for m in result["view"] if plimsoll.visible(m)]
                self.assertLessEqual(len(kept), most)
                self.assertEqual(kept, [m for m in seen if m in kept], "order, nothing changed")
                self.assertLessEqual(stay, {m["id"] for m in kept})
                for group in plimsoll.groups(seen):
                    self.assertIn(sum(m in kept for m in group), (0, len(group)), "groups stay whole")
                if len(seen) <= most:
                    self.assertEqual(result["view"], messages)
                self.assertEqual(trimmer.call("fit", messages=result["view"], limit=limit)["view"], result["view"])
            self.assertGreater(infeasible, 20)

    def test_functions_as_candidates(self):
        source = """
            import plimsoll
            def head(text, maximum):
                return text[:maximum]
            plimsoll.run(plimsoll.reducer(head, {"field": {"structure": "text", "max": 4}}, version="3"))
        """
        with Adapter(source=source) as reducer:
            hello = reducer.call("hello", protocol=[1, 1])
            self.assertEqual((hello["name"], hello["version"], hello["contract"]["capabilities"]), ("head", "3", ["field"]))
            reduced = reducer.call("reduce", blocks=[{"text": "abcdef", "required": False}], limit={"max": 4, "unit": "code_points"})
            self.assertEqual(reduced, {"text": "abcd", "notice": None})
            with self.assertRaises(Error):
                reducer.call("fit", messages=[], limit={"max": 1})


if __name__ == "__main__":
    unittest.main()
