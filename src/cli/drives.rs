//! The drives that a command works on: opened side by side, worked on side by side.

use serde::Serialize;
use serde_json::{Map, Value};

use super::args::{self, Devices, SessionOptions};
use super::device::{self, Named, Opened};
use super::error::CliError;
use super::exit::Code;
use super::report::{Answer, DriveReport, IfCommands, Report, fields};
use super::secret::{Acting, Key};
use super::{Context, hardware, journal};
use crate::drive::{Drive, DriveOptions};
use crate::fleet;
use crate::transport::Identity;
use crate::transport::count::CountHandle;

/// A drive that was named: open, or why not.
pub(crate) struct Slot {
    /// Its names.
    pub(crate) named: Named,
    identity: Option<Identity>,
    counts: Option<CountHandle>,
    drive: Result<Drive, CliError>,
}

/// What a command did with one drive.
pub(crate) struct Done {
    /// Fields of the drive's object in JSON.
    pub(crate) fields: Map<String, Value>,
    /// Text for people.
    pub(crate) text: Answer,
    /// What failed all the same.
    pub(crate) error: Option<CliError>,
}

impl Done {
    /// Something was done.
    pub(crate) fn notice(text: impl Into<String>, value: &impl Serialize) -> Self {
        Self {
            fields: fields(value),
            text: Answer::Notice(text.into()),
            error: None,
        }
    }

    /// Something was asked for.
    pub(crate) fn data(text: impl Into<String>, value: &impl Serialize) -> Self {
        Self {
            fields: fields(value),
            text: Answer::Data(text.into()),
            error: None,
        }
    }

    /// Not everything was done.
    #[must_use]
    pub(crate) fn with_error(mut self, error: Option<CliError>) -> Self {
        self.error = error;
        self
    }
}

impl Slot {
    /// The drive, or why it could not be opened.
    pub(crate) const fn opened(&self) -> Result<&Drive, &CliError> {
        self.drive.as_ref()
    }

    /// As [`Slot::opened`], to talk to the drive.
    pub(crate) const fn opened_mut(&mut self) -> Result<&mut Drive, &CliError> {
        match &mut self.drive {
            Ok(drive) => Ok(drive),
            Err(error) => Err(error),
        }
    }

    /// Who the drive says it is, if it said so.
    pub(crate) const fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// The serial number, as the drive or, where it was not opened, the kernel tells it.
    pub(crate) fn serial(&self) -> Option<String> {
        let told = self.identity().map(Identity::serial_text);
        told.or_else(|| self.named.node().map(|node| node.serial.clone()))
    }

    /// The model, as the drive or, where it was not opened, the kernel tells it.
    pub(crate) fn model(&self) -> Option<String> {
        let told = self.identity().map(Identity::model_text);
        told.or_else(|| self.named.node().map(|node| node.model.clone()))
    }

    fn work(
        &mut self,
        work: impl FnOnce(&Named, &mut Drive) -> Result<Done, CliError>,
    ) -> DriveReport {
        let outcome = match &mut self.drive {
            Ok(drive) => work(&self.named, drive),
            Err(error) => Err(error.clone()),
        };
        let mut report = self.report();
        match outcome {
            Ok(done) => {
                report.fields.extend(done.fields);
                (report.text, report.error) = (done.text, done.error);
            }
            Err(error) => report.error = Some(error),
        }
        report
    }

    /// A report that says nothing yet but which drive it is about.
    pub(crate) fn report(&self) -> DriveReport {
        let mut report = DriveReport::new(self.named.to_string());
        report.serial = self.serial();
        report.model = self.model();
        report.if_commands = self.counts.as_ref().map(if_commands).unwrap_or_default();
        if !self.named.aliases.is_empty() {
            let aliases = self.named.aliases.clone().into();
            report.fields.insert("aliases".to_owned(), aliases);
        }
        report
    }
}

fn if_commands(handle: &CountHandle) -> IfCommands {
    let counts = handle.counts();
    IfCommands {
        send: counts.send,
        recv: counts.recv,
    }
}

/// Opens the drives that were named, or all that the machine has.
pub(crate) fn open_many(
    devices: &Devices,
    options: SessionOptions,
    context: &Context,
) -> Result<Vec<Slot>, CliError> {
    if !devices.all {
        return Ok(open(device::find(&devices.devices), options, context));
    }
    let mut slots = open(device::all(), options, context);
    slots.retain(|slot| !matches!(slot.opened(), Err(error) if error.code == Code::NotSupported));
    match slots.is_empty() {
        true => Err(CliError::new(Code::NotSupported, "this machine has no SED")
            .with_hint("\"sedkit scan\" shows every drive")),
        false => Ok(slots),
    }
}

