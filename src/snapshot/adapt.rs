//! A named history as a candidate can play it: what its messages do not have is left out.

use std::collections::{HashMap, HashSet};

use crate::contract::{Capability, Contract, Drive, Feature, Max, Pending, PressureSource, Structure};
use crate::generate::lump;
use crate::history::{Command, Draft, History, Name, Pressure, StepCommand, StepKind};
use crate::limit_case::{BlockDraft, LimitCase};
use crate::message::Role;
use crate::requirement::requirement;
use crate::text::Text;
use crate::witness::Witness;

/// `witness` under `contract`, or why it cannot be played.
pub(crate) fn adapted(witness: &Witness, contract: &Contract) -> Result<Witness, String> {
    let mut adapted = Witness { contract: contract.clone(), ..witness.clone() };
    match &mut adapted.case {
        Some(case) => at_limit(case, contract)?,
        None => adapted.history = history(witness, contract)?,
    }
    let named = || witness.requirements.iter().filter_map(|id| requirement(id));
    if named().next().is_some() && !named().any(|requirement| requirement.applies(contract)) {
        return Err(format!("{} is not claimed", witness.requirements.join(", ")));
    }
    adapted.requirements.retain(|id| requirement(id).is_some_and(|requirement| requirement.applies(contract)));
    Ok(adapted)
}

fn needs(contract: &Contract, claim: Capability) -> Result<(), String> {
    if contract.claims(claim) { Ok(()) } else { Err(format!("{} is not claimed", claim.name())) }
}

fn history(witness: &Witness, contract: &Contract) -> Result<History, String> {
    if !contract.converses() {
        return Err("no conversation is claimed".to_owned());
    }
    let history = match (witness.contract.pressure, contract.pressure) {
        (PressureSource::Own, PressureSource::Given) => return Err("it does not measure for itself".to_owned()),
        (PressureSource::Given, PressureSource::Own) => &large(&witness.history, contract)?,
        _ => &witness.history,
    };
    if history.conversations() > 1 {
        needs(contract, Capability::Conversations)?;
    }
    let mut drafter = Drafter { contract, systems: HashMap::new(), gone: HashSet::new() };
    let mut commands = Vec::new();
    for command in &history.commands {
        match command {
            Command::Append { conversation, messages } => {
                let messages = drafter.drafts(*conversation, messages)?;
                if !messages.is_empty() {
                    commands.push(Command::Append { conversation: *conversation, messages });
                }
            }
            Command::Step(step) => {
                stepped(step, contract)?;
                let arrived = drafter.drafts(step.conversation, &step.arrived)?;
                commands.push(Command::Step(StepCommand { arrived, ..step.clone() }));
            }
            Command::Rewind { to, .. } => {
                needs(contract, Capability::Rewind)?;
                if drafter.gone.contains(to) {
                    return Err("its messages lack the one that is rewound to".to_owned());
                }
                commands.push(command.clone());
            }
            Command::Usage { upto, .. } => {
                needs(contract, Capability::Usage)?;
                if drafter.gone.contains(upto) {
                    return Err("its messages lack the one that a usage is reported up to".to_owned());
                }
                commands.push(command.clone());
            }
            Command::Restart { .. } => {
                needs(contract, Capability::Restart)?;
                commands.push(command.clone());
            }
            Command::Auto { .. } => {
                needs(contract, Capability::Auto)?;
                commands.push(command.clone());
            }
            Command::Clock { .. } => commands.push(command.clone()),
        }
    }
    if contract.drive == Drive::Turn || contract.attempt.pending == Pending::Host {
        turns(&commands, contract)?;
    }
    let history = History::new(history.seed, commands);
    history.check().map(|()| history)
}

/// The history for a candidate that measures for itself: where the host would say that the log is too large, it is, by one
/// message more in the first that is appended.
fn large(history: &History, contract: &Contract) -> Result<History, String> {
    let says_other = |command: &Command| matches!(command, Command::Step(step) if step.pressure != Pressure::Summarize);
    if history.commands.iter().any(says_other) {
        return Err("it measures for itself, and is told of no pressure".to_owned());
    }
    let size = lump(contract).ok_or("it counts messages to measure")?;
    let mut key = history.drafts().map(|(_, draft)| draft.key).max().unwrap_or(0);
    let mut seen = HashSet::new();
    let mut commands = history.commands.clone();
    for command in &mut commands {
        if let Command::Append { conversation, messages } = command
            && seen.insert(*conversation)
        {
            key += 1;
            let prompt = messages.iter().take_while(|draft| draft.role == Role::System).count();
            messages.insert(prompt, Draft { size, ..Draft::new(key, Role::Assistant) });
        }
    }
    Ok(History::new(history.seed, commands))
}

