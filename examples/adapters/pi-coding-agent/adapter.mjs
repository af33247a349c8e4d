/**
 * pi's compaction behind the plimsoll adapter protocol; one file for two releases.
 *
 *     node adapter.mjs 0.73.1                                  @mariozechner/pi-coding-agent
 *     1.6.0/node_modules/.bin/node adapter.mjs 1.6.0           @earendil-works/pi-coding-agent, Node 22
 *
 * Everything under test is the shipped code: an AgentSession over a SessionManager, which decides what
 * to keep, asks for the summary, stores it, and builds what is sent. Replaced are the model's stream
 * (it asks the harness), the verdict on size, and the waiting between retries. README.md says why, and
 * what each claim rests on.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as plimsoll from "../plimsoll.mjs";
import { scratch } from "../scratch.mjs";

plimsoll.claimStdout();

const VERSION = process.argv[2];
const SCOPE = { "0.73.1": "@mariozechner", "1.6.0": "@earendil-works" }[VERSION];
if (!SCOPE) {
  console.error("usage: adapter.mjs 0.73.1 | 1.6.0");
  process.exit(2);
}
const NEW = VERSION !== "0.73.1";

const HOME = scratch("pi");
for (const name of Object.keys(process.env)) if (/^PI_|_API_KEY$/.test(name)) delete process.env[name];
Object.assign(process.env, { HOME, PI_CODING_AGENT_DIR: join(HOME, "agent"), PI_OFFLINE: "1" });

const shipped = (name, file = "dist/index.js") => new URL(`${VERSION}/node_modules/${SCOPE}/${name}/${file}`, import.meta.url);
const pi = await import(shipped("pi-coding-agent"));
const ai = await import(shipped("pi-ai", NEW ? "dist/compat.js" : "dist/index.js"));
const { convertToLlm } = await import(shipped("pi-coding-agent", "dist/core/messages.js"));

// ---- the replaced parts -------------------------------------------------------------------------

const MODEL = {
  id: "host", name: "host", api: "plimsoll", provider: "plimsoll", baseUrl: "http://127.0.0.1:9/",
  reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000, maxTokens: 32_000,
};
const USAGE = {
  input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

let ask = null; // set while a step is open
let interrupt = () => {};

/** What a provider of pi-ai does: a stream that ends in one message, whatever happened. */
function stream(model, context) {
  const events = ai.createAssistantMessageEventStream();
  answerTo(context).then((end) => {
    const message = {
      role: "assistant", content: [], api: model.api, provider: model.provider, model: model.id,
      usage: structuredClone(USAGE), timestamp: Date.now(), ...end,
    };
    const failed = message.stopReason === "error" || message.stopReason === "aborted";
    events.push(failed ? { type: "error", reason: message.stopReason, error: message } : { type: "done", reason: message.stopReason, message });
  });
  return events;
}

async function answerTo({ messages }) {
  if (!ask) return { stopReason: "error", errorMessage: "the model was called outside a step" };
  let answer;
  try {
    answer = await ask(messages.flatMap((m) => m.content).map((part) => part.text ?? part).join("\n"));
  } catch (error) {
    if (error.kind !== "aborted") return { stopReason: "error", errorMessage: ERRORS[error.kind] };
    interrupt();
    return { stopReason: "aborted", errorMessage: "Request was aborted" };
  }
  const content = [{ type: "text", text: answer.text }];
  if (answer.stop === "refusal") return { content, stopReason: "error", errorMessage: "The model refused to answer" };
  return { content, stopReason: answer.stop === "length" ? "length" : "stop" };
}

const ERRORS = {
  rejected: "400 invalid request", overflow: "400 prompt is too long: 210000 tokens > 200000 maximum",
  timeout: "Request timed out.", transport: "Connection error.",
};

/** The waiting between two tries of one call takes no time: the harness owns the clock. */
const { setTimeout: later } = globalThis;
globalThis.setTimeout = (run, _, ...given) => later(run, 0, ...given);

// ---- the contracts ------------------------------------------------------------------------------

const CONTRACT = {
  capabilities: ["summarize", "force", "log", "view"],
  messages: ["calls", "parallel_calls", "reasoning", "tool_role"],
  throttle: { cooldown_s: null },
  latch: null,
  attempt: { calls: NEW ? 8 : 2, pending: "host", keep_size: 92_000 },
  view: { latest_user: "covered" },
  pressure: "given",
  sizes: { small: 3_600, large: 12_000 },
  drive: "step",
  weight: "heavy",
};

// ---- pi's messages and the protocol's -----------------------------------------------------------

