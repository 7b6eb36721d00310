//! The budget of a search: how many more wrong PINs an authority may be shown.
//!
//! The drive's own counter decides where it can be read, which is seldom (\[Opal\] 4.2.1.7, 4.3.1.7:
//! C_PIN_SID is shown to SID and Admins, the Locking SP's to Admins, PSID's to anybody). Elsewhere
//! the tally of earlier runs stands for it, and a limit of [`ASSUMED_LIMIT`] for the unknown one.

use crate::drive::{Tally, Tries};

/// The limit that is assumed where the drive shows none: what OCP's profile demands, and what most
/// drives have.
pub const ASSUMED_LIMIT: u64 = 5;

/// Attempts that are always left: a firmware's prompt spends up to two at once.
pub const RESERVE: u64 = 2;

/// What a search knows of the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// What the drive shows of this PIN now.
    pub shown: Tries,
    /// The limit of PSID, which it shows to anybody: one vendor's PINs often share one.
    pub psid_limit: Option<u64>,
    /// What a person knows of the drive; 0 for none.
    pub given: Option<u64>,
}

/// Where a limit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitSource {
    /// The drive shows it.
    Drive,
    /// The drive showed it in an earlier run.
    EarlierRun,
    /// A person said so.
    Given,
    /// Nobody knows.
    Assumed,
}

impl LimitSource {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drive => "drive",
            Self::EarlierRun => "earlier_run",
            Self::Given => "given",
            Self::Assumed => "assumed",
        }
    }
}

/// How many more wrong PINs an authority may be shown, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TryBudget {
    /// Wrong PINs by which the authority is locked out; 0 for never.
    pub limit: u64,
    /// Where that comes from.
    pub limit_source: LimitSource,
    /// Wrong PINs since the last right one.
    pub spent: u64,
    /// Whether the drive has counted them, and not only this program.
    pub is_spent_shown: bool,
}

impl TryBudget {
    /// The budget that follows from what is known.
    #[must_use]
    pub fn new(limits: &Limits, tally: &Tally) -> Self {
        let (limit, limit_source) = limit(limits, tally);
        let spent = limits.shown.tries;
        Self {
            limit,
            limit_source,
            spent: spent.unwrap_or_else(|| tally.attempts.into()),
            is_spent_shown: spent.is_some(),
        }
    }

    /// Attempts that may still be refused; `None` for any number.
    #[must_use]
    pub const fn remaining(&self) -> Option<u64> {
        match self.limit {
            0 => None,
            limit => Some(limit.saturating_sub(RESERVE).saturating_sub(self.spent)),
        }
    }

    /// Whether none may be made.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.remaining() == Some(0)
    }
}

fn limit(limits: &Limits, tally: &Tally) -> (u64, LimitSource) {
    let known = [
        (limits.shown.try_limit, LimitSource::Drive),
        (tally.shown.try_limit, LimitSource::EarlierRun),
        (limits.given, LimitSource::Given),
    ];
    let known = known.into_iter().find_map(|(limit, by)| Some((limit?, by)));
    known.unwrap_or_else(|| {
        let of_psid = limits.psid_limit.filter(|limit| *limit > 0);
        let limit = of_psid.map_or(ASSUMED_LIMIT, |limit| limit.min(ASSUMED_LIMIT));
        (limit, LimitSource::Assumed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(attempts: u32) -> Tally {
        Tally {
            attempts,
            ..Tally::default()
        }
    }

    fn shown(tries: Option<u64>, try_limit: Option<u64>) -> Limits {
        let mut limits = Limits::default();
        (limits.shown.tries, limits.shown.try_limit) = (tries, try_limit);
        limits
    }

    fn remaining(limits: &Limits, attempts: u32) -> Option<u64> {
        TryBudget::new(limits, &tally(attempts)).remaining()
    }

    #[test]
    fn an_unknown_limit_is_five_and_two_are_kept() {
        let unknown = Limits::default();
        assert_eq!(remaining(&unknown, 0), Some(3));
        assert_eq!(remaining(&unknown, 2), Some(1));
        assert_eq!(remaining(&unknown, 3), Some(0));
        assert_eq!(remaining(&unknown, 9), Some(0));
    }

    #[test]
    fn a_lower_limit_of_psid_makes_the_assumption_lower() {
        let of_psid = |limit| Limits {
            psid_limit: Some(limit),
            ..Limits::default()
        };
        assert_eq!(remaining(&of_psid(3), 0), Some(1));
        assert_eq!(remaining(&of_psid(20), 0), Some(3));
        assert_eq!(remaining(&of_psid(0), 0), Some(3));
    }

    #[test]
    fn what_the_drive_counts_is_believed_before_the_tally() {
        assert_eq!(remaining(&shown(Some(4), Some(10)), 0), Some(4));
        assert_eq!(remaining(&shown(Some(0), Some(10)), 3), Some(8));
        assert_eq!(remaining(&shown(None, Some(10)), 3), Some(5));
        assert_eq!(remaining(&shown(None, Some(0)), 3), None);
        assert_eq!(remaining(&shown(None, Some(1)), 0), Some(0));
    }

    #[test]
    fn what_was_shown_once_is_believed_before_a_person() {
        let mut earlier = tally(1);
        earlier.shown.try_limit = Some(10);
        let given = Limits {
            given: Some(100),
            ..Limits::default()
        };
        let budget = TryBudget::new(&given, &earlier);
        assert_eq!(budget.limit_source, LimitSource::EarlierRun);
        assert_eq!(budget.remaining(), Some(7));
        let budget = TryBudget::new(&given, &tally(1));
        assert_eq!(budget.limit_source, LimitSource::Given);
        assert_eq!(budget.remaining(), Some(97));
    }
}
