//! Plays one case of the gauge, and says what happened.

use std::fmt::Write;

use crate::contract::{Capability, Contract, FitUnit};
use crate::gauge::{FigureAge, FigureDraft, GaugeCase, GaugeSettings, MeasureCase, Measured, Reported, drafts_of};
use crate::history::Pressure;
use crate::limit_case::LimitCase;
use crate::limit_play::{Break, Judge, Side, lacks, made};
use crate::message::Message;
use crate::play::{Make, guarded};
use crate::requirement::Check;
use crate::requirement::gauge::{Configuring, Gauged, Measuring};

/// A gauge under test, a fresh one for each question that must not know of another.
pub(crate) struct GaugeSide<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) make: &'a Make<'a>,
}

/// The largest list that is made to see what is in force, in units of the gauge.
const LARGEST: usize = 400_000;

impl GaugeSide<'_> {
    fn measure(&self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Break> {
        let mut candidate = made(self.make)?;
        let gauge = candidate.gauge().ok_or_else(|| lacks(Self::CLAIM, "gauge"))?;
        guarded(|| gauge.measure(messages, reported)).map_err(|error| Break::of(&error))
    }

    fn measured(&self, case: &MeasureCase) -> Result<Gauged, Break> {
        let messages = case.build(self.contract);
        let answer = self.measure(&messages, Some(&case.figure(&messages)))?;
        let alone = self.measure(&messages, None)?;
        Ok(Gauged::Measured(Measuring::new(self.contract, &messages, case.reported.clone(), [answer, alone])))
    }

    fn configured(&self, asked: GaugeSettings) -> Result<Gauged, Break> {
        let mut candidate = made(self.make)?;
        let gauge = candidate.gauge().ok_or_else(|| lacks(Self::CLAIM, "gauge"))?;
        let answer = match guarded(|| gauge.configure(asked)) {
            Ok(settings) => Ok(settings),
            Err(error) if error.break_kind().is_none() => Err(error.to_string()),
            Err(error) => return Err(Break::of(&error)),
        };
        let rules = &self.contract.gauge;
        let (trigger, target) = match &answer {
            Ok(settings) => (settings.trigger, settings.target),
            Err(_) => (rules.trigger as i64, rules.target as i64),
        };
        let mut probe = |size: i64| {
            let Some(size) = usize::try_from(size).ok().filter(|size| (1..=LARGEST).contains(size)) else {
                return Ok(None);
            };
            let drafts = drafts_of(self.contract, size, 2);
            let messages = MeasureCase::new(1, drafts, None, FigureAge::Current).build(self.contract);
            let counting = rules.counting();
            let (least, most) = (counting.least_size(&messages) as i64, counting.size(&messages) as i64);
            let measured = guarded(|| gauge.measure(&messages, None)).map_err(|error| Break::of(&error))?;
            Ok(Some((least, most, measured.pressure)))
        };
        let below = probe(target - target / 16)?.filter(|(_, most, _)| *most < target).map(|(.., pressure)| pressure);
        let above = probe(trigger.saturating_add(trigger / 16 + 2))?
            .filter(|(least, ..)| *least > trigger)
            .map(|(.., pressure)| pressure);
        Ok(Gauged::Configured(Configuring { asked, answer, below, above }))
    }
}

impl Side for GaugeSide<'_> {
    type Seen = Gauged;
    const CLAIM: Capability = Capability::Gauge;

    fn judge(check: &Check) -> Option<Judge<Gauged>> {
        match check {
            Check::Gauge(judge) => Some(*judge),
            _ => None,
        }
    }

    fn play(&self, case: &LimitCase, _: bool) -> Option<Result<Gauged, Break>> {
        Some(match case {
            LimitCase::Gauge(GaugeCase::Measure(case)) => self.measured(case),
            LimitCase::Gauge(GaugeCase::Configure(settings)) => self.configured(*settings),
            _ => return None,
        })
    }

    fn used(&self, _: &Gauged) -> Option<(usize, usize)> {
        None
    }

    fn shown(&self, seen: &Gauged) -> String {
        let rules = &self.contract.gauge;
        let mut out =
            format!("  gauge with trigger {}, target {}, in {}\n", rules.trigger, rules.target, unit(rules.unit));
        // Writing to a string does not fail.
        _ = match seen {
            Gauged::Measured(seen) => writeln!(
                out,
                "    measure     {} messages, {} by the declared counter; {}\n    answer      {}\n    unreported  {}",
                seen.count,
                between(seen.least, seen.most),
                figure(&seen.reported),
                answer(seen.answer),
                answer(seen.alone)
            ),
            Gauged::Configured(seen) => writeln!(
                out,
                "    configure   {}\n    answer      {}\n    then        below the target in force: {}; above the trigger: {}",
                settings(seen.asked),
                seen.answer
                    .as_ref()
                    .map_or_else(|text| format!("refused: \"{}\"", text.escape_debug()), |given| settings(*given)),
                pressure(seen.below),
                pressure(seen.above)
            ),
        };
        out
    }
}

/// What a case asks.
pub(crate) fn unanswered(case: &GaugeCase) -> String {
    match case {
        GaugeCase::Measure(case) => format!("  measure {} messages; {}\n", case.messages.len(), figure(&case.reported)),
        GaugeCase::Configure(asked) => format!("  configure {}\n", settings(*asked)),
    }
}

fn unit(unit: FitUnit) -> &'static str {
    match unit {
        FitUnit::Messages => "messages",
        FitUnit::Tokens => "tokens",
        FitUnit::CodePoints => "code points",
        FitUnit::Utf8Bytes => "UTF-8 bytes",
        FitUnit::Utf16Units => "UTF-16 units",
    }
}

fn between(least: u64, most: u64) -> String {
    if least == most { most.to_string() } else { format!("{least} to {most}") }
}

fn figure(reported: &FigureDraft) -> String {
    let tokens = reported.tokens.map_or("an unknown size".to_owned(), |tokens| format!("{tokens} tokens"));
    let age = match reported.age {
        FigureAge::Current => "up to the last one",
        FigureAge::Stale => "before a compaction",
    };
    format!("reported: {tokens} {age}")
}

fn answer(measured: Measured) -> String {
    let tokens = measured.tokens.map_or("size unknown".to_owned(), |tokens| format!("size {tokens}"));
    format!("pressure {}, {tokens}", measured.pressure.name())
}

fn settings(settings: GaugeSettings) -> String {
    format!("trigger {}, target {}, limit {}", settings.trigger, settings.target, settings.limit)
}

fn pressure(pressure: Option<Pressure>) -> &'static str {
    pressure.map_or("not asked", Pressure::name)
}
