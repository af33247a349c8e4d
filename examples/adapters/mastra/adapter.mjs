/**
 * Mastra's TokenLimiterProcessor behind the plimsoll adapter protocol. It needs Node 22.
 *
 *     node_modules/.bin/node adapter.mjs                 trimMode "best-fit", its default
 *     node_modules/.bin/node adapter.mjs --contiguous    trimMode "contiguous"
 *
 * Driven is `processLLMRequest`, which fits the prompt into the limit directly before the model is called.
 * Replaced is the counter: a token is a message. README.md says why, and what each claim rests on.
 */
import { readFileSync } from "node:fs";
import * as plimsoll from "../plimsoll.mjs";

plimsoll.claimStdout();
const { TokenLimiterProcessor } = await import("@mastra/core/processors");
const { TripWire } = await import("@mastra/core/agent");

/** The tokens that every conversation costs beside its messages; the limit has room for them. */
const { TOKENS_PER_CONVERSATION } = TokenLimiterProcessor;

class ByMessages extends TokenLimiterProcessor {
  countPromptMessageTokens() {
    return 1;
  }
}

function encode({ role, content, reasoning, calls, call_id }) {
  if (role === "system") return { role, content };
  if (role === "user") return { role, content: [{ type: "text", text: content }] };
  if (role === "tool") {
    return { role, content: [{ type: "tool-result", toolCallId: call_id, toolName: "probe", output: { type: "text", value: content } }] };
  }
  return {
    role,
    content: [
      ...(reasoning === null ? [] : [{ type: "reasoning", text: reasoning }]),
      { type: "text", text: content },
      ...calls.map((id) => ({ type: "tool-call", toolCallId: id, toolName: "probe", input: {} })),
    ],
  };
}

class TokenLimiter extends plimsoll.Candidate {
  name = "mastra-token-limiter";
  version = JSON.parse(readFileSync(new URL("node_modules/@mastra/core/package.json", import.meta.url))).version;
  contract = {
    capabilities: ["fit"],
    messages: ["calls", "parallel_calls", "reasoning", "system", "many_system", "tool_role"],
    fit: { unit: "messages", max: "any" },
  };

  constructor(trimMode) {
    super();
    this.trimMode = trimMode;
  }

  async fit(messages, limit) {
    const limiter = new ByMessages({ limit: limit.max + TOKENS_PER_CONVERSATION, trimMode: this.trimMode });
    const prompt = messages.map(encode);
    const said = new Map(prompt.map((sent, at) => [sent, messages[at]]));
    let result;
    try {
      result = await limiter.processLLMRequest({ prompt });
    } catch (error) {
      if (error instanceof TripWire) throw new plimsoll.Infeasible(error.message);
      throw error;
    }
    return (result?.prompt ?? prompt).map((sent) => said.get(sent)); // messages are handed on as they are
  }
}

await plimsoll.run(new TokenLimiter(process.argv.includes("--contiguous") ? "contiguous" : "best-fit"));
