//! Runs against candidates that misbehave in process, and what a person sees of them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::{Duration, Instant};

use plimsoll::{
    Action, Capability, Compactor, Contract, Conversation, Effort, Error, Host, Message, Reference, Report,
};
use plimsoll::{Block, Limit, Reduced, Reducer};
use plimsoll::{Role, Suite, TextReport, Verdict, Witness};

/// Does what it is made with at each step.
struct Does(fn(&mut Conversation, &Host));

impl Compactor for Does {
    fn contract(&self) -> Contract {
        Contract::claiming(&[Capability::Summarize, Capability::View])
    }
    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        (self.0)(conversation, host);
        Ok(Action::None)
    }
}

fn run(dir: &std::path::Path, does: fn(&mut Conversation, &Host)) -> Report {
    let suite = Suite::new(move || Does(does)).effort(Effort::Smoke).timeout(Duration::from_millis(300));
    suite.witness_dir(dir.join("witnesses")).json(dir.join("report.json")).run().expect("it runs")
}

#[test]
fn a_candidate_that_never_returns_ends_the_run_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let report = run(dir.path(), |_, _| std::thread::sleep(Duration::from_secs(1_000)));
    assert!(start.elapsed() < Duration::from_secs(20));
    let why = report.aborted.as_deref().unwrap();
    assert!(why.contains("did not return within 0.3 s"), "{why}");
    let file = why.split("the history: ").nth(1).unwrap();
    assert!(Witness::load(file.as_ref()).is_ok(), "{file}");
    assert_eq!((report.exit_code(), report.passed()), (2, false));
    assert!(dir.path().join("report.json").is_file());
    assert!(TextReport::new(&report).to_string().contains("not finished: the candidate did not return"));
}

#[test]
fn a_candidate_that_panics_is_a_crash_with_its_message_and_the_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let report = run(dir.path(), |conversation, _| assert!(conversation.view().len() < 9, "nine \u{1b}[31m lives"));
    assert_eq!(report.exit_code(), 1);
    assert!(report.requirements.iter().any(|row| row.verdict == Verdict::Crash));
    assert!(report.requirement("THR-7").is_some_and(|row| row.exercised > 0 || row.verdict != Verdict::Pass));
    let broken = &report.broken[0];
    assert!(broken.histories > 1 && broken.message.contains("lives"), "{broken:?}");
    let text = TextReport::new(&report).to_string();
    assert!(text.contains(r"nine \u{1b}[31m lives") && !text.contains('\u{1b}'), "{text}");
    assert!(text.contains("broke off at step"), "{text}");
}

#[test]
fn what_a_candidate_writes_reaches_the_terminal_as_text() {
    let dir = tempfile::tempdir().unwrap();
    let report = run(dir.path(), |conversation, _| {
        conversation.append(Message::new("own\u{7}1", Role::System, "\u{1b}]0;owned\u{7}\nconformance: 99 passed"));
    });
    assert!(!report.passed());
    let text = TextReport::new(&report).to_string();
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(!text.lines().any(|line| line.starts_with("conformance: 99")), "{text}");
}

#[test]
fn repeats_are_folded_in_a_timeline() {
    let header =
        r#"{"plimsoll":"history","format":1,"seed":7,"contract":{"capabilities":["summarize","conversations"]}}"#;
    let mut text = format!("{header}\n");
    for name in 0..513_u32 {
        let name = if name < 26 { char::from(b'a' + name as u8).to_string() } else { format!("c{name}") };
        let key = text.lines().count();
        text += &format!(
            "{{\"append\":{{\"conversation\":\"{name}\",\"messages\":[{{\"key\":{key},\"role\":\"user\"}}]}}}}\n"
        );
        text += &format!("{{\"step\":{{\"conversation\":\"{name}\"}}}}\n");
    }
    let replay = Suite::new(Reference::default).replay(&Witness::parse(&text).unwrap()).unwrap();
    let lines: Vec<&str> = replay.timeline.lines().collect();
    assert!(lines.len() < 8, "{}", replay.timeline);
    assert!(lines[3].contains("512 x the same 2 rows, the last in c512"), "{}", replay.timeline);
    assert!(lines.iter().all(|line| line.is_ascii() && line.len() <= 120), "{}", replay.timeline);
}

