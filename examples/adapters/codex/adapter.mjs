/**
 * Codex, end to end, behind the plimsoll adapter protocol.
 *
 *     node adapter.mjs
 *
 * The shipped binary runs as `codex app-server` against a model server on loopback, which is this
 * process: it answers the request for a summary with what the harness says, and every other request
 * with a refusal, after it has looked at what would have been sent. README.md says why, and what each
 * claim rests on.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as plimsoll from "../plimsoll.mjs";
import { scratch } from "../scratch.mjs";

plimsoll.claimStdout();

const HOME = scratch("codex");
const BINARY = fileURLToPath(new URL("node_modules/.bin/codex", import.meta.url));
const PACKAGE = new URL("node_modules/@openai/codex/package.json", import.meta.url);
const ASKS_FOR_SUMMARY = "You are performing a CONTEXT CHECKPOINT COMPACTION.";
const SUMMARY_PREFIX = "Another language model started to solve this problem";
const NOT_SAID = /^<(environment_context|user_instructions|permissions instructions|skills_instructions)|^# AGENTS\.md/;

const CONTRACT = {
  capabilities: ["summarize", "force", "view"],
  messages: ["calls", "parallel_calls", "tool_role"],
  throttle: { cooldown_s: null },
  latch: null,
  attempt: { calls: 1_000, pending: "host" },
  view: { latest_user: "verbatim" },
  pressure: "given",
  drive: "step",
  weight: "heavy",
};

// ---- the model server ---------------------------------------------------------------------------

/** The Responses API, as far as it is asked. */
class ModelServer {
  ask = null; // set while a step is open
  interrupt = () => {};
  sent = null; // the input of the last request that was not for a summary

  async listen() {
    this.server = createServer((request, response) => {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => this.answer(JSON.parse(Buffer.concat(chunks)), response).catch(() => response.destroy()));
    });
    await new Promise((done) => this.server.listen(0, "127.0.0.1", done));
    this.server.unref();
    return this.server.address().port;
  }

  async answer({ input }, response) {
    if (!textOf(input.at(-1)).startsWith(ASKS_FOR_SUMMARY)) {
      this.sent = input;
      return refuse(response, 400, "looked at, not answered");
    }
    if (!this.ask) return refuse(response, 400, "asked outside a step");
    let answer;
    try {
      answer = await this.ask(input.map(textOf).join("\n"));
    } catch ({ kind }) {
      if (kind === "rejected") return refuse(response, 400, "the request was refused");
      if (kind === "timeout") return refuse(response, 504, "timed out");
      if (kind === "transport") return response.destroy();
      if (kind === "aborted") return this.interrupt();
      return stream(response, [failed("context_length_exceeded", "Your input exceeds the context window of this model.")]);
    }
    const part = answer.stop === "refusal" ? { type: "refusal", refusal: answer.text } : { type: "output_text", text: answer.text };
    const said = { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "m", role: "assistant", content: [part] } };
    const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 };
    const end = answer.stop === "length"
      ? { type: "response.incomplete", response: { id: "r", incomplete_details: { reason: "max_output_tokens" }, usage } }
      : { type: "response.completed", response: { id: "r", usage } };
    return stream(response, [said, end]);
  }
}

const textOf = (item) => (item.content ?? []).map((part) => part.text ?? "").join("") || item.output || item.arguments || "";
const failed = (code, message) => ({ type: "response.failed", response: { id: "r", error: { code, message } } });

function refuse(response, status, message) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, type: "invalid_request_error" } }));
}

function stream(response, events) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of [{ type: "response.created", response: { id: "r" } }, ...events]) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

// ---- the process --------------------------------------------------------------------------------

/** `codex app-server`: requests, and the notifications of a turn. */
class AppServer {
  waiting = new Map();
  count = 0;
  notice = () => {};

