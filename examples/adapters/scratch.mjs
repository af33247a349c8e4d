/** A directory for one run of an adapter, so that nobody's settings take part in it. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Make a new directory and return its path. It goes when the process exits; those of adapters that
 * were killed go now. `name` is lower-case letters and hyphens.
 */
export function scratch(name) {
  const prefix = `plimsoll-${name}-`;
  for (const left of readdirSync(tmpdir())) {
    const [, pid] = left.match(new RegExp(`^${prefix}(\\d+)-`)) ?? [];
    if (pid && !alive(Number(pid))) rmSync(join(tmpdir(), left), { recursive: true, force: true });
  }
  const directory = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function alive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code !== "ESRCH";
  }
}