/// A compactor that never acts, and reduces fields with a function.
struct Reduces(fn(&[Block], Limit) -> Reduced);

impl Compactor for Reduces {
    fn contract(&self) -> Contract {
        Contract::claiming(&[Capability::View, Capability::Field])
    }
    fn step(&mut self, _: &mut Conversation, _: &Host) -> Result<Action, Error> {
        Ok(Action::None)
    }
    fn reducer(&mut self) -> Option<&dyn Reducer> {
        Some(&self.0)
    }
}

fn reduces(dir: &std::path::Path, by: fn(&[Block], Limit) -> Reduced) -> Report {
    let suite = Suite::new(move || Reduces(by)).effort(Effort::Smoke).timeout(Duration::from_millis(300));
    suite.witness_dir(dir.join("witnesses")).run().expect("it runs")
}

#[test]
fn a_compactor_with_a_reducer_is_judged_as_both_in_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let report = reduces(dir.path(), |blocks, limit| {
        let text: String = blocks.iter().map(|block| block.text.as_str()).collect();
        Reduced::whole(text.chars().take(limit.max).collect::<String>())
    });
    assert!(report.histories > 0 && report.limits[0].cases > 0);
    assert_eq!(report.requirement("ISO-4").unwrap().verdict, Verdict::Pass);
    let row = report.requirement("RED-2").unwrap();
    assert_eq!((row.verdict, row.witness_steps), (Verdict::Fail, Some(1)));
    let witness = Witness::load(&report.witness_path(row.witness.as_deref().unwrap())).unwrap();
    assert!(witness.case.is_some() && witness.history.commands.is_empty());
    assert_eq!(Witness::parse(&witness.render(None)).unwrap(), witness);
    let replay = Suite::new(Reference::default).replay(&witness).unwrap();
    assert!(!replay.fails(), "{replay}");
}

#[test]
fn a_reducer_that_panics_is_a_crash_and_its_cases_end_early() {
    let dir = tempfile::tempdir().unwrap();
    let report = reduces(dir.path(), |_, limit| panic!("no room in {}", limit.max));
    assert_eq!(report.requirement("RED-1").unwrap().verdict, Verdict::Crash);
    assert_eq!(report.requirement("RED-2").unwrap().verdict, Verdict::NotReached);
    assert_eq!((report.broken[0].histories, report.limits[0].cases), (200, 200));
    assert!(report.cut_short.as_deref().unwrap().contains("200 cases of `field` (crash)"), "{:?}", report.cut_short);
    let text = TextReport::new(&report).to_string();
    assert!(text.contains("crash in 200 of 200 cases of `field`, counted against RED-1"), "{text}");
    assert!(text.contains("no room in"), "{text}");
}

