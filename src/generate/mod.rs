//! Where histories come from: a portfolio, each share of it reported apart.
//!
//! First one history or more for each claimed requirement, built from the contract; then all histories of a small scope;
//! then random ones. A generator knows the contract, never a candidate and never a requirement's check.

pub(crate) mod bytes;
pub(crate) mod change;
mod directed;
mod exhaustive;
pub(crate) mod field;
mod field_small;
pub(crate) mod fit;
pub(crate) mod gauge;
mod own;
mod pen;
mod random;
pub(crate) mod request;
mod source;
pub(crate) mod texts;

use crate::contract::{Contract, Weight};
use crate::history::{Command, History};

pub(crate) use own::lump;
pub(crate) use pen::failures;
pub(crate) use random::decode;
#[cfg(any(feature = "proptest", feature = "quickcheck"))]
pub(crate) use random::draw;

use crate::contract::words;

words! {
    /// A share of the search.
    Share {
        /// Witnesses of an earlier run that play each time.
        Regression => "regressions",
        /// Built from the contract, for each claimed requirement.
        Directed => "directed",
        /// All histories of a small scope.
        Exhaustive => "exhaustive",
        /// Random, with the gates of the contract in mind.
        Model => "model-aware",
        /// Random, over a random part of the alphabet.
        Swarm => "swarm",
        /// Random, all commands alike.
        Uniform => "uniform",
        /// Random, all numbers at a boundary.
        Boundary => "boundary",
    }
}

impl Share {
    /// Whether its histories are there for something: they are looked at more closely than random ones.
    pub(crate) fn is_chosen(self) -> bool {
        matches!(self, Self::Regression | Self::Directed)
    }
}

words! {
    /// How much a run may spend.
    Effort {
        /// A first look.
        Smoke => "smoke",
        /// What a pull request gets.
        Default => "default",
        /// What a night gets.
        Nightly => "nightly",
    }
}

/// What a run may spend: never time, so that a report does not depend on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Steps of the candidate, by the histories of the search.
    pub(crate) steps: usize,
    /// Bytes of content that is sent to it.
    pub(crate) bytes: usize,
    /// Steps that shrinking may take on top.
    pub(crate) shrink_steps: usize,
    /// Conversations that are live at once where that is what a history is about.
    pub(crate) crowd: usize,
}

impl Budget {
    pub(crate) fn new(effort: Effort, weight: Weight) -> Self {
        let (steps, megabytes, shrink_steps) = match (weight, effort) {
            (Weight::Light, Effort::Smoke) => (12_000, 60, 60_000),
            (Weight::Light, Effort::Default) => (120_000, 600, 300_000),
            (Weight::Light, Effort::Nightly) => (4_000_000, 20_000, 2_000_000),
            (Weight::Heavy, Effort::Smoke) => (300, 40, 300),
            (Weight::Heavy, Effort::Default) => (900, 120, 900),
            (Weight::Heavy, Effort::Nightly) => (30_000, 4_000, 20_000),
        };
        let crowd = match (weight, effort) {
            (Weight::Light, Effort::Smoke) => 600,
            (Weight::Light, _) => 10_000,
            (Weight::Heavy, Effort::Smoke | Effort::Default) => 60,
            (Weight::Heavy, Effort::Nightly) => 1_000,
        };
        Self { steps, bytes: megabytes * 1_000_000, shrink_steps, crowd }
    }
}

/// One history of the search.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) share: Share,
    /// The requirement that a directed history was built for.
    pub(crate) target: Option<&'static str>,
    pub(crate) history: History,
}

/// The steps and bytes that a history costs.
pub(crate) fn cost(history: &History, contract: &Contract) -> (usize, usize) {
    let steps = history.commands.iter().filter(|command| matches!(command, Command::Step(_))).count();
    let bytes = history.drafts().map(|(_, draft)| match draft.size {
        crate::history::Size::Small => contract.sizes.small,
        crate::history::Size::Large => contract.sizes.large,
        crate::history::Size::Chars(n) => n,
    });
    (steps.max(1), bytes.sum())
}

