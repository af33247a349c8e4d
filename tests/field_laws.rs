//! Laws of the units, of described texts and of the reference at a limit, under two engines.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "common/engines.rs"]
mod engines;

use plimsoll::{
    Block, BlockDraft, Capability, Contract, FieldRules, FitRules, Limit, LimitCandidate, LimitCase, Message,
    ReduceCase, Reduced, Reducer, ReferenceReducer, ReferenceTrimmer, Role, Text, Trimmer, Unit, replay_at_limit,
};
use proptest::prelude::*;

const ALPHABET: &str = "ab \n\r.éß中€🙂👍\u{1f3fd}\u{301}\u{200d}[]";

fn text() -> impl Strategy<Value = String> {
    let characters: Vec<char> = ALPHABET.chars().collect();
    prop::collection::vec(prop::sample::select(characters), 0..40).prop_map(|all| all.into_iter().collect())
}

fn unit() -> impl Strategy<Value = Unit> {
    prop::sample::select(Unit::ALL.to_vec())
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let block = (text(), any::<bool>());
    let build = |(text, required)| if required { Block::required(text) } else { Block::removable(text) };
    prop::collection::vec(block.prop_map(build), 0..6)
}

fn rules() -> impl Strategy<Value = FieldRules> {
    let marker = prop::option::of(prop::sample::select(vec!["[cut]", "…", "[{n}]", "\n\n[..]\n\n"]));
    let separator = prop::sample::select(vec!["\n\n", "\n", "", " | "]);
    (unit(), marker, separator, any::<bool>()).prop_map(|(unit, marker, separator, skip_empty)| {
        let mut rules = FieldRules::default();
        (rules.unit, rules.marker) = (unit, marker.map(str::to_owned));
        (rules.join.separator, rules.join.skip_empty) = (separator.to_owned(), skip_empty);
        rules
    })
}

fn reduce(rules: &FieldRules, blocks: &[Block], max: usize) -> Option<Reduced> {
    ReferenceReducer::new(rules.clone()).reduce(blocks, Limit::new(max, rules.unit)).ok()
}

