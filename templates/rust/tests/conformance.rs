//! `cargo test`: one test a requirement, and a verdict for each part. What fails shows the shortest history.

use my_compactor::shorten;
use plimsoll::{Action, Capability, Compactor, Contract, Conversation, Error, Host};

/// Your compactor behind the suite's trait. As it stands it never compacts, and claims no more than that its log and its
/// view stay what they are.
#[derive(Default)]
struct Mine;

impl Compactor for Mine {
    /// What your code says of itself: add `Summarize`, `Throttle`, `Latch` and their numbers. Every claim is tested.
    fn contract(&self) -> Contract {
        Contract::claiming(&[Capability::Log, Capability::View])
    }

    /// Call your code here: `conversation.view()` is what the model would be sent, `host.pressure()` the host's verdict on
    /// its size, `host.summarize(messages)` the model that you pay, `conversation.install(view)` what comes of it.
    fn step(&mut self, _conversation: &mut Conversation, _host: &Host) -> Result<Action, Error> {
        Ok(Action::None)
    }
}

plimsoll::conformance_tests!(compactor, Mine::default);

/// A function over text is judged by itself.
fn contract() -> Contract {
    Contract::from_json(r#"{"capabilities": ["field"], "field": {"structure": "text", "notice": "none"}}"#).unwrap()
}

plimsoll::reducer_tests!(reducer, plimsoll::text_reducer(shorten), contract());
