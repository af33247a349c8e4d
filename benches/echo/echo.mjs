// Keeps what it is told and does nothing: what is left is the protocol.

import { Keeper, run } from "../../examples/adapters/plimsoll.mjs";

class Echo extends Keeper {
  name = "echo";
  version = "1";
  contract = { capabilities: ["summarize", "view", "log"] };

  async step() {}
}

run(new Echo());
