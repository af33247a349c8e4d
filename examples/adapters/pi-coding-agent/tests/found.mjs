/**
 * What was found, shown with pi alone: neither the adapter nor plimsoll takes part.
 *
 *     node tests/found.mjs 0.73.1
 *     1.6.0/node_modules/.bin/node tests/found.mjs 1.6.0
 *
 * Each part fills a session and compacts it, as `/compact` does or as the agent does at its threshold. The
 * only replaced parts are the model's stream and the waiting between retries. README.md tells what each
 * part means.
 */
import { join } from "node:path";
import { scratch } from "../../scratch.mjs";

const VERSION = process.argv[2];
const NEW = VERSION !== "0.73.1";
const HOME = scratch("pi-found");
Object.assign(process.env, { HOME, PI_CODING_AGENT_DIR: join(HOME, "agent"), PI_OFFLINE: "1" });
const shipped = (name, file = "dist/index.js") => new URL(`../${VERSION}/node_modules/${NEW ? "@earendil-works" : "@mariozechner"}/${name}/${file}`, import.meta.url);
const pi = await import(shipped("pi-coding-agent"));
const ai = await import(shipped("pi-ai", NEW ? "dist/compat.js" : "dist/index.js"));
const { convertToLlm } = await import(shipped("pi-coding-agent", "dist/core/messages.js"));
const later = globalThis.setTimeout;
globalThis.setTimeout = (run, _, ...given) => later(run, 0, ...given);

const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const MODEL = { id: "m", name: "m", api: "found", provider: "found", baseUrl: "http://127.0.0.1:9/", reasoning: false, input: ["text"], cost: COST, contextWindow: 200_000, maxTokens: 32_000 };
const reply = (text, stopReason = "stop", more = {}) => ({
  role: "assistant", content: [{ type: "text", text }, ...(more.calls ?? []).map((id) => ({ type: "toolCall", id, name: "probe", arguments: {} }))],
  api: "found", provider: "found", model: "m", usage: { ...COST, totalTokens: 0, cost: { ...COST, total: 0 } }, stopReason, timestamp: Date.now(), ...more.members,
});

let answer;
let sent = [];
function stream(model, context) {
  const events = ai.createAssistantMessageEventStream();
  sent.push(context.messages.flatMap((m) => m.content).map((part) => part.text ?? part).join("\n"));
  queueMicrotask(() => events.push(answer.stopReason === "error" ? { type: "error", reason: "error", error: answer } : { type: "done", reason: answer.stopReason, message: answer }));
  return events;
}

const settingsManager = pi.SettingsManager.inMemory();
const agentDir = join(HOME, "agent");
const resourceLoader = new pi.DefaultResourceLoader({ cwd: HOME, agentDir, settingsManager });
await resourceLoader.reload();
const options = { cwd: HOME, agentDir, settingsManager, resourceLoader, model: MODEL, noTools: "all" };
if (!NEW) {
  ai.registerApiProvider({ api: "found", stream, streamSimple: stream });
  options.authStorage = pi.AuthStorage.inMemory({ found: { type: "api_key", key: "none" } });
}

const words = (name, count) => `${name} ${"word ".repeat(count)}`;
const user = (name, count = 700) => ({ role: "user", content: [{ type: "text", text: words(name, count) }], timestamp: Date.now() });
const result = (id, count) => ({ role: "toolResult", toolCallId: id, toolName: "probe", content: [{ type: "text", text: words(id, count) }], isError: false, timestamp: Date.now() });
const talk = (turns) => Array.from({ length: turns }, (_, i) => [user(`question ${i}`), reply(words(`answer ${i}`, 700))]).flat();
const steps = (count, from = 0) => Array.from({ length: count }, (_, i) => [reply("", "toolUse", { calls: [`t${from + i}`] }), result(`t${from + i}`, 700)]).flat();
const textOf = (message) => (typeof message.content === "string" ? message.content : message.content.map((c) => c.text ?? "").join(""));

async function open(name, messages) {
  console.log(`\n${name}`);
  const manager = pi.SessionManager.inMemory(HOME);
  const { session } = await pi.createAgentSession({ ...options, sessionManager: manager });
  if (NEW) session.agent.streamFunction = stream;
  const add = (more) => more.forEach((m) => manager.appendMessage(m));
  const view = () => convertToLlm(manager.buildSessionContext().messages);
  const size = () => view().reduce((sum, m) => sum + textOf(m).length, 0);
  const compact = async (given, manual = false) => {
    answer = given;
    sent = [];
    const before = size();
    let told;
    const stop = session.subscribe((e) => e.type === "compaction_end" && (told = e.errorMessage ?? (e.result ? "compacted" : "nothing")));
    if (manual) await session.compact().catch(() => {});
    else await session._runAutoCompaction("threshold", false);
    stop();
    console.log(`  ${manual ? "/compact" : "automatic"}: model calls ${sent.length}, ${told ?? "nothing"}; ${before} characters before, ${size()} after`);
  };
  add(messages);
  return { add, view, compact, holds: (text) => view().some((m) => textOf(m).includes(text)) };
}

let chat = await open("a new session", []);
await chat.compact(reply("there was nothing"), true);

chat = await open("an empty answer", talk(14));
await chat.compact(reply(""));
console.log(`  "question 0" is still there: ${chat.holds("question 0")}`);

chat = await open("an answer cut at the output cap", talk(14));
await chat.compact(reply("the person wants", "length"));
console.log(`  "question 0" is still there: ${chat.holds("question 0")}`);

chat = await open("an answer longer than everything", talk(14));
await chat.compact(reply("word ".repeat(50_000)));

chat = await open("a call that is refused", talk(14));
await chat.compact(reply("", "error", { members: { errorMessage: "400 invalid request" } }));
await chat.compact(reply("", "error", { members: { errorMessage: "400 invalid request" } }));

chat = await open("a lost connection", talk(14));
await chat.compact(reply("", "error", { members: { errorMessage: "Connection error." } }));

chat = await open("one request and forty tool steps after it", [user("rename the files"), ...steps(40)]);
await chat.compact(reply("in short"));
console.log(`  the request is still there: ${chat.holds("rename the files")}`);

chat = await open("a summary, then a turn that began at its end grows long", [...talk(14), user("rename the files"), ...steps(22)]);
await chat.compact(reply("FIRST SUMMARY"));
console.log(`  the first summary is there: ${chat.holds("FIRST SUMMARY")}`);
chat.add(steps(30, 100));
await chat.compact(reply("SECOND SUMMARY"));
console.log(`  the first summary is there: ${chat.holds("FIRST SUMMARY")}; its text was shown to the model: ${sent.some((text) => text.includes("FIRST SUMMARY"))}`);
process.exit(0);
