//! Trimmers: what stays of messages within a limit (FIT-1 to FIT-8).

use std::collections::{HashMap, HashSet};

use super::limit::{Reply, Ruling, breaks_if};
use super::{Check, Level, Requirement};
use crate::contract::{Capability, Contract, Feature, FitUnit};
use crate::fit_rules::{latest_user, leading, must_stay, turn_runs};
use crate::message::{Message, Role};

/// What was seen of one trimming.
#[derive(Clone, Debug)]
pub(crate) struct Fitting {
    pub(crate) messages: Vec<Message>,
    pub(crate) max: usize,
    pub(crate) reply: Reply<Vec<Message>>,
    /// The same input again.
    pub(crate) again: Option<Reply<Vec<Message>>>,
    /// The result at the same limit.
    pub(crate) second: Option<Reply<Vec<Message>>>,
    /// Where each visible message of the result came from; none: from nowhere.
    pub(crate) origins: Vec<Option<usize>>,
    /// Which messages are in the result as they were.
    stayed: Vec<bool>,
    /// The size of the messages, as a strict count has it.
    pub(crate) size: usize,
    /// The least size of what must stay.
    pub(crate) must: usize,
}

impl Fitting {
    pub(crate) fn new(contract: &Contract, messages: Vec<Message>, max: usize, reply: Reply<Vec<Message>>) -> Self {
        let size = contract.fit.size(&messages);
        let staying = messages.iter().zip(must_stay(&messages)).filter(|(_, must)| *must);
        let must = contract.fit.least_size(staying.map(|(message, _)| message));
        let origins = reply.given().map_or(Vec::new(), |left| origins(left, &messages));
        let mut stayed = vec![false; messages.len()];
        let visible = reply.given().into_iter().flatten().filter(|message| message.is_visible());
        for (message, at) in visible.zip(&origins).filter_map(|(message, origin)| Some((message, (*origin)?))) {
            stayed[at] |= same(message, &messages[at]);
        }
        Self { messages, max, reply, again: None, second: None, origins, stayed, size, must }
    }

    /// Whether this message is in the result as it was.
    pub(crate) fn stayed(&self, at: usize) -> bool {
        self.stayed.get(at).copied().unwrap_or_default()
    }

    /// What became of this message, in a word; nothing where there is no result.
    pub(crate) fn fate(&self, at: usize) -> &'static str {
        match (self.reply.given(), self.stayed(at), self.origins.contains(&Some(at))) {
            (None, ..) => "",
            (_, true, _) => "kept",
            (_, false, true) => "changed",
            (_, false, false) => "gone",
        }
    }

    fn fits(&self) -> bool {
        self.size <= self.max
    }

    /// The result, if what must stay can be asked for.
    fn judged(&self, contract: &Contract) -> Option<&[Message]> {
        let staying = self.messages.iter().zip(must_stay(&self.messages)).filter(|(_, must)| *must);
        let feasible = contract.fit.size(staying.map(|(message, _)| message)) <= self.max;
        self.reply.given().filter(|_| feasible && !self.fits()).map(Vec::as_slice)
    }

    fn first_lost(&self, which: &[bool]) -> Option<usize> {
        (0..self.messages.len()).find(|at| which[*at] && !self.stayed[*at])
    }

    fn numbers(&self) -> [(&'static str, usize); 2] {
        [("size", self.size), ("max", self.max)]
    }
}

/// Where the visible messages of `left` came from: by id, else by content.
fn origins(left: &[Message], messages: &[Message]) -> Vec<Option<usize>> {
    let ids: HashMap<&str, usize> = messages.iter().enumerate().rev().map(|(at, m)| (m.id.as_str(), at)).collect();
    let origin = |message: &Message| {
        let by_id = Some(message.id.as_str()).filter(|id| !id.is_empty()).and_then(|id| ids.get(id).copied());
        by_id.or_else(|| {
            messages.iter().position(|known| known.role == message.role && known.content == message.content)
        })
    };
    left.iter().filter(|message| message.is_visible()).map(origin).collect()
}

fn same(one: &Message, other: &Message) -> bool {
    one.role == other.role
        && one.content == other.content
        && one.reasoning == other.reasoning
        && one.call_id == other.call_id
        && one.calls == other.calls
}

fn same_list(one: &[Message], other: &[Message]) -> bool {
    let visible = |list| <[Message]>::iter(list).filter(|message| message.is_visible());
    visible(one).count() == visible(other).count()
        && visible(one).zip(visible(other)).all(|(one, other)| same(one, other))
}

/// Nothing, or instructions alone, is no request: to refuse that is no mistake.
fn makes_a_request(messages: &[Message]) -> bool {
    messages.iter().any(|message| message.is_visible() && message.role != Role::System)
}

fn claimed(contract: &Contract) -> bool {
    contract.claims(Capability::Fit)
}

