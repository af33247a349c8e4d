"""Keeps what it is told and does nothing: what is left is the protocol."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/adapters"))

import plimsoll  # noqa: E402


class Echo(plimsoll.Keeper):
    name, version = "echo", "1"
    contract = {"capabilities": ["summarize", "view", "log"]}

    def step(self, conversation, host):
        return None


plimsoll.run(Echo())
