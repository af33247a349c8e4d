/**
 * LangChain.js behind the plimsoll adapter protocol.
 *
 *     node adapter.mjs               summarizationMiddleware in an agent of createAgent
 *     node adapter.mjs --trim        trimMessages: the last messages, and the system message
 *     node adapter.mjs --trim-chat   the same, startOn "human"
 *
 * Everything under test is the shipped code. Replaced is the model that writes the summary; README.md
 * says what each claim rests on.
 */
import { readFileSync } from "node:fs";
import * as plimsoll from "../plimsoll.mjs";

plimsoll.claimStdout();
for (const name of Object.keys(process.env)) if (/^LANG(CHAIN|SMITH|GRAPH)_/.test(name)) delete process.env[name];

const { createAgent, summarizationMiddleware } = await import("langchain");
const { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } = await import("@langchain/core/messages");
const { BaseChatModel } = await import("@langchain/core/language_models/chat_models");
const { MemorySaver } = await import("@langchain/langgraph");

const versionOf = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;

// ---- LangChain's messages and the protocol's ----------------------------------------------------

function encode({ id, role, content, calls, call_id }) {
  if (role === "system") return new SystemMessage({ id, content });
  if (role === "tool") return new ToolMessage({ id, content, tool_call_id: call_id });
  if (role === "user") return new HumanMessage({ id, content });
  return new AIMessage({ id, content, tool_calls: calls.map((call) => ({ type: "tool_call", id: call, name: "probe", args: {} })) });
}

const ROLES = { system: "system", human: "user", ai: "assistant", tool: "tool" };
const isSummary = (said) => said.additional_kwargs.lc_source === "summarization";

/** A message of LangChain as a view item; `id` is for a summary, which bears the id of what it replaced. */
const decode = (said, id) => ({
  id, role: ROLES[said.type], content: said.text,
  calls: (said.tool_calls ?? []).map((call) => call.id), call_id: said.tool_call_id ?? null,
  ...(isSummary(said) ? { summary: true } : {}),
});

// ---- the replaced part --------------------------------------------------------------------------

/** A chat model that asks the harness, and ends as a provider's client would. */
class HostModel extends BaseChatModel {
  ask = null; // set while a step is open
  abort = () => {};

  constructor() {
    super({});
  }

  _llmType() {
    return "host";
  }

  async _generate(messages) {
    if (!this.ask) throw new Error("the model was called outside a step");
    let answer;
    try {
      answer = await this.ask(messages.map((m) => m.text).join("\n"));
    } catch (error) {
      if (error.kind !== "aborted") throw providerError(error.kind);
      this.abort();
      throw Object.assign(new Error("Request was aborted."), { name: "AbortError" });
    }
    const stop_reason = { end: "end_turn", length: "max_tokens", refusal: "refusal" }[answer.stop];
    const message = new AIMessage({ content: answer.text, response_metadata: { stop_reason } });
    return { generations: [{ text: answer.text, message }] };
  }
}

function providerError(kind) {
  if (kind === "timeout") return Object.assign(new Error("Request timed out."), { name: "TimeoutError" });
  if (kind === "transport") return new Error("Connection error.");
  const text = kind === "overflow" ? "prompt is too long" : "the request was refused";
  return Object.assign(new Error(`400 ${text}`), { status: 400 });
}

/** The agent's own model: the graph stops before it is called. */
class NeverCalled extends HostModel {
  async _generate() {
    throw new Error("the graph went on to the agent's model");
  }

  bindTools() {
    return this;
  }
}

// ---- candidates ---------------------------------------------------------------------------------

/** The middleware, in the graph that createAgent makes of it. A conversation is a thread. */
class Summarization extends plimsoll.Candidate {
  name = "langchainjs";
  version = versionOf("langchain");
  contract = {
    capabilities: ["summarize", "view"],
    messages: ["calls", "parallel_calls", "system", "tool_role"],
    throttle: { cooldown_s: null },
    latch: null,
    attempt: { calls: 1, keep_last: 20, pending: "host" },
    view: { latest_user: "covered" },
    pressure: "given",
    drive: "step",
    weight: "heavy",
  };
  model = new HostModel();

  reset() {
    this.agent = createAgent({
      model: new NeverCalled(), tools: [], checkpointer: new MemorySaver(),
      middleware: [summarizationMiddleware({ model: this.model })],
    });
    this.pending = new Map(); // thread -> messages that the next run brings in
    this.summaries = new Map(); // text of a summary and the id it took over -> its id on the wire
  }

  append(conversation, messages) {
    this.pending.set(conversation, [...(this.pending.get(conversation) ?? []), ...messages.map(encode)]);
  }

  async step(conversation, host) {
    const interruption = new AbortController();
    let action = "none"; // "summarize" where the middleware's node reports an update
    this.model.ask = (text) => host.summarize(text);
    this.model.abort = () => interruption.abort();
    try {
      const run = await this.agent.stream({ messages: this.pending.get(conversation) ?? [] }, {
        streamMode: "updates",
        configurable: { thread_id: conversation },
        context: host.pressure === "summarize" ? { trigger: { messages: 1 } } : {},
        interruptBefore: ["model_request"],
        signal: interruption.signal,
      });
      for await (const update of run) if (Object.values(update).some((made) => made?.messages)) action = "summarize";
    } catch (error) {
      if (!interruption.signal.aborted) throw error;
    } finally {
      this.model.ask = null;
      this.pending.delete(conversation); // the graph keeps its input, however the run ends
    }
    return { action, view: (await this.view(conversation)).view };
  }

  /** What the thread's latest checkpoint holds, and what has not been brought in yet. */
  async view(conversation) {
    const { values } = await this.agent.graph.getState({ configurable: { thread_id: conversation } });
    const held = values.messages ?? [];
    const waiting = this.pending.get(conversation) ?? [];
    return { view: [...held, ...waiting].map((m) => decode(m, this.idOf(m))) };
  }

  idOf(said) {
    if (!isSummary(said)) return said.id;
    const key = JSON.stringify([said.id, said.text]);
    if (!this.summaries.has(key)) this.summaries.set(key, `own${this.summaries.size + 1}`);
    return this.summaries.get(key);
  }
}

/** The trimmer; a token is a message. */
class Trim extends plimsoll.Candidate {
  name = "langchainjs-trim";
  version = versionOf("@langchain/core");
  contract = {
    capabilities: ["fit"],
    messages: ["calls", "parallel_calls", "system", "tool_role"],
    fit: { unit: "messages", max: "any" },
  };

  constructor(options) {
    super();
    this.options = options;
  }

  async fit(messages, limit) {
    const kept = await trimMessages(messages.map(encode), {
      maxTokens: limit.max, tokenCounter: (list) => list.length, strategy: "last", includeSystem: true, ...this.options,
    });
    return kept.filter(Boolean).map((said) => decode(said, said.id)); // it can hold an undefined element: no message
  }
}

const [which] = process.argv.slice(2);
if (which === "--trim") await plimsoll.run(new Trim({}));
else if (which === "--trim-chat") await plimsoll.run(new Trim({ startOn: "human" }));
else await plimsoll.run(new Summarization());