/// All requirements of trimmers, in order.
pub(crate) const ALL: &[Requirement] = &[FIT_1, FIT_2, FIT_3, FIT_4, FIT_5, FIT_6, FIT_7, FIT_8];

const FIT_1: Requirement = Requirement {
    id: "FIT-1",
    level: Level::Must,
    sentence: "Measured in the declared unit and counter, the result MUST be within the limit.",
    chapter: "fit.md",
    implies: &[],
    applies: claimed,
    check: Check::Fit(within_the_limit),
};

fn within_the_limit(seen: &Fitting, contract: &Contract) -> Ruling {
    let Some(left) = seen.reply.given().filter(|_| !seen.fits()) else { return Ruling::Silent };
    let size = contract.fit.least_size(left);
    breaks_if(size > seen.max, "too_large", &[("result", size), ("max", seen.max)])
}

const FIT_2: Requirement = Requirement {
    id: "FIT-2",
    level: Level::Must,
    sentence: "What fits MUST come back unchanged.",
    chapter: "fit.md",
    implies: &[],
    applies: claimed,
    check: Check::Fit(fitting_comes_back),
};

fn fitting_comes_back(seen: &Fitting, _: &Contract) -> Ruling {
    if !seen.fits() {
        return Ruling::Silent;
    }
    match &seen.reply {
        Reply::Given(left) => breaks_if(!same_list(left, &seen.messages), "changed_though_it_fits", &seen.numbers()),
        Reply::Infeasible | Reply::Raised(_) if !makes_a_request(&seen.messages) => Ruling::Silent,
        Reply::Infeasible | Reply::Raised(_) => breaks_if(true, "infeasible_though_it_fits", &seen.numbers()),
    }
}

const FIT_3: Requirement = Requirement {
    id: "FIT-3",
    level: Level::Must,
    sentence: "Leading system messages and pinned ones MUST survive verbatim.",
    chapter: "fit.md",
    implies: &[],
    applies: |contract| claimed(contract) && (contract.has(Feature::System) || contract.has(Feature::Pinned)),
    check: Check::Fit(guidance_survives),
};

fn guidance_survives(seen: &Fitting, contract: &Contract) -> Ruling {
    if seen.judged(contract).is_none() {
        return Ruling::Silent;
    }
    let lead = leading(&seen.messages);
    let pinned: Vec<bool> = seen.messages.iter().map(|m| m.pinned && m.is_visible()).collect();
    if !lead.iter().chain(&pinned).any(|must| *must) {
        return Ruling::Silent;
    }
    match (seen.first_lost(&lead), seen.first_lost(&pinned)) {
        (Some(at), _) => breaks_if(true, "leading_system_lost", &[("message", at + 1), ("max", seen.max)]),
        (_, Some(at)) => breaks_if(true, "pinned_lost", &[("message", at + 1), ("max", seen.max)]),
        (None, None) => Ruling::Holds,
    }
}

const FIT_4: Requirement = Requirement {
    id: "FIT-4",
    level: Level::Must,
    sentence: "The latest user message MUST survive verbatim while its turn runs.",
    chapter: "fit.md",
    implies: &[],
    applies: claimed,
    check: Check::Fit(latest_user_survives),
};

fn latest_user_survives(seen: &Fitting, contract: &Contract) -> Ruling {
    let runs = turn_runs(&seen.messages);
    let latest = latest_user(&seen.messages).filter(|_| runs && seen.judged(contract).is_some());
    let Some(at) = latest else { return Ruling::Silent };
    breaks_if(!seen.stayed[at], "latest_user_lost", &[("message", at + 1), ("max", seen.max)])
}

const FIT_5: Requirement = Requirement {
    id: "FIT-5",
    level: Level::Must,
    sentence: "Calls and results MUST stay in pairs.",
    chapter: "fit.md",
    implies: &[],
    applies: |contract| claimed(contract) && contract.has(Feature::Calls),
    check: Check::Fit(pairs_stay_together),
};

fn pairs_stay_together(seen: &Fitting, _: &Contract) -> Ruling {
    let Some(left) = seen.reply.given().filter(|_| !seen.fits()) else { return Ruling::Silent };
    if seen.messages.iter().all(|message| message.call_id.is_none()) {
        return Ruling::Silent;
    }
    let (asked, kept) = (answered(&seen.messages), answered(left));
    let mut called: HashSet<&str> = HashSet::new();
    for (at, message) in left.iter().filter(|message| message.is_visible()).enumerate() {
        called.extend(message.calls.iter().map(String::as_str));
        if message.call_id.as_deref().is_some_and(|call| !called.contains(call)) {
            return breaks_if(true, "result_without_call", &[("message", at + 1), ("max", seen.max)]);
        }
        if message.calls.iter().map(String::as_str).any(|call| asked.contains(call) && !kept.contains(call)) {
            return breaks_if(true, "call_without_result", &[("message", at + 1), ("max", seen.max)]);
        }
    }
    Ruling::Holds
}

