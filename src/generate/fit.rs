//! Messages to trim, around every boundary of the declared limit.

use fastrand::Rng;

use super::Cases;
use crate::contract::{Contract, Feature, FitUnit, Max};
use crate::fit_rules::must_stay;
use crate::history::{Draft, Size};
use crate::limit_case::FitCase;
use crate::message::Role;

/// All lists of up to `small` parts at all limits, and random ones without end, the same for the same seed.
pub(crate) fn fit_cases(contract: &Contract, seed: u64, small: usize) -> Cases<FitCase> {
    let contract = contract.clone();
    let whole = small_lists(&contract, small);
    let owned = contract.clone();
    let max = contract.fit.max;
    let whole = whole.flat_map(move |messages| {
        let case = FitCase::new(seed, messages, 0);
        limits(&owned, &case).into_iter().map(move |max| FitCase { max, ..case.clone() })
    });
    let whole = whole.filter(move |case| match max {
        Max::Any => true,
        Max::Fixed(fixed) => case.max == fixed,
    });
    let mut rng = Rng::with_seed(seed ^ 0xf17_5eed);
    let random = std::iter::repeat_with(move || random_case(&contract, &mut rng));
    Cases { whole: Box::new(whole), random: Box::new(random) }
}

/// The parts that lists are made of.
const PARTS: [&str; 9] =
    ["user", "assistant", "system", "call", "pinned", "ui_only", "pinned call", "two calls", "interim"];

/// Writes messages part by part.
struct Writer<'a> {
    contract: &'a Contract,
    messages: Vec<Draft>,
    calls: u32,
}

impl<'a> Writer<'a> {
    fn new(contract: &'a Contract) -> Self {
        Self { contract, messages: Vec::new(), calls: 0 }
    }

    fn push(&mut self, role: Role, change: impl FnOnce(&mut Draft)) {
        let mut draft = Draft::new(self.messages.len() as u32 + 1, role);
        change(&mut draft);
        self.messages.push(draft);
    }

    /// Whether a list can have this part here.
    fn allows(&self, part: &str) -> bool {
        let has = |feature| self.contract.has(feature);
        match part {
            "system" if self.messages.is_empty() => has(Feature::System),
            "system" => has(Feature::ManySystem),
            "call" => has(Feature::Calls),
            "pinned" => has(Feature::Pinned),
            "ui_only" => has(Feature::UiOnly),
            "pinned call" => has(Feature::Calls) && has(Feature::Pinned),
            "two calls" => has(Feature::ParallelCalls),
            "interim" => has(Feature::Interim),
            _ => true,
        }
    }

    fn part(&mut self, part: &str) {
        if !self.allows(part) {
            return;
        }
        let first = self.calls;
        let calls = match part {
            "two calls" => 2,
            "call" | "pinned call" | "interim" => 1,
            _ => 0,
        };
        self.calls += calls;
        match part {
            "user" => self.push(Role::User, |_| {}),
            "assistant" => self.push(Role::Assistant, |_| {}),
            "system" => self.push(Role::System, |_| {}),
            "pinned" => self.push(Role::User, |draft| draft.pinned = true),
            "ui_only" => self.push(Role::System, |draft| draft.ui_only = true),
            _ => self.push(Role::Assistant, |draft| draft.calls = (first..first + calls).collect()),
        }
        if part == "interim" {
            self.push(Role::Tool, |draft| (draft.answers, draft.interim) = (Some(first), true));
        }
        for call in first..first + calls {
            self.push(Role::Tool, |draft| (draft.answers, draft.pinned) = (Some(call), part == "pinned call"));
        }
    }
}

/// All lists of up to `parts` parts, the shortest first.
fn small_lists(contract: &Contract, parts: usize) -> impl Iterator<Item = Vec<Draft>> + use<> {
    let contract = contract.clone();
    let numbers = (0..=parts).flat_map(|count| (0..PARTS.len().pow(count as u32)).map(move |number| (count, number)));
    numbers.filter_map(move |(count, number)| {
        let mut writer = Writer::new(&contract);
        for at in 0..count {
            let part = PARTS[number / PARTS.len().pow((count - 1 - at) as u32) % PARTS.len()];
            if !writer.allows(part) {
                return None;
            }
            writer.part(part);
        }
        Some(writer.messages)
    })
}

/// The list of these parts, each with a way to size its messages, at a limit that both choose. A part's number also says
/// whether its messages are pinned, or have reasoning.
pub(super) fn of_parts(contract: &Contract, parts: &[(usize, u8)]) -> FitCase {
    let mut writer = Writer::new(contract);
    let mut choice = 0;
    for (part, size) in parts {
        let from = writer.messages.len();
        writer.part(PARTS[part % PARTS.len()]);
        for draft in &mut writer.messages[from..] {
            draft.size = match size {
                0..6 => Size::Small,
                6 => Size::Large,
                7 => Size::Chars(0),
                _ => Size::Chars(usize::from(*size) * 9),
            };
            let more = part / PARTS.len();
            draft.pinned |= more == 1 && contract.has(Feature::Pinned) && !draft.ui_only;
            draft.reasoning = more == 2 && draft.role == Role::Assistant && contract.has(Feature::Reasoning);
        }
        choice = (choice * 31 + part + usize::from(*size)) % 65_521;
    }
    let mut case = FitCase::new(1, writer.messages, 0);
    case.max = match contract.fit.max {
        Max::Fixed(max) => max,
        Max::Any => {
            let limits = limits(contract, &case);
            limits[choice % limits.len()]
        }
    };
    case
}

