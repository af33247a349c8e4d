/**
 * What was found, shown with Gemini CLI's core alone: neither the adapter nor plimsoll takes part.
 *
 *     node tests/found.mjs
 *
 * Each part makes a GeminiClient, fills its chat, and calls `tryCompressChat` as the CLI does. The only
 * replaced parts are the content generator and the waiting between retries. README.md tells what each
 * part means.
 */
import { scratch } from "../../scratch.mjs";

const HOME = scratch("gemini-found");
Object.assign(process.env, { HOME, GEMINI_CLI_HOME: HOME });
const print = console.log.bind(console);
for (const name of ["log", "info", "debug", "warn", "error"]) console[name] = () => {};

const PACKAGE = new URL("../node_modules/@google/gemini-cli-core/", import.meta.url);
const { BaseLlmClient, CompressionStatus, Config, GeminiClient } = await import("@google/gemini-cli-core");
const { estimateTokenCountSync } = await import(new URL("dist/src/utils/tokenCalculation.js", PACKAGE));
const { ApiError } = await import("@google/genai");
const later = globalThis.setTimeout;
globalThis.setTimeout = (run, _, ...given) => later(run, 0, ...given);

const config = new Config({
  sessionId: "found", targetDir: HOME, cwd: HOME, model: "gemini-2.5-pro",
  debugMode: false, interactive: false, usageStatisticsEnabled: false, compressionThreshold: 1e-9,
});
await config.initialize();

let answer;
let calls = 0;
config.contentGenerator = {
  async generateContent() {
    calls++;
    if (answer instanceof Error) throw answer;
    const { text, finishReason = "STOP" } = answer;
    return { candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason }] };
  },
};
config.baseLlmClient = new BaseLlmClient(config.contentGenerator, config);

const words = (name, count = 20) => `${name} ${"word ".repeat(count)}`;
const user = (name, count) => ({ role: "user", parts: [{ text: words(name, count) }] });
const model = (name, count) => ({ role: "model", parts: [{ text: words(name, count) }] });
const call = (id) => ({ role: "model", parts: [{ functionCall: { id, name: "probe", args: {} } }] });
const result = (id, count) => ({ role: "user", parts: [{ functionResponse: { id, name: "probe", response: { output: words(id, count) } } }] });
const talk = (turns) => Array.from({ length: turns }, (_, i) => [user(`question ${i}`), model(`answer ${i}`)]).flat();

async function chat(name, history) {
  print(`\n${name}`);
  const client = new GeminiClient(config);
  await client.initialize();
  for (const content of history) await client.addHistory(content);
  return client;
}

const sizeOf = (client) => estimateTokenCountSync(client.getHistory().flatMap((c) => c.parts));

async function compress(client, given, force = false) {
  answer = given;
  calls = 0;
  client.getChat().lastPromptTokenCount = sizeOf(client); // what the provider would have counted
  let end;
  try {
    end = CompressionStatus[(await client.tryCompressChat("found", force)).compressionStatus];
  } catch (error) {
    end = `throws ${error.message}`;
  }
  print(`  ${force ? "forced" : "automatic"}: model calls ${calls}, ${end}; failure remembered: ${client.hasFailedCompressionAttempt}; history ${sizeOf(client)} tokens`);
}

const GOOD = { text: "in short" };
const REFUSED = new ApiError({ status: 400, message: "refused" });

let client = await chat("a call that is refused, three times", talk(6));
for (let i = 0; i < 3; i++) await compress(client, REFUSED);

client = await chat("no answer, three times", talk(6));
for (let i = 0; i < 3; i++) await compress(client, { text: "" });

client = await chat("a lost connection, three times", talk(6));
for (let i = 0; i < 3; i++) await compress(client, Object.assign(new Error("reset"), { code: "ECONNRESET" }));

client = await chat("a summary that is longer, then good ones, then a forced one", talk(6));
await compress(client, { text: words("long", 3000) });
for (const content of talk(20)) await client.addHistory(content);
await compress(client, GOOD);
await compress(client, GOOD);
await compress(client, GOOD, true);

client = await chat("answers cut at the output cap", talk(6));
await compress(client, { text: "the person wants", finishReason: "MAX_TOKENS" });
print(`  the history holds: ${JSON.stringify(client.getHistory().flatMap((c) => c.parts).map((p) => p.text.slice(0, 20)).slice(1, 3))}`);

client = await chat("answers that were refused", talk(6));
await compress(client, { text: "I cannot help", finishReason: "SAFETY" });

client = await chat("one request, then forty tool steps", [user("rename the files"), ...Array.from({ length: 40 }, (_, i) => [call(`t${i}`), result(`t${i}`, 200)]).flat()]);
await compress(client, GOOD);
await compress(client, GOOD, true);

client = await chat("one request, then forty tool steps, and an answer", [user("rename the files"), ...Array.from({ length: 40 }, (_, i) => [call(`t${i}`), result(`t${i}`, 200)]).flat(), model("done")]);
await compress(client, GOOD);

client = await chat("two short messages", [user("hello", 0), model("hello", 0)]);
await compress(client, GOOD);

client = await chat("two short questions with answers, twice under pressure and nothing said between", talk(2));
await compress(client, GOOD);
print(`  the history holds: ${JSON.stringify(client.getHistory().flatMap((c) => c.parts).map((p) => p.text.slice(0, 20)))}`);
await compress(client, GOOD);

client = await chat("a forced call that is refused, and one that is not forced", talk(6));
await compress(client, REFUSED, true);
await compress(client, GOOD);
process.exit(0);
