/**
 * Write a plimsoll adapter in JavaScript: this file and Node 18 or later, nothing else.
 *
 * An adapter is a program that puts one implementation of context compaction (the *candidate*)
 * behind JSON-RPC 2.0 lines on stdin and stdout, so that the harness can drive it:
 *
 *     import { Candidate, run } from "./plimsoll.mjs";
 *
 *     class Mine extends Candidate {
 *       name = "mine"; version = "1.0";
 *       contract = { capabilities: ["summarize", "throttle"] };
 *       append(conversation, messages) { ... }
 *       async step(conversation, host) { ... }
 *     }
 *     await run(new Mine());
 *
 * Define the methods of the capabilities that you claim, and no others (`Candidate` lists them). Each
 * may be async. This module does the rest: it keeps stdout clean, fills message defaults, calls back
 * for summaries, turns exceptions into error replies, and runs whole cases in one line (batch mode).
 *
 * Shapes, all plain JSON, with the names that they have on the wire:
 *
 * - message: `{id, role, content, ui_only, hidden, pinned, call_id, calls, reasoning, interim}`;
 *   messages from the host always have every member (see `DEFAULTS`).
 * - view item: a message as the candidate now holds it. Two more members: `summary: true` on a
 *   summary, `trimmed: true` on a message that was shortened. `{id: "m3"}` stands for that message.
 * - times are seconds, with fractions; `wall_s` can step, `monotonic_s` cannot. A length or a size is
 *   whatever unit the contract declares; the functions here count code points, not `text.length`.
 */

const PROTOCOL = 1;

export const DEFAULTS = Object.freeze({
  id: null, role: "user", content: "", ui_only: false, hidden: false, pinned: false,
  call_id: null, calls: Object.freeze([]), reasoning: null, interim: false,
});

// ---- what an adapter's author extends -----------------------------------------------------------

/**
 * The implementation under test. What is not defined answers "method not found":
 *
 *     reset()                                a new case: forget every conversation, throttle and latch
 *     append(conversation, messages)         external messages; may return an array of extra messages
 *                                            that the target's own host adds
 *     step(conversation, host)               after a turn: decide. Returns `{action, appended, view,
 *                                            extra}`, each of them optional, or nothing
 *     view(conversation)                     `{view: [items], log: [messages]}`; `log` only if claimed
 *     rewind(conversation, to)               the view becomes the log up to and including the id `to`;
 *                                            returns the new view, or nothing
 *     restart(wall_s, monotonic_s, without)  save, drop all state in memory, load
 *     usage(conversation, tokens, upto)      the provider's figure for the request that ended with `upto`
 *     auto(on)                               automatic compaction is switched on or off
 *     reduce(blocks, limit)                  the text; or `{text, notice}`, notice null or `{before, after}`
 *     fit(messages, limit)                   the items that stay; or `{view, notice}`
 *     assemble({conversation, messages, limit, path})   `{instructions, sent: [ids], notice}`
 *     gauge(messages, reported)              `{pressure, tokens}`, tokens null where unknown
 *     configureGauge(trigger, target, limit) the three as now in force; throws, naming what it refuses
 *     change(guard, event)                   `event` is `{by: "external" | "self", relevant}`
 *     attempt(guard, outcome, during, monotonic_s)   whether the guarded operation ran
 *
 * `step` results: `action` is the strongest thing done, "none", "trim" or "summarize", null where it
 * is not reported; `appended`: own messages that are now in the log, ids beginning with "own";
 * `view`: the whole view, null where nothing but `appended` changed; `extra`: messages that the
 * target's own host added, which count as external.
 *
 * Throw `Infeasible` where what must stay cannot fit. Whatever else a method throws becomes an error
 * reply (code -32000, the error's text), and the adapter goes on with the next request.
 */
export class Candidate {
  name = "unnamed";
  version = "0";
  /** What the candidate declares about itself; dotted names are nested objects. */
  contract = { capabilities: [] };
  /** Whether whole cases may be sent in one line. Turn it off only to find a fault in batch mode. */
  batch = true;
}

/** A summariser's answer: only `stop` "end" is a whole one. The text can be empty. */
export class Summary {
  constructor(text, stop = "end", arrived = []) {
    Object.assign(this, { text, stop, arrived });
  }

