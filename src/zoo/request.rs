//! Assemblers: those that break a requirement, and sound ones of other designs than the reference.

use super::field::prefix;
use super::{Row, row_of};
use crate::candidate::{Assembler, Conversation, Error, Reducer};
use crate::contract::{Contract, FieldRules};
use crate::field::blocks_of;
use crate::field::{Block, Infeasible, Request};
use crate::message::{Message, Role};
use crate::model::{ReferenceAssembler, ReferenceReducer};
use crate::unit::Limit;

type Answer = Result<Request, Infeasible>;

row_of!(Assembler, fn(&Contract) -> Box<dyn Assembler>);

const BLOCKS: &str = r#""field": {}"#;

/// In the order of what they break.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("each-message-alone", "Checks every message and not what they make together.",
        &["ASM-1"], &["ASM-2", "ASM-3", "ASM-4", "ASM-6"], "separators-uncounted", BLOCKS, each_alone),
    row("separators-forgotten", "Checks the sum of the messages and not what joins them.",
        &["ASM-1"], &[], "separators-uncounted", BLOCKS, separators_forgotten),
    row("pins-unseen", "Cuts pinned messages like others.",
        &["ASM-2"], &["ASM-6"], "guidance-or-pinned-lost", BLOCKS, pins_unseen),
    row("second-path-prefix", "Reduces with care on one path, and keeps the beginning on the other.",
        &["ASM-2"], &["ASM-4", "ASM-6"], "required-tail-cut", r#""field": {}, "request": {"paths": ["ask", "stream"]}"#,
        |contract| Box::new(SecondPath(ReferenceAssembler::new(contract.field.clone()), contract.field.clone()))),
    row("blank-lines-folded", "Folds blank lines in what fits.",
        &["ASM-3"], &["ASM-4"], "under-limit-mutated", BLOCKS, blank_lines_folded),
    row("field-stripped", "Strips the white space at the ends of the field.",
        &["ASM-3"], &["ASM-4", "ASM-6"], "under-limit-mutated", BLOCKS, |contract| {
            let reference = reference(contract);
            boxed(move |view, limit| {
                let mut request = reference.assemble(view, limit)?;
                request.instructions = request.instructions.map(|text| text.trim().to_owned());
                Ok(request)
            })
        }),
    row("announced-on-one-path", "Announces a cut on one path only.",
        &["ASM-4"], &[], "silent-reduction", r#""field": {}, "request": {"paths": ["ask", "stream"]}"#,
        |contract| Box::new(OnePath(reference(contract)))),
    row("unannounced", "Loses the notice on the way.",
        &["ASM-4"], &[], "silent-reduction", BLOCKS, |contract| {
            let reference = reference(contract);
            boxed(move |view, limit| Ok(reference.assemble(view, limit)?.with_notice(None)))
        }),
    row("cuts-the-view", "Installs what it cut into the view.",
        &["ASM-5"], &[], "raw-log-loss", BLOCKS, |contract| Box::new(CutsView(reference(contract)))),
    row("notes-its-cut", "Appends a message of its own to the log when it cuts.",
        &["ASM-5"], &[], "visibility-leak", BLOCKS, |contract| Box::new(NotesItsCut(reference(contract)))),
    row("split-at-blank-lines", "Takes the blank lines of the joined text for the boundaries of its blocks.",
        &["ASM-6"], &["ASM-2"], "required-tail-cut", r#""field": {"structure": "text"}"#, by_paragraphs),
    row("status-in-the-field", "Makes the field from the messages for the person, too.",
        &["LOG-2"], &["ASM-1", "ASM-2", "ASM-3", "ASM-4", "ASM-6", "LOG-3"], "visibility-leak", BLOCKS, status_in_field),
    row("hidden-left-out", "Takes what the person does not see for what the model does not see.",
        &["LOG-3"], &["ASM-2", "ASM-3", "ASM-4", "ASM-6"], "visibility-leak", BLOCKS, hidden_left_out),
];

