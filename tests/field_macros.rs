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
