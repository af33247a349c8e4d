//! `plimsoll check --all-profiles`: one run for each named contract, and a table of what exercised what.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::CheckArgs;
use super::candidates::Profile;
use super::check::{Replaying, run, write_json};
use super::files::{can_be_written, folder_has_a_name};
use super::screen::{Failure, cannot, print, shown};
use crate::report::escaped;
use crate::{Report, Verdict};

/// A profile, and what came of its run: the report with its text, or why there is none.
type Outcome = (Profile, Result<(Report, Replaying), Failure>);

pub(super) fn check(args: &CheckArgs) -> Result<u8, Failure> {
    folder_has_a_name(&args.witness_dir, "--witness-dir")?;
    if let Some(dir) = &args.json {
        folder_has_a_name(dir, "--json")?;
        fs::create_dir_all(dir).map_err(|error| {
            cannot(format!("cannot make the directory {} for a report of each profile: {error}", dir.display()))
        })?;
    }
    let profiles = Profile::all()?;
    for path in args.json.iter().flat_map(|dir| profiles.iter().map(|profile| file(dir, profile))) {
        can_be_written(&path, "the report", "--json")?;
    }
    let count = profiles.len();
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(count);
    for (at, profile) in profiles.into_iter().enumerate() {
        let outcome = run(args, Some(&profile), &format!("{} of {count} ", at + 1));
        outcomes.push((profile, outcome));
    }
    let mut text = String::new();
    if !args.quiet {
        // Writing to a string does not fail.
        let _ = write_overview(&mut text, &outcomes);
        let _ = write_exercised(&mut text, &outcomes);
        for (profile, outcome) in &outcomes {
            if let Ok((report, replay)) = outcome
                && !report.passed()
            {
                let _ = write!(text, "\n--- profile {} ---\n{}", profile.name, shown(report, replay));
            }
        }
        text.push('\n');
    }
    let reports = || outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().ok()).map(|(report, _)| report);
    let (passed, failed, skipped) =
        reports().map(Report::tallies).fold((0, 0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2));
    let _ = writeln!(text, "conformance: {passed} passed, {failed} failed, {skipped} skipped");
    print(&text);
    if let Some(dir) = &args.json {
        for (profile, outcome) in &outcomes {
            if let Ok((report, _)) = outcome {
                write_json(report, &file(dir, profile))?;
            }
        }
    }
    let codes = outcomes.iter().map(|(_, outcome)| match outcome {
        Ok((report, _)) => report.exit_code(),
        Err(failure) => failure.code,
    });
    Ok(codes.max().unwrap_or(2))
}

/// Where the report of this profile goes.
fn file(dir: &Path, profile: &Profile) -> PathBuf {
    dir.join(format!("{}.json", profile.name))
}

/// A line a profile.
fn write_overview(out: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    let first = outcomes.iter().find_map(|(_, outcome)| outcome.as_ref().ok());
    if let Some((report, _)) = first {
        let (name, version) = (escaped(&report.candidate.name), escaped(&report.candidate.version));
        writeln!(out, "candidate {name} {version}, specification {}, suite {}", report.spec, report.suite)?;
        writeln!(out, "seed {}, effort {}\n", report.seed, report.effort)?;
    }
    writeln!(out, "   {:<20}{:>8}{:>8}{:>9}   first", "profile", "passed", "failed", "skipped")?;
    for (at, (profile, outcome)) in outcomes.iter().enumerate() {
        write!(out, "{:>2} {:<20}", at + 1, profile.name)?;
        match outcome {
            Ok((report, _)) => {
                let (passed, failed, skipped) = report.tallies();
                let first = report.first.as_deref().map(|id| format!("   {id}")).unwrap_or_default();
                writeln!(out, "{passed:>8}{failed:>8}{skipped:>9}{first}")?;
            }
            Err(failure) => writeln!(out, "could not run: {}", failure.message)?,
        }
    }
    Ok(())
}

/// A line a requirement: how often each profile exercised it, or what is wrong with it there.
fn write_exercised(out: &mut String, outcomes: &[Outcome]) -> std::fmt::Result {
    let reports: Vec<Option<&Report>> =
        outcomes.iter().map(|(_, outcome)| outcome.as_ref().ok().map(|(report, _)| report)).collect();
    write!(out, "\nexercised")?;
    (1..=reports.len()).try_for_each(|number| write!(out, "{number:>10}"))?;
    writeln!(out)?;
    let mut nowhere = Vec::new();
    let rows = reports.iter().flatten().next().map_or(&[][..], |report| &report.requirements);
    for row in rows {
        write!(out, "{:<9}", row.id)?;
        let mut anywhere = false;
        for report in &reports {
            let cell = match report.and_then(|report| report.requirement(&row.id)) {
                None => String::new(),
                Some(row) if row.verdict == Verdict::NotClaimed => ".".to_owned(),
                Some(row) => {
                    anywhere |= row.exercised > 0;
                    match row.verdict {
                        Verdict::Pass | Verdict::Advice => row.exercised.to_string(),
                        Verdict::Nondeterministic => "unsteady".to_owned(),
                        Verdict::ProtocolError => "protocol".to_owned(),
                        Verdict::HarnessError => "harness".to_owned(),
                        Verdict::UnexpectedPass => "passes".to_owned(),
                        Verdict::NotReached => "unreached".to_owned(),
                        other => other.name().to_owned(),
                    }
                }
            };
            write!(out, "{cell:>10}")?;
        }
        writeln!(out)?;
        if !anywhere {
            nowhere.push(row.id.as_str());
        }
    }
    if !nowhere.is_empty() {
        writeln!(out, "\nexercised by no profile: {}", nowhere.join(", "))?;
    }
    Ok(())
}
