//! What a search says, for people and as JSON.

use serde::Serialize;

use crate::cli::device::Named;
use crate::cli::drives::Done;
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::drive::{
    Authority, Cause, PinSearch, RESERVE, SearchEnd, SearchReport, Tally, Tries, TryBudget,
};
use crate::secret::{PinRule, Scheme};

/// What became of the search for one PIN.
pub(super) struct Outcome {
    authority: Authority,
    budget: TryBudget,
    attempts: u64,
    rules: Vec<(PinRule, Fate)>,
    shown: Tries,
    end: End,
}

/// What became of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Fate {
    RefusedBefore,
    Refused,
    Opened,
    Left,
}

/// Why there is nothing more to say.
enum End {
    /// It was only asked what would be tried.
    Planned,
    /// SID has the PIN that the drive shows to anybody.
    DefaultPin,
    /// The drive shows that the authority is disabled.
    Disabled,
    /// The search ended.
    Searched(SearchEnd),
}

impl Outcome {
    pub(super) fn planned(search: PinSearch<'_>, budget: TryBudget, tally: &Tally) -> Self {
        let fate = |rule: &PinRule| match tally.refused.contains(rule) {
            true => Fate::RefusedBefore,
            false => Fate::Left,
        };
        let rules = search.rules.into_iter();
        Self {
            rules: rules.map(|rule| (rule.clone(), fate(&rule))).collect(),
            ..Self::without_search(search.authority, budget, End::Planned)
        }
    }

    pub(super) const fn default_pin(authority: Authority, budget: TryBudget) -> Self {
        Self::without_search(authority, budget, End::DefaultPin)
    }

    pub(super) const fn disabled(authority: Authority, budget: TryBudget) -> Self {
        Self::without_search(authority, budget, End::Disabled)
    }

    const fn without_search(authority: Authority, budget: TryBudget, end: End) -> Self {
        Self {
            authority,
            budget,
            attempts: 0,
            rules: Vec::new(),
            shown: Tries::NONE,
            end,
        }
    }

    pub(super) fn of(report: SearchReport) -> Self {
        let mut rules = Vec::new();
        let mut add = |list: Vec<PinRule>, fate| {
            rules.extend(list.into_iter().map(|rule| (rule, fate)));
        };
        add(report.before, Fate::RefusedBefore);
        add(report.refused, Fate::Refused);
        if let SearchEnd::Found(rule) = &report.end {
            add(vec![rule.clone()], Fate::Opened);
        }
        add(report.left, Fate::Left);
        Self {
            authority: report.authority,
            budget: report.budget,
            attempts: report.attempts,
            rules,
            shown: report.shown,
            end: End::Searched(report.end),
        }
    }

    /// The rule that opens the drive.
    pub(super) const fn found(&self) -> Option<&PinRule> {
        match &self.end {
            End::Searched(SearchEnd::Found(rule)) => Some(rule),
            _ => None,
        }
    }

    /// Whether no other authority should be tried: the drive did not answer.
    pub(super) const fn is_over(&self) -> bool {
        matches!(self.end, End::Searched(SearchEnd::Failed(_)))
    }

    fn count(&self, fate: Fate) -> usize {
        self.rules
            .iter()
            .filter(|(_, found)| *found == fate)
            .count()
    }

    fn text(&self) -> String {
        let authority = self.authority;
        let attempts = counted(self.attempts, "attempt");
        match (&self.end, self.found()) {
            (_, Some(rule)) => {
                let limit = limit_text(self.shown);
                let name = words(rule);
                let options = options(rule);
                format!("{authority} opens with {name}: {options} ({attempts}{limit})")
            }
            (End::Planned, _) => self.plan(),
            _ => {
                let left = self.count(Fate::Left);
                format!("{authority}: not found, {attempts} made, {left} rules left")
            }
        }
    }

