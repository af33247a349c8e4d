//! Every form of the macros, from a module without imports.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

plimsoll::reducer_tests!(reducer, plimsoll::ReferenceReducer::default());
plimsoll::trimmer_tests!(trimmer, plimsoll::ReferenceTrimmer::default());
plimsoll::assembler_tests!(assembler, plimsoll::ReferenceAssembler::default());

plimsoll::reducer_tests!(reducer_with_contract, plimsoll::ReferenceReducer::new(text().field), text());
plimsoll::trimmer_tests!(trimmer_with_contract, plimsoll::ReferenceTrimmer::new(tokens().fit), tokens());
plimsoll::assembler_tests!(assembler_with_contract, plimsoll::ReferenceAssembler::new(text().field), text());

mod closures {
    use plimsoll::{Block, Contract, Infeasible, Limit, Message, Reduced, Reducer, Request, Trimmer};

    plimsoll::reducer_tests!(reducer, |blocks: &[Block], limit: Limit| -> Result<Reduced, Infeasible> {
        plimsoll::ReferenceReducer::default().reduce(blocks, limit)
    });
    plimsoll::trimmer_tests!(trimmer, |messages: Vec<Message>, limit: Limit| -> Option<Vec<Message>> {
        plimsoll::ReferenceTrimmer::default().fit(messages, limit).ok()
    });
    plimsoll::assembler_tests!(
        assembler,
        |view: &[Message], limit: Limit| -> Result<Request, Infeasible> {
            plimsoll::Assembler::assemble(&plimsoll::ReferenceAssembler::default(), view, limit)
        },
        Contract::claiming(&[plimsoll::Capability::Request]),
    );
}

fn text() -> plimsoll::Contract {
    let text =
        r#"{"capabilities": ["field", "request"], "field": {"structure": "text", "tail": 3, "marker": "[{n}]"}}"#;
    plimsoll::Contract::from_json(text).unwrap()
}

fn tokens() -> plimsoll::Contract {
    plimsoll::Contract::from_json(r#"{"capabilities": ["fit"], "fit": {"unit": "tokens"}}"#).unwrap()
}

/// Good, unless the test below asks for its tests with `BROKEN` set.
mod at_times {
    use plimsoll::{Block, Infeasible, Limit, Reduced, Reducer};

    plimsoll::reducer_tests!(reducer, |blocks: &[Block], limit: Limit| -> Result<Reduced, Infeasible> {
        if std::env::var_os("BROKEN").is_some() {
            return plimsoll::text_reducer(|text, max| text.chars().take(max).collect()).reduce(blocks, limit);
        }
        plimsoll::ReferenceReducer::default().reduce(blocks, limit)
    });
}

#[test]
fn a_broken_part_leaves_a_witness_and_says_how_to_play_it_again() {
    let dir = tempfile::tempdir().unwrap();
    let run = |test: &str, broken: bool, replay: Option<&std::path::Path>| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args([test, "--exact"]).env("PLIMSOLL_WITNESS_DIR", dir.path()).env("PLIMSOLL_EFFORT", "smoke");
        broken.then(|| command.env("BROKEN", "1"));
        replay.map(|file| command.env("PLIMSOLL_REPLAY", file));
        let output = command.output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let (passed, says) = run("at_times::reducer::red_3", true, None);
    assert!(!passed && says.contains("RED-3 MUST fail"), "{says}");
    let command = says.lines().find_map(|line| line.trim().strip_prefix("replay")).unwrap().trim();
    let (file, command) = command.strip_prefix("PLIMSOLL_REPLAY=").unwrap().split_once(' ').unwrap();
    assert_eq!(command, "cargo test at_times::reducer::replay");
    let file = std::path::Path::new(file);
    assert!(file.starts_with(dir.path()) && file.exists(), "{says}");

    let (passed, says) = run("at_times::reducer::replay", true, Some(file));
    assert!(!passed && says.contains("the witness fails"), "{says}");
    let (passed, says) = run("at_times::reducer::replay", false, Some(file));
    assert!(passed, "{says}");
}

#[test]
fn a_broken_requirement_panics_with_its_sentence_and_witness() {
    let prefix = plimsoll::text_reducer(|text, max| text.chars().take(max).collect());
    let contract = plimsoll::Contract::claiming(&[plimsoll::Capability::Field]);
    let report = plimsoll::check_reducer(&contract, &prefix, &plimsoll::LimitBudget::default());
    let panic = std::panic::catch_unwind(|| report.assert_requirement("red_3")).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.contains("required_block_lost") && text.contains(r#"{"reduce":"#), "{text}");
    report.assert_requirement("red_1");
}

/// The field of a request is joined from its messages, be it one; that of a reducer for texts is the one text.
#[test]
fn what_stands_around_a_field_stands_around_one_message_too() {
    use plimsoll::{Assembler, Infeasible, Limit, Message, Request};
    let join = r#""join": {"before": "<<", "after": ">>"}"#;
    let text = format!(r#"{{"capabilities": ["request"], "field": {{"structure": "text", "tail": 3, {join}}}}}"#);
    let contract = plimsoll::Contract::from_json(&text).unwrap();
    let reference = plimsoll::ReferenceAssembler::new(contract.field.clone());
    let budget = plimsoll::LimitBudget::default();
    plimsoll::check_assembler(&contract, &reference, &budget).assert_passed();

    let bare = |view: &[Message], limit: Limit| -> Result<Request, Infeasible> {
        let mut request = reference.assemble(view, limit)?;
        if view.iter().filter(|message| message.role == plimsoll::Role::System).count() == 1 {
            let text = request.instructions.take().unwrap_or_default();
            request.instructions = Some(text.replace("<<", "").replace(">>", "")).filter(|text| !text.is_empty());
        }
        Ok(request)
    };
    assert!(plimsoll::check_assembler(&contract, &bare, &budget).broken().contains(&"ASM-3"));
}

/// Where an empty block would have something around it, an output of nothing is a field of no blocks.
#[test]
fn nothing_is_not_a_block_of_nothing() {
    let join = r#""join": {"before": "(", "after": ")", "skip_empty": false}"#;
    let text = format!(r#"{{"capabilities": ["field"], "field": {{"notice": "none", {join}}}}}"#);
    let contract = plimsoll::Contract::from_json(&text).unwrap();
    let rules = contract.field.clone();
    // Drops every block that is not required where they do not fit.
    let dropper = |blocks: &[plimsoll::Block], limit: plimsoll::Limit| {
        let join = |required: bool| {
            let kept = blocks.iter().filter(|block| block.required || !required);
            rules.join.join(kept.map(|block| block.text.as_str()))
        };
        let text = if limit.unit.len(&join(false)) <= limit.max { join(false) } else { join(true) };
        if limit.unit.len(&text) > limit.max {
            Err(plimsoll::Infeasible::new())
        } else {
            Ok(plimsoll::Reduced::whole(text))
        }
    };
    let report = plimsoll::check_reducer(&contract, &dropper, &plimsoll::LimitBudget::default());
    assert!(report.passed(), "{report}");
}