/// Sound ones.
#[rustfmt::skip]
pub(super) const SOUND: &[Row] = &[
    row("both-ends-request", "Keeps both ends of the joined text.",
        &[], &[], "sound", r#""field": {"structure": "text", "tail": 5, "marker": "\n\n[cut]\n\n"}"#,
        |contract| Box::new(reference(contract))),
    row("whole-messages", "Leaves out whole messages, the oldest first.",
        &[], &["ASM-6"], "sound", r#""field": {"join": {"strip": true}}"#, whole_messages),
];

fn reference(contract: &Contract) -> ReferenceAssembler {
    ReferenceAssembler::new(contract.field.clone())
}

fn boxed(answer: impl Fn(&[Message], Limit) -> Answer + 'static) -> Box<dyn Assembler> {
    Box::new(answer)
}

fn sent(view: &[Message]) -> Vec<String> {
    view.iter().filter(|message| message.is_visible()).map(|message| message.id.clone()).collect()
}

fn each_alone(contract: &Contract) -> Box<dyn Assembler> {
    let rules = contract.field.clone();
    boxed(move |view, limit| {
        let reducer = ReferenceReducer::new(rules.clone());
        let mut parts = Vec::new();
        let mut notice = None;
        for block in blocks_of(view) {
            let reduced = reducer.reduce(&[block], limit)?;
            notice = notice.or(reduced.notice);
            parts.push(reduced.text);
        }
        Ok(Request::new(Some(rules.join.join(parts.iter().map(String::as_str))), sent(view)).with_notice(notice))
    })
}

struct SecondPath(ReferenceAssembler, FieldRules);

impl Assembler for SecondPath {
    fn assemble(&self, view: &[Message], limit: Limit) -> Answer {
        self.0.assemble(view, limit)
    }

    fn try_assemble(&self, path: &str, conversation: &mut Conversation, limit: Limit) -> Result<Answer, Error> {
        let view = conversation.view();
        if path != "stream" {
            return Ok(self.assemble(view, limit));
        }
        let whole = self.1.join.join(blocks_of(view).iter().map(|block| block.text.as_str()));
        let cut = prefix(&whole, limit.max);
        let len = limit.unit.len(&whole);
        let notice = (len > limit.max).then_some(crate::field::Cut::new(len, limit.max));
        Ok(Ok(Request::new(Some(cut), sent(view)).with_notice(notice)))
    }
}

fn separators_forgotten(contract: &Contract) -> Box<dyn Assembler> {
    let (reference, rules) = (reference(contract), contract.field.clone());
    boxed(move |view, limit| {
        let blocks = blocks_of(view);
        let sum: usize = blocks.iter().map(|block| limit.unit.len(&block.text)).sum();
        if sum > limit.max {
            return reference.assemble(view, limit);
        }
        let whole = rules.join.join(blocks.iter().map(|block| block.text.as_str()));
        Ok(Request::new(Some(whole), sent(view)))
    })
}

fn pins_unseen(contract: &Contract) -> Box<dyn Assembler> {
    let reference = reference(contract);
    boxed(move |view, limit| {
        let loose: Vec<Message> = view.iter().map(|message| Message { pinned: false, ..message.clone() }).collect();
        reference.assemble(&loose, limit)
    })
}

struct OnePath(ReferenceAssembler);

impl Assembler for OnePath {
    fn assemble(&self, view: &[Message], limit: Limit) -> Answer {
        self.0.assemble(view, limit)
    }

    fn try_assemble(&self, path: &str, conversation: &mut Conversation, limit: Limit) -> Result<Answer, Error> {
        let answer = self.assemble(conversation.view(), limit);
        Ok(if path == "stream" { answer.map(|request| request.with_notice(None)) } else { answer })
    }
}

fn blank_lines_folded(contract: &Contract) -> Box<dyn Assembler> {
    let reference = reference(contract);
    boxed(move |view, limit| {
        let mut request = reference.assemble(view, limit)?;
        if request.notice.is_none() {
            request.instructions = request.instructions.map(|text| text.replace("\n\n\n", "\n\n"));
        }
        Ok(request)
    })
}

struct CutsView(ReferenceAssembler);

impl Assembler for CutsView {
    fn assemble(&self, view: &[Message], limit: Limit) -> Answer {
        self.0.assemble(view, limit)
    }

    fn try_assemble(&self, _: &str, conversation: &mut Conversation, limit: Limit) -> Result<Answer, Error> {
        let answer = self.assemble(conversation.view(), limit);
        if let Ok(Request { notice: Some(_), sent, .. }) = &answer {
            let kept = conversation.view().iter().filter(|message| sent.contains(&message.id)).cloned();
            conversation.install(kept.collect());
        }
        Ok(answer)
    }
}

struct NotesItsCut(ReferenceAssembler);

impl Assembler for NotesItsCut {
    fn assemble(&self, view: &[Message], limit: Limit) -> Answer {
        self.0.assemble(view, limit)
    }

    fn try_assemble(&self, _: &str, conversation: &mut Conversation, limit: Limit) -> Result<Answer, Error> {
        let answer = self.assemble(conversation.view(), limit);
        if matches!(&answer, Ok(Request { notice: Some(_), .. })) {
            conversation.append(Message::new("", Role::System, "guidance was cut").ui_only());
        }
        Ok(answer)
    }
}

fn by_paragraphs(contract: &Contract) -> Box<dyn Assembler> {
    let rules = contract.field.clone();
    boxed(move |view, limit| {
        let whole = rules.join.join(blocks_of(view).iter().map(|block| block.text.as_str()));
        let parts: Vec<Block> = whole.split("\n\n").map(Block::removable).collect();
        let blocks = FieldRules { structure: crate::contract::Structure::Blocks, ..rules.clone() };
        let blocks = FieldRules { join: crate::contract::Join { skip_empty: false, ..blocks.join }, ..blocks };
        let reduced = ReferenceReducer::new(blocks).reduce(&parts, limit)?;
        Ok(Request::new(Some(reduced.text), sent(view)).with_notice(reduced.notice))
    })
}

fn status_in_field(contract: &Contract) -> Box<dyn Assembler> {
    let reference = reference(contract);
    boxed(move |view, limit| {
        let shown: Vec<Message> = view.iter().map(|message| Message { ui_only: false, ..message.clone() }).collect();
        reference.assemble(&shown, limit)
    })
}

fn hidden_left_out(contract: &Contract) -> Box<dyn Assembler> {
    let reference = reference(contract);
    boxed(move |view, limit| {
        let shown: Vec<Message> = view.iter().filter(|message| !message.hidden).cloned().collect();
        reference.assemble(&shown, limit)
    })
}

fn whole_messages(contract: &Contract) -> Box<dyn Assembler> {
    let reference = reference(contract);
    boxed(move |view, limit| {
        let mut view = view.to_vec();
        let (mut count, mut first) = (0, None);
        loop {
            let request = reference.assemble(&view, limit)?;
            let Some(notice) = request.notice else {
                let notice = first.map(|before| crate::field::Cut::new(before, limit.max));
                return Ok(request.with_notice(notice.filter(|_| count > 0)));
            };
            first = first.or(Some(notice.before));
            let loose = |m: &Message| m.is_visible() && m.role == Role::System && !m.pinned;
            let Some(at) = view.iter().position(loose) else { return Err(Infeasible) };
            view.remove(at);
            count += 1;
        }
    })
}