/// Opens drives side by side.
pub(crate) fn open(drives: Vec<Named>, options: SessionOptions, context: &Context) -> Vec<Slot> {
    fleet::in_parallel(drives, |named| start(named, options, context))
}

fn start(mut named: Named, options: SessionOptions, context: &Context) -> Slot {
    let opened = named.open(context);
    let identity = opened.as_ref().ok().map(|opened| opened.identity().clone());
    let counts = opened.as_ref().ok().map(|opened| opened.counts.clone());
    named.geometry = opened.as_ref().ok().and_then(|opened| opened.geometry);
    let drive = opened.and_then(|opened| start_drive(opened, options, context));
    let drive = drive.map_err(|error| hardware::explain(&named, error));
    Slot {
        named,
        identity,
        counts,
        drive,
    }
}

fn start_drive(
    opened: Opened,
    options: SessionOptions,
    context: &Context,
) -> Result<Drive, CliError> {
    let drive_options = DriveOptions {
        timeout: context.timeout,
        interrupt: context.signals.interrupt().clone(),
        tries: options.tries,
        journal: journal::find(),
    };
    let mut drive = Drive::open(opened.transport, drive_options)?;
    if options.stack_reset {
        drive.stack_reset()?;
    }
    Ok(drive)
}

/// Does `work` on every drive at the same time, and reports in the order given.
pub(crate) fn each(
    slots: &mut [Slot],
    work: impl Fn(&Named, &mut Drive) -> Result<Done, CliError> + Sync,
) -> Vec<DriveReport> {
    fleet::in_parallel(slots.iter_mut().collect(), |slot| slot.work(&work))
}

/// As [`each`], with a secret that is read once, and only if a drive needs it.
///
/// `work` gets no key for drives that need none. Where a person typed the secret, it is asked for
/// again on behalf of the drives that refused it, as often as `--tries` allows.
pub(crate) fn each_with_key(
    slots: &mut [Slot],
    acting: &Acting<'_>,
    needs_key: impl Fn(&Drive) -> bool + Sync,
    work: impl Fn(&Named, &mut Drive, Option<&Key>) -> Result<Done, CliError> + Sync,
) -> Result<Vec<DriveReport>, CliError> {
    let is_needed = slots
        .iter()
        .any(|slot| slot.drive.as_ref().is_ok_and(&needs_key));
    let key = is_needed.then(|| acting.read()).transpose()?;
    let work = |key: Option<&Key>, name: &Named, drive: &mut Drive| {
        let key = key.filter(|_| needs_key(drive));
        work(name, drive, key)
    };
    let mut reports = each(slots, |name, drive| work(key.as_ref(), name, drive));
    for _ in 1..acting.attempts() {
        let refused: Vec<_> = slots
            .iter_mut()
            .zip(&mut reports)
            .filter(is_refused)
            .collect();
        if refused.is_empty() {
            break;
        }
        let errors = refused.iter().filter_map(|(slot, report)| {
            let error = report.error.as_ref()?;
            Some(format!("{}: {error}", slot.named))
        });
        errors.for_each(|error| acting.warn(&error));
        let key = acting.read()?;
        fleet::in_parallel(refused, |(slot, report)| {
            *report = slot.work(|name, drive| work(Some(&key), name, drive));
        });
    }
    Ok(reports)
}

fn is_refused((_, report): &(&mut Slot, &mut DriveReport)) -> bool {
    report
        .error
        .as_ref()
        .is_some_and(|error| error.code == Code::NotAuthorized)
}

/// Does `work` on the one drive of a command.
pub(crate) fn on_one(
    device: &args::Device,
    options: SessionOptions,
    context: &Context,
    work: impl FnOnce(&Named, &mut Drive) -> Result<Done, CliError>,
) -> Report {
    let drives = device::find(std::slice::from_ref(&device.device));
    let mut slots = open(drives, options, context);
    let reports = slots
        .iter_mut()
        .take(1)
        .zip([work])
        .map(|(slot, work)| slot.work(work));
    Report::of_drives(reports.collect())
}

/// Gives up the drives that a check refuses.
pub(crate) fn check(slots: &mut [Slot], check: impl Fn(&Named) -> Result<(), CliError>) {
    for slot in slots.iter_mut().filter(|slot| slot.drive.is_ok()) {
        if let Err(error) = check(&slot.named) {
            slot.drive = Err(error);
        }
    }
}
