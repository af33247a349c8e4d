//! The assembled request: the boundary where the field exists (ASM-1 to ASM-6), and who sees what there (LOG-2, LOG-3).

use super::alignment::all_but_one_survive;
use super::alignment::found_in_order;
use super::field::{ends_with, last_units, room_for_a_marker};
use super::limit::{Reply, Ruling, breaks_if};
use super::reduction::{Facts, Reduction, is_joined};
use super::{Check, Level, Requirement};
use crate::contract::{Capability, Contract, Feature, Notice, Structure};
use crate::field::{Reduced, Request};
use crate::marker::Marker;
use crate::message::{Message, Role};

/// What was seen of one request.
#[derive(Clone, Debug)]
pub(crate) struct Assembly {
    pub(crate) view: Vec<Message>,
    pub(crate) reply: Reply<Request>,
    /// The request made once more.
    pub(crate) again: Option<Reply<Request>>,
    /// Whether log or view were changed.
    pub(crate) touched: bool,
    /// The field as a reduction, its blocks being the visible system messages.
    pub(crate) field: Reduction,
    /// Where messages contain blank lines: the same view without them.
    pub(crate) unbroken: Option<Box<Assembly>>,
}

impl Assembly {
    pub(crate) fn new(contract: &Contract, view: Vec<Message>, max: usize, reply: Reply<Request>) -> Self {
        let blocks = crate::field::blocks_of(&view);
        let reduced = match &reply {
            Reply::Given(request) => {
                Reply::Given(Reduced { text: request.instructions.clone().unwrap_or_default(), notice: request.notice })
            }
            Reply::Infeasible => Reply::Infeasible,
            Reply::Raised(error) => Reply::Raised(error.clone()),
        };
        let field = Reduction::of_request(&contract.field, blocks, max, reduced);
        Self { view, reply, again: None, touched: false, field, unbroken: None }
    }

    /// The field, where there is anything to make it from.
    fn text(&self) -> Option<&str> {
        self.field.reply.given().filter(|_| !self.field.is_blank()).map(|reduced| reduced.text.as_str())
    }

