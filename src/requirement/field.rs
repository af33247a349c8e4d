//! Field reduction: the limit, what survives, and the notice (RED-1 to RED-6).

use super::alignment::found_in_order;
use super::field_loss::{RED_7, RED_8, RED_9, RED_10, RED_11, RED_12, RED_13};
use super::limit::{Reply, Ruling, breaks_if};
use super::reduction::{Facts, Reduction, is_joined};
use super::{Check, Level, Requirement};
use crate::contract::{Capability, Contract, FieldRules, Notice, Structure};
use crate::marker::Marker;
use crate::unit::Unit;

/// All requirements of field reduction, in order.
pub(crate) const ALL: &[Requirement] =
    &[RED_1, RED_2, RED_3, RED_4, RED_5, RED_6, RED_7, RED_8, RED_9, RED_10, RED_11, RED_12, RED_13];

pub(super) fn claimed(contract: &Contract) -> bool {
    contract.claims(Capability::Field)
}

pub(super) fn in_blocks(contract: &Contract) -> bool {
    claimed(contract) && contract.field.structure == Structure::Blocks
}

const RED_1: Requirement = Requirement {
    id: "RED-1",
    level: Level::Must,
    sentence: "The output MUST NOT be longer than `max`, ever: separators, markers and headings count, and `max` may be 0 \
        or smaller than the marker.",
    chapter: "field.md",
    implies: &["RED-9"],
    applies: claimed,
    check: Check::Reduce(within_the_limit),
};

fn within_the_limit(seen: &Reduction, contract: &Contract) -> Ruling {
    match &seen.reply {
        Reply::Given(reduced) => {
            let len = contract.field.unit.len(&reduced.text);
            breaks_if(len > seen.max, "too_long", &[("output", len), ("max", seen.max)])
        }
        Reply::Infeasible if seen.overflows() => Ruling::Holds,
        _ => Ruling::Silent,
    }
}

const RED_2: Requirement = Requirement {
    id: "RED-2",
    level: Level::Must,
    sentence: "What fits MUST pass through exactly as joined, without notice.",
    chapter: "field.md",
    implies: &["RED-9"],
    applies: claimed,
    check: Check::Reduce(fitting_passes_through),
};

fn fitting_passes_through(seen: &Reduction, contract: &Contract) -> Ruling {
    if !seen.fits() || seen.is_blank() {
        return Ruling::Silent;
    }
    let numbers = [("joined", seen.facts.most), ("max", seen.max)];
    match &seen.reply {
        Reply::Infeasible => breaks_if(true, "infeasible_though_it_fits", &numbers),
        Reply::Given(reduced) if !is_joined(&reduced.text, seen, &contract.field) => {
            breaks_if(true, "changed_though_it_fits", &numbers)
        }
        Reply::Given(reduced) => {
            let said = reduced.notice.is_some() && contract.field.notice == Notice::Reported;
            breaks_if(said, "notice_though_it_fits", &numbers)
        }
        Reply::Raised(_) => Ruling::Silent,
    }
}

const RED_3: Requirement = Requirement {
    id: "RED-3",
    level: Level::Must,
    sentence: "Every required block, wherever it stood, MUST be in the output: verbatim, as often as given, and in the \
        given order.",
    chapter: "field.md",
    implies: &[],
    applies: in_blocks,
    check: Check::Reduce(required_survives),
};

fn required_survives(seen: &Reduction, contract: &Contract) -> Ruling {
    let required: Vec<&str> = required_texts(seen, &contract.field).collect();
    if seen.fits() || required.is_empty() || seen.facts.required > seen.max {
        return Ruling::Silent;
    }
    let Some(reduced) = seen.reply.given() else { return Ruling::Silent };
    let found = found_in_order(&reduced.text, required.iter().copied()).len();
    let numbers = [("required", required.len()), ("found", found), ("max", seen.max)];
    breaks_if(found < required.len(), "required_block_lost", &numbers)
}

