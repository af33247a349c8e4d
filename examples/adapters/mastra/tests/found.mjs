/**
 * What was found, shown with Mastra alone: neither the adapter nor plimsoll takes part, and no counter is replaced.
 *
 *     node_modules/.bin/node tests/found.mjs
 */
import { TokenLimiterProcessor } from "@mastra/core/processors";

const words = (name, count) => `${name} ${"word ".repeat(count)}`;
const system = (name, count = 0) => ({ role: "system", content: words(name, count) });
const user = (name, count = 0) => ({ role: "user", content: [{ type: "text", text: words(name, count) }] });
const answer = (name, count = 0) => ({ role: "assistant", content: [{ type: "text", text: words(name, count) }] });
const call = (id) => ({ role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: "probe", input: {} }] });
const result = (id, count = 0) => ({ role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "probe", output: { type: "text", value: words(id, count) } }] });
const name = (m) => (typeof m.content === "string" ? m.content : m.content.map((p) => p.text ?? p.output?.value ?? p.toolCallId).join()).split(" ")[0];

async function limit(what, prompt, options) {
  let told;
  try {
    const made = (await new TokenLimiterProcessor(options).processLLMRequest({ prompt }))?.prompt ?? prompt;
    told = made.map((m) => `${m.role} ${name(m)}`).join(", ");
  } catch (error) {
    told = `throws ${error.name ?? error.constructor.name}: ${error.message}`;
  }
  console.log(`${what}, ${JSON.stringify(options)}:\n  ${told}`);
}

const turn = [user("request", 40), call("t1"), result("t1", 40)];
for (const trimMode of ["best-fit", "contiguous"]) {
  await limit("a request, a call and its result", turn, { limit: 100, trimMode });
  await limit("a short question, a long answer, a short question", [user("first"), answer("long", 200), user("second")], { limit: 100, trimMode });
}
await limit("no message", [], { limit: 100 });
await limit("a system message alone", [system("rules")], { limit: 100 });
await limit("a system message that is too long", [system("rules", 200), user("request")], { limit: 100 });
await limit("a request that is too long", [user("request", 200)], { limit: 100 });
