//! Field reduction: what may be lost, and how (RED-7 to RED-13).

use std::collections::BTreeSet;

use super::alignment::{all_but_one_survive, is_subsequence, longest_character};
use super::field::{claimed, in_blocks, other_lengths};
use super::limit::{Reply, Ruling, breaks_if};
use super::reduction::{Facts, Reduction, is_joined, limit_broken};
use super::{Check, Level, Requirement};
use crate::contract::Contract;
use crate::marker::Marker;

pub(super) const RED_7: Requirement = Requirement {
    id: "RED-7",
    level: Level::Must,
    sentence: "The output MUST be well-formed Unicode, and every character in it MUST come from the input or the \
        marker: code points are not split, and no lone surrogate or replacement character appears.",
    chapter: "field.md",
    implies: &["RED-8"],
    applies: claimed,
    check: Check::Reduce(characters_stay_whole),
};

fn characters_stay_whole(seen: &Reduction, contract: &Contract) -> Ruling {
    let Some(reduced) = seen.reply.given().filter(|_| !seen.fits() && !seen.is_blank()) else { return Ruling::Silent };
    let rules = &contract.field;
    let mut known = Characters::default();
    known.extend(seen.facts.joined.chars());
    if let Some(marker) = Marker::of(rules) {
        known.extend(marker.literals().flat_map(str::chars).chain(rules.join.separator.chars()));
        known.extend(('0'..='9').filter(|_| marker.has_number()));
    }
    let strange = |character: &char| !known.contains(*character);
    match reduced.text.chars().find(strange) {
        Some('\u{fffd}') => breaks_if(true, "replacement_character", &[("max", seen.max)]),
        Some(other) => breaks_if(true, "strange_character", &[("code point", other as usize), ("max", seen.max)]),
        None => Ruling::Holds,
    }
}

/// A set of characters that is quick for ASCII.
#[derive(Default)]
struct Characters {
    ascii: u128,
    others: BTreeSet<char>,
}

impl Characters {
    fn extend(&mut self, characters: impl Iterator<Item = char>) {
        for character in characters {
            match u8::try_from(character) {
                Ok(byte) if byte < 128 => self.ascii |= 1 << byte,
                _ => _ = self.others.insert(character),
            }
        }
    }

    fn contains(&self, character: char) -> bool {
        match u8::try_from(character) {
            Ok(byte) if byte < 128 => self.ascii >> byte & 1 == 1,
            _ => self.others.contains(&character),
        }
    }
}

pub(super) const RED_8: Requirement = Requirement {
    id: "RED-8",
    level: Level::Must,
    sentence: "Apart from its markers the output MUST be a subsequence of the joined input, with nothing invented and \
        nothing reordered.",
    chapter: "field.md",
    implies: &[],
    applies: claimed,
    check: Check::Reduce(nothing_is_invented),
};

fn nothing_is_invented(seen: &Reduction, contract: &Contract) -> Ruling {
    let Some(reduced) = seen.reply.given().filter(|_| !seen.fits() && !seen.is_blank()) else { return Ruling::Silent };
    let (marker, rules) = (Marker::of(&contract.field), &contract.field);
    let additions = seen.additions(marker.as_ref(), rules);
    let sound = is_subsequence(&reduced.text, &seen.facts.joined, &additions)
        || rules.join.strip && is_subsequence(reduced.text.trim(), &stripped(seen, contract), &additions);
    breaks_if(!sound, "not_a_subsequence", &[("output", rules.unit.len(&reduced.text)), ("max", seen.max)])
}

/// The joined field with white space at the ends of its parts left out: separators may stand further apart then.
fn stripped(seen: &Reduction, contract: &Contract) -> String {
    contract.field.join.join(seen.blocks.iter().map(|block| block.text.trim())).trim().to_owned()
}

pub(super) const RED_9: Requirement = Requirement {
    id: "RED-9",
    level: Level::Must,
    sentence: "Text that merely contains the marker MUST be treated as content, and a second reduction at the same limit MUST \
        change nothing.",
    chapter: "field.md",
    implies: &[],
    applies: claimed,
    check: Check::Reduce(marker_is_content),
};

fn marker_is_content(seen: &Reduction, contract: &Contract) -> Ruling {
    let numbers = [("joined", seen.facts.most), ("max", seen.max)];
    if let Some(unmarked) = &seen.unmarked {
        let answers = |seen: &Reduction| (matches!(seen.reply, Reply::Infeasible), limit_broken(seen, contract));
        let (here, there) = (answers(seen), answers(unmarked));
        if here.1.is_some() && there.1.is_none() || here.0 && !there.0 {
            return breaks_if(true, "marker_taken_for_a_cut", &numbers);
        }
    }
    match (&seen.reply, &seen.second) {
        (Reply::Given(first), Some(Reply::Given(second))) => {
            let same =
                second.text == first.text || contract.field.join.strip && second.text.trim() == first.text.trim();
            breaks_if(!same, "second_pass_changes", &numbers)
        }
        (Reply::Given(_), Some(Reply::Infeasible)) => breaks_if(true, "second_pass_changes", &numbers),
        _ if seen.unmarked.is_some() => Ruling::Holds,
        _ => Ruling::Silent,
    }
}

