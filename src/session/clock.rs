//! Time, passed in so that tests need not wait for it.

use std::thread;
use std::time::{Duration, Instant};

use super::Error;

/// Tells the time and lets it pass.
pub trait Clock: Send {
    /// The time since a moment that never changes.
    fn now(&self) -> Duration;

    /// Waits.
    fn sleep(&mut self, duration: Duration);
}

/// The operating system's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&mut self, duration: Duration) {
        thread::sleep(duration);
    }
}

/// How long to wait for something, and whether an interrupt ends the wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    pub(crate) limit: Duration,
    pub(crate) heeds_interrupt: bool,
    /// How many more times to ask where the TPer says that there is no answer. It means that the
    /// command was discarded, but drives are known that say so while they work (Intel 6000p).
    pub(crate) empty_polls: usize,
}

impl Patience {
    /// For what a person asked for.
    pub(crate) const fn for_method(limit: Duration) -> Self {
        Self {
            limit,
            heeds_interrupt: true,
            empty_polls: EMPTY_POLLS,
        }
    }

    /// For cleaning up after an error or an interrupt.
    pub(crate) const CLEANUP: Self = Self {
        limit: Duration::from_secs(2),
        heeds_interrupt: false,
        empty_polls: 2,
    };
}

/// Within 93 ms: no longer than a host that is alive may let another one wait.
pub(crate) const EMPTY_POLLS: usize = 8;

/// A wait that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub(crate) patience: Patience,
    start: Duration,
    backoff: Backoff,
}

impl Wait {
    /// A wait that begins at `now`.
    pub(crate) fn new(now: Duration, patience: Patience) -> Self {
        Self {
            patience,
            start: now,
            backoff: Backoff::default(),
        }
    }

    /// How long it has lasted.
    pub(crate) const fn waited(&self, now: Duration) -> Duration {
        now.saturating_sub(self.start)
    }

    /// What is left of it, unless nothing is.
    pub(crate) fn left(&self, now: Duration) -> Option<Duration> {
        let left = self.patience.limit.saturating_sub(self.waited(now));
        (!left.is_zero()).then_some(left)
    }

    /// What is left of it.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if nothing is.
    pub(crate) fn check(&self, now: Duration) -> Result<Duration, Error> {
        let limit = self.patience.limit;
        self.left(now).ok_or(Error::TimedOut { limit })
    }

    /// The next pause between two polls.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if no time is left for one.
    pub(crate) fn pause(&mut self, now: Duration) -> Result<Duration, Error> {
        let left = self.check(now)?;
        Ok(self.backoff.pause().min(left))
    }
}

/// The pauses between two polls: short at first, since most methods take less than a millisecond,
/// then 25 ms, since a slow drive needs its time for the method and not for the polls.
#[derive(Clone, Copy, Debug, Default)]
struct Backoff {
    polls: usize,
}

impl Backoff {
    const STEPS: [u64; 5] = [0, 1, 2, 5, 10];
    const LAST: u64 = 25;

    /// The next pause.
    fn pause(&mut self) -> Duration {
        let milliseconds = Self::STEPS.get(self.polls).copied().unwrap_or(Self::LAST);
        self.polls += 1;
        Duration::from_millis(milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_25_ms() {
        let mut backoff = Backoff::default();
        let pauses: Vec<_> = (0..8).map(|_| backoff.pause().as_millis()).collect();
        assert_eq!(pauses, [0, 1, 2, 5, 10, 25, 25, 25]);
    }
}
