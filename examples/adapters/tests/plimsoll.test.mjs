/** The helper module on the wire: a small harness drives small adapters, singly and in batch. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

import * as plimsoll from "../plimsoll.mjs";

const ADAPTERS = fileURLToPath(new URL("..", import.meta.url));
const HELPER = new URL("../plimsoll.mjs", import.meta.url).href;

/** An adapter in a process of its own: a file of this repository, or the source of one. */
class Adapter {
  summarized = []; // params of every summariser call
  answers = []; // scripted answers, the next one first
  otherwise = { text: "in short", stop: "end" };
  sent = 0;
  complaints = "";

  constructor({ file, source }) {
    if (source !== undefined) {
      this.scratch = mkdtempSync(join(tmpdir(), "plimsoll-test-"));
      writeFileSync(join(this.scratch, "adapter.mjs"), source.replaceAll('"./plimsoll.mjs"', `"${HELPER}"`));
    }
    this.process = spawn(process.execPath, [this.scratch ? join(this.scratch, "adapter.mjs") : join(ADAPTERS, file)], {
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    });
    this.process.stderr.setEncoding("utf8").on("data", (text) => (this.complaints += text));
    this.process.stdin.on("error", () => {});
    this.ended = new Promise((done) => this.process.on("close", (code, signal) => done(code ?? signal)));
    this.lines = createInterface({ input: this.process.stdout, crlfDelay: 0 })[Symbol.asyncIterator]();
  }

  write(value) {
    this.process.stdin.write(Buffer.isBuffer(value) ? Buffer.concat([value, Buffer.from("\n")]) : `${JSON.stringify(value)}\n`);
  }

  async read() {
    const { value, done } = await this.lines.next();
    assert(!done, `the adapter has ended: ${this.complaints}`);
    return JSON.parse(value);
  }

  async call(method, params = {}) {
    const id = ++this.sent;
    this.write({ jsonrpc: "2.0", id, method, params });
    for (;;) {
      const said = await this.read();
      if (said.method === "summarize") {
        this.summarized.push(said.params);
        this.write({ jsonrpc: "2.0", id: said.id, ...answered(this.answers.length ? this.answers.shift() : this.otherwise) });
        continue;
      }
      assert.equal(said.id, id);
      if ("error" in said) throw Object.assign(new Error(said.error.message), said.error);
      return said.result;
    }
  }

  /** The result that `case` would give, from single requests. */
  async singly(requests, summaries) {
    const results = [];
    const summarize_calls = [];
    for (const [index, { method, params }] of requests.entries()) {
      this.answers = [...(summaries.steps[index] ?? [])];
      this.otherwise = summaries.default;
      this.summarized = [];
      try {
        results.push({ result: await this.call(method, params) });
      } catch (error) {
        const { code, message, data } = error;
        results.push({ error: { code, message, ...(data === undefined ? {} : { data }) } });
        if (method === "step") results.at(-1).state = await this.call("view", { conversation: params.conversation });
      }
      summarize_calls.push(...this.summarized.map((params) => ({ request: index, params })));
    }
    return { results, summarize_calls };
  }

  /** Close stdin; resolves to the exit code. */
  async end() {
    this.process.stdin.end();
    return this.ended;
  }

  async close() {
    this.process.kill("SIGKILL");
    await this.ended;
    if (this.scratch) rmSync(this.scratch, { recursive: true });
  }
}

/** A scripted answer as a member of a reply: a kind of error as text, or a summary. */
function answered(answer) {
  if (typeof answer === "string") return { error: { code: -32000, message: answer, data: { kind: answer } } };
  return "error" in answer || "result" in answer ? answer : { result: answer };
}

/** Run `body` with an adapter, and end that whatever happens. */
async function using(which, body) {
  const adapter = new Adapter(typeof which === "string" && which.endsWith(".mjs") ? { file: which } : { source: which });
  try {
    await body(adapter);
  } finally {
    await adapter.close();
  }
}

const ECHO = `
  import { Keeper, run } from "./plimsoll.mjs";
  class Echo extends Keeper {
    name = "echo"; version = "2.1";
    contract = { capabilities: ["summarize", "view", "log"], attempt: { eligible_min: 1 } };
    async step(conversation, host) {
      const talk = this.conversations.get(conversation);
      if (host.kind === "overflow") {
        talk.say("going down");
        throw new Error("no idea");
      }
      const answer = await host.summarize(talk.visible());
      talk.view = [talk.summary(answer.text)];
      talk.say("done");
      return { action: "summarize", appended: talk.said(), view: talk.view };
    }
  }
  await run(new Echo());
`;