    /// The rules under the budget, in the order in which they would be tried.
    fn plan(&self) -> String {
        let most = most(&self.budget);
        let mut text = format!("{}: {most}; in this order:", self.authority);
        let left = self.rules.iter().filter(|(_, fate)| *fate == Fate::Left);
        for (number, (rule, _)) in (1..).zip(left) {
            text += &format!("\n  {number:2}. {rule}");
        }
        match self.count(Fate::RefusedBefore) {
            0 => text,
            before => text + &format!("\n  ({before} more were refused before)"),
        }
    }

    fn error(&self) -> Option<CliError> {
        let authority = self.authority;
        let refused = |message: String| Some(CliError::new(Code::NotAuthorized, message));
        match &self.end {
            End::Planned | End::Searched(SearchEnd::Found(_)) => None,
            End::DefaultPin => refused(format!(
                "{authority} has the default PIN that the drive shows, not this passphrase"
            ))
            .map(|error| error.with_hint("use it with --key msid; no attempt was made")),
            End::Disabled => refused(format!("{authority} is disabled: no PIN opens it"))
                .map(|error| error.with_hint("an Admin can enable it; no attempt was made")),
            End::Searched(end) => Some(self.search_error(end)),
        }
    }

    fn search_error(&self, end: &SearchEnd) -> CliError {
        let authority = self.authority;
        let refused = self.count(Fate::Refused) + self.count(Fate::RefusedBefore);
        let left = self.count(Fate::Left);
        let unfound = |why: &str, hint: String| {
            let message = format!("{authority}: {refused} rules are wrong, {left} are left: {why}");
            CliError::new(Code::NotAuthorized, message).with_hint(hint)
        };
        match end {
            SearchEnd::Failed(error) => CliError::from(error),
            SearchEnd::LockedOut => {
                let message = Cause::LockedOut { authority }.to_string();
                CliError::new(Code::LockedOut, message).with_hint(self.way_on())
            }
            SearchEnd::CapReached => unfound(
                "--tries allows no more",
                "the same command goes on with the next one".to_owned(),
            ),
            SearchEnd::BudgetSpent => unfound("no further attempt is safe", self.way_on()),
            _ => CliError::new(
                Code::NotAuthorized,
                format!("no rule makes the PIN of {authority} from this passphrase"),
            )
            .with_hint(
                "the passphrase is another one, the salt is that of another system (--serial, \
                 --salt hex:…), or the authority is disabled; --restart begins anew",
            ),
        }
    }

    /// What can be done when the budget is used up.
    fn way_on(&self) -> String {
        let next = self.rules.iter().filter(|(_, fate)| *fate == Fate::Left);
        let next: Vec<_> = next.take(3).map(|(rule, _)| rule.to_string()).collect();
        format!(
            "cut the drive's power, so that it counts from 0 again, then go on with \
             --power-cycled; next are {}. Was the passphrase mistyped? Add --restart",
            next.join(", ")
        )
    }
}

/// What is said before the first attempt.
pub(super) fn announcement(search: &PinSearch<'_>, budget: &TryBudget, tally: &Tally) -> String {
    let mut text = format!("{}: {}", search.authority, most(budget));
    if let Some(cap) = search.cap {
        text += &format!(", {cap} in this run");
    }
    let before = search
        .rules
        .iter()
        .filter(|rule| tally.refused.contains(rule));
    match before.count() {
        0 => text,
        count => {
            text + &format!(
                "; going on after {count} that earlier runs tried, as with the same passphrase \
                 (--restart begins anew)"
            )
        }
    }
}

fn most(budget: &TryBudget) -> String {
    let Some(remaining) = budget.remaining() else {
        return "the drive has no limit of wrong attempts".to_owned();
    };
    let source = match budget.limit_source.name() {
        "drive" => "as the drive shows",
        "earlier_run" => "as the drive showed before",
        "given" => "as you say",
        _ => "assumed, since the drive shows none",
    };
    let TryBudget { limit, spent, .. } = budget;
    format!(
        "at most {} (limit {limit}, {source}; {spent} spent, {RESERVE} kept back)",
        counted(remaining, "attempt")
    )
}

