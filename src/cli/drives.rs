//! The drives that a command works on: opened side by side, worked on side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::args::{self, Devices, SessionOptions};
use super::device::{self, Named, Opened};
use super::error::CliError;
use super::exclusive::{self, Sharing};
use super::exit::Code;
use super::report::{Answer, DriveReport, IfCommands, Report, fields};
use super::{Context, diagnosis, journal};
use crate::drive::{Drive, DriveOptions};
use crate::fleet;
use crate::transport::count::CountHandle;
use crate::transport::linux::SystemRoot;
use crate::transport::{Facts, Identity};

mod keyed;

pub(crate) use keyed::each_with_key;

/// A drive that was named: open, or why not.
pub(crate) struct Slot {
    /// Its names.
    pub(crate) named: Named,
    identity: Option<Identity>,
    facts: Facts,
    counts: Option<CountHandle>,
    drive: Result<Drive, CliError>,
    /// Keeps other runs away from a real drive; shared by drives that have one serial number.
    _lock: Option<Arc<File>>,
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

    /// What was asked for is on standard output already.
    pub(crate) fn silent(value: &impl Serialize) -> Self {
        Self {
            fields: fields(value),
            text: Answer::Nothing,
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

    /// What its interface said when it was opened.
    pub(crate) const fn facts(&self) -> Facts {
        self.facts
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
            Ok(drive) => diagnosis::of_outcome(work(&self.named, drive), &self.named, drive),
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

/// Opens drives side by side, each for this run alone.
pub(crate) fn open(drives: Vec<Named>, options: SessionOptions, context: &Context) -> Vec<Slot> {
    open_for(drives, options, Sharing::Exclusive, context)
}

/// As [`open`], for looking only: others may look meanwhile.
pub(crate) fn open_shared(drives: Vec<Named>, context: &Context) -> Vec<Slot> {
    open_for(drives, SessionOptions::PLAIN, Sharing::Shared, context)
}

fn open_for(
    drives: Vec<Named>,
    options: SessionOptions,
    sharing: Sharing,
    context: &Context,
) -> Vec<Slot> {
    let reached = fleet::in_parallel(drives, |named| Reached::new(named, context));
    let locks = locks(&reached, sharing, context);
    let reached = reached.into_iter().zip(locks).collect();
    fleet::in_parallel(reached, |(reached, lock)| {
        reached.start(lock, options, context)
    })
}

type Lock = Result<Option<Arc<File>>, CliError>;

/// The locks of drives, in the order of the drives. They are taken in the order of the serial
/// numbers, so that no two runs wait for each other.
fn locks(drives: &[Reached], sharing: Sharing, context: &Context) -> Vec<Lock> {
    let serials = drives.iter().map(Reached::serial);
    let serials: Vec<Option<String>> = serials.collect();
    let distinct: BTreeSet<&String> = serials.iter().flatten().collect();
    let lock = |serial: &String| {
        let lock = exclusive::lock(serial, sharing, context);
        (serial.clone(), lock.map(|file| file.map(Arc::new)))
    };
    let locks: BTreeMap<String, Lock> = distinct.into_iter().map(lock).collect();
    let of = |serial: &String| locks.get(serial).cloned();
    let found = serials.iter().map(|serial| serial.as_ref().and_then(of));
    found.map(|lock| lock.unwrap_or(Ok(None))).collect()
}

/// A drive whose identity is known, and nothing else.
struct Reached {
    named: Named,
    opened: Result<Opened, CliError>,
}

impl Reached {
    fn new(mut named: Named, context: &Context) -> Self {
        let opened = named.open(context);
        let told = opened.as_ref().ok().and_then(|opened| opened.geometry);
        named.geometry = told.or_else(|| named.nodes()?.geometry(&SystemRoot::default()));
        Self { named, opened }
    }

    /// The serial number of a real drive; the file of a virtual one is locked itself.
    fn serial(&self) -> Option<String> {
        let opened = self.opened.as_ref().ok();
        let opened = opened.filter(|_| !self.named.is_virtual());
        opened.map(|opened| opened.identity().serial_text())
    }

    fn start(self, lock: Lock, options: SessionOptions, context: &Context) -> Slot {
        let Self { named, opened } = self;
        let identity = opened.as_ref().ok().map(|opened| opened.identity().clone());
        let counts = opened.as_ref().ok().map(|opened| opened.counts.clone());
        let facts = opened.as_ref().map(|opened| opened.transport.facts());
        let facts = facts.unwrap_or_default();
        let (lock, drive) = match (lock, opened) {
            (Ok(lock), Ok(opened)) => (lock, start_drive(opened, options, context)),
            (Err(error), _) | (_, Err(error)) => (None, Err(error)),
        };
        let drive = drive.map_err(|error| diagnosis::of_opening(error, &named, facts));
        Slot {
            named,
            identity,
            facts,
            counts,
            drive,
            _lock: lock,
        }
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
    if options.reset.stack_reset {
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
pub(crate) fn check(slots: &mut [Slot], check: impl Fn(&Named, &Drive) -> Result<(), CliError>) {
    for slot in slots {
        if let Ok(drive) = &slot.drive
            && let Err(mut error) = check(&slot.named, drive)
        {
            if let Ok(drive) = &mut slot.drive {
                diagnosis::of_drive(&mut error, &slot.named, drive);
            }
            slot.drive = Err(error);
        }
    }
}