  /** Whether the answer is whole and says something. */
  get usable() {
    return this.stop === "end" && this.text.trim() !== "";
  }
}

/** The summariser call failed: `kind` is rejected, overflow, timeout, transport or aborted (by a person). */
export class SummarizeError extends Error {
  constructor(kind, text) {
    super(text || kind);
    this.name = "SummarizeError";
    this.kind = kind;
    this.data = { kind };
  }
}

/** What must stay cannot fit into the limit. */
export class Infeasible extends Error {
  constructor(text = "what must stay cannot fit") {
    super(text);
    this.name = "Infeasible";
  }
}

/**
 * The host's side of one open step: `kind` is "step", "force" (a person asked) or "overflow" (the
 * provider proved that it does not fit); `pressure` is "none", "trim" or "summarize".
 */
export class Host {
  #summarize;

  constructor(params, summarize) {
    this.kind = params.kind ?? "step";
    this.pressure = params.pressure ?? "none";
    this.wall_s = params.wall_s ?? 0;
    this.monotonic_s = params.monotonic_s ?? 0;
    this.#summarize = summarize;
  }

  /**
   * Call the summariser with exactly what would be sent: an array of view items, or a text where the
   * target flattens them. Resolves to a `Summary`; rejects with a `SummarizeError`. Where the process is taken to have
   * ended during the call it never settles, and no code of the step runs on: `restart` is next.
   */
  async summarize(sent) {
    if (!this.#summarize) throw new Error("the step is over");
    if (typeof sent !== "string" && !Array.isArray(sent)) throw new TypeError("summarize takes items or a text");
    return this.#summarize(typeof sent === "string" ? { text: sent } : { items: sent });
  }

  close() {
    this.#summarize = undefined;
  }
}

// ---- the contract's terms, as functions ---------------------------------------------------------

/** A message with all defaults filled in; members that the protocol lacks are dropped. */
export function message(members = {}) {
  // Member by member: thousands are filled in a second, and a loop over names is several times slower.
  const {
    id = DEFAULTS.id, role = DEFAULTS.role, content = DEFAULTS.content, ui_only = DEFAULTS.ui_only, hidden = DEFAULTS.hidden,
    pinned = DEFAULTS.pinned, call_id = DEFAULTS.call_id, calls, reasoning = DEFAULTS.reasoning, interim = DEFAULTS.interim,
  } = members;
  return { id, role, content, ui_only, hidden, pinned, call_id, calls: [...(calls ?? [])], reasoning, interim };
}

/** A message for the person's eyes only. `Conversation.say` gives it an id. */
export const status = (text, members = {}) => message({ role: "system", content: text, ui_only: true, ...members });

/** Whether the model sees it: everything but `ui_only`. `hidden` hides from the person alone. */
export const visible = (item) => !item.ui_only;

/** Whether the host said it, by the prefix of its id. */
export const external = (item) => !(item.id ?? "own").startsWith("own");

/** The length of a text in code points; a lone surrogate is one. */
export function codePoints(text) {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count--;
      i++;
    }
  }
  return count;
}

/** Code points of content and reasoning of the visible items. */
export function size(items) {
  let sum = 0;
  for (const i of items) if (visible(i)) sum += codePoints(i.content ?? "") + codePoints(i.reasoning ?? "");
  return sum;
}

/**
 * The items as an array of arrays: a call message with its results, anything else by itself. Groups
 * are in the order of their first items; a result belongs to the nearest call before it.
 */
export function groups(items) {
  const found = [];
  const byCall = new Map();
  for (const item of items) {
    let group = item.call_id == null ? undefined : byCall.get(item.call_id);
    if (!group) found.push((group = []));
    group.push(item);
    for (const call of item.calls ?? []) byCall.set(call, group);
  }
  return found;
}

/** Whether a call stands among the items without its final result. */
export function hasOpenCall(items) {
  const waiting = new Set();
  for (const item of items) {
    for (const call of item.calls ?? []) waiting.add(call);
    if (!item.interim) waiting.delete(item.call_id);
  }
  return waiting.size > 0;
}