/// The calls that have a final result.
fn answered(messages: &[Message]) -> HashSet<&str> {
    let results = messages.iter().filter(|message| message.is_visible() && !message.interim);
    results.filter_map(|message| message.call_id.as_deref()).collect()
}

const FIT_6: Requirement = Requirement {
    id: "FIT-6",
    level: Level::Must,
    sentence: "What stays MUST keep its order, MUST NOT be joined by anything invented, and where its content was shortened \
        MUST be marked and well-formed.",
    chapter: "fit.md",
    implies: &[],
    applies: claimed,
    check: Check::Fit(nothing_is_invented),
};

fn nothing_is_invented(seen: &Fitting, contract: &Contract) -> Ruling {
    let Some(left) = seen.reply.given().filter(|_| !seen.fits()) else { return Ruling::Silent };
    let mut last = None;
    for (message, origin) in left.iter().filter(|message| message.is_visible()).zip(&seen.origins) {
        let broken = |reason, at: usize| breaks_if(true, reason, &[("message", at + 1), ("max", seen.max)]);
        let Some(at) = *origin else { return breaks_if(true, "invented_message", &seen.numbers()) };
        if last == Some(at) {
            return broken("message_twice", at);
        }
        if last.is_some_and(|last| last > at) {
            return broken("order_changed", at);
        }
        last = Some(at);
        if let Some(reason) = damage(message, &seen.messages[at], contract) {
            return broken(reason, at);
        }
    }
    Ruling::Holds
}

/// What is wrong with a message that stayed.
fn damage(message: &Message, origin: &Message, contract: &Contract) -> Option<&'static str> {
    let unit = contract.fit.unit.unit();
    let calls_kept = message.calls.iter().all(|call| origin.calls.contains(call));
    let reasoning = message.reasoning.is_none() || message.reasoning == origin.reasoning;
    if message.role != origin.role || message.call_id != origin.call_id || !calls_kept || !reasoning {
        return Some("message_altered");
    }
    if message.content == origin.content {
        return None;
    }
    if message.content.contains('\u{fffd}') && !origin.content.contains('\u{fffd}') {
        return Some("ill_formed");
    }
    if contract.fit.unit != FitUnit::Messages && unit.len(&message.content) >= unit.len(&origin.content) {
        return Some("content_altered");
    }
    // Something that the message did not say stands for a marker.
    let mut rest = origin.content.chars();
    let plain_cut = message.content.chars().all(|character| rest.any(|other| other == character));
    (plain_cut && !message.trimmed).then_some("shortened_without_mark")
}

const FIT_7: Requirement = Requirement {
    id: "FIT-7",
    level: Level::Must,
    sentence: "Where what must stay cannot fit, the answer MUST be an explicit infeasible or an error, and MUST NOT be \
        an empty or partial list in the guise of an answer.",
    chapter: "fit.md",
    implies: &["FIT-3", "FIT-4"],
    applies: claimed,
    check: Check::Fit(infeasible_is_said),
};

fn infeasible_is_said(seen: &Fitting, _: &Contract) -> Ruling {
    if seen.must <= seen.max {
        return Ruling::Silent;
    }
    let numbers = [("must stay", seen.must), ("max", seen.max)];
    match &seen.reply {
        Reply::Given(left) if left.is_empty() => breaks_if(true, "empty_answer", &numbers),
        Reply::Given(_) => breaks_if(true, "partial_answer", &numbers),
        Reply::Infeasible | Reply::Raised(_) => Ruling::Holds,
    }
}

const FIT_8: Requirement = Requirement {
    id: "FIT-8",
    level: Level::Must,
    sentence: "A second pass at the same limit MUST change nothing, the same input MUST give the same result, and the \
        caller's messages MUST be left alone.",
    chapter: "fit.md",
    implies: &[],
    applies: claimed,
    check: Check::Fit(second_pass_changes_nothing),
};

fn second_pass_changes_nothing(seen: &Fitting, _: &Contract) -> Ruling {
    let Some(left) = seen.reply.given() else {
        return match (&seen.reply, &seen.again) {
            (Reply::Infeasible | Reply::Raised(_), Some(Reply::Given(_))) => {
                breaks_if(true, "another_result", &seen.numbers())
            }
            _ => Ruling::Silent,
        };
    };
    match &seen.again {
        Some(Reply::Given(again)) if !same_list(again, left) => {
            return breaks_if(true, "another_result", &seen.numbers());
        }
        Some(Reply::Infeasible | Reply::Raised(_)) => return breaks_if(true, "another_result", &seen.numbers()),
        _ => {}
    }
    match &seen.second {
        Some(Reply::Given(second)) => breaks_if(!same_list(second, left), "second_pass_changes", &seen.numbers()),
        Some(Reply::Infeasible | Reply::Raised(_)) if makes_a_request(left) => {
            breaks_if(true, "second_pass_changes", &seen.numbers())
        }
        _ => Ruling::Silent,
    }
}
