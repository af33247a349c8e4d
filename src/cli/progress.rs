//! How far a run is, on a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::Tick;
use crate::text::counted;

/// A bar on the terminal; nothing where standard error is none.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    bar: Arc<ProgressBar>,
}

impl Progress {
    /// A bar that tells `label` before what it tells; none where nobody would see it.
    pub(super) fn new(label: &str, wanted: bool) -> Option<Self> {
        if !wanted || !stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::stderr_with_hz(5));
        bar.set_style(filling(false));
        bar.set_prefix(label.to_owned());
        bar.enable_steady_tick(Duration::from_millis(250));
        Some(Self { bar: Arc::new(bar) })
    }

    /// Shows a tick.
    pub(super) fn show(&self, tick: Tick) {
        let Self { bar, .. } = self;
        let found = match tick.suspects {
            0 => "nothing suspicious so far".to_owned(),
            n => counted(n, "suspicion"),
        };
        if tick.shrinking {
            let style = ProgressStyle::with_template("{prefix}{spinner} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_message(format!("shrinking witnesses: {} found", tick.suspects));
            return;
        }
        let (done, what) = if tick.cases > 0 {
            (tick.cases, format!("{} cases at a limit", tick.cases))
        } else {
            (tick.steps, format!("{} histories, {} steps", tick.histories, tick.steps))
        };
        // Cases at a limit come after the witnesses of histories were shrunk. The first moments say nothing of the rest.
        bar.set_style(filling(done.saturating_mul(20) >= tick.budget));
        bar.set_length(tick.budget);
        bar.set_position(done.min(tick.budget));
        bar.set_message(format!("{what}, {found}"));
    }

    /// Takes it off the screen.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn filling(estimates: bool) -> ProgressStyle {
    let style = ProgressStyle::with_template(if estimates {
        "{prefix}{bar:16.cyan/dim} {percent:>3} % {eta:>4} left  {wide_msg}"
    } else {
        "{prefix}{bar:16.cyan/dim} {percent:>3} %            {wide_msg}"
    });
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─")
}
