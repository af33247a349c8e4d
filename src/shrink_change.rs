//! Makes cases of the general form smaller, one edit at a time: acts go first, in runs, then repeats, then what happens
//! while an operation runs.

use crate::change::{ChangeAct, ChangeCase, GuardedOutcome};

/// All cases that are one edit smaller, the most promising first.
pub(crate) fn smaller(case: &ChangeCase) -> impl Iterator<Item = ChangeCase> + use<> {
    let case = case.clone();
    let most = cost(&case);
    let count = case.acts.len();
    let runs = std::iter::successors(Some(count), |size| Some(size / 2)).take_while(|size| *size > 0);
    let runs = runs.flat_map(move |size| (0..count).step_by(size).map(move |from| (from, (from + size).min(count))));
    let base = case.clone();
    let without = runs.map(move |(from, to)| {
        let acts = base.acts[..from].iter().chain(&base.acts[to..]).cloned().collect();
        ChangeCase::new(base.guard, acts)
    });
    let changed = (0..count).flat_map(move |at| {
        let base = case.clone();
        plainer(&base.acts[at]).into_iter().map(move |act| {
            let mut acts = base.acts.clone();
            acts[at] = act;
            ChangeCase::new(base.guard, acts)
        })
    });
    without.chain(changed).filter(move |edited| cost(edited) < most)
}

fn plainer(act: &ChangeAct) -> Vec<ChangeAct> {
    match act {
        ChangeAct::Wait(seconds) => [1, seconds / 2].map(ChangeAct::Wait).to_vec(),
        ChangeAct::Event { event, times } => [1, times / 2, times.saturating_sub(1)]
            .iter()
            .filter(|n| **n > 0)
            .map(|n| ChangeAct::Event { event: *event, times: *n })
            .collect(),
        ChangeAct::Attempt(attempt) => {
            let without = |at: usize| {
                let mut plain = attempt.clone();
                plain.during.remove(at);
                ChangeAct::Attempt(plain)
            };
            let mut forms: Vec<ChangeAct> = (0..attempt.during.len()).map(without).collect();
            let mut plain = attempt.clone();
            plain.outcome = GuardedOutcome::Ok;
            forms.push(ChangeAct::Attempt(plain));
            forms
        }
    }
}

/// A number that every edit makes smaller.
fn cost(case: &ChangeCase) -> usize {
    let act = |act: &ChangeAct| match act {
        ChangeAct::Wait(seconds) => 20 + seconds.checked_ilog2().unwrap_or(0) as usize,
        ChangeAct::Event { times, .. } => 20 + *times as usize,
        ChangeAct::Attempt(attempt) => {
            20 + 10 * attempt.during.len() + usize::from(attempt.outcome == GuardedOutcome::Fail)
        }
    };
    case.acts.iter().map(act).sum()
}
