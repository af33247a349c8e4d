/**
 * What was found, shown with Codex alone: neither the adapter nor plimsoll takes part.
 *
 *     node tests/found.mjs
 *
 * `codex app-server` runs against a model server on loopback. Each part fills a thread, starts a turn above the
 * threshold, and prints what the next request holds. README.md tells what each part means.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { scratch } from "../../scratch.mjs";

const HOME = scratch("codex-found");
let answers = []; // for the calls for a summary; the last one stays
let calls = 0;
let next; // the input of the request after it
const textOf = (item) => (item.content ?? []).map((part) => part.text ?? "").join("") || item.output || "";
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk)).on("end", () => {
    const { input } = JSON.parse(body);
    const asked = textOf(input.at(-1)).startsWith("You are performing a CONTEXT CHECKPOINT COMPACTION");
    if (asked) calls++;
    else next = input;
    const events = asked ? (answers.length > 1 ? answers.shift() : answers[0]) : null;
    if (!events) {
      response.writeHead(400, { "content-type": "application/json" });
      return response.end(JSON.stringify({ error: { message: "refused", type: "invalid_request_error" } }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of [{ type: "response.created", response: { id: "r" } }, ...events]) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    return response.end();
  });
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const settings = {
  model: "m", model_provider: "p", model_context_window: 100_000_000, model_auto_compact_token_limit: 1, "model_providers.p.name": "p",
  "model_providers.p.base_url": `http://127.0.0.1:${server.address().port}/v1`, "model_providers.p.wire_api": "responses",
  "model_providers.p.request_max_retries": 0, "model_providers.p.stream_max_retries": 0, "analytics.enabled": false,
};
const binary = fileURLToPath(new URL("../node_modules/.bin/codex", import.meta.url));
const codex = spawn(binary, ["app-server", ...Object.entries(settings).flatMap(([k, v]) => ["-c", `${k}=${JSON.stringify(v)}`])], {
  env: { PATH: process.env.PATH, HOME, CODEX_HOME: HOME, RUST_LOG: "off" }, stdio: ["pipe", "pipe", "ignore"],
});
process.on("exit", () => codex.kill("SIGKILL"));
const waiting = new Map();
let notice = () => {};
createInterface({ input: codex.stdout }).on("line", (line) => {
  const said = JSON.parse(line);
  if (said.method) notice(said);
  else waiting.get(said.id)(said.result ?? said.error);
});
let count = 0;
const call = (method, params) => new Promise((done) => {
  waiting.set(++count, done);
  codex.stdin.write(`${JSON.stringify({ id: count, method, params })}\n`);
});
await call("initialize", { clientInfo: { name: "found", title: null, version: "1" }, capabilities: { experimentalApi: true } });

const user = (text) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const model = (text) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 };
const done = (part) => ({ type: "response.output_item.done", output_index: 0, item: { type: "message", id: "i", role: "assistant", content: [part] } });
const completed = { type: "response.completed", response: { id: "r", usage } };
const text = (said) => [done({ type: "output_text", text: said }), completed];
const talk = Array.from({ length: 6 }, (_, i) => [user(`question ${i} ${"word ".repeat(20)}`), model(`answer ${i} ${"word ".repeat(20)}`)]).flat();

async function part(name, items, ...given) {
  console.log(`\n${name}`);
  const { thread } = await call("thread/start", { cwd: HOME, approvalPolicy: "never", sandbox: "read-only" });
  await call("thread/inject_items", { threadId: thread.id, items });
  for (const answer of given) {
    answers = answer;
    calls = 0;
    next = null;
    let told = "";
    const end = new Promise((ended) => {
      notice = ({ method, params }) => {
        if (method === "item/completed" && params.item.type === "contextCompaction") told += "compacted; ";
        if (method === "error") told += `error ${params.error.message.slice(0, 90)}; `;
        if (method === "turn/completed") ended();
      };
    });
    await call("turn/start", { threadId: thread.id, input: [] });
    await end;
    const held = (next ?? []).filter((item) => item.role !== "developer").map((item) => `${item.role ?? item.type} ${JSON.stringify(textOf(item).slice(0, 12))}`);
    console.log(`  calls for a summary ${calls}; ${told}\n  the next request: ${next ? held.join(", ") : "none"}`);
    const summary = (next ?? []).map(textOf).find((held) => held.startsWith("Another language model"));
    if (summary) console.log(`  the summary: ${summary.length} characters, ending in ${JSON.stringify(summary.slice(-40))}`);
  }
}

await part("a good answer", talk, [text("IN SHORT")]);
await part("an empty answer", talk, [text("")]);
await part("an answer that was refused", talk, [[done({ type: "refusal", refusal: "I cannot help" }), completed]]);
await part("an answer cut at the output cap", talk, [[done({ type: "output_text", text: "the person wants" }), { type: "response.incomplete", response: { id: "r", incomplete_details: { reason: "max_output_tokens" }, usage } }]]);
await part("an answer longer than everything", talk, [text("word ".repeat(1000))]);
await part("a call that is refused, three turns", talk, [null], [null], [null]);
const tooLong = [{ type: "response.failed", response: { id: "r", error: { code: "context_length_exceeded", message: "too long" } } }];
await part("the call for a summary is too long, always", talk, [tooLong]);
await part("one message", [user("hello")], [text("IN SHORT")]);
process.exit(0);