#[test]
fn a_reducer_that_never_returns_ends_the_run_with_its_case() {
    let dir = tempfile::tempdir().unwrap();
    let report = reduces(dir.path(), |_, _| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    let why = report.aborted.as_deref().unwrap();
    let file = why.split("the case: ").nth(1).unwrap_or_else(|| panic!("{why}"));
    assert!(Witness::load(file.as_ref()).unwrap().case.is_some(), "{file}");
    assert_eq!((report.exit_code(), report.requirement("RED-1").unwrap().verdict), (2, Verdict::NotReached));
}

#[test]
#[cfg(feature = "zoo")]
fn a_witness_of_hundreds_of_conversations_is_a_few_lines() {
    let dir = tempfile::tempdir().unwrap();
    let row = plimsoll::zoo::find("remembers-five-hundred-and-twelve").unwrap();
    let suite = Suite::fallible(row.name(), || Ok(row.make())).requirement("ISO-2").until(["ISO-2"]);
    let report = suite.witness_dir(dir.path().to_path_buf()).run().unwrap();
    let failed = report.requirement("ISO-2").unwrap();
    assert_eq!(failed.verdict, Verdict::Fail, "{failed:?}");
    let path = report.witness_path(failed.witness.as_deref().unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.lines().count() <= 20, "{text}");
    assert!(text.contains(r#"{"repeat":"#), "{text}");
    let witness = Witness::parse(&text).unwrap();
    assert!((513..600).contains(&witness.history.conversations()), "{}", witness.history.conversations());
    let replay = Suite::fallible(row.name(), || Ok(row.make())).replay(&witness).unwrap();
    assert!(replay.fails() && replay.timeline.lines().count() <= 20, "{replay}");
    assert!(replay.timeline.contains(" x the same "), "{replay}");
}

/// Panics where nobody waits for it.
struct DropsBadly(bool);

impl Compactor for DropsBadly {
    fn contract(&self) -> Contract {
        Contract::claiming(&[Capability::Summarize])
    }
    fn step(&mut self, _: &mut Conversation, _: &Host) -> Result<Action, Error> {
        self.0 = true;
        panic!("in the step")
    }
}

impl Drop for DropsBadly {
    fn drop(&mut self) {
        assert!(!self.0, "in the drop");
    }
}

#[test]
fn a_panic_in_a_drop_that_follows_a_crash_is_the_candidates() {
    let suite = Suite::new(|| DropsBadly(false)).effort(Effort::Smoke).requirement("THR-7").witness_dir(None);
    let report = suite.run().unwrap();
    let row = report.requirement("THR-7").unwrap();
    assert_eq!(row.verdict, Verdict::Crash, "{row:?}");
    assert!(report.broken[0].message.contains("in the step"), "{:?}", report.broken);
}

#[test]
#[cfg(feature = "zoo")]
fn an_interrupted_run_passes_nothing_that_a_wrong_decision_leaves_open() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let row = plimsoll::zoo::find("self-counting-throttle").unwrap();
    let stop = std::sync::Arc::new(AtomicBool::new(false));
    let set = std::sync::Arc::clone(&stop);
    let suite = Suite::fallible(row.name(), || Ok(row.make())).witness_dir(None).stop(stop).jobs(1);
    let report = suite.progress(move |tick| _ = set.fetch_or(tick.suspects > 0, Ordering::Relaxed));
    let report = report.run().unwrap();
    assert_eq!((report.exit_code(), report.passed()), (2, false));
    assert!(report.aborted.as_deref().unwrap().contains("interrupted"), "{:?}", report.aborted);
    assert!(report.planned > report.histories, "{} of {}", report.histories, report.planned);
    for id in ["THR-1", "THR-2", "THR-3"] {
        let row = report.requirement(id).unwrap();
        assert!(!matches!(row.verdict, Verdict::Pass), "{row:?}");
    }
}

/// Takes the call and its result out of the view, and leaves what the message with the call says besides.
struct TakesCallsOut;

impl Compactor for TakesCallsOut {
    fn contract(&self) -> Contract {
        let json = r#"{"capabilities": ["trim", "view"], "trim": {"how": "drop"}, "messages": ["calls", "tool_role"]}"#;
        Contract::from_json(json).unwrap()
    }
    fn step(&mut self, conversation: &mut Conversation, host: &Host) -> Result<Action, Error> {
        let old = conversation.view();
        let rules = self.contract().trim;
        let (last, answered) = (old.len().saturating_sub(rules.keep_last), |id: &String| {
            old.iter().any(|message| message.call_id.as_ref() == Some(id))
        });
        let open = old.iter().flat_map(|message| &message.calls).any(|call| !answered(call));
        let large = |message: &Message| message.content.chars().count() > rules.min_chars;
        let gone: Vec<String> =
            old[..last].iter().filter(|message| large(message)).filter_map(|message| message.call_id.clone()).collect();
        if host.pressure().name() == "none" || open || gone.is_empty() {
            return Ok(Action::None);
        }
        let kept = old.iter().filter(|message| message.call_id.as_ref().is_none_or(|call| !gone.contains(call)));
        let mut view: Vec<Message> = kept.cloned().collect();
        view.iter_mut().for_each(|message| message.calls.retain(|call| !gone.contains(call)));
        conversation.install(view);
        Ok(Action::Trim)
    }
}

#[test]
fn a_call_may_be_taken_out_of_a_message_that_says_something_besides() {
    let suite = Suite::new(|| TakesCallsOut).effort(Effort::Smoke).requirement("VIEW-6").requirement("VIEW-3");
    let report = suite.witness_dir(None).run().unwrap();
    for id in ["VIEW-3", "VIEW-6"] {
        let row = report.requirement(id).unwrap();
        assert_eq!(row.verdict, Verdict::Pass, "{}", TextReport::new(&report).failure(row));
    }
}

/// Claims a latch, and never summarises.
struct Idle;

impl Compactor for Idle {
    fn contract(&self) -> Contract {
        Contract::claiming(&[Capability::Summarize, Capability::Throttle, Capability::Latch])
    }
    fn step(&mut self, _: &mut Conversation, _: &Host) -> Result<Action, Error> {
        Ok(Action::None)
    }
}

#[test]
fn what_never_summarises_is_told_so_and_the_rest_in_a_few_lines() {
    let report = Suite::new(|| Idle).effort(Effort::Smoke).witness_dir(None).run().unwrap();
    let failing: Vec<&str> = report
        .requirements
        .iter()
        .filter(|row| row.verdict == Verdict::Fail && row.folded_under.is_none())
        .map(|row| row.id.as_str())
        .collect();
    // That it has declined before is not why it makes no attempt.
    assert_eq!(failing, ["THR-4"]);
    let text = TextReport::new(&report).to_string();
    let heads: Vec<&str> = text.lines().filter(|line| line.contains(" MUST")).collect();
    assert!(
        matches!(heads[..], [fails, .., idle] if fails.starts_with("THR-4 MUST fail") && idle.ends_with("MUSTs vacuous")),
        "{heads:?}"
    );
    let idle = report.requirements.iter().filter(|row| row.verdict == Verdict::Vacuous);
    assert!(
        idle.clone().count() > 10 && idle.filter(|row| row.level == "MUST").all(|row| text.contains(&row.id)),
        "{text}"
    );
}

/// It never attempts; where a tool's result is in the view, or where none is, it raises instead.
struct Raises(bool);

impl Compactor for Raises {
    fn contract(&self) -> Contract {
        Contract::claiming(&[Capability::Summarize, Capability::Throttle, Capability::View])
    }
    fn step(&mut self, conversation: &mut Conversation, _: &Host) -> Result<Action, Error> {
        let tool = conversation.view().iter().any(|message| message.role == Role::Tool);
        if tool == self.0 { Err(Error::raised("no tokenizer")) } else { Ok(Action::None) }
    }
}

#[test]
fn a_failure_that_raised_is_shrunk_to_one_that_raises_and_no_other_is() {
    let history = |tool: bool| {
        let (call, result) = if tool { (r#","calls":[1]"#, r#"tool","answers":1"#) } else { ("", r#"assistant""#) };
        let more: String =
            (4..12).map(|key| format!(r#",{{"key":{key},"role":"assistant","size":"large"}}"#)).collect();
        format!(
            r#"{{"plimsoll":"history","format":1,"seed":7,"contract":{{"capabilities":["summarize","throttle","view"]}}}}
{{"append":{{"conversation":"a","messages":[{{"key":1,"role":"user"}},{{"key":2,"role":"assistant"{call}}},{{"key":3,"role":"{result}}}{more}]}}}}
{{"step":{{"conversation":"a","pressure":"summarize"}}}}"#
        )
    };
    // Where it raises with a result alone, a plainer history without one fails as well, and raises nothing; and so on.
    for (raises_with_tool, tool) in [(true, true), (true, false), (false, true), (false, false)] {
        let input = Witness::parse(&history(tool)).unwrap();
        let report = Suite::new(move || Raises(raises_with_tool)).input(input).witness_dir(None).run().unwrap();
        let row = report.requirements.iter().find(|row| row.id == "THR-4").unwrap();
        let timeline = row.timeline.as_deref().unwrap_or_default();
        assert_eq!(row.verdict, Verdict::Fail, "{report:?}");
        assert_eq!(
            timeline.contains("\"no tokenizer\""),
            raises_with_tool == tool,
            "{raises_with_tool} {tool}\n{timeline}"
        );
    }
}
