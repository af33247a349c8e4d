//! The table.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::harness::{Watched, run};
use Expect::{Break, Fails, GivesUp, NoStart, Passes};

/// What a run has to say of a misbehaver.
#[derive(Debug)]
enum Expect {
    /// The cases in which it misbehaves break off with this verdict, whose message has these parts; the others are judged.
    Break(&'static str, &'static [&'static str]),
    /// It misbehaves in every case, with this verdict and a message with these parts: the run gives up soon, and says so.
    GivesUp(&'static str, &'static [&'static str]),
    /// It never comes to a run: exit code 2, and a sentence with these parts.
    NoStart(&'static [&'static str]),
    /// These requirements fail, and nothing breaks off.
    Fails(&'static [&'static str]),
    /// It does no harm.
    Passes,
}

const CRASH: &str = "crash";
const LATE: &str = "timeout";
const WRONG: &str = "protocol_error";

/// Each way to misbehave that `adapter.py` knows, and what a run says of it.
const TABLE: &[(&str, Expect)] = &[
    ("sound", Passes),
    ("slow", Passes),
    ("extra-members", Passes),
    ("raises", Passes),
    ("grandchild-kept", Passes),
    ("exit-at-once", NoStart(&["exit status: 1", "before it answered `hello`"])),
    ("exit-at-hello", NoStart(&["exit status: 1", "before it answered `hello`"])),
    ("deaf", NoStart(&["no answer to `hello` within 1.5 s"])),
    ("hang-at-hello", NoStart(&["no answer to `hello` within 1.5 s"])),
    ("closes-stdout-at-hello", NoStart(&["closed a pipe without ending", "`hello`"])),
    ("wrong-version", NoStart(&["`result.protocol` is 7", "speaks version 1"])),
    ("contradiction", NoStart(&["latch.strikes"])),
    ("no-contract", NoStart(&["`result.contract` is missing"])),
    ("error-at-hello", NoStart(&["no \\u{1b}]0;title\\u{7}model"])),
    ("banner", NoStart(&["standard output carries the protocol alone", "the line: Welcome!"])),
    ("exit-in-step", Break(CRASH, &["exit status: 3", "no \\u{1b}[31mluck"])),
    ("exit-in-call", Break(CRASH, &["exit status: 5"])),
    ("exit-after-reply", Break(CRASH, &["exit status: 0"])),
    ("killed", Break(CRASH, &["signal: 9"])),
    ("aborts", Break(CRASH, &["signal: 6"])),
    ("hang-before", Break(LATE, &["no answer to `step` within 1 s"])),
    ("hang-in-line", Break(LATE, &["no answer to `step`"])),
    ("hang-after-line", Break(LATE, &["no answer to"])),
    ("stops-reading", Break(LATE, &["no answer to `case` within"])),
    ("stops-itself", Break(LATE, &["no answer to `step`"])),
    ("ignores-signals", Break(LATE, &["no answer to `step`"])),
    ("drips", Break(LATE, &["no answer to `step`"])),
    ("blank-lines", Break(LATE, &["no answer to `step`"])),
    ("closes-stdout", Break(CRASH, &["closed a pipe without ending"])),
    ("closes-stdin", Break(LATE, &["no answer to `step`"])),
    ("wrong-id", Break(WRONG, &["`id` is ", "the open request has "])),
    ("text-id", Break(WRONG, &["`id` is \"", "the open request has "])),
    ("twice", Break(WRONG, &["against the protocol"])),
    ("out-of-order", Break(WRONG, &["the open request has "])),
    ("never-asked", Break(WRONG, &["`id` is 99999"])),
    ("not-json", Break(WRONG, &["the line is not JSON", "the line: thinking ..."])),
    ("half-a-line", Break(WRONG, &["the line is not JSON", "\"res"])),
    ("half-a-line-and-exit", Break(CRASH, &["exit status: 0"])),
    ("huge-line", Break(WRONG, &["the line is longer than 64 MiB", "[cut]"])),
    ("many-values", Break(WRONG, &["the line has more than 500000 values"])),
    ("nul-bytes", Break(WRONG, &["the line is not JSON", "\\u{0}"])),
    ("bad-utf8", Break(WRONG, &["the line is not UTF-8"])),
    ("lone-surrogate", Break(WRONG, &["`result.action` has a lone surrogate escape"])),
    ("deep", Break(WRONG, &["recursion limit", "[cut]"])),
    ("missing-member", Break(WRONG, &["`result.appended` is missing"])),
    ("ill-typed", Break(WRONG, &["`result.appended`: expected an array, got an object"])),
    ("unknown-id", Break(WRONG, &["`result.view[0].id` is \"m99999\""])),
    ("same-own-id", Break(WRONG, &["which another message of the log has"])),
    ("huge-number", Break(WRONG, &["the line is not JSON", "number out of range"])),
    ("huge-id", Break(WRONG, &["`id` is "])),
    ("no-version", Break(WRONG, &["`jsonrpc` is missing"])),
    ("both-members", Break(WRONG, &["both `result` and `error`"])),
    ("another-method", Break(WRONG, &["the harness has `summarize` alone"])),
    ("notification", Break(WRONG, &["notifications are not part of the protocol"])),
    ("asks-outside", Break(WRONG, &["against the protocol"])),
    ("prints", Break(WRONG, &["standard output carries the protocol alone", "the line: loaded 3 models"])),
    ("floods-stderr", Passes),
    ("grandchild", Break(CRASH, &["exit status: 4"])),
    ("grandchild-apart", Break(CRASH, &["exit status: 4"])),
    ("asks-without-end", Break(LATE, &["no answer to `step`"])),
    ("method-not-found", Break(WRONG, &["the candidate claims `summarize`", "\"method not found\" to `step`"])),
    ("ten-thousand-calls", Fails(&["THR-7"])),
    ("moody", Fails(&["ISO-4"])),
    ("always-ill-typed", GivesUp(WRONG, &["`result.appended`: expected an array, got an object"])),
    ("always-exits", GivesUp(CRASH, &["exit status: 8"])),
    // Whole cases in one line. After it broke off each is asked line by line, and then once more as a whole, and there is
    // nothing wrong: they misbehave once in a run.
    ("batch-sound", Passes),
    ("batch-extra-members", Passes),
    ("batch-few", Break(WRONG, &["`result.results` has ", " requests", ONCE])),
    ("batch-many", Break(WRONG, &["`result.results` has ", " requests", ONCE])),
    ("batch-wrong-id", Break(WRONG, &["the open request has ", ONCE])),
    ("batch-another-case", Break(WRONG, &["which no message of this conversation has", ONCE])),
    ("batch-out-of-order", Break(WRONG, &["` is missing", ONCE])),
    ("batch-calls-out-of-order", Break(WRONG, &["`result.summarize_calls[", "].request` is ", ONCE])),
    ("batch-call-of-no-request", Break(WRONG, &["`result.summarize_calls[0].request` is 9999", ONCE])),
    ("batch-no-calls", Break(WRONG, &["`result.summarize_calls` is missing", ONCE])),
    ("batch-results-of-another-type", Break(WRONG, &["`result.results`: expected an array, got an object", ONCE])),
    ("batch-neither", Break(WRONG, &["has neither `result` nor `error`", ONCE])),
    ("batch-both", Break(WRONG, &["has both `result` and `error`", ONCE])),
    ("batch-cut", Break(WRONG, &["the line is not JSON", ONCE])),
    ("batch-cut-and-exit", Break(CRASH, &["exit status: 6", "before it answered `case`", ONCE])),
    ("batch-hang", Break(LATE, &["no answer to `case` within", "it was late as a whole, and not line by line"])),
    ("batch-exit", Break(CRASH, &["exit status: 7", "before it answered `case`", ONCE])),
    ("batch-refuses", Break(WRONG, &["`batch` is true, and `case` an error: method not found: case", ONCE])),
    ("batch-asks-the-host", Break(WRONG, &["asks for \"summarize\" while no `step` is open", ONCE])),
    ("batch-answers-each", Break(WRONG, &["`result.results` is missing", ONCE])),
    ("batch-no-state", Break(WRONG, &["has no `state` beside its `error`", ONCE])),
    ("batch-null-state", Break(WRONG, &["expected an object, got null", ONCE])),
    ("batch-list-for-state", Break(WRONG, &["expected an object, got an array", ONCE])),
    ("batch-state-without-log", Break(WRONG, &["`result.log` is missing", ONCE])),
    ("batch-bad-item-in-state", Break(WRONG, &["`result.view[0].content`: invalid type", ONCE])),
    ("batch-always-refuses", GivesUp(WRONG, &["`batch` is true, and `case` an error", WHOLE_ALONE])),
    // Nothing breaks off, and each case is judged as it was answered; `adapter-check` tells that line by line it is another.
    ("batch-two-faces", Fails(&["VIEW-7"])),
];

/// What is said of a case that is answered as it should be when it is sent again.
const ONCE: &str = "it does not when the case is sent once more, as a whole or line by line";

/// What is said of a case that is answered line by line as it should be.
const WHOLE_ALONE: &str = "it breaks off when the case is sent as a whole, and not line by line";

/// What the harness may take, in KiB, whatever a child writes: a line of 64 MiB, twice while it grows, and a decoded one.
const PEAK: u64 = 320 << 10;

/// Requirements that the sound candidate meets, and that a break in one case takes nothing from but the verdict of one.
const JUDGED: &[&str] = &["LOG-2", "LOG-4", "OUT-1"];

/// Seconds that an answer may take. Only who does not answer costs them.
fn timeout(expect: &Expect) -> &'static str {
    if matches!(expect, Break(LATE, _)) { "1" } else { "30" }
}

/// `played`: the histories of a run in which nothing breaks off.
fn judge(mode: &str, expect: &Expect, played: u64) -> Result<Duration, String> {
    let asked = match expect {
        Fails(ids) => [JUDGED, ids].concat(),
        _ => JUDGED.to_vec(),
    };
    let seen = run(mode, timeout(expect), &asked);
    let holds = |is: bool, what: &str| if is { Ok(()) } else { Err(format!("{mode}: {what}\n{seen:#?}")) };
    holds(seen.started > 0 && seen.left.is_empty(), "processes are left")?;
    holds(seen.peak < PEAK, "it took too much memory")?;
    holds(clean(&seen.out) && clean(&seen.err), "control characters reach the terminal")?;
    if let NoStart(says) = expect {
        holds(seen.code == Some(2), "the exit code is not 2")?;
        for part in *says {
            holds(seen.err.contains(part), &format!("the error does not say {part:?}"))?;
        }
        return Ok(seen.took);
    }
    let broken = seen.report["broken"].as_array().cloned().unwrap_or_default();
    if let GivesUp(verdict, says) = expect {
        holds(seen.code != Some(0), "it passes, and nothing could be judged")?;
        let words = format!("the candidate broke off in 100 histories ({verdict}); the rest was not played");
        let told = seen.report["cut_short"].as_str().is_some_and(|why| why.starts_with(&words));
        holds(
            told && seen.out.contains("not finished: the candidate broke off in 100 histories"),
            "it does not say why",
        )?;
        holds(broken.len() == 1 && broken[0]["verdict"] == *verdict, &format!("it is no {verdict}"))?;
        let said = |part: &&&str| broken[0]["message"].as_str().unwrap().contains(**part);
        holds(says.iter().all(|part| said(&part)), "the message does not say it")?;
        let passed = JUDGED.iter().find(|id| row(&seen, id).0 == "pass");
        holds(passed.is_none(), &format!("{passed:?} passes, of which nothing was seen"))?;
        return Ok(seen.took);
    }
    let all = seen.report["histories"] == seen.report["planned"] && seen.report["cut_short"].is_null();
    holds(all && (matches!(expect, Fails(_)) || seen.report["histories"] == played), "not all cases were played")?;
    for id in JUDGED {
        let (verdict, exercised) = row(&seen, id);
        // A break in a history that was built for a requirement counts against that one. Which history it is depends on how
        // the jobs share them.
        let counted = matches!(expect, Break(break_, _) if verdict == *break_)
            && seen.out.contains(&format!("counted against {id}\n"));
        let held = verdict == "pass" || counted;
        holds(held && exercised > 10, &format!("{id}: {verdict}, exercised {exercised} times"))?;
    }
    match expect {
        Break(verdict, says) => {
            holds(seen.code == Some(1), "the exit code is not 1")?;
            holds(!broken.is_empty(), "nothing broke off")?;
            holds(broken.iter().all(|broken| broken["verdict"] == *verdict), &format!("it is no {verdict}"))?;
            for part in *says {
                let said = broken.iter().any(|broken| broken["message"].as_str().unwrap().contains(part));
                holds(said, &format!("the message does not say {part:?}"))?;
            }
        }
        Fails(ids) => {
            holds(seen.code == Some(1) && broken.is_empty(), "it does not merely fail")?;
            for id in *ids {
                let (verdict, _) = row(&seen, id);
                holds(["fail", "nondeterministic"].contains(&&*verdict), &format!("{id}: {verdict}"))?;
            }
        }
        Passes | NoStart(_) | GivesUp(..) => holds(seen.code == Some(0) && broken.is_empty(), "it does not pass")?,
    }
    Ok(seen.took)
}

fn row(seen: &Watched, id: &str) -> (String, u64) {
    let rows = seen.report["requirements"].as_array().cloned().unwrap_or_default();
    let row = rows.into_iter().find(|row| row["id"] == id).unwrap_or_default();
    (row["verdict"].as_str().unwrap_or_default().to_owned(), row["exercised"].as_u64().unwrap_or_default())
}

/// Nothing that a terminal takes for a command.
fn clean(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || (!c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}')))
}

#[test]
fn each_misbehaver_gets_its_verdict_and_harms_nothing_else() {
    let played = run("sound", "30", JUDGED).report["histories"].as_u64().unwrap();
    let queue = Mutex::new(TABLE.iter());
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some((mode, expect)) = queue.lock().unwrap().next() else { break };
                    match judge(mode, expect, played) {
                        Ok(took) => println!("{mode:24} {took:.1?}"),
                        Err(what) => wrong.lock().unwrap().push(what),
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), TABLE.len(), wrong.join("\n"));
}