/** The external system messages that stand before any other visible external message, whatever a compaction put in front. */
export function leadingSystem(items) {
  const all = items.filter(visible), first = all.findIndex(external);
  const seen = first < 0 ? [] : all.slice(first);
  const end = seen.findIndex((i) => i.role !== "system" || !external(i));
  return end < 0 ? seen : seen.slice(0, end);
}

/** The latest visible external user message, or undefined. */
export const latestUser = (items) => items.findLast((i) => visible(i) && external(i) && i.role === "user");

/** Whether a turn runs: the last visible external message is not an assistant's final word. */
export function turnRuns(items) {
  const last = items.findLast((i) => visible(i) && external(i));
  return last !== undefined && (last.role !== "assistant" || (last.calls ?? []).length > 0);
}

/**
 * The ids (a Set) of the items that have to stay: leading system messages, pinned ones, the latest
 * user message while its turn runs, and those of `also`; each with its whole call group.
 */
export function mustStay(items, also = []) {
  const kept = [...leadingSystem(items), ...items.filter((i) => visible(i) && i.pinned), ...also];
  if (turnRuns(items)) kept.push(latestUser(items));
  const ids = new Set(kept.filter(Boolean).map((i) => i.id));
  return new Set(groups(items).filter((group) => group.some((i) => ids.has(i.id))).flat().map((i) => i.id));
}

// ---- bookkeeping that most adapters need --------------------------------------------------------

/**
 * One conversation's log and view. Treat the messages in them as read-only: copy to change.
 *
 * - log: every message ever said, in order
 * - view: what the next request is built from
 * - external: how many visible external messages were ever appended, the measure of growth
 */
export class Conversation {
  log = [];
  view = [];
  external = 0;
  after = new Map(); // id -> id of the message that it was said after: undo leaves branches
  last = null; // id of the message that the next one will be said after
  ownIds = 0;
  #said = [];

  /** Take external messages into log and view. */
  append(messages) {
    for (const said of messages) {
      this.#add(said);
      if (visible(said)) this.external++;
    }
  }

  /** Take an own message (an object, or text for a `status`) into log and view; returns it. */
  say(own) {
    const said = typeof own === "string" ? status(own) : own;
    said.id ??= this.ownId();
    this.#add(said);
    this.#said.push(said);
    return said;
  }

  /** The own messages said since this was last asked: what the `appended` of a step wants. */
  said() {
    const said = this.#said;
    this.#said = [];
    return said;
  }

  /** A summary for the view. It is not in the log, for nobody said it. */
  summary(text, role = "assistant") {
    return { ...message({ id: this.ownId(), role, content: text }), summary: true };
  }

  /** A new id for an own message: own1, own2, ... */
  ownId() {
    return `own${++this.ownIds}`;
  }

  /**
   * Make the view the log up to and including the message `to`; what was undone before `to` was said
   * stays out. Returns the view; throws for an unknown id.
   */
  rewind(to) {
    const byId = new Map(this.log.map((m) => [m.id, m]));
    if (!byId.has(to)) throw new Error(`no such message: ${to}`);
    const path = [];
    for (let at = to; at !== null; at = this.after.get(at)) path.push(byId.get(at));
    this.view = path.reverse();
    this.last = to;
    return this.view;
  }

  /** The items of the view that the model sees. */
  visible() {
    return this.view.filter(visible);
  }

  /** What the `view` method answers. It tells all, and so nothing is left for `said` to tell. */
  state() {
    this.#said = [];
    return { view: this.view, log: this.log };
  }

  #add(said) {
    this.log.push(said);
    this.view.push(said);
    this.after.set(said.id, this.last);
    this.last = said.id;
  }
}

/** Conversations by name; one that is asked for and not known is created by `make`. */
export class Conversations extends Map {
  constructor(make = () => new Conversation()) {
    super();
    this.make = make;
  }

  get(name) {
    if (!this.has(name)) this.set(name, this.make(name));
    return super.get(name);
  }
}

/**
 * A candidate that keeps its messages in `this.conversations`: define `step` and be done. A static
 * member `Conversation` may name a subclass with state of its own.
 */
export class Keeper extends Candidate {
  static Conversation = Conversation;
  conversations = this.#none();

  reset() {
    this.conversations = this.#none();
  }

  append(conversation, messages) {
    this.conversations.get(conversation).append(messages);
  }

  view(conversation) {
    return this.conversations.get(conversation).state();
  }

