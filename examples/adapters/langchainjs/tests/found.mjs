/**
 * What was found, shown with LangChain.js alone: neither the adapter nor plimsoll takes part.
 *
 *     node tests/found.mjs
 *
 * Each part runs the shipped middleware in an agent of createAgent, and prints what the thread holds
 * afterwards. The only replaced part is the model. README.md tells what each part means.
 */
import { createAgent, summarizationMiddleware } from "langchain";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { MemorySaver } from "@langchain/langgraph";

class Model extends BaseChatModel {
  constructor(answer) {
    super({});
    this.answer = answer;
    this.sent = [];
  }

  _llmType() {
    return "found";
  }

  async _generate(messages) {
    this.sent.push(messages.map((m) => m.text).join("\n"));
    if (this.answer instanceof Error) throw this.answer;
    return { generations: [{ text: this.answer.text, message: this.answer }] };
  }

  bindTools() {
    return this;
  }
}

const talk = (count, from = 0) => Array.from({ length: count }, (_, i) =>
  new (i % 2 ? AIMessage : HumanMessage)({ id: `m${from + i}`, content: `message ${from + i} ${"word ".repeat(20)}` }));
const length = (messages) => messages.reduce((sum, m) => sum + m.text.length, 0);

/** One conversation; `run` brings messages in and stops before the agent's own model. */
function conversation(name, answer) {
  console.log(`\n${name}`);
  const model = new Model(answer);
  const agent = createAgent({
    model: new Model(new AIMessage("never")), tools: [], checkpointer: new MemorySaver(),
    middleware: [summarizationMiddleware({ model, trigger: { messages: 21 } })],
  });
  const run = async (messages) => {
    const calls = model.sent.length;
    const { messages: held } = await agent.invoke({ messages }, { configurable: { thread_id: "a" }, context: {}, interruptBefore: ["model_request"] });
    const [first] = held;
    console.log(`  model calls ${model.sent.length - calls}, ${held.length} messages, ${length(held)} characters; first: ${first.type} ${first.additional_kwargs.lc_source ?? ""} ${JSON.stringify(first.text.slice(0, 110))}`);
    return held;
  };
  return { model, run };
}

for (const [name, answer] of [
  ["a call that is refused", new Error("400 the request was refused")],
  ["an empty answer", new AIMessage("")],
  ["an answer cut at the output cap", new AIMessage({ content: "the person wants", response_metadata: { stop_reason: "max_tokens" } })],
  ["an answer that was refused", new AIMessage({ content: "I cannot help", response_metadata: { stop_reason: "refusal" } })],
  ["an answer longer than what it replaces", new AIMessage("word ".repeat(1000))],
]) {
  const { run } = conversation(name, answer);
  console.log(`  ${length(talk(21))} characters in 21 messages`);
  const held = await run(talk(21));
  console.log(`  "message 0" is still there: ${held.some((m) => m.text.startsWith("message 0"))}`);
}

{
  const { run } = conversation("the trigger is met by what is kept", new AIMessage("in short"));
  await run(talk(21));
  await run([]);
  await run([]);
}

{
  const { run, model } = conversation("a system message at the head", new AIMessage("in short"));
  const held = await run([new SystemMessage({ id: "s", content: "Answer in French." }), ...talk(24)]);
  console.log(`  system messages left: ${held.filter((m) => m.type === "system").length}; the model was shown it: ${model.sent[0].includes("French")}`);
}

{
  const { run } = conversation("one request and 24 messages of tool use after it", new AIMessage("in short"));
  const steps = Array.from({ length: 12 }, (_, i) => [
    new AIMessage({ id: `c${i}`, content: "", tool_calls: [{ type: "tool_call", id: `t${i}`, name: "probe", args: {} }] }),
    new ToolMessage({ id: `r${i}`, content: "result ".repeat(20), tool_call_id: `t${i}` }),
  ]).flat();
  const held = await run([new HumanMessage({ id: "u", content: "Rename the file." }), ...steps]);
  console.log(`  the request is still there: ${held.some((m) => m.text === "Rename the file.")}`);
}

{
  const { run, model } = conversation("more than 4,000 tokens to summarise", new AIMessage("in short"));
  await run(talk(44).map((m, i) => (i < 24 ? new HumanMessage({ id: m.id, content: `message ${i}.\n${"word ".repeat(300)}` }) : m)));
  const shown = Array.from({ length: 24 }, (_, i) => i).filter((i) => model.sent[0].includes(`message ${i}.`));
  console.log(`  of the 24 messages that the summary replaced its model was shown: ${shown.join(" ")}`);
}

{
  const { run, model } = conversation("a dollar sign in a message", new AIMessage("in short"));
  await run([new HumanMessage({ id: "m", content: "it costs $& or $' or $$5" }), ...talk(20)]);
  const [prompt] = model.sent;
  const at = prompt.indexOf("it costs");
  console.log(`  the model was shown: ${JSON.stringify(prompt.slice(at, at + 60))}`);
}

console.log("\ntrimMessages: strategy last, includeSystem; one token a message");
const trim = async (name, messages, maxTokens, options = {}) => {
  const kept = await trimMessages(messages, { maxTokens, tokenCounter: (list) => list.length, strategy: "last", includeSystem: true, ...options });
  console.log(`  ${name}: ${kept.map((m) => (m ? m.id : "an undefined element")).join(" ") || "nothing"}`);
};
const human = (id) => new HumanMessage({ id, content: id });
const system = (id) => new SystemMessage({ id, content: id });
const call = (id, of) => new AIMessage({ id, content: "", tool_calls: [{ type: "tool_call", id: of, name: "probe", args: {} }] });
const result = (id, of) => new ToolMessage({ id, content: id, tool_call_id: of });
await trim("user call result, limit 2", [human("user"), call("call", "t"), result("result", "t")], 2);
await trim("user call result, limit 1", [human("user"), call("call", "t"), result("result", "t")], 1);
await trim("system user, limit 1", [system("system"), human("user")], 1);
await trim("system user, limit 0", [system("system"), human("user")], 0);
await trim("system system user, limit 2", [system("system1"), system("system2"), human("user")], 2);
console.log("the same with startOn human");
await trim("user call result, limit 2", [human("user"), call("call", "t"), result("result", "t")], 2, { startOn: "human" });
await trim("answer user, limit 2", [new AIMessage({ id: "answer", content: "a" }), human("user")], 2, { startOn: "human" });
await trim("system answer, limit 1", [system("system"), new AIMessage({ id: "answer", content: "a" })], 1, { startOn: "human" });
await trim("system user, limit 1", [system("system"), human("user")], 1, { startOn: "human" });
await trim("system user answer, limit 2", [system("system"), human("user"), new AIMessage({ id: "answer", content: "a" })], 2, { startOn: "human" });