proptest! {
    #![proptest_config(engines::proptest())]

    #[test]
    fn lengths_add_up_and_agree_with_the_standard_library(one in text(), other in text()) {
        let both = format!("{one}{other}");
        for unit in Unit::ALL {
            prop_assert_eq!(unit.len(&both), unit.len(&one) + unit.len(&other));
            prop_assert_eq!(unit.len(&one), one.chars().map(|c| unit.len_char(c)).sum::<usize>());
        }
        prop_assert_eq!(Unit::CodePoints.len(&one), one.chars().count());
        prop_assert_eq!(Unit::Utf16Units.len(&one), one.encode_utf16().count());
    }

    #[test]
    fn a_prefix_is_the_longest_that_fits(text in text(), unit in unit(), len in 0usize..60) {
        let prefix = unit.prefix(&text, len);
        prop_assert!(text.starts_with(prefix) && unit.len(prefix) <= len);
        if let Some(next) = text[prefix.len()..].chars().next() {
            prop_assert!(unit.len(prefix) + unit.len_char(next) > len);
        }
        let suffix = unit.suffix(&text, len);
        prop_assert!(text.ends_with(suffix) && unit.len(suffix) <= len);
        if let Some(next) = text[..text.len() - suffix.len()].chars().next_back() {
            prop_assert!(unit.len(suffix) + unit.len_char(next) > len);
        }
    }

    #[test]
    fn described_texts_survive_their_json(plain in text(), word in text(), times in 0usize..9, more in text()) {
        let described = Text::plain(plain.clone()).and_repeat(word.clone(), times).and(more.clone());
        let built = format!("{plain}{}{more}", word.repeat(times));
        prop_assert_eq!(described.build(), built.clone());
        prop_assert_eq!(described.bytes(), built.len());
        let again: Text = serde_json::from_str(&serde_json::to_string(&described).unwrap()).unwrap();
        prop_assert_eq!(again.build(), built);
    }

    #[test]
    fn a_reduction_is_within_the_limit_and_a_second_changes_nothing(
        rules in rules(), blocks in blocks(), max in 0usize..120,
    ) {
        let Some(first) = reduce(&rules, &blocks, max) else { return Ok(()) };
        prop_assert!(rules.unit.len(&first.text) <= max);
        prop_assert_eq!(reduce(&rules, &[Block::removable(first.text.clone())], max).unwrap().text, first.text);
    }

    #[test]
    fn more_room_never_makes_a_field_infeasible_nor_shorter_by_more_than_a_marker(
        rules in rules(), blocks in blocks(), max in 0usize..120,
    ) {
        let Some(less) = reduce(&rules, &blocks, max) else { return Ok(()) };
        let more = reduce(&rules, &blocks, max + 1).unwrap();
        let slack = rules.unit.len(rules.marker.as_deref().unwrap_or_default()) + rules.unit.len(&rules.join.separator) + 8;
        prop_assert!(rules.unit.len(&more.text) + slack >= rules.unit.len(&less.text));
    }

    #[test]
    fn an_empty_removable_block_makes_no_difference_where_empty_ones_are_left_out(
        mut rules in rules(), mut blocks in blocks(), at in 0usize..6, max in 0usize..120,
    ) {
        rules.join.skip_empty = true;
        let before = reduce(&rules, &blocks, max);
        blocks.insert(at.min(blocks.len()), Block::removable(""));
        prop_assert_eq!(reduce(&rules, &blocks, max), before);
    }

    #[test]
    fn the_judge_finds_nothing_wrong_with_the_reference(rules in rules(), blocks in blocks(), max in 0usize..120) {
        let mut contract = Contract::claiming(&[Capability::Field]);
        contract.field = rules.clone();
        let drafts = blocks.iter().map(|block| BlockDraft::new(Text::plain(block.text.clone()), block.required));
        let case = LimitCase::Reduce(ReduceCase::new(drafts.collect(), max));
        let report = replay_at_limit(&contract, &LimitCandidate::Reducer(Box::new(ReferenceReducer::new(rules))), &case);
        prop_assert!(report.broken().is_empty(), "{}", report);
    }

    #[test]
    fn what_only_the_person_sees_makes_no_difference_to_a_trimmer(
        roles in prop::collection::vec(0u8..4, 0..12), max in 0usize..12,
    ) {
        let messages: Vec<Message> = roles.iter().enumerate().map(|(at, kind)| {
            let role = [Role::System, Role::User, Role::Assistant, Role::System][usize::from(*kind)];
            let message = Message::new(format!("m{at}"), role, "text");
            if *kind == 3 { message.ui_only() } else { message }
        }).collect();
        let visible: Vec<Message> = messages.iter().filter(|message| message.is_visible()).cloned().collect();
        let fit = |messages: Vec<Message>| {
            let left = ReferenceTrimmer::new(FitRules::default()).fit(messages, Limit::new(max, Unit::CodePoints)).ok()?;
            Some(left.into_iter().filter(Message::is_visible).collect::<Vec<_>>())
        };
        prop_assert_eq!(fit(messages), fit(visible));
    }
}

/// A text over the alphabet of the laws, for the other engine.
#[derive(Clone, Debug)]
struct Mixed(String);

impl quickcheck::Arbitrary for Mixed {
    fn arbitrary(g: &mut quickcheck::Gen) -> Self {
        let characters: Vec<char> = ALPHABET.chars().collect();
        Self(
            <Vec<usize> as quickcheck::Arbitrary>::arbitrary(g)
                .into_iter()
                .map(|at| characters[at % characters.len()])
                .collect(),
        )
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.0.shrink().map(Self))
    }
}

#[test]
fn required_blocks_survive_under_quickcheck() {
    fn law(front: Mixed, required: Mixed, back: Mixed, max: u8) -> bool {
        let blocks = [Block::removable(front.0), Block::required(required.0.clone()), Block::removable(back.0)];
        match reduce(&FieldRules::default(), &blocks, usize::from(max)) {
            Some(reduced) => reduced.text.contains(&required.0),
            None => Unit::CodePoints.len(&required.0) > usize::from(max),
        }
    }
    engines::quickcheck().quickcheck(law as fn(Mixed, Mixed, Mixed, u8) -> bool);
}

#[test]
fn notices_are_true_under_quickcheck() {
    fn law(one: Mixed, other: Mixed, max: u8) -> bool {
        let blocks = [Block::removable(one.0), Block::removable(other.0)];
        let joined = FieldRules::default().join.join(blocks.iter().map(|block| block.text.as_str()));
        let (unit, max) = (Unit::CodePoints, usize::from(max) / 4);
        let reduced = reduce(&FieldRules::default(), &blocks, max).unwrap();
        match reduced.notice {
            None => reduced.text == joined,
            Some(cut) => cut.before == unit.len(&joined) && cut.after == unit.len(&reduced.text) && cut.before > max,
        }
    }
    engines::quickcheck().quickcheck(law as fn(Mixed, Mixed, u8) -> bool);
}