  rewind(conversation, to) {
    return this.conversations.get(conversation).rewind(to);
  }

  #none() {
    return new Conversations(() => new this.constructor.Conversation());
  }
}

/**
 * A candidate out of one function: `fit(messages, maximum)` returns the messages that stay. `maximum`
 * is a number in the unit that `contract.fit` declares. Throw `Infeasible` where what must stay cannot
 * fit. The capability is `fit`, unless the contract claims others.
 */
export function trimmer(fit, contract = {}, { name = fit.name || "fit", version = "0" } = {}) {
  return Object.assign(new Candidate(), {
    name, version, contract: { capabilities: ["fit"], ...contract }, fit: (messages, limit) => fit(messages, limit.max),
  });
}

/**
 * A candidate out of one function: `reduce(blocks, maximum)`, results as the method `reduce`. With
 * `contract.field.structure` "text" it is `reduce(text, maximum)`.
 */
export function reducer(reduce, contract = {}, { name = reduce.name || "field", version = "0" } = {}) {
  const text = contract.field?.structure === "text";
  return Object.assign(new Candidate(), {
    name, version, contract: { capabilities: ["field"], ...contract },
    reduce: (blocks, limit) => reduce(text ? blocks[0].text : blocks, limit.max),
  });
}

// ---- the wire -----------------------------------------------------------------------------------

let write = null; // the real stdout's write, once it was claimed

/**
 * Take stdout for the protocol; afterwards `console.log` and `process.stdout.write` reach stderr.
 *
 * `run` calls it. If a library prints while it is imported, call it sooner and import after it:
 * `claimStdout(); const library = await import("library");`. Harmless when called again. A child
 * process must not inherit stdout: give it `stdio: ["ignore", "pipe", "inherit"]`.
 */
export function claimStdout() {
  if (write) return;
  write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  process.stdout.on("error", (error) => process.exit(error.code === "EPIPE" ? 0 : 1));
}

/** Serve the candidate until `bye` or the end of stdin; then the process exits with 0. */
export async function run(candidate) {
  if (candidate instanceof Keeper && Object.hasOwn(candidate, "Conversation")) {
    throw new TypeError("`Conversation` names a class for all instances: write `static Conversation = ...`");
  }
  claimStdout();
  const server = new Server(candidate, (line) => write(line + "\n"));
  await Promise.race([readLines(process.stdin, (line) => server.line(line)), server.ended]);
  await new Promise((done) => write("", done));
  process.exit(0);
}

/** Hand on every line that is not blank, as bytes, in order; resolves at the end. */
function readLines(stream, take) {
  let parts = [];
  return new Promise((done) => {
    stream.on("data", (chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        parts.push(chunk.subarray(start, end));
        take(parts.length === 1 ? parts[0] : Buffer.concat(parts));
        parts = [];
        start = end + 1;
      }
      if (start < chunk.length) parts.push(chunk.subarray(start));
    });
    stream.on("end", done);
    stream.on("error", done);
  });
}

/** An error reply: JSON-RPC code and text. */
class Failure extends Error {
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}

const notFound = (method) => new Failure(-32601, `method not found: ${method}`);
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Requests in, replies out; and a step's own requests in between. */
class Server {
  constructor(candidate, send) {
    this.candidate = candidate;
    this.send = send;
    this.asked = new Map(); // id of a summarize request -> what settles it
    this.calls = 0;
    this.queue = [];
    this.busy = false;
    this.ended = new Promise((end) => (this.end = end));
  }

  /** One line from the harness. */
  line(bytes) {
    let text;
    let said;
    try {
      text = utf8.decode(bytes);
      if (text.trim() === "") return;
      said = JSON.parse(text);
    } catch (error) {
      this.refuse(null, -32700, `not JSON: ${error.message}`);
      return;
    }
    if (said === null || typeof said !== "object" || Array.isArray(said)) {
      this.refuse(null, -32600, "not a request");
    } else if (!("method" in said) && ("result" in said || "error" in said)) {
      const settle = this.asked.get(said.id);
      this.asked.delete(said.id);
      settle?.(said);
    } else if (this.asked.size > 0) {
      if ("id" in said) this.refuse(said.id, -32600, "a step is open");
    } else {
      this.queue.push(said);
      if (!this.busy) this.serve();
    }
  }

