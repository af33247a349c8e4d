//! Makes cases of the gauge smaller: fewer messages of the same size in all, then shorter ones, then rounder figures.

use crate::gauge::{GaugeCase, GaugeSettings, MeasureCase};
use crate::history::Size;

/// All cases that are one edit smaller, the most promising first.
pub(crate) fn smaller(case: &GaugeCase) -> Vec<GaugeCase> {
    let forms = match case {
        GaugeCase::Measure(case) => measures(case).into_iter().map(GaugeCase::Measure).collect(),
        GaugeCase::Configure(settings) => {
            configures(*settings).into_iter().map(GaugeCase::Configure).collect::<Vec<_>>()
        }
    };
    let most = cost(case);
    forms.into_iter().filter(|form| cost(form) < most).collect()
}

fn measures(case: &MeasureCase) -> Vec<MeasureCase> {
    let mut forms = Vec::new();
    let count = case.messages.len();
    let chars = |size: Size| if let Size::Chars(chars) = size { chars } else { 0 };
    let total: usize = case.messages.iter().map(|draft| chars(draft.size)).sum();
    let mut one = case.clone();
    one.messages.truncate(1);
    for size in [total, total / 2] {
        if let Some(first) = one.messages.first_mut() {
            first.size = Size::Chars(size);
        }
        forms.push(one.clone());
    }
    for at in 0..count.min(40) {
        let mut less = case.clone();
        less.messages.remove(at);
        forms.push(less);
        let mut shorter = case.clone();
        shorter.messages[at].size = Size::Chars(chars(shorter.messages[at].size) / 2);
        forms.push(shorter);
    }
    if let Some(tokens) = case.reported.tokens {
        for tokens in [tokens / 2, tokens - tokens % 1_000, tokens.saturating_sub(1)] {
            let mut less = case.clone();
            less.reported.tokens = Some(tokens);
            forms.push(less);
        }
    }
    // A figure is for a request, and no request is without a message.
    forms.retain(|form| !form.messages.is_empty());
    forms
}

fn configures(settings: GaugeSettings) -> Vec<GaugeSettings> {
    let GaugeSettings { trigger, target, limit } = settings;
    let with = |trigger, target, limit| GaugeSettings { trigger, target, limit };
    vec![
        with(1, 1, 1),
        with(trigger, trigger, limit),
        with(trigger, target, 0),
        with(trigger / 2, target / 2, limit / 2),
        with(trigger - trigger % 1_000, target - target % 1_000, limit - limit % 1_000),
    ]
}

/// A number that every edit makes smaller.
fn cost(case: &GaugeCase) -> u128 {
    match case {
        GaugeCase::Measure(case) => {
            let size = |size: Size| if let Size::Chars(chars) = size { chars as u128 } else { 100 };
            let messages: u128 = case.messages.iter().map(|draft| 1_000_000_000 + size(draft.size)).sum();
            messages + u128::from(case.reported.tokens.unwrap_or(0))
        }
        GaugeCase::Configure(settings) => {
            [settings.trigger, settings.target, settings.limit].iter().map(|n| u128::from(n.unsigned_abs())).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gauge::FigureAge;
    use crate::history::Draft;
    use crate::message::Role;

    #[test]
    fn the_last_message_stays() {
        let case = MeasureCase::new(0, vec![Draft::new(1, Role::User)], Some(9_000), FigureAge::Current);
        let forms = smaller(&GaugeCase::Measure(case));
        assert!(!forms.is_empty());
        let empty = |form: &GaugeCase| matches!(form, GaugeCase::Measure(case) if case.messages.is_empty());
        assert!(!forms.iter().any(empty), "{forms:?}");
    }
}