fn required_texts<'a>(seen: &'a Reduction, rules: &FieldRules) -> impl Iterator<Item = &'a str> {
    let strip = rules.join.strip;
    let required = seen.blocks.iter().filter(|block| block.required);
    required
        .map(move |block| if strip { block.text.trim() } else { block.text.as_str() })
        .filter(|text| !text.is_empty())
}

const RED_4: Requirement = Requirement {
    id: "RED-4",
    level: Level::Must,
    sentence: "Trailing required guidance MUST end the output, with at most a marker after it; with `field.structure` `text` \
        the last `field.tail` units of the last paragraph MUST survive wherever `max` is at least twice `tail` plus the \
        marker.",
    chapter: "field.md",
    implies: &["RED-3"],
    applies: has_tail,
    check: Check::Reduce(tail_survives),
};

fn has_tail(contract: &Contract) -> bool {
    claimed(contract) && (in_blocks(contract) || contract.field.tail > 0)
}

fn tail_survives(seen: &Reduction, contract: &Contract) -> Ruling {
    let rules = &contract.field;
    if seen.fits() {
        return Ruling::Silent;
    }
    let text = match &seen.reply {
        Reply::Given(reduced) => reduced.text.as_str(),
        Reply::Infeasible => "",
        Reply::Raised(_) => return Ruling::Silent,
    };
    if rules.structure == Structure::Text {
        let tail = last_units(&seen.facts.joined, rules);
        if tail.is_empty() || seen.max < 2 * rules.tail + seen.facts.marker {
            return Ruling::Silent;
        }
        let numbers = [("tail", rules.unit.len(tail)), ("max", seen.max)];
        return breaks_if(!ends_with(text, tail, rules), "tail_lost", &numbers);
    }
    let Some(last) = seen.last(rules).filter(|last| last.required) else { return Ruling::Silent };
    let tail = if rules.join.strip { last.text.trim() } else { last.text.as_str() };
    if tail.is_empty() || seen.facts.required > seen.max || seen.reply.given().is_none() {
        return Ruling::Silent;
    }
    let numbers = [("trailing", rules.unit.len(tail)), ("max", seen.max)];
    breaks_if(!ends_with(text, tail, rules), "trailing_block_lost", &numbers)
}

/// The last units of the last paragraph. White space at the end may count as part of them or not, and a separator there
/// may begin an empty paragraph or not: what all readings keep is asked for.
pub(crate) fn last_units<'a>(text: &'a str, rules: &FieldRules) -> &'a str {
    let bare = text.trim_end();
    let paragraph = match rules.join.separator.as_str() {
        "" => 0,
        separator => text.rfind(separator).map_or(0, |at| at + separator.len()),
    };
    let from = paragraph.max(text.len() - rules.unit.suffix(text, rules.tail).len());
    bare.get(from..).unwrap_or_default().trim_start()
}

/// Whether `tail` ends `text`, but for what stands after the whole, a marker, and white space or a separator between.
pub(super) fn ends_with(text: &str, tail: &str, rules: &FieldRules) -> bool {
    let (after, separator) = (rules.join.after.as_str(), rules.join.separator.as_str());
    let marker = Marker::of(rules);
    let strip = |text: &str, end: &str| text.strip_suffix(end).map(str::len);
    let mut lens = vec![text.len()];
    let mut seen = 0;
    while let Some(len) = lens.get(seen).copied() {
        let left = &text[..len];
        if left.ends_with(tail) {
            return true;
        }
        let unmarked = marker.as_ref().and_then(|marker| marker.at_end(left)).map(|taken| len - taken);
        let shorter = [strip(left, after), strip(left, separator), unmarked, Some(left.trim_end().len())];
        for shorter in shorter.into_iter().flatten() {
            if !lens.contains(&shorter) && lens.len() < 32 {
                lens.push(shorter);
            }
        }
        seen += 1;
    }
    false
}