describe("lines", () => {
  it("says hello", () => using(ECHO, async (echo) => {
    assert.deepEqual(await echo.call("hello", { protocol: [1, 1], harness: "test", unheard_of: 1 }), {
      protocol: 1, name: "echo", version: "2.1", batch: true,
      contract: { capabilities: ["summarize", "view", "log"], attempt: { eligible_min: 1 } },
    });
    await assert.rejects(echo.call("hello", { protocol: [2, 3] }), /speaks protocol 1/);
  }));

  it("ends at bye, and at the end of input, inside a step too", async () => {
    await using(ECHO, async (echo) => {
      assert.deepEqual(await echo.call("bye"), {});
      assert.equal(await echo.ended, 0);
      assert.equal(echo.complaints, "");
    });
    await using(ECHO, async (echo) => assert.equal(await echo.end(), 0));
    await using(ECHO, async (echo) => {
      echo.write({ id: 1, method: "step", params: { conversation: "a" } });
      assert.equal((await echo.read()).method, "summarize");
      assert.equal(await echo.end(), 0);
    });
  });

  it("refuses what is not a request, and goes on", () => using(ECHO, async (echo) => {
    for (const [line, code] of [["{", -32700], ["\xff\xfe", -32700], ["[]", -32600], ["null", -32600], ['{"id":7}', -32600]]) {
      echo.write(Buffer.from(line, "latin1"));
      assert.equal((await echo.read()).error.code, code, line);
    }
    echo.write(Buffer.from(""));
    echo.write({ id: "stray", result: {} });
    echo.write({ method: "reset" }); // a notification: no reply
    await assert.rejects(echo.call("append", { conversation: "a" }), { code: -32602, message: "missing member: messages" });
    await assert.rejects(echo.call("append", { messages: [] }), { code: -32602, message: "missing member: conversation" });
    await assert.rejects(echo.call("append", []), { code: -32602, message: "params is an object" });
  }));

  it("says what is not there", () => using(ECHO, async (echo) => {
    const limit = { max: 1, unit: "code_points" };
    for (const [method, params] of Object.entries({
      dance: {}, constructor: {}, ["__proto__"]: {}, toString: {}, auto: { on: true }, reduce: { blocks: [], limit },
      restart: { wall_s: 1, monotonic_s: 0 }, assemble: { conversation: "a", limit }, gauge: { messages: [] },
      configure_gauge: { trigger: 2, target: 1, limit: 3 }, change: { guard: "any", event: {} },
      attempt: { guard: "any", outcome: "ok" }, fit: { messages: [], limit }, usage: { conversation: "a", tokens: 1, upto: "m" },
    })) {
      await assert.rejects(echo.call(method, params), { code: -32601, message: `method not found: ${method}` });
    }
  }));

  it("keeps difficult text and fills defaults", () => using(ECHO, async (echo) => {
    const content = "line\nbreak \u2028 \u0000 \x7f \u{1F6A2} lone \ud83d end";
    await echo.call("append", { conversation: "a", messages: [{ id: "m1", content, novel: 1, calls: null }] });
    const expected = {
      id: "m1", role: "user", content, ui_only: false, hidden: false, pinned: false,
      call_id: null, calls: [], reasoning: null, interim: false,
    };
    assert.deepEqual(await echo.call("view", { conversation: "a" }), { view: [expected], log: [expected] });
  }));

  it("takes a line in pieces, and a long one", () => using(ECHO, async (echo) => {
    const line = Buffer.from(JSON.stringify({ id: 9, method: "append", params: { conversation: "a", messages: [{ id: "m", content: "ö\u{1F6A2}".repeat(200_000) }] } }));
    for (const cut of [0, 200, 701, 65_537, line.length]) echo.process.stdin.write(line.subarray(echo.cut ?? 0, (echo.cut = cut)));
    echo.write(Buffer.from(""));
    assert.deepEqual((await echo.read()).result, {});
    assert.equal((await echo.call("view", { conversation: "a" })).view[0].content.length, 600_000);
  }));

  it("calls back inside a step", () => using(ECHO, async (echo) => {
    await echo.call("append", { conversation: "a", messages: [{ id: "m1", content: "long" }] });
    echo.write({ id: 1, method: "step", params: { conversation: "a", kind: "step" } });
    const request = await echo.read();
    assert.deepEqual(request.params.items.map((i) => i.id), ["m1"]);
    echo.write({ id: 2, method: "view", params: { conversation: "a" } });
    assert.deepEqual((await echo.read()).error, { code: -32600, message: "a step is open" });
    echo.write({ id: "not that one", result: { text: "no", stop: "end" } });
    echo.write({ id: request.id, result: { text: "short", stop: "end" } });
    const step = (await echo.read()).result;
    assert.equal(step.action, "summarize");
    assert.deepEqual(step.view.map((i) => i.content), ["short", "done"]);
    assert.deepEqual(step.appended.map((i) => [i.id, i.ui_only]), [["own2", true]]);
  }));

  it("answers with an error where a step throws", () => using(ECHO, async (echo) => {
    for (const kind of ["rejected", "overflow", "timeout", "transport", "aborted"]) {
      echo.answers = [kind];
      await assert.rejects(echo.call("step", { conversation: "a" }), { code: -32000, data: { kind } });
    }
    await assert.rejects(echo.call("step", { conversation: "a", kind: "overflow" }), { code: -32000, message: "no idea" });
    assert.equal((await echo.call("view", { conversation: "a" })).log.length, 1);
    await echo.call("append", { conversation: "a", messages: [{ id: "m1" }] });
    assert.equal((await echo.call("step", { conversation: "a" })).appended.length, 1, "what `view` told is not told again");
    await echo.call("bye");
    await echo.ended;
    assert.match(echo.complaints, /Error: no idea\n +at /);
  }));

  it("runs none of a step's code once the process is said to have ended", () => using(`
    import { Keeper, run } from "./plimsoll.mjs";
    class Careful extends Keeper {
      name = "careful"; version = "1";
      contract = { capabilities: ["summarize", "view", "restart"] };
      async step(conversation, host) {
        try {
          await host.summarize(this.conversations.get(conversation).visible());
        } catch {
          this.conversations.get(conversation).say("noted");
        } finally {
          this.conversations.get(conversation).say("and tidied up");
        }
        return { action: "none" };
      }
    }
    await run(new Careful());
  `, async (careful) => {
    const messages = [{ id: "m1", role: "user", content: "hello" }];
    const requests = [
      { method: "reset", params: {} },
      { method: "append", params: { conversation: "a", messages } },
      { method: "step", params: { conversation: "a", kind: "step", pressure: "summarize", wall_s: 0, monotonic_s: 0 } },
      { method: "view", params: { conversation: "a" } },
    ];
    const cutOff = { error: { code: -32000, message: "gone", data: { kind: "cut_off" } } };
    const summaries = { steps: { 2: [cutOff] }, default: { text: "short" } };
    const single = await careful.singly(requests, summaries);
    assert.equal(single.results[2].error.message, "the process ended");
    assert.deepEqual(single.results[3].result.view.map((item) => item.id), ["m1"]);
    assert.deepEqual(await careful.call("case", { requests, summaries }), single);
  }));

  it("keeps stdout for the protocol", () => using(`
    import { Candidate, claimStdout, run } from "./plimsoll.mjs";
    claimStdout();
    await import("data:text/javascript,console.log('hello from an import')");
    class Loud extends Candidate {
      reduce() { console.log("a line"); process.stdout.write("bytes\\n"); console.info("info"); return "x"; }
    }
    setInterval(() => {}, 1000); // a library that would keep the process alive
    await run(new Loud());
  `, async (loud) => {
    assert.deepEqual(await loud.call("reset"), {});
    assert.deepEqual(await loud.call("reduce", { blocks: [], limit: { max: 1 } }), { text: "x", notice: null });
    await loud.call("bye");
    assert.equal(await loud.ended, 0);
    for (const noise of ["hello from an import", "a line", "bytes", "info"]) assert(loud.complaints.includes(noise), noise);
  }));

  it("gives the results of every method", () => using(`
    import { Infeasible, message, run } from "./plimsoll.mjs";
    let open;
    await run({
      name: "all", version: "1", contract: { capabilities: [] },
      reset() {},
      append: () => [message({ id: "x1", content: "mine" })],
      step(conversation, host) {
        if (host.kind === "force") return { action: null, extra: [message({ id: "x2" })] };
        open = host;
      },
      view: () => open.summarize("late"),
      async rewind() {}, restart() {}, usage() {}, auto() {},
      reduce(blocks) { if (!blocks.length) throw new Infeasible(); return { text: "a", notice: { before: 2, after: 1 } }; },
      fit: async (messages) => messages,
      assemble: ({ messages, path }) => ({ instructions: path ?? null, sent: (messages ?? []).map((m) => m.id), notice: null }),
      gauge: (messages, reported) => ({ pressure: "none", tokens: reported && reported.tokens }),
      configureGauge(trigger, target, limit) { if (target >= trigger) throw new Error("target"); return { trigger, target, limit }; },
      change() {},
      attempt: (guard, outcome, during) => during.length === 1,
    });
  `, async (every) => {
    const call = (method, params) => every.call(method, params);
    assert.equal((await call("append", { conversation: "a", messages: [] })).extra[0].id, "x1");
    assert.deepEqual(await call("step", { conversation: "a" }), { action: "none", appended: [], view: null });
    const forced = await call("step", { conversation: "a", kind: "force" });
    assert.deepEqual([forced.action, forced.extra[0].id], [null, "x2"]);
    await assert.rejects(call("view", { conversation: "a" }), /the step is over/);
    assert.deepEqual(await call("rewind", { conversation: "a", to: "m" }), { view: null });
    assert.deepEqual(await call("restart", { wall_s: 1, monotonic_s: 0, without: ["ui_only"] }), {});
    assert.deepEqual(await call("usage", { conversation: "a", tokens: 1, upto: "m" }), {});
    assert.deepEqual(await call("auto", { on: false }), {});
    assert.deepEqual(await call("reduce", { blocks: [], limit: {} }), { infeasible: true });
    assert.deepEqual(await call("reduce", { blocks: [{}], limit: {} }), { text: "a", notice: { before: 2, after: 1 } });
    assert.equal((await call("fit", { messages: [{ id: "m" }], limit: {} })).view[0].role, "user");
    assert.deepEqual((await call("assemble", { messages: [{ id: "m" }], limit: {}, path: "p" })).sent, ["m"]);
    assert.equal((await call("assemble", { conversation: "a", limit: {} })).instructions, null);
    assert.equal((await call("gauge", { messages: [], reported: { tokens: 3, upto: "m" } })).tokens, 3);
    assert.equal((await call("configure_gauge", { trigger: 2, target: 1, limit: 3 })).limit, 3);
    await assert.rejects(call("configure_gauge", { trigger: 1, target: 1, limit: 3 }), /^Error: target$/);
    assert.deepEqual(await call("change", { guard: "any", event: {} }), {});
    assert.deepEqual(await call("attempt", { guard: "any", outcome: "ok", during: [{}] }), { ran: true });
    assert.deepEqual(await call("attempt", { guard: "any", outcome: "ok" }), { ran: false });
  }));

  it("says so where a result is not JSON", () => using(`
    import { run } from "./plimsoll.mjs";
    const loop = {};
    loop.loop = loop;
    await run({ gauge: () => ({ pressure: "none", tokens: NaN }), assemble: () => loop, view() {}, auto() { throw "a text"; } });
  `, async (odd) => {
    await assert.rejects(odd.call("gauge", { messages: [] }), { code: -32000, message: "TypeError: tokens is NaN" });
    for (const method of ["assemble", "view"]) await assert.rejects(odd.call(method, { conversation: "a" }), { code: -32000 });
    await assert.rejects(odd.call("auto", { on: true }), { code: -32000, message: "a text" });
  }));

  it("lets calls of one step overlap", () => using(`
    import { run } from "./plimsoll.mjs";
    await run({
      append() {}, reset() {},
      async step(conversation, host) {
        const both = await Promise.all([host.summarize("one"), host.summarize("two")]);
        return { view: both.map((a, i) => ({ id: "own" + i, content: a.text })) };
      },
    });
  `, async (two) => {
    two.write({ id: 1, method: "step", params: { conversation: "a" } });
    const asked = [await two.read(), await two.read()];
    for (const { id, params } of asked.reverse()) two.write({ id, result: { text: params.text.toUpperCase(), stop: "end" } });
    assert.deepEqual((await two.read()).result.view.map((i) => i.content), ["ONE", "TWO"]);
  }));
});