function encode({ role, content, reasoning, calls, call_id }) {
  const text = { type: "text", text: content };
  const timestamp = Date.now();
  if (role === "tool") return { role: "toolResult", toolCallId: call_id, toolName: "probe", content: [text], isError: false, timestamp };
  if (role === "user") return { role: "user", content: [text], timestamp };
  const thinking = reasoning === null ? [] : [{ type: "thinking", thinking: reasoning }];
  const toolCalls = calls.map((id) => ({ type: "toolCall", id, name: "probe", arguments: {} }));
  return {
    role: "assistant", content: [...thinking, text, ...toolCalls], api: MODEL.api, provider: MODEL.provider,
    model: MODEL.id, usage: structuredClone(USAGE), stopReason: calls.length > 0 ? "toolUse" : "stop", timestamp,
  };
}

const ROLES = { user: "user", assistant: "assistant", toolResult: "tool" };

/** A message as pi sends it, as a view item without an id. */
function decode(sent) {
  const parts = typeof sent.content === "string" ? [{ type: "text", text: sent.content }] : sent.content;
  const of = (type, member) => parts.filter((p) => p.type === type).map((p) => p[member]);
  const thinking = of("thinking", "thinking");
  return {
    role: ROLES[sent.role], content: of("text", "text").join("\n"), calls: of("toolCall", "id"),
    call_id: sent.toolCallId ?? null, reasoning: thinking.length > 0 ? thinking.join("\n") : null,
  };
}

// ---- the candidate ------------------------------------------------------------------------------

/** One conversation: a session in memory, and which of its entries is which message of the host. */
class Chat {
  said = new Map(); // content -> the message of the host: its tokens make it unique
  own = new Map(); // content of an own message -> its id

  async start(options) {
    this.manager = pi.SessionManager.inMemory(HOME);
    ({ session: this.session } = await pi.createAgentSession({ ...options, sessionManager: this.manager }));
    if (NEW) this.session.agent.streamFunction = stream;
    return this;
  }

  append(said) {
    this.said.set(said.content, said);
    this.manager.appendMessage(encode(said));
  }

  /** What the agent holds follows the session, as it does when one is opened. */
  refresh() {
    this.session.agent.state.messages = this.manager.buildSessionContext().messages;
  }

  items(messages) {
    return messages.map((held) => {
      const [sent] = convertToLlm([held]);
      const item = decode(sent);
      const known = this.said.get(item.content);
      if (known) return { ...item, id: known.id };
      if (!this.own.has(item.content)) this.own.set(item.content, `own${this.own.size + 1}`);
      return { ...item, id: this.own.get(item.content), ...(held.role === "compactionSummary" ? { summary: true } : {}) };
    });
  }

  view() {
    return this.items(this.manager.buildSessionContext().messages);
  }

  log() {
    return this.items(this.manager.getEntries().filter((e) => e.type === "message").map((e) => e.message));
  }
}

class Pi extends plimsoll.Candidate {
  name = "pi-coding-agent";
  version = JSON.parse(readFileSync(shipped("pi-coding-agent", "package.json"))).version;
  contract = CONTRACT;
  chats = new Map();

  async prepare() {
    const agentDir = join(HOME, "agent");
    const settingsManager = pi.SettingsManager.inMemory();
    const resourceLoader = new pi.DefaultResourceLoader({ cwd: HOME, agentDir, settingsManager });
    await resourceLoader.reload();
    this.options = { cwd: HOME, agentDir, settingsManager, resourceLoader, model: MODEL, noTools: "all" };
    if (!NEW) {
      ai.registerApiProvider({ api: MODEL.api, stream, streamSimple: stream });
      this.options.authStorage = pi.AuthStorage.inMemory({ [MODEL.provider]: { type: "api_key", key: "none" } });
    }
    return this;
  }

  reset() {
    for (const { session } of this.chats.values()) session.dispose();
    this.chats.clear();
  }

  async chat(conversation) {
    if (!this.chats.has(conversation)) this.chats.set(conversation, await new Chat().start(this.options));
    return this.chats.get(conversation);
  }

  async append(conversation, messages) {
    const chat = await this.chat(conversation);
    for (const said of messages) chat.append(said);
  }

  async step(conversation, host) {
    const chat = await this.chat(conversation);
    const { session } = chat;
    chat.refresh();
    ask = (text) => host.summarize(text);
    interrupt = () => session.abortCompaction();
    let result;
    const unsubscribe = session.subscribe((event) => {
      if (event.type === "compaction_end") ({ result } = event);
    });
    try {
      if (host.kind === "force") await session.compact().catch(() => {}); // /compact shows the error and goes on
      else if (host.pressure === "summarize") await session._runAutoCompaction("threshold", false);
    } finally {
      ask = null;
      unsubscribe();
    }
    return { action: result ? "summarize" : "none", view: chat.view() };
  }

  async view(conversation) {
    const chat = await this.chat(conversation);
    return { view: chat.view(), log: chat.log() };
  }
}

await plimsoll.run(await new Pi().prepare());
