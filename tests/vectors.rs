//! Every vector in `spec/vectors` loads, and the reference passes it; candidates that do next to nothing do not pass them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::Path;

use plimsoll::{
    Assembler, Block, Contract, Cut, Infeasible, Limit, Message, Reduced, Reducer, ReferenceAssembler,
    ReferenceReducer, ReferenceTrimmer, Request, Role, Text, Trimmer, Unit,
};
use serde::{Deserialize, Deserializer};

const FILES: [&str; 5] = ["reduce", "units", "text", "fit", "request"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "$schema")]
    schema: String,
    plimsoll: String,
    format: u32,
    #[serde(rename = "about")]
    _about: String,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vector {
    name: String,
    about: String,
    cites: Vec<String>,
    #[serde(default)]
    contract: serde_json::Map<String, serde_json::Value>,
    reduce: Option<Blocks>,
    fit: Option<Messages>,
    assemble: Option<Messages>,
    expect: Expect,
    #[serde(default)]
    advise: Expect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Blocks {
    blocks: Vec<BlockText>,
    max: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockText {
    text: Text,
    #[serde(default)]
    required: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Messages {
    messages: Vec<MessageText>,
    max: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageText {
    id: String,
    role: Role,
    content: Text,
    #[serde(default)]
    ui_only: bool,
    #[serde(default)]
    hidden: bool,
    #[serde(default)]
    pinned: bool,
    call_id: Option<String>,
    #[serde(default)]
    calls: Vec<String>,
    reasoning: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Expect {
    infeasible: Option<serde_json::Value>,
    at_most: Option<usize>,
    at_least: Option<usize>,
    equals: Option<Text>,
    contains: Vec<Text>,
    ends_with: Option<Text>,
    #[serde(deserialize_with = "some")]
    notice: Option<Option<Notice>>,
    ids: Option<Vec<String>>,
    contains_ids: Vec<String>,
    lacks_ids: Vec<String>,
    sent: Option<Vec<String>>,
    sent_contains: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notice {
    before: Option<usize>,
}

fn some<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<Notice>>, D::Error> {
    Option::deserialize(from).map(Some)
}

fn vectors() -> Vec<Vector> {
    let read = |name: &&str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("spec/vectors/{name}.json"));
        let file: File = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!((file.schema.as_str(), file.plimsoll.as_str(), file.format), ("vectors.schema.json", "vectors", 1));
        file.vectors
    };
    FILES.iter().flat_map(read).collect()
}

fn build(messages: &Messages) -> Vec<Message> {
    let build = |message: &MessageText| {
        let mut built = Message::new(message.id.clone(), message.role, message.content.build());
        (built.ui_only, built.hidden, built.pinned) = (message.ui_only, message.hidden, message.pinned);
        (built.call_id, built.calls) = (message.call_id.clone(), message.calls.clone());
        built.reasoning = message.reasoning.clone();
        built
    };
    messages.messages.iter().map(build).collect()
}

impl Vector {
    fn contract(&self) -> Contract {
        let mut json = self.contract.clone();
        json.insert("capabilities".to_owned(), serde_json::json!(["field", "fit", "request"]));
        Contract::from_value(json.into()).unwrap()
    }

    /// What is wrong with the answers of these three.
    fn run(&self, reducer: &dyn Reducer, trimmer: &dyn Trimmer, assembler: &dyn Assembler) -> Vec<String> {
        let contract = self.contract();
        let both = |check: &dyn Fn(&Expect) -> Vec<String>| [check(&self.expect), check(&self.advise)].concat();
        if let Some(Blocks { blocks, max }) = &self.reduce {
            let block = |block: &BlockText| match block.required {
                true => Block::required(block.text.build()),
                false => Block::removable(block.text.build()),
            };
            let blocks: Vec<Block> = blocks.iter().map(block).collect();
            let answer = reducer.reduce(&blocks, Limit::new(*max, contract.field.unit));
            return self.answered(&answer).unwrap_or_else(|| {
                let Reduced { text, notice, .. } = answer.unwrap();
                both(&|expect| expect.text(&text, notice, &contract))
            });
        }
        if let Some(view) = &self.assemble {
            let answer = assembler.assemble(&build(view), Limit::new(view.max, contract.field.unit));
            return self.answered(&answer).unwrap_or_else(|| {
                let Request { instructions, sent, notice, .. } = answer.unwrap();
                let text = instructions.unwrap_or_default();
                both(&|expect| [expect.text(&text, notice, &contract), expect.sent(&sent)].concat())
            });
        }
        let list = self.fit.as_ref().unwrap();
        let messages = build(list);
        let answer = trimmer.fit(messages.clone(), Limit::new(list.max, Unit::CodePoints));
        self.answered(&answer).unwrap_or_else(|| {
            let left = answer.unwrap();
            both(&|expect| expect.messages(&left, &messages, &contract))
        })
    }

    /// What is to be said where the answer is, or has to be, infeasible.
    fn answered<T>(&self, answer: &Result<T, Infeasible>) -> Option<Vec<String>> {
        let infeasible = self.expect.infeasible.as_ref();
        match answer {
            Err(_) if infeasible.is_some() => Some(Vec::new()),
            Err(_) => Some(vec!["infeasible".to_owned()]),
            Ok(_) if infeasible == Some(&true.into()) => Some(vec!["not infeasible".to_owned()]),
            Ok(_) => None,
        }
    }
}

impl Expect {
    fn text(&self, text: &str, notice: Option<Cut>, contract: &Contract) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut check = |holds: bool, what: &str| {
            if !holds {
                wrong.push(what.to_owned());
            }
        };
        let len = contract.field.unit.len(text);
        check(self.at_most.is_none_or(|most| len <= most), "at_most");
        check(self.at_least.is_none_or(|least| len >= least), "at_least");
        check(self.equals.as_ref().is_none_or(|equal| equal.build() == text), "equals");
        let mut rest = text;
        for part in self.contains.iter().map(Text::build) {
            match rest.find(&part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => check(false, "contains"),
            }
        }
        let unmarked = text.strip_suffix(contract.field.marker.as_deref().unwrap_or_default()).unwrap_or(text);
        let ends = |end: &Text| text.ends_with(&end.build()) || unmarked.ends_with(&end.build());
        check(self.ends_with.as_ref().is_none_or(ends), "ends_with");
        match &self.notice {
            None => {}
            Some(None) => check(notice.is_none(), "notice"),
            Some(Some(expected)) => {
                let before = |cut: &Cut| expected.before.is_none_or(|before| before == cut.before);
                check(notice.as_ref().is_some_and(|cut| before(cut) && cut.after == len), "notice");
            }
        }
        wrong
    }

    fn sent(&self, sent: &[String]) -> Vec<String> {
        let exact = self.sent.as_ref().is_none_or(|ids| ids == sent);
        let contains = self.sent_contains.iter().all(|id| sent.contains(id));
        if exact && contains { Vec::new() } else { vec!["sent".to_owned()] }
    }

    fn messages(&self, left: &[Message], given: &[Message], contract: &Contract) -> Vec<String> {
        let mut wrong = Vec::new();
        let visible: Vec<&Message> = left.iter().filter(|message| message.is_visible()).collect();
        let ids: Vec<&str> = visible.iter().map(|message| message.id.as_str()).collect();
        let same = |id: &str| visible.iter().any(|message| message.id == id && given.contains(message));
        if self.ids.as_ref().is_some_and(|expected| *expected != ids || !ids.iter().all(|id| same(id))) {
            wrong.push(format!("ids {ids:?}"));
        }
        if !self.contains_ids.iter().all(|id| same(id)) || self.lacks_ids.iter().any(|id| ids.contains(&id.as_str())) {
            wrong.push(format!("contains_ids or lacks_ids {ids:?}"));
        }
        if self.at_most.is_some_and(|most| contract.fit.size(left) > most) {
            wrong.push("at_most".to_owned());
        }
        wrong
    }
}

#[test]
fn the_reference_passes_every_vector() {
    for vector in vectors() {
        let contract = vector.contract();
        let wrong = vector.run(
            &ReferenceReducer::new(contract.field.clone()),
            &ReferenceTrimmer::new(contract.fit.clone()),
            &ReferenceAssembler::new(contract.field.clone()),
        );
        assert!(wrong.is_empty(), "{}: {wrong:?}", vector.name);
    }
}

#[test]
fn names_are_unique_and_every_requirement_at_a_limit_is_cited() {
    let vectors = vectors();
    let names: BTreeSet<&str> = vectors.iter().map(|vector| vector.name.as_str()).collect();
    assert_eq!(names.len(), vectors.len());
    assert!(vectors.iter().all(|vector| vector.about.ends_with(['.', '?'])));
    let kinds =
        |v: &Vector| [v.reduce.is_some(), v.fit.is_some(), v.assemble.is_some()].into_iter().filter(|is| *is).count();
    assert!(vectors.iter().all(|vector| kinds(vector) == 1));
    let known: BTreeSet<String> = serde_json::from_str::<serde_json::Value>(include_str!("../spec/requirements.json"))
        .unwrap()["requirements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    let cited: BTreeSet<String> = vectors.iter().flat_map(|vector| vector.cites.clone()).collect();
    assert!(cited.is_subset(&known), "{:?}", cited.difference(&known));
    // That the same input gives the same output, and that nothing is invented, no single vector can show.
    let shown = |id: &str| !matches!(id, "RED-8" | "RED-11" | "FIT-6" | "FIT-8" | "ASM-5");
    let at_limit = |id: &str| ["RED", "FIT", "ASM"].iter().any(|area| id.starts_with(area));
    let missing: Vec<_> = known.iter().filter(|id| at_limit(id) && shown(id) && !cited.contains(*id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn candidates_that_do_next_to_nothing_fail_in_every_file() {
    let join = |blocks: &[Block]| plimsoll::Join::default().join(blocks.iter().map(|block| block.text.as_str()));
    let whole = |blocks: &[Block], _: Limit| join(blocks);
    let nothing = |_: &[Block], _: Limit| String::new();
    let never = |_: &[Block], _: Limit| -> Option<Reduced> { None };
    let prefix = |blocks: &[Block], limit: Limit| join(blocks).chars().take(limit.max).collect::<String>();
    let reducers: [&dyn Reducer; 4] = [&whole, &nothing, &never, &prefix];
    let trimmers: [&dyn Trimmer; 4] = [
        &|messages: Vec<Message>, _: Limit| messages,
        &|_: Vec<Message>, _: Limit| Vec::<Message>::new(),
        &|_: Vec<Message>, _: Limit| -> Option<Vec<Message>> { None },
        &|messages: Vec<Message>, limit: Limit| messages[messages.len().saturating_sub(limit.max)..].to_vec(),
    ];
    let all = |view: &[Message], limit: Limit, keep: fn(&Message) -> bool| {
        let system: Vec<&str> =
            view.iter().filter(|m| m.role == Role::System && keep(m)).map(|m| m.content.as_str()).collect();
        let text: String = system.join("\n\n").chars().take(limit.max).collect();
        Request::new(Some(text), view.iter().map(|message| message.id.clone()).collect())
    };
    let assemblers: [&dyn Assembler; 4] = [
        &move |view: &[Message], limit: Limit| all(view, Limit::new(usize::MAX, limit.unit), |_| true),
        &|_: &[Message], _: Limit| Request::new(None, Vec::new()),
        &|_: &[Message], _: Limit| -> Option<Request> { None },
        &move |view: &[Message], limit: Limit| all(view, limit, Message::is_visible),
    ];
    for (at, ((reducer, trimmer), assembler)) in reducers.into_iter().zip(trimmers).zip(assemblers).enumerate() {
        let failed: BTreeSet<&str> = vectors()
            .iter()
            .filter(|vector| !vector.run(reducer, trimmer, assembler).is_empty())
            .map(|vector| {
                if vector.reduce.is_some() {
                    "reduce"
                } else if vector.fit.is_some() {
                    "fit"
                } else {
                    "assemble"
                }
            })
            .collect();
        assert_eq!(failed.len(), 3, "candidate {at} fails only in {failed:?}");
    }
}