describe("batch mode", () => {
  it("gives the same as single requests", async () => {
    const step = (conversation, kind) => ({ method: "step", params: { conversation, kind, pressure: "summarize" } });
    const requests = [
      { method: "reset", params: {} },
      { method: "append", params: { conversation: "a", messages: [{ id: "m1", content: "one" }] } },
      step("a", "step"), step("a", "overflow"), { method: "dance", params: {} }, step("a", "step"), step("b", "step"),
      { method: "view", params: { conversation: "a" } },
    ];
    const summaries = { default: { text: "usual", stop: "end" }, steps: { 5: [answered("rejected")], 6: [{ text: "", stop: "length" }] } };
    await using(ECHO, (one) => using(ECHO, async (other) => {
      const [single, batch] = [await one.singly(requests, summaries), await other.call("case", { requests, summaries })];
      assert.deepEqual(batch, single);
      assert.deepEqual(batch.results.slice(3, 6).map((r) => ["error" in r, "state" in r]), [[true, true], [true, false], [true, true]]);
      assert.deepEqual(batch.summarize_calls.map((c) => c.request), [2, 5, 6]);
      assert.equal(batch.results[2].result.view[0].content, "usual");
    }));
  });

  it("tells what changes later as it was", () => using(`
    import { run } from "./plimsoll.mjs";
    let items;
    await run({
      reset() { items = []; },
      append(conversation, messages) { items.push(...messages); },
      async step(conversation, host) { await host.summarize(items); return { view: items }; },
    });
  `, async (same) => {
    const step = { method: "step", params: { conversation: "a" } };
    const append = { method: "append", params: { conversation: "a", messages: [{ id: "m" }] } };
    const { results, summarize_calls } = await same.call("case", { requests: [{ method: "reset" }, step, append, step], summaries: { default: { text: "x" } } });
    assert.deepEqual([results[1], results[3]].map((r) => r.result.view.length), [0, 1]);
    assert.deepEqual(summarize_calls.map((c) => c.params.items.length), [0, 1]);
  }));

  it("has no case in a case", () => using(ECHO, async (echo) => {
    const { results } = await echo.call("case", { requests: [{ method: "case" }, { method: "bye" }, { method: "reset" }] });
    assert.deepEqual(results.map((r) => r.error?.code), [-32600, -32600, undefined]);
  }));
});