  async serve() {
    this.busy = true;
    while (this.queue.length > 0) {
      const request = this.queue.shift();
      const ending = await this.answer(request, (params) => this.askHost(params));
      if ("id" in request) this.send(reply(request.id, ending));
      if (request.method === "bye") this.end();
    }
    this.busy = false;
  }

  refuse(id, code, text) {
    this.send(reply(id, ["error", failure(new Failure(code, text))]));
  }

  /** Run one request; resolves to how it ended: "result" or "error", and that member as JSON text. */
  async answer(request, summarize) {
    try {
      const { method, params = {} } = request;
      if (typeof method !== "string") throw new Failure(-32600, "a request has a method");
      if (params === null || typeof params !== "object" || Array.isArray(params)) throw new Failure(-32602, "params is an object");
      if (!Object.hasOwn(METHODS, method)) throw notFound(method);
      const result = await METHODS[method].call(this, params, summarize);
      return ["result", result instanceof Encoded ? result.text : encode(result)];
    } catch (error) {
      return error instanceof Infeasible ? ["result", '{"infeasible":true}'] : ["error", failure(error)];
    }
  }

  /** Send `summarize` and wait for the reply with its id. */
  async askHost(params) {
    const id = `s${++this.calls}`;
    const answered = new Promise((settle) => this.asked.set(id, settle));
    this.send(`{"jsonrpc":"2.0","id":"${id}","method":"summarize","params":${encode(params)}}`);
    return summary(await answered);
  }

  /** The candidate's method of that name, if it has one. */
  async ask(method, wire, ...given) {
    if (typeof this.candidate[method] !== "function") throw notFound(wire);
    return this.candidate[method](...given);
  }

  /** Beside the error of a step that raised stands the state, as `view` would give it. */
  async stateAfter(request, [kind]) {
    if (kind === "result" || request.method !== "step") return "";
    const [ending, state] = await this.answer({ method: "view", params: request.params }, null);
    return ending === "result" ? `,"state":${state}` : "";
  }
}

