//! Which rule made the PIN of a passphrase: a search that never locks an authority out.
//!
//! An attempt is counted before it is sent, so that no crash makes it forgotten, and a rule is called
//! wrong only after the drive said so. The search ends at the first PIN that is taken, when the
//! budget is used up, when nothing is left, and at everything that is neither yes nor no. Nothing is
//! changed on the drive.

mod budget;
mod order;
mod shown;

pub use budget::{ASSUMED_LIMIT, LimitSource, Limits, RESERVE, TryBudget};
pub use order::Evidence;
pub use shown::Shown;

use super::login::{Attempt, may_have_counted};
use super::{Authority, Cause, Drive, Error, Tally, TallyError, Tries};
use crate::secret::{PinRule, Secret};
use crate::spec::column::c_pin;
use shown::visible;

/// What is searched for.
#[derive(Debug)]
pub struct PinSearch<'a> {
    /// Whose PIN.
    pub authority: Authority,
    /// What was typed.
    pub passphrase: &'a Secret,
    /// What to try, in this order, but for what earlier searches found wrong.
    pub rules: Vec<PinRule>,
    /// What is known of the limit.
    pub limits: Limits,
    /// The most attempts of this run; `None` for what the budget allows.
    pub cap: Option<u64>,
    /// Whether the drive was without power since the last attempt, as a person says.
    pub is_power_cycled: bool,
    /// Whether earlier searches were made with the same passphrase.
    pub goes_on: bool,
}

/// Why a search ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum SearchEnd {
    /// A PIN was taken.
    Found(PinRule),
    /// No rule makes a PIN that opens it: the passphrase is another one, or the authority is disabled.
    Exhausted,
    /// The budget is used up.
    BudgetSpent,
    /// The cap of this run is reached.
    CapReached,
    /// The drive says that the authority is locked out.
    LockedOut,
    /// Neither yes nor no.
    Failed(Error),
}

/// What a search found and spent.
#[derive(Debug)]
#[non_exhaustive]
pub struct SearchReport {
    /// Whose PIN.
    pub authority: Authority,
    /// Rules that earlier searches found wrong.
    pub before: Vec<PinRule>,
    /// Rules that this one found wrong.
    pub refused: Vec<PinRule>,
    /// Rules that are left.
    pub left: Vec<PinRule>,
    /// Attempts that this search has sent.
    pub attempts: u64,
    /// The budget as it was before the first of them.
    pub budget: TryBudget,
    /// What the drive shows to the authority itself; nothing if the search did not end well.
    pub shown: Tries,
    /// Why it ended.
    pub end: SearchEnd,
}

impl Drive {
    /// Searches the rule by which a passphrase became the PIN of an authority.
    ///
    /// # Errors
    /// [`Error`] before any attempt: the authority cannot act now, or attempts cannot be counted.
    pub fn identify_pin(&mut self, search: &PinSearch<'_>) -> Result<SearchReport, Error> {
        self.require_opal_family()?;
        self.require_sp_of(search.authority)?;
        let mut hunt = Hunt::new(self, search)?;
        let end = hunt.run(self);
        let is_found = matches!(end, SearchEnd::Found(_));
        let done = hunt.report.refused.len() + usize::from(is_found);
        Ok(SearchReport {
            left: hunt.queue.into_iter().skip(done).collect(),
            end,
            ..hunt.report
        })
    }

    /// The budget for a search, and what earlier ones found wrong. Nothing is sent.
    ///
    /// # Errors
    /// [`Error`] if attempts cannot be counted.
    pub fn search_budget(&self, search: &PinSearch<'_>) -> Result<(TryBudget, Tally), Error> {
        let mut tally = match self.tally(search.authority) {
            // Whatever stood there is over.
            Err(TallyError::Damaged { .. }) if search.is_power_cycled => Tally::default(),
            tally => tally.map_err(|error| Error::before(Cause::Tally(error)))?,
        };
        if search.is_power_cycled && !survives_power_cycle(search, &tally) {
            (tally.attempts, tally.is_locked_out) = (0, false);
        }
        if !search.goes_on {
            tally.refused.clear();
        }
        let mut budget = TryBudget::new(&search.limits, &tally);
        if tally.is_locked_out && !budget.is_spent_shown {
            budget.spent = budget.spent.max(budget.limit);
        }
        Ok((budget, tally))
    }
}

/// Whether a power cycle leaves the count as it is. Opal's tables have Persistence FALSE for every PIN
/// (\[Opal\] 4.2.1.8, 4.3.1.9), so that it does not, unless the drive shows another value.
fn survives_power_cycle(search: &PinSearch<'_>, tally: &Tally) -> bool {
    let shown = search.limits.shown.persistence;
    shown.or(tally.shown.persistence) == Some(true)
}