describe("terms", () => {
  const { message } = plimsoll;

  it("counts code points", () => {
    for (const text of ["", "ab", "ö\u{1F6A2}x", "\ud83d", "\udea2\ud83d", "\ud83d\ud83d\udea2"]) assert.equal(plimsoll.codePoints(text), [...text].length);
    assert.equal(plimsoll.size([{ content: "\u{1F6A2}a", reasoning: "b" }, { content: "unseen", ui_only: true }]), 3);
  });

  it("groups calls with their results", () => {
    const items = [
      message({ id: "1", role: "assistant", calls: ["a", "b"] }), message({ id: "2", role: "tool", call_id: "a", interim: true }),
      message({ id: "3" }), message({ id: "4", role: "tool", call_id: "a" }), message({ id: "5", role: "tool", call_id: "b" }),
      message({ id: "6", role: "tool" }),
    ];
    assert.deepEqual(plimsoll.groups(items).map((g) => g.map((i) => i.id)), [["1", "2", "4", "5"], ["3"], ["6"]]);
    assert.deepEqual([...Array(7).keys()].map((n) => plimsoll.hasOpenCall(items.slice(0, n))), [false, true, true, true, true, false, false]);
  });

  it("undoes and redoes", () => {
    const talk = new plimsoll.Conversation();
    const ids = () => talk.view.map((i) => i.id).join(" ");
    talk.append([..."12345"].map((id) => message({ id })));
    talk.rewind("2");
    assert.equal(ids(), "1 2");
    talk.rewind("4");
    assert.equal(ids(), "1 2 3 4");
    talk.rewind("2");
    talk.append([..."67"].map((id) => message({ id })));
    assert.equal(ids(), "1 2 6 7");
    assert.equal(talk.rewind("6"), talk.view);
    assert.equal(ids(), "1 2 6");
    assert.equal(talk.log.map((m) => m.id).join(""), "1234567");
    assert.throws(() => talk.rewind("9"), /no such message: 9/);
  });

  it("knows what must stay", () => {
    const items = [
      message({ id: "s", role: "system" }), message({ id: "u" }), message({ id: "c", role: "assistant", calls: ["a"] }),
      message({ id: "r", role: "tool", call_id: "a", pinned: true }), message({ id: "t", role: "system" }),
      message({ id: "v" }), message({ id: "x", ui_only: true }),
    ];
    assert.deepEqual([...plimsoll.mustStay(items)], ["s", "c", "r", "v"]);
    const ended = [...items, message({ id: "e", role: "assistant" })];
    assert.deepEqual([...plimsoll.mustStay(ended)], ["s", "c", "r"]);
    assert.deepEqual([...plimsoll.mustStay(ended, [items[4], undefined])], ["s", "c", "r", "t"]);
    const led = [message({ id: "n", role: "assistant", ui_only: true }), message({ id: "s", role: "system" }), message({ id: "own1", role: "system" })];
    assert.deepEqual(plimsoll.leadingSystem(led).map((i) => i.id), ["s"]);
    assert.deepEqual(plimsoll.leadingSystem(led.slice(0, 1)), []);
    assert(!plimsoll.turnRuns(led.slice(0, 1)));
    assert(plimsoll.turnRuns(led));
  });
});

