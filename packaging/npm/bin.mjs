#!/usr/bin/env node
// Hands over to the binary beside this file: same arguments, same streams, same exit code.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const name = process.platform === "win32" ? "plimsoll.exe" : "plimsoll";
const binary = fileURLToPath(new URL(name, import.meta.url));
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`plimsoll: ${binary} does not start on ${process.platform}-${process.arch}: ${error.message}`);
  process.exit(2);
});
// The binary hears these signals itself, ends its run in order, and says how.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
  process.kill(process.pid, signal);
});
