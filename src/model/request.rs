//! The reference assembler.

use super::field::ReferenceReducer;
use crate::candidate::Assembler;
use crate::contract::{FieldRules, Structure};
use crate::field::{Infeasible, Request, blocks_of, in_field};
use crate::message::Message;
use crate::unit::Limit;

/// Assembles the request as the contract declares it: the visible system messages become the field, a block each, and the
/// limit is checked there, where the field exists.
///
/// ```
/// use plimsoll::{Assembler, FieldRules, Limit, Message, ReferenceAssembler, Role, Unit};
///
/// let view = [
///     Message::new("m1", Role::System, "be brief"),
///     Message::new("m2", Role::System, "compacted").ui_only(),
///     Message::new("m3", Role::User, "hello"),
/// ];
/// let request = ReferenceAssembler::new(FieldRules::default()).assemble(&view, Limit::new(5, Unit::CodePoints)).unwrap();
/// assert_eq!(request.instructions.as_deref(), Some("be br"));
/// assert_eq!(request.sent, ["m1", "m3"]);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReferenceAssembler {
    rules: FieldRules,
}

impl ReferenceAssembler {
    /// An assembler for these rules.
    #[must_use]
    pub fn new(rules: FieldRules) -> Self {
        Self { rules }
    }
}

impl Assembler for ReferenceAssembler {
    fn assemble(&self, view: &[Message], limit: Limit) -> Result<Request, Infeasible> {
        let blocks = blocks_of(view);
        let reducer = ReferenceReducer::new(self.rules.clone());
        let (reduced, gone) = match self.rules.structure {
            Structure::Blocks => reducer.reduce_blocks(&blocks, limit)?,
            Structure::Text => {
                let text = self.rules.join.join(blocks.iter().map(|block| block.text.as_str()));
                (reducer.reduce_text(&text, limit), vec![false; blocks.len()])
            }
        };
        let mut gone = gone.into_iter();
        let sent = view.iter().filter(|message| message.is_visible());
        let sent = sent.filter(|message| !(in_field(message) && gone.next().unwrap_or_default()));
        let sent = sent.map(|message| message.id.clone()).collect();
        let instructions = (!reduced.text.is_empty()).then_some(reduced.text);
        Ok(Request::new(instructions, sent).with_notice(reduced.notice))
    }
}
