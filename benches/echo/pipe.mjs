// The same bytes with the same JSON library, and nothing else: `pipe.mjs SAID`, the file of what is to be said.

import { readFileSync } from "node:fs";

const lines = readFileSync(process.argv[2], "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
let rest = "";
let at = 0;
process.stdout.write("ready\n");
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const asked = (rest + chunk).split("\n");
  rest = asked.pop();
  for (const line of asked) {
    JSON.parse(line);
    process.stdout.write(`${JSON.stringify(lines[at++])}\n`);
  }
});
