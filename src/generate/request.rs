//! Views to assemble a request from, around every boundary of the declared limit.

use fastrand::Rng;

use super::Cases;
use super::field::{joined, reduce_cases};
use super::texts::text_len;
use crate::contract::{Contract, Feature, FieldRules, Max, Structure};
use crate::limit_case::{AssembleCase, BlockDraft, PartDraft, ReduceCase};
use crate::message::Role;
use crate::text::Text;

/// Each field that a reducer would get, as a view around it, on every declared path in turn. The same for the same seed.
pub(crate) fn assemble_cases(contract: &Contract, seed: u64, small: usize) -> Cases<AssembleCase> {
    // The messages are the blocks, whatever the reducer is given.
    let rules = FieldRules { structure: Structure::Blocks, ..contract.field.clone() };
    let Cases { whole, random } = reduce_cases(&rules, seed, small.min(3));
    Cases { whole: views(contract, seed, whole), random: views(contract, seed ^ 0x5e, random) }
}

fn views(
    contract: &Contract,
    seed: u64,
    cases: Box<dyn Iterator<Item = ReduceCase>>,
) -> Box<dyn Iterator<Item = AssembleCase>> {
    let contract = contract.clone();
    let mut rng = Rng::with_seed(seed ^ 0xa55e);
    let mut nth = 0;
    Box::new(cases.map(move |case| {
        nth += 1;
        view(&contract, &mut rng, nth, case)
    }))
}

/// The `nth` case: a view around this field, on each of the declared paths in turn.
pub(super) fn view(contract: &Contract, rng: &mut Rng, nth: usize, case: ReduceCase) -> AssembleCase {
    let paths = &contract.request.paths;
    let path = paths.get(nth % paths.len().max(1)).cloned().unwrap_or_default();
    if nth > 0 && nth.is_multiple_of(5) {
        return blank_lines(contract, rng, path, nth / 5 % 3);
    }
    let pinned = contract.has(Feature::Pinned);
    let blocks = case.blocks.into_iter().map(|block| system(block.text, block.required && pinned));
    let messages = around(contract, rng, blocks.collect());
    AssembleCase::new(messages, case.max, path)
}

fn system(text: Text, pinned: bool) -> PartDraft {
    PartDraft { role: Role::System, text, pinned, ..PartDraft::default() }
}

/// The same view with other messages before, between and after: the person's, the model's, and those for the person only.
fn around(contract: &Contract, rng: &mut Rng, system: Vec<PartDraft>) -> Vec<PartDraft> {
    let mut view = Vec::with_capacity(system.len() + 2);
    let many = contract.has(Feature::ManySystem);
    for (nth, part) in system.into_iter().enumerate() {
        let part = if nth > 0 && !many { PartDraft { role: Role::User, pinned: false, ..part } } else { part };
        let hidden = contract.has(Feature::Hidden) && rng.u8(..10) == 0;
        view.push(PartDraft { hidden, ..part });
        if view.len() < 60 && rng.u8(..3) == 0 {
            view.push(other(contract, rng, view.len()));
        }
    }
    view.push(PartDraft {
        role: Role::User,
        text: Text::plain(format!("question {}", rng.u16(..))),
        ..PartDraft::default()
    });
    view
}

fn other(contract: &Contract, rng: &mut Rng, at: usize) -> PartDraft {
    let text = Text::plain(format!("said {at} {:04x}", rng.u16(..)));
    match rng.u8(..5) {
        0 | 1 if contract.has(Feature::UiOnly) => PartDraft {
            role: Role::System,
            text: Text::plain("status ").and_text(&text),
            ui_only: true,
            pinned: contract.has(Feature::Pinned) && at.is_multiple_of(3),
            hidden: contract.has(Feature::Hidden) && at.is_multiple_of(4),
            ..PartDraft::default()
        },
        2 if contract.has(Feature::Hidden) => {
            PartDraft { role: Role::User, text, hidden: true, ..PartDraft::default() }
        }
        3 => PartDraft { role: Role::Assistant, text, ..PartDraft::default() },
        _ => PartDraft { role: Role::User, text, ..PartDraft::default() },
    }
}

/// Messages whose blank lines make them look like many small ones, and one that has none. Together they do not fit; a
/// message of many paragraphs could give all that is too much, no paragraph could.
fn blank_lines(contract: &Contract, rng: &mut Rng, path: String, place: usize) -> AssembleCase {
    let unit = contract.field.unit;
    let marker = contract.field.marker.as_deref().map_or(0, |marker| unit.len(marker));
    let size = 3 + rng.usize(..6);
    let overflow = size + 1 + rng.usize(..size);
    let paragraph = |letter: usize| char::from(b'a' + (letter % 13) as u8).to_string().repeat(size);
    let count = 3 + (overflow + marker + 2 * unit.len(&contract.field.join.separator)).div_ceil(size + 2);
    let split = |first: usize| (first..first + count).map(paragraph).collect::<Vec<_>>().join("\n\n");
    let whole = "z".repeat(size);
    // The whole one in front, behind, or in the middle, where those cut who keep both ends.
    let mut texts = match place {
        0 => vec![whole, split(0)],
        1 => vec![split(0), whole],
        _ => vec![split(0), whole, split(5)],
    };
    texts.push("y".repeat(1 + rng.usize(..size)));
    let mut blocks: Vec<BlockDraft> = texts.into_iter().map(|text| BlockDraft::new(Text::plain(text), false)).collect();
    let last = blocks.len() - 1;
    blocks[last].required = contract.has(Feature::Pinned) && contract.has(Feature::ManySystem);
    let rules = FieldRules { structure: Structure::Blocks, ..contract.field.clone() };
    let total = text_len(&joined(&rules, &blocks), unit);
    let max = match rules.max {
        Max::Any => total.saturating_sub(overflow),
        Max::Fixed(fixed) => {
            let long: Vec<usize> = (0..last).filter(|at| blocks[*at].text.bytes() > size).collect();
            let missing = (fixed + overflow).saturating_sub(total) / long.len();
            for at in long {
                let text = std::mem::take(&mut blocks[at].text);
                let more = Text::repeat("abc\n\n", missing / 5).and_repeat("w", missing % 5);
                blocks[at].text = more.and(if !missing.is_multiple_of(5) { "\n\n" } else { "" }).and_text(&text);
            }
            fixed
        }
    };
    let messages = blocks.into_iter().map(|block| system(block.text, block.required)).collect();
    AssembleCase::new(around(contract, rng, messages), max, path)
}
