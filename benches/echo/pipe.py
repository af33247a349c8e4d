"""The same bytes with the same JSON library, and nothing else: `pipe.py SAID`, the file of what is to be said."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as said:
    lines = [json.loads(line) for line in said]
reader, writer = sys.stdin.buffer, sys.stdout.buffer
encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
print("ready", flush=True)
for line in lines:
    json.loads(reader.readline())
    writer.write(encode(line).encode("ascii") + b"\n")
    writer.flush()
