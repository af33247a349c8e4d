/** A whole candidate in forty lines: plimsoll check -- node minimal.mjs */
import { Conversation, Keeper, Summary, external, hasOpenCall, latestUser, mustStay, run, size } from "./plimsoll.mjs";

class Minimal extends Keeper {
  name = "minimal"; version = "1.0";
  contract = {
    capabilities: ["summarize", "throttle", "latch", "log", "view", "conversations", "rewind"],
    throttle: { cooldown_s: 60, growth: "ignored", clock: "monotonic" }, latch: { reopen_growth: 20 },
  };
  static Conversation = class extends Conversation {
    triedAt; failed; // the time of the last attempt, growth at the last failure
  };

  async step(conversation, host) {
    const talk = this.conversations.get(conversation);
    const stay = mustStay(talk.view, [latestUser(talk.view), talk.visible().at(-1)]);
    const old = talk.visible().filter((i) => !stay.has(i.id));
    const worth = old.filter(external).length >= 4 && size(old) >= 400;
    const cooling = host.monotonic_s - talk.triedAt < 60; // never, where nothing was tried
    const latched = talk.failed !== undefined && talk.external - talk.failed < 20;
    if (host.pressure !== "summarize" || !worth || cooling || latched || hasOpenCall(talk.view)) return;
    let answer;
    try {
      answer = await host.summarize(old);
    } catch (error) {
      if (error.kind === "aborted") return;
      answer = new Summary("", error.kind);
    }
    Object.assign(talk, { triedAt: host.monotonic_s, failed: talk.external });
    const summary = talk.summary(answer.text), gone = new Set(old.slice(1));
    const shorter = talk.view.filter((i) => !gone.has(i)).map((i) => (i === old[0] ? summary : i));
    if (!answer.usable || size(shorter) >= size(talk.view)) return { appended: [talk.say(`compaction failed: ${answer.stop}`)] };
    Object.assign(talk, { view: shorter, failed: undefined });
    return { action: "summarize", view: talk.view };
  }
}

await run(new Minimal());
