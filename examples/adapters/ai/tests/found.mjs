/**
 * What was looked at by hand, with the AI SDK alone: neither the adapter nor plimsoll takes part.
 *
 *     node tests/found.mjs
 */
import { pruneMessages } from "ai";

const SETTINGS = { reasoning: "before-last-message", toolCalls: "before-last-2-messages", emptyMessages: "remove" };
const user = (content) => ({ role: "user", content });
const call = (...ids) => ({ role: "assistant", content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "probe", input: {} })) });
const result = (toolCallId) => ({ role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "probe", output: { type: "text", value: toolCallId } }] });

function show(name, messages, settings = SETTINGS) {
  const pruned = pruneMessages({ messages, ...settings });
  const told = pruned.map((m) => (typeof m.content === "string" ? `${m.role} ${JSON.stringify(m.content)}` : `${m.role} [${m.content.map((p) => `${p.type} ${p.toolCallId}`).join(", ")}]`));
  console.log(`${name}:\n  ${told.join("\n  ")}`);
  return pruned;
}

show("two calls that are answered, the older one goes", [user("q"), call("a"), result("a"), call("b"), result("b")]);
const pending = show("three calls at once, two of them answered", [user("q"), call("a", "b", "c"), result("a"), result("b")]);
show("the third answer comes", [...pending, result("c")], {});
show("an empty message of a person", [user(""), user("q")]);
show("before-last-0-messages", [user("q"), call("a"), result("a")], { toolCalls: "before-last-0-messages" });