describe("examples", () => {
  const text = (name) => readFileSync(join(ADAPTERS, name), "utf8");

  it("are short", () => assert(text("minimal.mjs").trimEnd().split("\n").length <= 40));

  it("work, those of the readme too", async () => {
    const blocks = [...text("README.md").matchAll(/```js\n(.*?)```/gs)].map((m) => m[1]);
    assert(blocks.length >= 2);
    for (const which of ["minimal.mjs", ...blocks]) {
      await using(which, async (adapter) => {
        const { name, version, contract, batch } = await adapter.call("hello", { protocol: [1, 1] });
        assert(name && version && batch);
        assert.deepEqual(await adapter.call("reset"), {});
        if (contract.capabilities.includes("summarize")) {
          const messages = [...Array(9).keys()].map((n) => ({ id: `m${n}`, content: "x".repeat(200) }));
          await adapter.call("append", { conversation: "a", messages });
          const step = await adapter.call("step", { conversation: "a", kind: "step", pressure: "summarize", wall_s: 0, monotonic_s: 0 });
          assert.equal(step.action, "summarize");
          assert(plimsoll.size((await adapter.call("view", { conversation: "a" })).view) < 9 * 200);
        } else {
          for (const size of [0, 10, 20]) {
            const { text } = await adapter.call("reduce", { blocks: [{ text: "x".repeat(size), required: false }], limit: { max: 10 } });
            assert.equal(text.length, Math.min(size, 10));
          }
        }
        assert.deepEqual(await adapter.call("bye"), {});
        assert.equal(await adapter.ended, 0);
        assert.equal(adapter.complaints, "");
      });
    }
  });
});

describe("functions as candidates", () => {
  it("fit", () => using(`
    import { Infeasible, run, trimmer } from "./plimsoll.mjs";
    const last = (messages, most) => { if (most < 1) throw new Infeasible(); return messages.slice(-most); };
    await run(trimmer(last, { fit: { unit: "messages", max: "any" } }, { version: "3" }));
  `, async (last) => {
    const hello = await last.call("hello", { protocol: [1, 1] });
    assert.deepEqual([hello.name, hello.version, hello.contract.capabilities], ["last", "3", ["fit"]]);
    assert.deepEqual(await last.call("fit", { messages: [{ id: "m" }], limit: { max: 0 } }), { infeasible: true });
    assert.deepEqual((await last.call("fit", { messages: [{ id: "m" }, { id: "n" }], limit: { max: 1 } })).view.map((i) => i.id), ["n"]);
    await assert.rejects(last.call("reduce", { blocks: [], limit: { max: 1 } }), { code: -32601 });
  }));
});

it("a class of conversations that an instance names is refused, with the way out", async () => {
  class Mine extends plimsoll.Keeper {
    Conversation = class extends plimsoll.Conversation {};
  }
  await assert.rejects(plimsoll.run(new Mine()), /write `static Conversation = \.\.\.`/);
});
