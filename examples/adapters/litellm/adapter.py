#!/usr/bin/env python3
"""litellm's trimmer behind the plimsoll adapter protocol.

    .venv-1.110.2/bin/python adapter.py     litellm.utils.trim_messages, with max_tokens

The counter is replaced, for it is not to be chosen: four characters are a token. README.md says what each claim rests on.
"""

from __future__ import annotations

import os
import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import plimsoll  # noqa: E402

plimsoll.claim_stdout()
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is downloaded

from litellm import utils  # noqa: E402


def tokens(model="", messages=(), **_):
    return sum(-(-len(message["content"]) // 4) for message in messages)


def encode(said):
    """A message as the chat completions API has it; `id` is one member more, which stays with the message."""
    message = {"id": said["id"], "role": said["role"], "content": said["content"]}
    if said["calls"]:
        message["tool_calls"] = [
            {"id": call, "type": "function", "function": {"name": "probe", "arguments": "{}"}} for call in said["calls"]
        ]
    if said["call_id"]:
        message["tool_call_id"] = said["call_id"]
    return message


def decode(message, system=None):
    """A view item. The system message is put together anew, from all of them: without an id, it stands for `system`."""
    item = {"id": message.get("id", system), "role": message["role"], "content": message["content"]}
    item["calls"] = [call["id"] for call in message.get("tool_calls", ())]
    item["call_id"] = message.get("tool_call_id")
    return item


class Litellm(plimsoll.Candidate):
    name, version = "litellm trim_messages", metadata.version("litellm")
    contract = {
        "capabilities": ["fit"],
        "messages": ["calls", "parallel_calls", "tool_role", "system"],
        "fit": {"unit": "tokens", "counter": "chars/4", "max": "any"},
        "weight": "heavy",
    }

    def __init__(self):
        utils.token_counter = tokens

    def fit(self, messages, limit):
        left = utils.trim_messages([encode(said) for said in messages], max_tokens=limit["max"])
        system = next((said["id"] for said in messages if said["role"] == "system"), None)
        return [decode(message, system) for message in left]


def main():
    plimsoll.run(Litellm())


if __name__ == "__main__":
    main()