fn counted(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// The rule in words.
fn words(rule: &PinRule) -> String {
    match rule.salt_name() {
        Some(salt) => format!("scheme {}, salt {salt}", rule.scheme),
        None if rule.scheme == Scheme::Raw => "the bytes as typed".to_owned(),
        None => format!("scheme {}", rule.scheme),
    }
}

/// The options that other commands take for the rule.
fn options(rule: &PinRule) -> String {
    match rule.salt_name() {
        Some(salt) => format!("--scheme {} --salt {salt}", rule.scheme),
        None => format!("--scheme {}", rule.scheme),
    }
}

fn limit_text(shown: Tries) -> String {
    match shown.try_limit {
        Some(0) => "; the drive has no limit of wrong ones".to_owned(),
        Some(limit) => format!("; the drive locks out after {limit} wrong ones"),
        None => String::new(),
    }
}

/// What was found of all authorities.
pub(super) fn done(named: &Named, outcomes: &[Outcome]) -> Done {
    let lines: Vec<_> = outcomes
        .iter()
        .map(|outcome| format!("{named}: {}", outcome.text()))
        .collect();
    let fields = Fields {
        authorities: outcomes.iter().map(AuthorityFields::from).collect(),
    };
    let error = outcomes.iter().find_map(Outcome::error);
    Done::data(lines.join("\n"), &fields).with_error(error)
}

#[derive(Serialize)]
struct Fields {
    authorities: Vec<AuthorityFields>,
}

#[derive(Serialize)]
struct AuthorityFields {
    authority: String,
    end: &'static str,
    found: Option<FoundFields>,
    attempts: u64,
    budget: BudgetFields,
    candidates: Vec<RuleFields>,
}

#[derive(Serialize)]
struct FoundFields {
    scheme: &'static str,
    salt_rule: Option<String>,
    options: String,
    try_limit: Option<u64>,
    persistence: Option<bool>,
}

#[derive(Serialize)]
struct BudgetFields {
    limit: u64,
    limit_source: &'static str,
    spent: u64,
    spent_source: &'static str,
    remaining: Option<u64>,
}

#[derive(Serialize)]
struct RuleFields {
    scheme: &'static str,
    salt_rule: Option<String>,
    outcome: Fate,
}

impl From<&Outcome> for AuthorityFields {
    fn from(outcome: &Outcome) -> Self {
        let found = outcome.found().map(|rule| FoundFields {
            scheme: rule.scheme.name(),
            salt_rule: rule.salt_name(),
            options: options(rule),
            try_limit: outcome.shown.try_limit,
            persistence: outcome.shown.persistence,
        });
        let candidate = |(rule, fate): &(PinRule, Fate)| RuleFields {
            scheme: rule.scheme.name(),
            salt_rule: rule.salt_name(),
            outcome: *fate,
        };
        Self {
            authority: outcome.authority.to_string(),
            end: end_name(&outcome.end),
            found,
            attempts: outcome.attempts,
            budget: (&outcome.budget).into(),
            candidates: outcome.rules.iter().map(candidate).collect(),
        }
    }
}

impl From<&TryBudget> for BudgetFields {
    fn from(budget: &TryBudget) -> Self {
        Self {
            limit: budget.limit,
            limit_source: budget.limit_source.name(),
            spent: budget.spent,
            spent_source: match budget.is_spent_shown {
                true => "drive",
                false => "counted",
            },
            remaining: budget.remaining(),
        }
    }
}

const fn end_name(end: &End) -> &'static str {
    match end {
        End::Planned => "planned",
        End::DefaultPin => "default_pin",
        End::Disabled => "disabled",
        End::Searched(SearchEnd::Found(_)) => "found",
        End::Searched(SearchEnd::Exhausted) => "exhausted",
        End::Searched(SearchEnd::BudgetSpent) => "budget_spent",
        End::Searched(SearchEnd::CapReached) => "cap_reached",
        End::Searched(SearchEnd::LockedOut) => "locked_out",
        End::Searched(SearchEnd::Failed(_)) => "failed",
    }
}
