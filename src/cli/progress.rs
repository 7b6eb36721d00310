//! How far a long transfer is: a bar with rate and time left, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Context;
use crate::drive::{Phase, TableProgress};

/// The bar, and what it showed last.
pub(crate) struct Progress {
    bar: ProgressBar,
    last: Option<TableProgress>,
}

/// What the bar looks like.
const TEMPLATE: &str = "{msg} [{wide_bar}] {binary_bytes}/{binary_total_bytes} \
    {binary_bytes_per_sec}, {eta} left";

impl Progress {
    /// No transfer has begun yet.
    pub(crate) fn new(context: &Context) -> Self {
        let target = match context.output.shows_progress() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template(TEMPLATE);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        Self { bar, last: None }
    }

    /// Shows how far it is.
    pub(crate) fn show(&mut self, progress: TableProgress) {
        if self.last.is_none_or(|last| last.phase != progress.phase) {
            self.bar.reset();
            self.bar.set_length(progress.total);
            self.bar.set_message(name(progress.phase));
        }
        self.bar.set_position(progress.done);
        self.last = Some(progress);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// How far it came.
    pub(crate) const fn last(&self) -> Option<TableProgress> {
        self.last
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

const fn name(phase: Phase) -> &'static str {
    match phase {
        Phase::Read => "reading",
        Phase::Compare => "comparing",
        Phase::Write => "loading",
        Phase::Verify => "reading back",
    }
}
