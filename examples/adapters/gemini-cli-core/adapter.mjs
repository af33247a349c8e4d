/**
 * Gemini CLI's chat compression behind the plimsoll adapter protocol.
 *
 *     node adapter.mjs
 *
 * Everything under test is the shipped code: a GeminiClient over a Config, with its chat, its
 * compression service, its model client and that one's retries. Replaced are the content generator
 * (it asks the harness), the provider's count of the last prompt, and the waiting between retries.
 * README.md says why, and what each claim rests on.
 */
import { readFileSync } from "node:fs";
import * as plimsoll from "../plimsoll.mjs";
import { scratch } from "../scratch.mjs";

plimsoll.claimStdout(); // it prints

const HOME = scratch("gemini");
for (const name of Object.keys(process.env)) if (/^(GEMINI|GOOGLE)_/.test(name)) delete process.env[name];
Object.assign(process.env, { HOME, GEMINI_CLI_HOME: HOME });
for (const name of ["log", "info", "debug", "warn"]) console[name] = () => {}; // one line a chat, on stderr

const PACKAGE = new URL("node_modules/@google/gemini-cli-core/", import.meta.url);
const { BaseLlmClient, CompressionStatus, Config, GeminiClient } = await import("@google/gemini-cli-core");
const { estimateTokenCountSync } = await import(new URL("dist/src/utils/tokenCalculation.js", PACKAGE));
const { ApiError } = await import("@google/genai");

const ENVIRONMENT = "<session_context>";
const ACKNOWLEDGED = "Got it. Thanks for the additional context!";

// ---- the replaced parts -------------------------------------------------------------------------

/** Stands in for the provider: what the client sends goes to the harness. */
class Generator {
  ask = null; // set while a step is open
  interrupt = () => {};

  async generateContent({ contents }) {
    if (!this.ask) throw new Error("the model was called outside a step");
    let answer;
    try {
      answer = await this.ask(contents.flatMap((c) => c.parts).map(textOf).join("\n"));
    } catch (error) {
      if (error.kind !== "aborted") throw providerError(error.kind);
      this.interrupt();
      throw Object.assign(new Error("The operation was aborted."), { name: "AbortError" });
    }
    const finishReason = { end: "STOP", length: "MAX_TOKENS", refusal: "SAFETY" }[answer.stop];
    return { candidates: [{ content: { role: "model", parts: [{ text: answer.text }] }, finishReason }] };
  }
}

function providerError(kind) {
  const code = { timeout: "ETIMEDOUT", transport: "ECONNRESET" }[kind];
  if (code) return Object.assign(new Error(`${kind} error`), { code });
  const message = kind === "overflow" ? "The input token count exceeds the maximum number of tokens allowed." : "The request was refused.";
  return new ApiError({ status: 400, message });
}

const textOf = (part) => part.text ?? JSON.stringify(part.functionCall ?? part.functionResponse);

/** The waiting between two tries of one call takes no time: the harness owns the clock. */
const { setTimeout: later } = globalThis;
globalThis.setTimeout = (run, _, ...given) => later(run, 0, ...given);

// ---- the contract -------------------------------------------------------------------------------

const CONTRACT = {
  capabilities: ["summarize", "latch", "force", "view"],
  messages: ["calls", "parallel_calls", "tool_role"],
  throttle: { cooldown_s: null },
  latch: { strikes: 1, reopen_growth: null },
  attempt: { calls: 10, pending: "host", keep_size: 0.3 },
  view: { latest_user: "covered" },
  size: { unit: "tokens" },
  pressure: "given",
  drive: "step",
  weight: "heavy",
};

// ---- one chat -----------------------------------------------------------------------------------

/**
 * A GeminiClient, and the request that it has not sent yet: the CLI compresses before it sends one,
 * and so what a person said last, or the results of the last call, are no part of the history then.
 */
class Chat {
  request = [];
  texts = new Map(); // text of a part -> the message
  calls = new Map(); // call id -> the message that makes it
  results = new Map(); // call id -> the message that answers it
  own = new Map(); // text of an own part -> its id

  async start(config) {
    this.client = new GeminiClient(config);
    await this.client.initialize();
    return this;
  }