    fn numbers(&self) -> [(&'static str, usize); 2] {
        [("joined", self.field.facts.most), ("max", self.field.max)]
    }
}

fn claimed(contract: &Contract) -> bool {
    contract.claims(Capability::Request)
}

/// All requirements of the request, in order.
pub(crate) const ALL: &[Requirement] = &[ASM_1, ASM_2, ASM_3, ASM_4, ASM_5, ASM_6];

const ASM_1: Requirement = Requirement {
    id: "ASM-1",
    level: Level::Must,
    sentence: "The field MUST be within its cap however it came about: from many small messages, from one large one, or \
        through its separators.",
    chapter: "request.md",
    implies: &[],
    applies: claimed,
    check: Check::Assemble(within_the_cap),
};

fn within_the_cap(seen: &Assembly, contract: &Contract) -> Ruling {
    match seen.text() {
        Some(text) => {
            let len = contract.field.unit.len(text);
            breaks_if(len > seen.field.max, "too_long", &[("field", len), ("max", seen.field.max)])
        }
        None if seen.reply == Reply::Infeasible && seen.field.overflows() => Ruling::Holds,
        None => Ruling::Silent,
    }
}

const ASM_2: Requirement = Requirement {
    id: "ASM-2",
    level: Level::Must,
    sentence: "Required guidance MUST survive into the request itself, on every declared path, and not only through the \
        reducer.",
    chapter: "request.md",
    implies: &[],
    applies: has_guidance,
    check: Check::Assemble(guidance_survives),
};

fn has_guidance(contract: &Contract) -> bool {
    claimed(contract)
        && match contract.field.structure {
            Structure::Blocks => contract.has(Feature::Pinned),
            Structure::Text => contract.field.tail > 0,
        }
}

fn guidance_survives(seen: &Assembly, contract: &Contract) -> Ruling {
    let (rules, field) = (&contract.field, &seen.field);
    let infeasible = seen.reply == Reply::Infeasible;
    let Some(text) = seen.text().or(infeasible.then_some("")) else { return Ruling::Silent };
    if rules.structure == Structure::Text {
        let tail = last_units(&field.facts.joined, rules);
        if tail.is_empty() || field.fits() || field.max < 2 * rules.tail + field.facts.marker {
            return Ruling::Silent;
        }
        return breaks_if(!ends_with(text, tail, rules), "tail_lost", &seen.numbers());
    }
    let required = field.blocks.iter().filter(|block| block.required).map(|block| block.text.trim());
    let required: Vec<&str> = required.filter(|text| !text.is_empty()).collect();
    if required.is_empty() {
        return Ruling::Silent;
    }
    let numbers = [("required", field.facts.required), ("max", field.max)];
    if infeasible {
        return breaks_if(field.feasible(), "infeasible_though_feasible", &numbers);
    }
    let found = found_in_order(text, required.iter().copied()).len();
    breaks_if(found < required.len(), "required_message_lost", &numbers)
}

const ASM_3: Requirement = Requirement {
    id: "ASM-3",
    level: Level::Must,
    sentence: "Under the cap the field MUST be exactly the joined text.",
    chapter: "request.md",
    implies: &["ASM-4"],
    applies: claimed,
    check: Check::Assemble(under_the_cap_unchanged),
};

fn under_the_cap_unchanged(seen: &Assembly, contract: &Contract) -> Ruling {
    if !seen.field.fits() || seen.field.is_blank() {
        return Ruling::Silent;
    }
    match (&seen.reply, seen.text()) {
        (Reply::Infeasible, _) => breaks_if(true, "infeasible_though_it_fits", &seen.numbers()),
        (_, Some(text)) => {
            let joined = is_joined(text, &seen.field, &contract.field);
            breaks_if(!joined, "changed_though_it_fits", &seen.numbers())
        }
        _ => Ruling::Silent,
    }
}

const ASM_4: Requirement = Requirement {
    id: "ASM-4",
    level: Level::Must,
    sentence: "A cut MUST be announced.",
    chapter: "request.md",
    implies: &[],
    applies: |contract| claimed(contract) && contract.field.notice != Notice::None,
    check: Check::Assemble(cut_is_announced),
};

fn cut_is_announced(seen: &Assembly, contract: &Contract) -> Ruling {
    let rules = &contract.field;
    let Some(text) = seen.text().filter(|text| !is_joined(text, &seen.field, rules)) else { return Ruling::Silent };
    if rules.notice == Notice::Reported {
        return breaks_if(
            seen.field.reply.given().is_some_and(|r| r.notice.is_none()),
            "cut_without_notice",
            &seen.numbers(),
        );
    }
    if !room_for_a_marker(&seen.field, rules) {
        return Ruling::Silent;
    }
    let marked = Marker::of(rules).is_some_and(|marker| marker.is_in(text));
    breaks_if(!marked, "cut_without_marker", &seen.numbers())
}

const ASM_5: Requirement = Requirement {
    id: "ASM-5",
    level: Level::Must,
    sentence: "Assembling a request MUST change neither the log nor the view.",
    chapter: "request.md",
    implies: &[],
    applies: claimed,
    check: Check::Assemble(log_and_view_stay),
};

/// Who shows neither log nor view is asked twice: what changed shows in the second request.
fn log_and_view_stay(seen: &Assembly, contract: &Contract) -> Ruling {
    let shown = contract.claims(Capability::Log) || contract.claims(Capability::View);
    if !shown && seen.again.as_ref().is_some_and(|again| *again != seen.reply) {
        return breaks_if(true, "another_request", &seen.numbers());
    }
    breaks_if(seen.touched, "log_or_view_changed", &seen.numbers())
}

const ASM_6: Requirement = Requirement {
    id: "ASM-6",
    level: Level::Should,
    sentence: "Block boundaries SHOULD be message boundaries: a blank line inside a message SHOULD NOT split it.",
    chapter: "request.md",
    implies: &[],
    applies: claimed,
    check: Check::Assemble(messages_are_the_blocks),
};

/// Where one message can absorb the overflow, all others stay, blank lines inside it or not. A design that cuts several
/// without blank lines too is not blamed for them.
fn messages_are_the_blocks(seen: &Assembly, contract: &Contract) -> Ruling {
    let Some(unbroken) = &seen.unbroken else { return Ruling::Silent };
    match (others_survive(seen, contract), others_survive(unbroken, contract)) {
        (Some(here), Some(true)) => breaks_if(!here, "split_at_a_blank_line", &seen.numbers()),
        _ => Ruling::Silent,
    }
}

/// Whether all messages but one survive, where one can absorb the overflow.
fn others_survive(seen: &Assembly, contract: &Contract) -> Option<bool> {
    let (rules, field) = (&contract.field, &seen.field);
    let Facts { most, separator, marker, .. } = field.facts;
    let text = seen.text().filter(|_| field.overflows())?;
    let needed = most - field.max + if marker == 0 { 0 } else { marker + 2 * separator };
    let last = field.blocks.len().saturating_sub(1);
    let may_absorb = |at: usize| rules.structure == Structure::Blocks || at < last;
    let mut blocks = field.blocks.iter().enumerate();
    let absorbs = blocks.any(|(at, b)| may_absorb(at) && !b.required && rules.unit.len(&b.text) > needed);
    let texts: Vec<&str> = field.blocks.iter().map(|block| block.text.trim()).filter(|text| !text.is_empty()).collect();
    absorbs.then(|| all_but_one_survive(text, &texts))
}

/// LOG-2, as far as it is about requests.
pub(super) fn ui_only_stays_out(seen: &Assembly, _: &Contract) -> Ruling {
    let Some(request) = seen.reply.given() else { return Ruling::Silent };
    let mut private = seen.view.iter().filter(|message| message.ui_only).peekable();
    if private.peek().is_none() {
        return Ruling::Silent;
    }
    let others = || seen.view.iter().filter(|message| message.is_visible());
    let reaches = |message: &Message| {
        let said = request.instructions.as_deref().unwrap_or_default();
        let unique = message.content.len() >= 8 && !others().any(|other| other.content.contains(&message.content));
        request.sent.contains(&message.id) || unique && said.contains(&message.content)
    };
    breaks_if(private.any(reaches), "ui_only_message_sent", &seen.numbers())
}

/// LOG-3, as far as it is about requests.
pub(super) fn hidden_is_sent(seen: &Assembly, _: &Contract) -> Ruling {
    let Some(request) = seen.reply.given() else { return Ruling::Silent };
    let judged = |message: &&Message| {
        let free = message.content.trim().is_empty() || message.role == Role::System && !seen.field.fits();
        message.hidden && message.is_visible() && !free
    };
    let mut hidden = seen.view.iter().filter(judged).peekable();
    if hidden.peek().is_none() {
        return Ruling::Silent;
    }
    breaks_if(hidden.any(|message| !request.sent.contains(&message.id)), "hidden_message_not_sent", &seen.numbers())
}