/// A search under way.
struct Hunt<'a> {
    search: &'a PinSearch<'a>,
    tally: Tally,
    /// What is still to be tried, from the front.
    queue: Vec<PinRule>,
    report: SearchReport,
}

impl<'a> Hunt<'a> {
    fn new(drive: &Drive, search: &'a PinSearch<'a>) -> Result<Self, Error> {
        let (budget, tally) = drive.search_budget(search)?;
        let is_wrong = |rule: &&PinRule| tally.refused.contains(rule);
        let (before, queue) = search.rules.iter().partition::<Vec<_>, _>(is_wrong);
        let owned = |rules: Vec<&PinRule>| rules.into_iter().cloned().collect::<Vec<_>>();
        Ok(Self {
            search,
            queue: owned(queue),
            report: SearchReport {
                authority: search.authority,
                before: owned(before),
                refused: Vec::new(),
                left: Vec::new(),
                attempts: 0,
                budget,
                shown: Tries::default(),
                end: SearchEnd::Exhausted,
            },
            tally,
        })
    }

    fn run(&mut self, drive: &mut Drive) -> SearchEnd {
        for rule in self.queue.clone() {
            if let Some(end) = self.spent() {
                return end;
            }
            match self.attempt(drive, &rule) {
                Ok(true) => return SearchEnd::Found(rule),
                Ok(false) => {}
                Err(error) if matches!(error.cause(), Cause::LockedOut { .. }) => {
                    return SearchEnd::LockedOut;
                }
                Err(error) => return SearchEnd::Failed(error),
            }
        }
        SearchEnd::Exhausted
    }

    /// Whether no further attempt may be made.
    fn spent(&self) -> Option<SearchEnd> {
        let attempts = self.report.attempts;
        if self
            .report
            .budget
            .remaining()
            .is_some_and(|most| attempts >= most)
        {
            return Some(match self.tally.is_locked_out {
                true => SearchEnd::LockedOut,
                false => SearchEnd::BudgetSpent,
            });
        }
        let cap = self.search.cap;
        cap.is_some_and(|cap| attempts >= cap)
            .then_some(SearchEnd::CapReached)
    }

    /// One attempt: whether the PIN was taken.
    fn attempt(&mut self, drive: &mut Drive, rule: &PinRule) -> Result<bool, Error> {
        let authority = self.search.authority;
        let pin = rule.pin(self.search.passphrase, &drive.salt_input());
        let pin = pin.map_err(|error| Error::before(Cause::Scheme(error)))?;
        self.tally.attempts = self.tally.attempts.saturating_add(1);
        self.keep(drive)?;
        self.report.attempts += 1;
        let opened = match drive.open_as(authority, &pin, Attempt::Tallied) {
            Ok(opened) => opened,
            Err(error) if error.is_refusal() => {
                self.tally.refused.push(rule.clone());
                self.report.refused.push(rule.clone());
                self.keep(drive)?;
                return Ok(false);
            }
            Err(error) => {
                if !may_have_counted(&error) {
                    self.tally.attempts = self.tally.attempts.saturating_sub(1);
                }
                self.tally.is_locked_out = matches!(error.cause(), Cause::LockedOut { .. });
                self.keep(drive)?;
                return Err(error);
            }
        };
        // What fails from here on does not make it untrue that the PIN was taken.
        if let Ok((mut session, _)) = drive.enter(opened) {
            let columns = (c_pin::TRY_LIMIT, c_pin::PERSISTENCE);
            let row = visible(&mut session, authority.c_pin(), columns.0, columns.1);
            let tries = row.and_then(|row| Tries::from_row(&row));
            self.report.shown = tries.unwrap_or_default();
            let _ = session.end();
        }
        self.learn();
        let _ = self.keep(drive);
        Ok(true)
    }

    /// What the drive shows of its limit is known to the next search.
    fn learn(&mut self) {
        self.tally.clear();
        let (shown, known) = (self.report.shown, self.tally.shown);
        self.tally.shown = Tries {
            tries: None,
            try_limit: shown.try_limit.or(known.try_limit),
            persistence: shown.persistence.or(known.persistence),
        };
    }

    fn keep(&self, drive: &Drive) -> Result<(), Error> {
        let written = drive.tally_file(self.search.authority).write(&self.tally);
        written.map_err(|error| Error::before(Cause::Tally(error)))
    }
}
