// The adapter in TypeScript has the types of the helper, and passes: node --test, with PLIMSOLL the command and `typescript`
// installed here.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";

const here = fileURLToPath(new URL(".", import.meta.url));
const adapters = join(here, "../../examples/adapters");
const plimsoll = resolve(process.env.PLIMSOLL ?? "target/release/plimsoll");
const dir = mkdtempSync(join(tmpdir(), "typescript-"));
after(() => rmSync(dir, { recursive: true }));

for (const file of ["plimsoll.mjs", "plimsoll.d.mts", "minimal.ts"]) copyFileSync(join(adapters, file), join(dir, file));
writeFileSync(join(dir, "package.json"), '{"type": "module"}');

const run = (command, args) => spawnSync(command, args, { cwd: dir, encoding: "utf8" });
const tsc = (file) =>
  run(process.execPath, [
    join(here, "node_modules/typescript/bin/tsc"), "--strict", "--target", "es2022", "--module", "nodenext", file,
  ]);

test("the adapter is well typed, and passes", () => {
  const typed = tsc("minimal.ts");
  assert.equal(typed.status, 0, typed.stdout);
  const checked = run(plimsoll, ["check", "--effort", "smoke", "--", process.execPath, "minimal.js"]);
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
  assert.match(checked.stdout, /conformance: \d+ passed, 0 failed/);
});

test("it runs as it is where Node reads types", (context) => {
  if (!process.features.typescript) return context.skip("this Node does not");
  const checked = run(plimsoll, ["check", "--effort", "smoke", "--", process.execPath, "minimal.ts"]);
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
});

test("a wrong answer is a wrong type", () => {
  writeFileSync(
    join(dir, "wrong.ts"),
    'import { Keeper, run } from "./plimsoll.mjs";\nclass Wrong extends Keeper { step() { return { action: "compacted" }; } }\nawait run(new Wrong());\n',
  );
  const typed = tsc("wrong.ts");
  assert.notEqual(typed.status, 0);
  assert.match(typed.stdout, /compacted|'string' is not assignable/);
});