  async append(said) {
    if (said.role === "assistant" || said.role === "user" || this.request.at(-1)?.role === "user") await this.send();
    this.texts.set(said.content, said);
    for (const call of said.calls) this.calls.set(call, said);
    if (said.call_id) this.results.set(said.call_id, said);
    if (said.role === "assistant") await this.client.addHistory({ role: "model", parts: encode(said) });
    else this.request.push(said);
  }

  /** The request goes into the history, as it does when it is sent. */
  async send() {
    if (this.request.length > 0) await this.client.addHistory({ role: "user", parts: this.request.flatMap(encode) });
    this.request = [];
  }

  /** What the next request would be built from: the history, less the environment, and what is to be sent. */
  view() {
    const parts = this.client.getHistory().flatMap(({ role, parts }) => parts.map((part) => ({ role, part })));
    const items = parts.filter(({ part }) => !part.text?.startsWith(ENVIRONMENT)).map((p) => this.item(p));
    items.forEach((item, at) => {
      if (items[at + 1]?.content === ACKNOWLEDGED) item.summary = true;
    });
    return [...items.filter(Boolean), ...this.request];
  }

  /** A part as a view item; a call is part of the item of its message, and no item by itself. */
  item({ role, part }) {
    if (part.functionCall) {
      const said = this.calls.get(part.functionCall.id);
      if (!said) throw new Error(`a call that nobody made: ${JSON.stringify(part)}`);
      return null;
    }
    if (part.functionResponse) {
      const said = this.results.get(part.functionResponse.id);
      const { output } = part.functionResponse.response;
      return output === said.content ? { id: said.id } : { ...said, content: output, trimmed: true };
    }
    const said = this.texts.get(part.text);
    if (said) return said;
    if (!this.own.has(part.text)) this.own.set(part.text, `own${this.own.size + 1}`);
    return { id: this.own.get(part.text), role: role === "user" ? "user" : "assistant", content: part.text };
  }
}

function encode({ role, content, calls, call_id }) {
  if (role === "tool") return [{ functionResponse: { id: call_id, name: "probe", response: { output: content } } }];
  return [{ text: content }, ...calls.map((id) => ({ functionCall: { id, name: "probe", args: {} } }))];
}

// ---- the candidate ------------------------------------------------------------------------------

class GeminiCli extends plimsoll.Candidate {
  name = "gemini-cli-core";
  version = JSON.parse(readFileSync(new URL("package.json", PACKAGE))).version;
  contract = CONTRACT;
  chats = new Map();
  generator = new Generator();

  async prepare() {
    this.config = new Config({
      sessionId: "plimsoll", targetDir: HOME, cwd: HOME, model: "gemini-2.5-pro",
      debugMode: false, interactive: false, usageStatisticsEnabled: false,
    });
    await this.config.initialize();
    this.config.contentGenerator = this.generator;
    this.config.baseLlmClient = new BaseLlmClient(this.generator, this.config);
    return this;
  }

  reset() {
    for (const chat of this.chats.values()) chat.client.dispose();
    this.chats.clear();
  }

  async chat(conversation) {
    if (!this.chats.has(conversation)) this.chats.set(conversation, await new Chat().start(this.config));
    return this.chats.get(conversation);
  }

  async append(conversation, messages) {
    const chat = await this.chat(conversation);
    for (const said of messages) await chat.append(said);
  }

  async step(conversation, host) {
    const chat = await this.chat(conversation);
    const interruption = new AbortController();
    this.generator.ask = (text) => host.summarize(text);
    this.generator.interrupt = () => interruption.abort();
    // The verdict is the host's: no size reaches the threshold, or every size does.
    this.config.compressionThreshold = host.pressure === "summarize" ? Number.MIN_VALUE : 1;
    const parts = chat.client.getHistory().flatMap((c) => c.parts);
    chat.client.getChat().lastPromptTokenCount = estimateTokenCountSync(parts);
    let status;
    try {
      status = (await chat.client.tryCompressChat("plimsoll", host.kind === "force", interruption.signal)).compressionStatus;
    } catch (error) {
      if (!interruption.signal.aborted) throw error;
    } finally {
      this.generator.ask = null;
    }
    const action = { [CompressionStatus.COMPRESSED]: "summarize", [CompressionStatus.CONTENT_TRUNCATED]: "trim" }[status] ?? "none";
    return { action, view: chat.view() };
  }

  async view(conversation) {
    return { view: (await this.chat(conversation)).view() };
  }
}

await plimsoll.run(await new GeminiCli().prepare());