const RED_5: Requirement = Requirement {
    id: "RED-5",
    level: Level::Must,
    sentence: "The answer MUST be an explicit infeasible, and not a silent loss, if the required blocks with their \
        separators cannot fit; it MUST NOT be infeasible if they fit together with a marker; in between it may be \
        either.",
    chapter: "field.md",
    implies: &["RED-3"],
    applies: in_blocks,
    check: Check::Reduce(infeasible_is_said),
};

fn infeasible_is_said(seen: &Reduction, _: &Contract) -> Ruling {
    let numbers = [("required", seen.facts.required), ("max", seen.max)];
    match &seen.reply {
        Reply::Given(_) if seen.facts.required > seen.max => breaks_if(true, "silent_loss", &numbers),
        Reply::Infeasible if seen.feasible() => breaks_if(true, "infeasible_though_feasible", &numbers),
        Reply::Given(_) if seen.facts.required > 0 && seen.feasible() && seen.overflows() => Ruling::Holds,
        Reply::Infeasible if seen.facts.required > seen.max => Ruling::Holds,
        _ => Ruling::Silent,
    }
}

const RED_6: Requirement = Requirement {
    id: "RED-6",
    level: Level::Must,
    sentence: "There MUST be a notice if something was cut and none if nothing was, and the sizes in it MUST be true \
        in the declared unit; with `field.notice` `marker` the marker is the notice.",
    chapter: "field.md",
    implies: &[],
    applies: has_notice,
    check: Check::Reduce(notice_is_true),
};

fn has_notice(contract: &Contract) -> bool {
    claimed(contract) && contract.field.notice != Notice::None
}

fn notice_is_true(seen: &Reduction, contract: &Contract) -> Ruling {
    let rules = &contract.field;
    let Some(reduced) = seen.reply.given().filter(|_| !seen.is_blank()) else { return Ruling::Silent };
    let cut = !is_joined(&reduced.text, seen, rules);
    let Facts { least, most, .. } = seen.facts;
    let len = rules.unit.len(&reduced.text);
    let numbers = [("joined", most), ("output", len)];
    if rules.notice == Notice::Marker {
        if !cut || !room_for_a_marker(seen, rules) {
            return Ruling::Silent;
        }
        let marked = Marker::of(rules).is_some_and(|marker| marker.is_in(&reduced.text));
        return breaks_if(!marked, "cut_without_marker", &numbers);
    }
    match reduced.notice {
        None if cut => breaks_if(true, "cut_without_notice", &numbers),
        // Between the least and the greatest length it is free what a cut of white space is.
        Some(_) if !cut && (seen.fits() || reduced.text == seen.facts.joined) => {
            breaks_if(true, "notice_without_cut", &numbers)
        }
        Some(notice) => {
            let ends = rules.unit.len(reduced.text.trim());
            let after = if rules.join.strip { ends..=len.max(seen.max) } else { len..=len };
            let untrue = !(least..=most).contains(&notice.before) || !after.contains(&notice.after);
            let said = [numbers[0], ("said before", notice.before), numbers[1], ("said after", notice.after)];
            breaks_if(untrue, "untrue_sizes", &said)
        }
        None if seen.fits() => Ruling::Holds,
        None => Ruling::Silent,
    }
}

/// Whether a marker can be asked for: it fits beside all that must stay.
pub(super) fn room_for_a_marker(seen: &Reduction, rules: &FieldRules) -> bool {
    match rules.structure {
        Structure::Blocks => seen.feasible(),
        Structure::Text => seen.max >= 2 * rules.tail + seen.facts.marker,
    }
}

/// The lengths of `text` in the other units.
pub(super) fn other_lengths(text: &str, unit: Unit) -> impl Iterator<Item = usize> {
    Unit::ALL.into_iter().filter(move |other| *other != unit).map(|other| other.len(text))
}