// Each of these takes the params of one method and returns its result; `this` is the server.
const METHODS = {
  hello({ protocol: [low, high] = [PROTOCOL, PROTOCOL] }) {
    if (!(low <= PROTOCOL && PROTOCOL <= high)) throw new Failure(-32000, `this adapter speaks protocol ${PROTOCOL}`);
    const { name, version, contract, batch } = this.candidate;
    return { protocol: PROTOCOL, name, version, contract, batch: batch !== false };
  },
  bye: () => ({}),
  async reset() {
    const { reset, append, attempt } = this.candidate;
    if (reset || append || attempt) await this.ask("reset", "reset");
    return {};
  },
  async append(params) {
    const [conversation, messages] = members(params, "conversation", "messages");
    const extra = await this.ask("append", "append", conversation, messages.map(message));
    return extra?.length ? { extra } : {};
  },
  async step(params, summarize) {
    const [conversation] = members(params, "conversation");
    let end;
    const ended = new Promise((_, reject) => (end = reject));
    const host = new Host(params, async (sent) => {
      try {
        return await summarize(sent);
      } catch (error) {
        if (error.kind !== "cut_off") throw error;
        end(new Failure(-32000, "the process ended"));
        return new Promise(() => {});
      }
    });
    try {
      const step = this.ask("step", "step", conversation, host);
      const { action = "none", appended, view, extra } = (await Promise.race([ended, step])) ?? {};
      const result = { action, appended: appended ?? [], view: view ?? null };
      return extra?.length ? { ...result, extra } : result;
    } finally {
      host.close();
    }
  },
  view(params) {
    return this.ask("view", "view", ...members(params, "conversation"));
  },
  async rewind(params) {
    return { view: (await this.ask("rewind", "rewind", ...members(params, "conversation", "to"))) ?? null };
  },
  async restart(params) {
    await this.ask("restart", "restart", ...members(params, "wall_s", "monotonic_s"), params.without ?? []);
    return {};
  },
  async usage(params) {
    await this.ask("usage", "usage", ...members(params, "conversation", "tokens", "upto"));
    return {};
  },
  async auto(params) {
    await this.ask("auto", "auto", ...members(params, "on"));
    return {};
  },
  async reduce(params) {
    const given = await this.ask("reduce", "reduce", ...members(params, "blocks", "limit"));
    return typeof given === "string" ? { text: given, notice: null } : given;
  },
  async fit(params) {
    const [messages, limit] = members(params, "messages", "limit");
    const given = await this.ask("fit", "fit", messages.map(message), limit);
    return Array.isArray(given) ? { view: given, notice: null } : given;
  },
  assemble({ conversation, messages, limit, path }) {
    return this.ask("assemble", "assemble", { conversation, messages: messages?.map(message), limit, path });
  },
  async gauge(params) {
    const [messages] = members(params, "messages");
    const given = await this.ask("gauge", "gauge", messages.map(message), params.reported ?? null);
    if (typeof given?.tokens === "number" && !Number.isFinite(given.tokens)) throw new TypeError(`tokens is ${given.tokens}`);
    return given;
  },
  configure_gauge(params) {
    return this.ask("configureGauge", "configure_gauge", ...members(params, "trigger", "target", "limit"));
  },
  async change(params) {
    await this.ask("change", "change", ...members(params, "guard", "event"));
    return {};
  },
  async attempt(params) {
    const [guard, outcome] = members(params, "guard", "outcome");
    const ran = await this.ask("attempt", "attempt", guard, outcome, params.during ?? [], params.monotonic_s ?? 0);
    return typeof ran === "object" && ran !== null ? ran : { ran: Boolean(ran) };
  },
  /**
   * Batch mode: all requests of a case, the summariser's answers fixed beforehand. Everything is
   * encoded as it happens, for what a candidate returned may change later on.
   */
  async case(params) {
    const [requests] = members(params, "requests");
    const { steps = {}, default: otherwise } = params.summaries ?? {};
    const endings = [];
    const calls = [];
    for (const [index, request] of requests.entries()) {
      const answers = [...(steps[index] ?? [])];
      const summarize = async (sent) => {
        calls.push(`{"request":${index},"params":${encode(sent)}}`);
        return summary(answers.length > 0 ? answers.shift() : otherwise);
      };
      const ending = ["case", "hello", "bye"].includes(request.method)
        ? ["error", failure(new Failure(-32600, `${request.method} has no place in a case`))]
        : await this.answer(request, summarize);
      endings.push(`{"${ending[0]}":${ending[1]}${await this.stateAfter(request, ending)}}`);
    }
    return new Encoded(`{"results":[${endings.join()}],"summarize_calls":[${calls.join()}]}`);
  },
};

/** A result that is JSON text already. */
class Encoded {
  constructor(text) {
    this.text = text;
  }
}

function encode(value) {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError("the method returned nothing that JSON can tell");
  return text;
}

const reply = (id, [kind, text]) => `{"jsonrpc":"2.0","id":${encode(id)},"${kind}":${text}}`;

/** The error object for whatever was thrown, as JSON text; the stack goes to stderr. */
function failure(error) {
  const known = error instanceof Failure || error instanceof SummarizeError;
  if (!known) process.stderr.write(`${error?.stack ?? error}\n`);
  const code = error instanceof Failure ? error.code : -32000;
  // What kind of error it is says more than its text may, but for the plainest.
  const kind = error instanceof Error && !known && error.name !== "Error" && error.message ? `${error.name}: ` : "";
  const text = kind + (error instanceof Error ? error.message || error.name : String(error)) || "an error without a text";
  const data = known ? error.data : undefined;
  return encode({ code, message: text, ...(data === undefined ? {} : { data }) });
}

function members(params, ...names) {
  for (const name of names) if (!(name in params)) throw new Failure(-32602, `missing member: ${name}`);
  return names.map((name) => params[name]);
}

/** A `Summary` out of a reply or a scripted answer, which may be a bare result or error. */
function summary(answer) {
  const given = answer ?? { error: { data: { kind: "transport" } } };
  if ("error" in given || "kind" in given) {
    const error = given.error ?? given;
    if (typeof error === "string") throw new SummarizeError(error);
    throw new SummarizeError(error.data?.kind ?? error.kind ?? "transport", error.message);
  }
  const { text, stop = "end", arrived } = given.result ?? given;
  return new Summary(text, stop, (arrived ?? []).map(message));
}
