/**
 * The AI SDK's pruneMessages behind the plimsoll adapter protocol.
 *
 *     node adapter.mjs
 *
 * It is told how many of the last messages keep their tool parts, and knows no limit of size: it is
 * driven as a trim, with the settings of its documentation's example. README.md has the sources.
 */
import { readFileSync } from "node:fs";
import * as plimsoll from "../plimsoll.mjs";

plimsoll.claimStdout();
const { pruneMessages } = await import("ai");

const SETTINGS = { reasoning: "before-last-message", toolCalls: "before-last-2-messages", emptyMessages: "remove" };

function encode({ role, content, reasoning, calls, call_id }) {
  if (role === "tool") {
    return { role, content: [{ type: "tool-result", toolCallId: call_id, toolName: "probe", output: { type: "text", value: content } }] };
  }
  if (role !== "assistant") return { role, content };
  return {
    role,
    content: [
      ...(reasoning === null ? [] : [{ type: "reasoning", text: reasoning }]),
      { type: "text", text: content },
      ...calls.map((id) => ({ type: "tool-call", toolCallId: id, toolName: "probe", input: {} })),
    ],
  };
}

/** The message as it is now, as an item of the view; the text of a message tells which one it is. */
function decode(sent, said) {
  if (typeof sent.content === "string") return said.get(sent.content);
  const of = (type) => sent.content.filter((part) => part.type === type);
  const content = [...of("text").map((p) => p.text), ...of("tool-result").map((p) => p.output.value)].join("\n");
  return {
    ...said.get(content), content, calls: of("tool-call").map((p) => p.toolCallId),
    reasoning: of("reasoning").map((p) => p.text).join("\n") || null,
  };
}

class Prune extends plimsoll.Candidate {
  name = "ai-prune-messages";
  version = JSON.parse(readFileSync(new URL("node_modules/ai/package.json", import.meta.url))).version;
  contract = {
    capabilities: ["trim", "view"],
    messages: ["calls", "parallel_calls", "reasoning", "system", "many_system", "tool_role"],
    attempt: { pending: "host" },
    trim: { min_chars: 0, keep_last: 2, how: "drop" },
    pressure: "given",
    drive: "step",
  };

  reset() {
    this.chats = new plimsoll.Conversations(() => ({ messages: [], said: new Map() }));
  }

  append(conversation, messages) {
    const chat = this.chats.get(conversation);
    for (const said of messages) {
      chat.said.set(said.content, said);
      chat.messages.push(encode(said));
    }
  }

  step(conversation, host) {
    if (host.pressure === "none") return {};
    const chat = this.chats.get(conversation);
    const before = JSON.stringify(chat.messages);
    chat.messages = pruneMessages({ messages: chat.messages, ...SETTINGS });
    return { action: JSON.stringify(chat.messages) === before ? "none" : "trim", ...this.view(conversation) };
  }

  view(conversation) {
    const { messages, said } = this.chats.get(conversation);
    return { view: messages.map((sent) => decode(sent, said)) };
  }
}

await plimsoll.run(new Prune());
