/** minimal.mjs with types. Node 22.18 and later: plimsoll check -- node minimal.ts; before that, through tsc or a loader. */
import { Conversation, Keeper, Summary, SummarizeError, external, hasOpenCall, latestUser, mustStay, run, size } from "./plimsoll.mjs";
import type { Host, Step } from "./plimsoll.mjs";

class Talk extends Conversation {
  triedAt = -Infinity; failed?: number; // the time of the last attempt, growth at the last failure
}

class Minimal extends Keeper<Talk> {
  name = "minimal"; version = "1.0";
  contract = {
    capabilities: ["summarize", "throttle", "latch", "log", "view", "conversations", "rewind"],
    throttle: { cooldown_s: 60, growth: "ignored", clock: "monotonic" }, latch: { reopen_growth: 20 },
  };
  static Conversation = Talk;

  async step(conversation: string, host: Host): Promise<Step | void> {
    const talk = this.conversations.get(conversation);
    const stay = mustStay(talk.view, [latestUser(talk.view), talk.visible().at(-1)]);
    const old = talk.visible().filter((i) => !stay.has(i.id!));
    const worth = old.filter(external).length >= 4 && size(old) >= 400;
    const cooling = host.monotonic_s - talk.triedAt < 60;
    const latched = talk.failed !== undefined && talk.external - talk.failed < 20;
    if (host.pressure !== "summarize" || !worth || cooling || latched || hasOpenCall(talk.view)) return;
    const answer = await host.summarize(old).catch((error: SummarizeError) => new Summary("", error.kind));
    if (answer.stop === "aborted") return;
    Object.assign(talk, { triedAt: host.monotonic_s, failed: talk.external });
    const summary = talk.summary(answer.text), gone = new Set(old.slice(1));
    const shorter = talk.view.filter((i) => !gone.has(i)).map((i) => (i === old[0] ? summary : i));
    if (!answer.usable || size(shorter) >= size(talk.view)) return { appended: [talk.say(`compaction failed: ${answer.stop}`)] };
    Object.assign(talk, { view: shorter, failed: undefined });
    return { action: "summarize", view: talk.view };
  }
}

await run(new Minimal());