pub(super) const RED_10: Requirement = Requirement {
    id: "RED-10",
    level: Level::Should,
    sentence: "Where a cut in one removable block is enough to absorb the overflow, every other block SHOULD survive \
        verbatim.",
    chapter: "field.md",
    implies: &[],
    applies: in_blocks,
    check: Check::Reduce(one_cut_is_enough),
};

fn one_cut_is_enough(seen: &Reduction, contract: &Contract) -> Ruling {
    let rules = &contract.field;
    let Facts { most, separator, marker, .. } = seen.facts;
    let Some(reduced) = seen.reply.given().filter(|_| seen.overflows()) else { return Ruling::Silent };
    let needed = most - seen.max + if marker == 0 { 0 } else { marker + 2 * separator };
    let absorbs = seen.blocks.iter().any(|block| !block.required && rules.unit.len(&block.text) >= needed);
    if !absorbs {
        return Ruling::Silent;
    }
    let texts = seen.blocks.iter().map(|b| if rules.join.strip { b.text.trim() } else { b.text.as_str() });
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    let kept = all_but_one_survive(&reduced.text, &texts);
    breaks_if(!kept, "more_than_one_block_cut", &[("overflow", most - seen.max), ("max", seen.max)])
}

pub(super) const RED_11: Requirement = Requirement {
    id: "RED-11",
    level: Level::Must,
    sentence: "The same input MUST give the same output, and the input MUST be left alone.",
    chapter: "field.md",
    implies: &[],
    applies: claimed,
    check: Check::Reduce(same_input_same_output),
};

fn same_input_same_output(seen: &Reduction, _: &Contract) -> Ruling {
    let numbers = [("joined", seen.facts.most), ("max", seen.max)];
    if seen.touched {
        return breaks_if(true, "input_changed", &numbers);
    }
    match (&seen.reply, &seen.again) {
        (Reply::Given(_) | Reply::Infeasible, Some(again @ (Reply::Given(_) | Reply::Infeasible))) => {
            breaks_if(*again != seen.reply, "another_output", &numbers)
        }
        _ => Ruling::Silent,
    }
}

pub(super) const RED_12: Requirement = Requirement {
    id: "RED-12",
    level: Level::Must,
    sentence: "The limit MUST be measured in the declared unit, also for texts whose lengths in code points, UTF-8 bytes and \
        UTF-16 units differ.",
    chapter: "field.md",
    implies: &["RED-1", "RED-2", "RED-5", "RED-6", "RED-9", "RED-10", "RED-13"],
    applies: claimed,
    check: Check::Reduce(measured_in_the_unit),
};

fn measured_in_the_unit(seen: &Reduction, contract: &Contract) -> Ruling {
    let Some(ascii) = &seen.ascii else { return Ruling::Silent };
    let unit = contract.field.unit;
    let differs = other_lengths(&seen.facts.joined, unit).any(|len| len != seen.facts.most);
    if !differs || matches!(seen.reply, Reply::Raised(_)) {
        return Ruling::Silent;
    }
    let mut numbers = vec![("joined", seen.facts.most), ("max", seen.max)];
    if let Some(reduced) = seen.reply.given() {
        numbers.push(("output", unit.len(&reduced.text)));
    }
    let broken = limit_broken(seen, contract).filter(|_| limit_broken(ascii, contract).is_none());
    breaks_if(broken.is_some(), "measured_in_another_unit", &numbers)
}

pub(super) const RED_13: Requirement = Requirement {
    id: "RED-13",
    level: Level::Should,
    sentence: "What a reduction loses SHOULD NOT exceed the overflow by more than the markers, the separators at the \
        cut and a single character.",
    chapter: "field.md",
    implies: &[],
    applies: claimed,
    check: Check::Reduce(no_more_than_needed),
};

fn no_more_than_needed(seen: &Reduction, contract: &Contract) -> Ruling {
    let rules = &contract.field;
    if !seen.overflows() {
        return Ruling::Silent;
    }
    let text = match &seen.reply {
        Reply::Given(reduced) => reduced.text.as_str(),
        Reply::Infeasible if seen.facts.required == 0 && seen.feasible() => "",
        _ => return Ruling::Silent,
    };
    if seen.facts.required > seen.max || is_joined(text, seen, rules) {
        return Ruling::Silent;
    }
    let Facts { separator, marker, wrap, ref joined, removable, .. } = seen.facts;
    let unused = seen.max.saturating_sub(rules.unit.len(text));
    // A design that cuts several blocks rounds at each of them.
    let cuts = removable.max(1);
    let allowed = cuts * (longest_character(joined, rules.unit) + 2 * separator) + marker + wrap;
    breaks_if(unused > allowed, "more_lost_than_needed", &[("unused", unused), ("allowed", allowed), ("max", seen.max)])
}