fn stepped(step: &StepCommand, contract: &Contract) -> Result<(), String> {
    match step.kind {
        StepKind::Force => needs(contract, Capability::Force)?,
        StepKind::Overflow => needs(contract, Capability::Overflow)?,
        _ => {}
    }
    if !step.arrived.is_empty() {
        needs(contract, Capability::Arrivals)?;
    }
    let mut kinds = step.answers.iter().filter_map(|answer| answer.failure());
    let strange = kinds.find(|kind| !contract.attempt.outcomes.contains(kind));
    strange.map_or(Ok(()), |kind| Err(format!("the outcome {} cannot happen to it", kind.name())))
}

/// Leaves out of messages what the candidate's do not have.
struct Drafter<'a> {
    contract: &'a Contract,
    /// System messages that a conversation has so far.
    systems: HashMap<Name, usize>,
    /// Keys of messages that are left out as a whole.
    gone: HashSet<u32>,
}

impl Drafter<'_> {
    fn drafts(&mut self, name: Name, drafts: &[Draft]) -> Result<Vec<Draft>, String> {
        let mut kept = Vec::new();
        for draft in drafts {
            match self.draft(name, draft)? {
                Some(draft) => kept.push(draft),
                None => {
                    self.gone.insert(draft.key);
                }
            }
        }
        Ok(kept)
    }

    fn draft(&mut self, name: Name, draft: &Draft) -> Result<Option<Draft>, String> {
        let has = |feature| self.contract.has(feature);
        if (draft.ui_only && !has(Feature::UiOnly)) || (draft.interim && !has(Feature::Interim)) {
            return Ok(None);
        }
        if draft.role == Role::System && !draft.ui_only {
            let so_far = self.systems.entry(name).or_default();
            let feature = if *so_far == 0 { Feature::System } else { Feature::ManySystem };
            if !has(feature) {
                return Ok(None);
            }
            *so_far += 1;
        }
        if has(Feature::Calls) && draft.role == Role::Tool && draft.answers.is_none() {
            return Err("its hosts send no tool result without a call".to_owned());
        }
        if draft.calls.len() > 1 && has(Feature::Calls) && !has(Feature::ParallelCalls) {
            return Err("its messages make one call at most".to_owned());
        }
        let mut draft = draft.clone();
        draft.hidden &= has(Feature::Hidden);
        draft.pinned &= has(Feature::Pinned);
        draft.reasoning &= has(Feature::Reasoning);
        if !has(Feature::Calls) {
            draft.calls.clear();
            draft.answers = None;
        }
        Ok(Some(draft))
    }
}

/// Whether each step is where such a host makes one: after a person's message, and under no open call.
fn turns(commands: &[Command], contract: &Contract) -> Result<(), String> {
    let mut last: HashMap<Name, Option<Role>> = HashMap::new();
    let mut open: HashSet<u32> = HashSet::new();
    for command in commands {
        match command {
            Command::Append { conversation, messages } => {
                for draft in messages {
                    open.extend(&draft.calls);
                    if let Some(call) = draft.answers.filter(|_| !draft.interim) {
                        open.remove(&call);
                    }
                }
                let said = messages.iter().rev().find(|draft| draft.is_visible());
                if let Some(draft) = said {
                    last.insert(*conversation, Some(draft.role));
                }
            }
            Command::Step(step) => {
                if contract.attempt.pending == Pending::Host && !open.is_empty() {
                    return Err("its host makes no step under an open call".to_owned());
                }
                let role = last.insert(step.conversation, None).flatten();
                if contract.drive == Drive::Turn && role != Some(Role::User) {
                    return Err("it is stepped only after a user message".to_owned());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A case in the form that the candidate takes.
fn at_limit(case: &mut LimitCase, contract: &Contract) -> Result<(), String> {
    needs(contract, case.side())?;
    let fixed = |max: &Max, asked: usize| match max {
        Max::Fixed(limit) if *limit != asked => Err(format!("its limit is {limit} always")),
        _ => Ok(()),
    };
    match case {
        LimitCase::Reduce(case) => {
            fixed(&contract.field.max, case.max)?;
            if contract.field.structure == Structure::Text && case.blocks.len() != 1 {
                let mut whole = Text::default();
                let said = case.blocks.iter().filter(|block| !block.text.is_empty() || !contract.field.join.skip_empty);
                for (at, block) in said.enumerate() {
                    if at > 0 {
                        whole = whole.and(contract.field.join.separator.clone());
                    }
                    whole = whole.and_text(&block.text);
                }
                case.blocks = vec![BlockDraft::new(whole, false)];
            }
        }
        LimitCase::Assemble(case) => {
            fixed(&contract.field.max, case.max)?;
            case.path = contract.request.paths.first().cloned().unwrap_or_default();
        }
        LimitCase::Fit(case) => {
            fixed(&contract.fit.max, case.max)?;
            let mut drafter = Drafter { contract, systems: HashMap::new(), gone: HashSet::new() };
            case.messages = drafter.drafts(Name(0), &case.messages)?;
        }
        LimitCase::Change(_) | LimitCase::Gauge(_) => {}
    }
    Ok(())
}