/// The histories of a run, in order. Directed ones are planned whatever the budget; the others until it is spent.
/// `only`: directed histories for these requirements alone.
pub(crate) fn plan(
    contract: &Contract,
    seed: u64,
    budget: Budget,
    only: Vec<String>,
) -> impl Iterator<Item = Planned> + use<> {
    let wanted = move |planned: &Planned| {
        only.is_empty() || planned.target.is_some_and(|id| only.iter().any(|other| other == id))
    };
    let directed = directed::all(contract, seed, budget.crowd).into_iter().filter(wanted);
    // Who claims nothing that a conversation shows is sent none.
    let any = contract.converses();
    let rest = exhaustive::all(contract.clone(), seed, budget.steps / 4).chain(random::all(contract.clone(), seed));
    let (mut steps, mut bytes) = (0, 0);
    let contract = contract.clone();
    directed.chain(rest).take_while(move |planned| {
        let within = planned.share == Share::Directed || (steps < budget.steps && bytes < budget.bytes);
        let (more_steps, more_bytes) = cost(&planned.history, &contract);
        steps += more_steps;
        bytes += more_bytes;
        any && within
    })
}

/// One share of the search alone, until the budget is spent.
pub(crate) fn share_of(
    share: Share,
    contract: &Contract,
    seed: u64,
    budget: Budget,
) -> Box<dyn Iterator<Item = Planned> + Send> {
    let (contract, any) = (contract.clone(), contract.converses());
    let all: Box<dyn Iterator<Item = Planned> + Send> = match share {
        Share::Regression => Box::new(std::iter::empty()),
        Share::Directed => Box::new(directed::all(&contract, seed, budget.crowd).into_iter()),
        Share::Exhaustive => Box::new(exhaustive::all(contract.clone(), seed, budget.steps)),
        _ => Box::new(random::all(contract.clone(), seed).filter(move |planned| planned.share == share)),
    };
    let mut steps = 0;
    Box::new(all.take_while(move |planned| {
        let within = steps < budget.steps;
        steps += cost(&planned.history, &contract).0;
        any && within
    }))
}

/// Cases of two kinds.
pub(crate) struct Cases<C> {
    /// All of a small scope, the smallest first.
    pub(crate) whole: Box<dyn Iterator<Item = C>>,
    /// Random ones, without end.
    pub(crate) random: Box<dyn Iterator<Item = C>>,
}

impl<C: 'static> Cases<C> {
    pub(crate) fn map<D: 'static>(self, change: fn(C) -> D) -> Cases<D> {
        Cases { whole: Box::new(self.whole.map(change)), random: Box::new(self.random.map(change)) }
    }

    /// At most so many of one share: the small scope is the exhaustive one, the random cases are the uniform one.
    pub(crate) fn of(self, share: Share, most: u64) -> Box<dyn Iterator<Item = C>> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        match share {
            Share::Exhaustive => Box::new(self.whole.take(most)),
            Share::Uniform => Box::new(self.random.take(most)),
            _ => Box::new(std::iter::empty()),
        }
    }

    /// At most so many in all, a quarter of them random at least.
    pub(crate) fn up_to(self, most: u64) -> impl Iterator<Item = C> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        self.whole.take(most - most / 4).chain(self.random).take(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contracts() -> Vec<Contract> {
        let text = include_str!("../../spec/profiles.json");
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let rows = value["profiles"].as_array().cloned().unwrap();
        let given = rows.into_iter().map(|row| Contract::from_value(row["contract"].clone()).unwrap());
        let own = [("tokens", 6_000, 4_000), ("messages", 120, 60), ("utf8_bytes", 12_000, 7_000)];
        let own = own.into_iter().map(|(unit, trigger, target)| {
            let mut contract = serde_json::to_value(Contract::default()).unwrap();
            contract["capabilities"] = serde_json::json!([
                "summarize",
                "throttle",
                "latch",
                "trim",
                "overflow",
                "restart",
                "rewind",
                "log",
                "view",
                "gauge"
            ]);
            contract["pressure"] = "own".into();
            contract["trim"]["how"] = "drop".into();
            contract["gauge"] = serde_json::json!({"unit": unit, "trigger": trigger, "target": target});
            Contract::from_value(contract).unwrap()
        });
        given.chain(own).collect()
    }

    #[test]
    fn every_planned_history_can_be_played() {
        for contract in contracts() {
            for planned in
                plan(&contract, 7, Budget { steps: 4_000, bytes: 100_000_000, shrink_steps: 0, crowd: 60 }, Vec::new())
            {
                let check = planned.history.check();
                assert!(
                    check.is_ok(),
                    "{:?} {:?}: {check:?} {:?}",
                    planned.share,
                    planned.target,
                    planned.history.commands
                );
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_plan() {
        let contract = Contract::default();
        let budget = Budget { steps: 3_000, bytes: 100_000_000, shrink_steps: 0, crowd: 60 };
        let histories =
            |seed| plan(&contract, seed, budget, Vec::new()).map(|planned| planned.history).collect::<Vec<_>>();
        assert_eq!(histories(1), histories(1));
        assert_ne!(histories(1), histories(2));
    }
}
