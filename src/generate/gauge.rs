//! Messages of known size around trigger and target, figures that agree with it or not, and settings that cannot work.

use super::Cases;
use super::source::Source;
use crate::contract::{Contract, FitUnit};
use crate::gauge::{FigureAge, GaugeCase, GaugeSettings, MeasureCase, drafts_of};

/// How far the local counts of a stored log lay below what the provider reported, as measured in the field.
const UNDERCOUNT: f64 = 2.13;

/// All of the boundary, then random ones. The same for the same seed.
pub(crate) fn gauge_cases(contract: &Contract, seed: u64) -> Cases<GaugeCase> {
    let whole = configured(contract).chain(measured(contract.clone(), seed));
    Cases { whole: Box::new(whole), random: Box::new(random(contract.clone(), seed)) }
}

/// Settings that cannot work, each near one that can.
fn configured(contract: &Contract) -> impl Iterator<Item = GaugeCase> + use<> {
    let signed = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
    let (trigger, target) = (signed(contract.gauge.trigger), signed(contract.gauge.target));
    let limit = trigger.saturating_mul(2);
    let settings = [
        (trigger, trigger, limit),
        (target, trigger, limit),
        (trigger, trigger.saturating_add(1), limit),
        (trigger, target, 0),
        (trigger, target, -1),
        // Another one than is declared: what is refused must not be in force.
        (trigger.saturating_mul(2), (target / 2).max(1), 0),
        ((trigger / 2).max(2), (target / 3).max(1), -1),
        (trigger.saturating_add(7), target, -25_000),
        (trigger, limit, limit),
        (trigger, trigger, 0),
        (1, 1, limit),
        (trigger, target, limit),
        ((trigger / 2).max(2), (target / 2).max(1), trigger),
    ];
    settings
        .into_iter()
        .map(|(trigger, target, limit)| GaugeCase::Configure(GaugeSettings::new(trigger, target, limit)))
}

/// Sizes on every side of trigger and target, with every kind of figure.
fn measured(contract: Contract, seed: u64) -> impl Iterator<Item = GaugeCase> {
    let (trigger, target) = (contract.gauge.trigger, contract.gauge.target);
    let under = (trigger as f64 * 1.05 / UNDERCOUNT) as usize;
    let sizes =
        [target / 4, under, 2 * trigger, target / 2 - target / 16, trigger - trigger / 16, trigger + trigger / 4];
    let tokens = |size: usize| size as u64;
    let figures = [
        (Some(tokens(trigger + 1)), FigureAge::Current),
        (Some(tokens(3 * trigger)), FigureAge::Stale),
        (None, FigureAge::Current),
        (Some(0), FigureAge::Current),
        (Some(tokens(target / 8).max(1)), FigureAge::Stale),
        (Some((under as f64 * UNDERCOUNT) as u64 + 1), FigureAge::Current),
        (Some(tokens(trigger + 1)), FigureAge::Stale),
        (Some(tokens(10 * trigger)), FigureAge::Current),
    ];
    let counts = [2, 1, 9, 40];
    let cases = counts.into_iter().flat_map(move |count| {
        sizes.into_iter().flat_map(move |size| figures.into_iter().map(move |figure| (count, size, figure)))
    });
    cases.enumerate().map(move |(nth, (count, size, (tokens, age)))| {
        let messages = drafts_of(&contract, size.max(1), count);
        GaugeCase::Measure(MeasureCase::new(seed.wrapping_add(nth as u64), messages, tokens, age))
    })
}

fn random(contract: Contract, seed: u64) -> impl Iterator<Item = GaugeCase> {
    let mut source = Source::seeded(seed ^ 0x6a6e);
    std::iter::repeat_with(move || {
        let (trigger, target) = (contract.gauge.trigger as u64, contract.gauge.target as u64);
        if source.u8(0..8) == 0 {
            let near = |source: &mut Source<'_>| source.u64(0..trigger + target) as i64;
            let limit = if source.bool() { -(source.u64(0..9) as i64) } else { 3 * near(&mut source) };
            return GaugeCase::Configure(GaugeSettings::new(near(&mut source), near(&mut source), limit));
        }
        let size = match source.u8(0..3) {
            0 => source.u64(1..target.max(2)),
            1 => source.u64(target..trigger + 1),
            _ => source.u64(trigger..2 * trigger + 2),
        };
        let count = if contract.gauge.unit == FitUnit::Messages { 1 } else { source.usize(1..30) };
        let tokens = match source.u8(0..6) {
            0 => None,
            1 => Some(0),
            2 => Some(source.u64(1..target.max(2))),
            3 => Some((size as f64 * UNDERCOUNT) as u64),
            _ => Some(trigger + source.u64(1..trigger + 2)),
        };
        let age = if source.bool() { FigureAge::Current } else { FigureAge::Stale };
        let messages = drafts_of(&contract, usize::try_from(size).unwrap_or(1), count);
        GaugeCase::Measure(MeasureCase::new(source.u64(0..1 << 32), messages, tokens, age))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_cases() {
        let cases = |seed| gauge_cases(&Contract::default(), seed).up_to(400).collect::<Vec<_>>();
        assert_eq!(cases(1), cases(1));
        assert_ne!(cases(1), cases(2));
    }
}
