"""What was found, shown with openai-agents alone: neither the adapter nor plimsoll takes part.

    ../.venv-0.24.0/bin/python found.py
"""

import asyncio
import os
from types import SimpleNamespace

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"

from agents import SQLiteSession  # noqa: E402
from agents.memory import OpenAIResponsesCompactionSession  # noqa: E402


class Service:
    def __init__(self, output):
        self.responses, self.output, self.calls = self, output, 0

    async def compact(self, **_):
        self.calls += 1
        if isinstance(self.output, Exception):
            raise self.output
        return SimpleNamespace(output=self.output, usage=None)


async def compaction(what, output, times=1):
    service = Service(output)
    session = OpenAIResponsesCompactionSession(
        "s", SQLiteSession("s", ":memory:"), client=service, compaction_mode="input")
    for i in range(12):
        await session.add_items([{"role": "user", "content": "question %d" % i}])
        text = {"type": "output_text", "text": "answer %d" % i, "annotations": []}
        await session.add_items([{"type": "message", "role": "assistant", "status": "completed", "content": [text]}])
    print("\n%s" % what)
    print("  items before: %d" % len(await session.get_items()))
    for _ in range(times):
        try:
            await session.run_compaction()
        except RuntimeError as error:
            print("  run_compaction raised %r" % error)
    print("  calls of the service: %d" % service.calls)
    left = await session.get_items()
    print("  items after: %d, %s" % (len(left), str(left)[:100]))


asyncio.run(compaction("an answer", [{"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"}]))
asyncio.run(compaction("an answer without any item", []))
asyncio.run(compaction("a service that fails, asked three times", RuntimeError("refused"), 3))