/// Every limit that can matter to these messages.
fn limits(contract: &Contract, case: &FitCase) -> Vec<usize> {
    let built = case.build(contract);
    let size = contract.fit.size(&built);
    let sizes: Vec<usize> = built.iter().map(|message| contract.fit.size([message])).collect();
    let mut limits: Vec<usize> = match contract.fit.unit {
        FitUnit::Messages => (0..=size + 1).collect(),
        _ => {
            let sums = (0..=sizes.len()).map(|from| sizes[from..].iter().sum::<usize>());
            let near = |sum: usize| [sum.saturating_sub(1), sum, sum + 1];
            let staying = sizes.iter().zip(must_stay(&built)).filter(|(_, must)| *must);
            sums.chain([staying.map(|(size, _)| size).sum(), 0]).flat_map(near).collect()
        }
    };
    limits.sort_unstable();
    limits.dedup();
    limits
}

fn random_case(contract: &Contract, rng: &mut Rng) -> FitCase {
    let mut writer = Writer::new(contract);
    if rng.u8(..4) > 0 {
        writer.part("system");
    }
    if rng.u8(..4) == 0 {
        writer.part("system");
    }
    let count = match rng.u8(..20) {
        0 => 0,
        1..=12 => rng.usize(1..9),
        13..=18 => rng.usize(9..40),
        _ => 300,
    };
    for _ in 0..count {
        let part = match rng.u8(..12) {
            0..=2 => "user",
            3 | 4 => "assistant",
            5..=7 => "call",
            _ => PARTS[rng.usize(..PARTS.len())],
        };
        writer.part(part);
    }
    let open = rng.u8(..6) == 0 && contract.has(Feature::Calls);
    if open {
        let call = writer.calls;
        writer.push(Role::Assistant, |draft| draft.calls = vec![call]);
    }
    let mut messages = writer.messages;
    for draft in &mut messages {
        draft.size = match rng.u8(..8) {
            0 => Size::Large,
            1 => Size::Chars(rng.usize(18..60)),
            2 => Size::Chars(0),
            _ => Size::Small,
        };
        draft.wide = rng.u8(..5) == 0;
        draft.hidden = rng.u8(..12) == 0 && contract.has(Feature::Hidden) && !draft.ui_only;
        draft.pinned |= rng.u8(..16) == 0 && contract.has(Feature::Pinned) && !draft.ui_only;
        draft.reasoning = draft.role == Role::Assistant && contract.has(Feature::Reasoning) && rng.u8(..5) == 0;
    }
    let seed = rng.u64(..1_000_000);
    let mut case = FitCase::new(seed, messages, 0);
    if let Max::Fixed(max) = contract.fit.max {
        return around(contract, rng, FitCase { max, ..case });
    }
    let limits = limits(contract, &case);
    case.max = match rng.u8(..4) {
        0 => rng.usize(..=limits.last().copied().unwrap_or(0)),
        _ => limits[rng.usize(..limits.len())],
    };
    case
}

/// Makes the messages about as large as a fixed limit: the list is repeated until it is.
fn around(contract: &Contract, rng: &mut Rng, mut case: FitCase) -> FitCase {
    let target = case.max.saturating_sub(3) + rng.usize(..12);
    let mut writer = Writer::new(contract);
    writer.calls = case.messages.iter().flat_map(|draft| draft.calls.iter()).max().map_or(0, |call| call + 1);
    writer.messages = std::mem::take(&mut case.messages);
    let open = writer.messages.pop_if(|draft| !draft.calls.is_empty());
    let mut measured = 0;
    let mut size = 0;
    for _ in 0..4_000 {
        let new = writer.messages[measured..].to_vec();
        size += contract.fit.size(&FitCase::new(case.seed, new, 0).build(contract));
        measured = writer.messages.len();
        if size >= target {
            break;
        }
        let missing = target - size;
        writer.part(["user", "call", "assistant", "two calls"][rng.usize(..4)]);
        if contract.fit.unit != FitUnit::Messages && missing > 4_000 {
            let share = (missing / 3).min(500_000);
            if let Some(last) = writer.messages.last_mut() {
                last.size = Size::Chars(share);
            }
        }
    }
    if let Some(mut open) = open {
        open.key = writer.messages.len() as u32 + 1;
        writer.messages.push(open);
    }
    case.messages = writer.messages;
    case
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_result_answers_an_earlier_call_and_keys_are_unique() {
        let contract = Contract::default();
        for case in fit_cases(&contract, 5, 2).up_to(3_000) {
            let mut called = Vec::new();
            for (at, draft) in case.messages.iter().enumerate() {
                assert_eq!(draft.key as usize, at + 1);
                assert!(draft.answers.is_none_or(|call| called.contains(&call)));
                called.extend(draft.calls.iter().copied());
            }
        }
    }

    #[test]
    fn a_fixed_limit_is_reached() {
        let mut contract = Contract::default();
        (contract.fit.max, contract.fit.unit) = (Max::Fixed(50_000), FitUnit::CodePoints);
        let over = fit_cases(&contract, 1, 0)
            .random
            .take(40)
            .filter(|case| contract.fit.size(&case.build(&contract)) > case.max);
        assert!(over.count() > 20);
    }
}
