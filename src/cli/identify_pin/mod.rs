//! `sedkit identify-pin`.

mod outcome;

use outcome::Outcome;

use super::args::SessionOptions;
use super::args::identify_pin::IdentifyPin;
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::luks::Tenants;
use super::report::Report;
use super::secret::{self, Secrets};
use super::{Context, preflight};
use crate::drive::{
    Authority, Credential, Drive, Limits, LockingState, PinSearch, SearchEnd, Shown,
};
use crate::secret::{PinRule, SaltInput, SaltRule, Secret, TerminalPrompter};

/// Searches the rule by which a passphrase became a PIN.
pub(crate) fn run(args: &IdentifyPin, context: &Context) -> Result<Report, CliError> {
    let job = Job::new(args, context)?;
    let session = SessionOptions {
        reset: args.reset,
        ..SessionOptions::PLAIN
    };
    Ok(drives::on_one(
        &args.device,
        session,
        context,
        |named, drive| job.run(named, drive),
    ))
}

/// What is searched for, and how.
struct Job<'a> {
    args: &'a IdentifyPin,
    context: &'a Context,
    authorities: Vec<Authority>,
    salts: Vec<SaltRule>,
}

/// The secrets of a run.
struct Keys {
    passphrase: Secret,
    admin: Option<Credential>,
}

impl<'a> Job<'a> {
    fn new(args: &'a IdentifyPin, context: &'a Context) -> Result<Self, CliError> {
        let mut authorities = Vec::new();
        for name in &args.authorities {
            let authority = secret::authority(name)?;
            if authority == Authority::Psid {
                return Err(
                    CliError::usage("the PSID is no passphrase: it is sent as it is")
                        .with_hint("\"sedkit revert --psid\" takes it from the label"),
                );
            }
            if !authorities.contains(&authority) {
                authorities.push(authority);
            }
        }
        Ok(Self {
            args,
            context,
            authorities,
            salts: salts(args)?,
        })
    }

    fn run(&self, named: &Named, drive: &mut Drive) -> Result<Done, CliError> {
        let authorities = self.authorities_of(drive);
        for &authority in &authorities {
            preflight::authentication(drive, authority)?;
        }
        let keys = self.keys()?;
        let mut evidence = drive.evidence();
        evidence.salts.clone_from(&self.salts);
        evidence.has_luks = !Tenants::of(named, drive).left_alone().is_empty();
        let mut rules = evidence.ordered(&keys.passphrase, &drive.salt_input());
        let mut outcomes = Vec::new();
        for authority in authorities {
            let outcome = self.search(drive, authority, &keys, rules.clone())?;
            // What made one PIN of the passphrase probably made the others, too.
            if let Some(found) = outcome.found() {
                rules.retain(|rule| rule != found);
                rules.insert(0, found.clone());
            }
            let is_over = outcome.is_over();
            outcomes.push(outcome);
            if is_over {
                break;
            }
        }
        Ok(outcome::done(named, &outcomes))
    }

    fn authorities_of(&self, drive: &Drive) -> Vec<Authority> {
        match (self.authorities.is_empty(), drive.state().locking) {
            (false, _) => self.authorities.clone(),
            (true, LockingState::Unlocked | LockingState::Locked) => vec![Authority::Admin(1)],
            (true, _) => vec![Authority::Sid],
        }
    }

    /// Typed twice at a prompt: a slip would cost the budget.
    fn keys(&self) -> Result<Keys, CliError> {
        let mut terminal = TerminalPrompter::new();
        let mut secrets = Secrets::new(&mut terminal, &self.args.salt, self.context);
        let passphrase = secrets.typed_twice(&secret::source(self.args.key.source())?)?;
        let admin = self.args.admin_key.as_deref().map(secret::source);
        let admin = match admin.transpose()? {
            Some(source) => Some(secrets.passphrase(&source)?),
            None => None,
        };
        Ok(Keys {
            passphrase,
            admin: admin.map(|pin| Credential::new(Authority::Admin(1), pin)),
        })
    }

    fn search(
        &self,
        drive: &mut Drive,
        authority: Authority,
        keys: &Keys,
        rules: Vec<PinRule>,
    ) -> Result<Outcome, CliError> {
        let shown = match self.args.dry_run {
            true => Shown::default(),
            false => drive.shown_tries(authority, keys.admin.as_ref())?,
        };
        let search = PinSearch {
            authority,
            passphrase: &keys.passphrase,
            rules,
            limits: Limits {
                given: self.args.try_limit,
                ..shown.limits
            },
            cap: self.args.tries,
            is_power_cycled: self.args.power_cycled,
            goes_on: !self.args.restart,
        };
        let (budget, tally) = drive.search_budget(&search)?;
        if self.args.dry_run {
            return Ok(Outcome::planned(search, budget, &tally));
        }
        if authority == Authority::Sid && drive.state().owned == Some(false) {
            return Ok(Outcome::default_pin(authority, budget));
        }
        if shown.is_enabled == Some(false) {
            return Ok(Outcome::disabled(authority, budget));
        }
        self.context
            .output
            .note(&outcome::announcement(&search, &budget, &tally));
        let report = drive.identify_pin(&search)?;
        self.warn(authority, &report.end, drive);
        Ok(Outcome::of(report))
    }

    /// What a person cannot see from the outcome alone.
    fn warn(&self, authority: Authority, end: &SearchEnd, drive: &Drive) {
        let is_lost = matches!(end, SearchEnd::LockedOut) && self.args.power_cycled;
        if is_lost
            && drive
                .tally(authority)
                .is_ok_and(|tally| tally.attempts <= 1)
        {
            self.context.output.warning(
                "the first attempt after the power cycle found the authority locked out: the \
                 power was not cut, or this drive's count survives it",
            );
        }
    }
}

/// The salts that the user thinks of. A serial number of another system becomes the salt itself.
fn salts(args: &IdentifyPin) -> Result<Vec<SaltRule>, CliError> {
    let mut salts = Vec::new();
    if let Some(serial) = &args.salt.serial {
        let input = SaltInput {
            serial: serial.as_bytes(),
            ..SaltInput::default()
        };
        let salt = SaltRule::Serial.salt(&input);
        salts.push(SaltRule::Hex(
            salt.map_err(|error| CliError::usage(error.to_string()))?,
        ));
    }
    if let Some(rule) = &args.salt.salt {
        salts.push(secret::parse(rule)?);
    }
    Ok(salts)
}