  async start(port) {
    const settings = {
      model: "host", model_provider: "loopback", model_context_window: 100_000_000, model_auto_compact_token_limit: 1,
      "model_providers.loopback.name": "loopback", "model_providers.loopback.base_url": `http://127.0.0.1:${port}/v1`,
      "model_providers.loopback.wire_api": "responses", "model_providers.loopback.request_max_retries": 0,
      "model_providers.loopback.stream_max_retries": 0, "analytics.enabled": false,
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${JSON.stringify(value)}`]);
    this.process = spawn(BINARY, ["app-server", ...options], {
      env: { PATH: process.env.PATH, HOME, CODEX_HOME: HOME, RUST_LOG: "off" }, stdio: ["pipe", "pipe", "inherit"],
    });
    this.process.on("exit", (code, signal) => process.exit(signal ? 1 : code || 1));
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      const said = JSON.parse(line);
      if (said.method) this.notice(said);
      else this.waiting.get(said.id)?.(said);
    });
    process.on("exit", () => this.process.kill("SIGKILL"));
    await this.call("initialize", { clientInfo: { name: "plimsoll", title: null, version: "1" }, capabilities: { experimentalApi: true } });
    this.process.stdin.write(`${JSON.stringify({ method: "initialized" })}\n`);
    return this;
  }

  call(method, params) {
    const id = ++this.count;
    return new Promise((done, fail) => {
      this.waiting.set(id, ({ result, error }) => {
        this.waiting.delete(id);
        if (error) fail(new Error(`${method}: ${error.message}`));
        else done(result);
      });
      this.process.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
    });
  }

  /** Start a turn by this request, wait for its end, and tell whether it has compacted. */
  async turn(method, params, started = () => {}) {
    let compacted = false;
    const ended = new Promise((done) => {
      this.notice = ({ method: what, params: { threadId, turn, item } }) => {
        if (threadId !== params.threadId) return;
        if (what === "turn/started") started(turn.id);
        if (what === "item/completed" && item.type === "contextCompaction") compacted = true;
        if (what === "turn/completed") done();
      };
    });
    await this.call(method, params);
    await ended;
    return compacted;
  }
}

// ---- Codex's items and the protocol's -----------------------------------------------------------

function encode({ role, content, calls, call_id }) {
  if (role === "tool") return [{ type: "function_call_output", call_id, output: content }];
  if (role === "user") return [{ type: "message", role, content: [{ type: "input_text", text: content }] }];
  const made = calls.map((id) => ({ type: "function_call", call_id: id, name: "probe", arguments: "{}" }));
  return [{ type: "message", role, content: [{ type: "output_text", text: content }] }, ...made];
}

class Chat {
  texts = new Map(); // text -> the message of the host
  makes = new Map(); // call id -> the message that makes it
  own = new Map(); // text of an own item -> its id
  view = [];

  append(said) {
    this.texts.set(said.content, said);
    for (const call of said.calls) this.makes.set(call, said);
    this.view.push(said);
  }

  /** The input of a request as items of a view, less what stands before every conversation. */
  look(input) {
    const items = [];
    for (const sent of input) {
      if (sent.role === "developer" || (sent.role === "user" && NOT_SAID.test(textOf(sent)))) continue;
      if (sent.type === "function_call") {
        const said = this.makes.get(sent.call_id);
        if (items.at(-1)?.id !== said.id) items.push({ ...said, content: "", calls: [] });
        items.at(-1).calls.push(sent.call_id);
        continue;
      }
      const text = textOf(sent);
      const said = this.texts.get(text);
      if (said) items.push({ ...said, calls: [] });
      else if (sent.type === "message") items.push({ ...this.mine(text, sent.role), ...(text.startsWith(SUMMARY_PREFIX) ? { summary: true } : {}) });
      else items.push({ id: this.mine(text).id, role: "tool", content: text, call_id: sent.call_id });
    }
    this.view = items;
  }

  mine(text, role) {
    if (!this.own.has(text)) this.own.set(text, `own${this.own.size + 1}`);
    return { id: this.own.get(text), role, content: text };
  }
}

// ---- the candidate ------------------------------------------------------------------------------

class Codex extends plimsoll.Candidate {
  name = "codex";
  version = JSON.parse(readFileSync(PACKAGE)).version;
  contract = CONTRACT;
  chats = new Map();
  model = new ModelServer();

  async prepare() {
    this.codex = await new AppServer().start(await this.model.listen());
    return this;
  }

  async reset() {
    for (const { threadId } of this.chats.values()) await this.codex.call("thread/unsubscribe", { threadId });
    this.chats.clear();
  }

  async chat(conversation) {
    if (!this.chats.has(conversation)) {
      const chat = new Chat();
      this.chats.set(conversation, chat);
      const { thread } = await this.codex.call("thread/start", { cwd: HOME, approvalPolicy: "never", sandbox: "read-only" });
      chat.threadId = thread.id;
    }
    return this.chats.get(conversation);
  }

  async append(conversation, messages) {
    const chat = await this.chat(conversation);
    for (const said of messages) chat.append(said);
    await this.codex.call("thread/inject_items", { threadId: chat.threadId, items: messages.flatMap(encode) });
  }

  async step(conversation, host) {
    const chat = await this.chat(conversation);
    const { threadId } = chat;
    if (host.kind !== "force" && host.pressure !== "summarize") return { action: "none" };
    let turnId;
    this.model.ask = (text) => host.summarize(text);
    this.model.interrupt = () => this.codex.call("turn/interrupt", { threadId, turnId });
    this.model.sent = null;
    let compacted;
    try {
      const started = (id) => (turnId = id);
      if (host.kind === "force") compacted = await this.codex.turn("thread/compact/start", { threadId }, started);
      else compacted = await this.codex.turn("turn/start", { threadId, input: [] }, started);
    } finally {
      this.model.ask = null;
    }
    if (compacted && host.kind === "force") await this.peek(threadId);
    if (this.model.sent) chat.look(this.model.sent);
    return { action: compacted ? "summarize" : "none", view: chat.view };
  }

  /** What the next request would be, seen by starting a turn in a fork of the thread. */
  async peek(threadId) {
    const config = { model_auto_compact_token_limit: 90_000_000 };
    const { thread } = await this.codex.call("thread/fork", { threadId, excludeTurns: true, config });
    await this.codex.turn("turn/start", { threadId: thread.id, input: [] });
    await this.codex.call("thread/unsubscribe", { threadId: thread.id });
  }

  async view(conversation) {
    return { view: (await this.chat(conversation)).view };
  }
}

await plimsoll.run(await new Codex().prepare());
