//! A drive on its way to its hosts, and while it is served.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::control::{MAX_DATA, Place, Refusal, Reply, Request};
use super::nqn::Nqn;
use super::scsi::Face;
use super::shared::SharedDrive;
use super::trace::Log;
use crate::transport::trace::Sink;
use crate::vdrive::{Error, Info, MediaError, VirtualDrive};

/// A drive that is to be served.
pub struct Export {
    drive: VirtualDrive,
    path: Option<PathBuf>,
    nqn: Nqn,
    disk: Option<Disk>,
}

/// A SCSI disk that a drive is to be.
#[derive(Clone)]
pub(super) struct Disk {
    pub(super) name: String,
    pub(super) face: Face,
}

impl Export {
    /// Opens the drive in a file. While it is served, a control socket is beside the file.
    ///
    /// # Errors
    /// As [`VirtualDrive::open`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self::opened(path, VirtualDrive::open(path)?))
    }

    /// Takes the drive in a file that is open already.
    #[must_use]
    pub fn opened(path: &Path, drive: VirtualDrive) -> Self {
        Self {
            path: Some(path.to_owned()),
            ..Self::new(drive)
        }
    }

    /// Takes a drive that lies in no file. It has no control socket.
    #[must_use]
    pub fn new(drive: VirtualDrive) -> Self {
        let nqn = Nqn::of_serial(&drive.label().serial);
        Self {
            drive,
            path: None,
            nqn,
            disk: None,
        }
    }

    /// Shows it to this machine's kernel as a SCSI disk too; `name` tells it from other disks.
    #[must_use]
    pub fn with_disk(mut self, name: &str, face: Face) -> Self {
        let name = name.to_owned();
        self.disk = Some(Disk { name, face });
        self
    }

    /// Names the subsystem, which has a name made of the drive's serial number otherwise.
    #[must_use]
    pub fn with_nqn(mut self, nqn: Nqn) -> Self {
        self.nqn = nqn;
        self
    }

    /// The subsystem's name.
    #[must_use]
    pub const fn nqn(&self) -> &Nqn {
        &self.nqn
    }

    /// Bytes of a logical block.
    pub(super) const fn block_size(&self) -> u32 {
        self.drive.profile().geometry.block_size
    }

    /// Whether it is to be a SCSI disk.
    pub(super) const fn has_disk(&self) -> bool {
        self.disk.is_some()
    }

    /// Makes it ready for front ends.
    pub(super) fn share(self, sink: Option<&Arc<Mutex<Sink>>>) -> Exported {
        let Info { serial, model, .. } = self.drive.info();
        let log = sink.map(|sink| Log::new(Arc::clone(sink), &serial));
        let observer = log.clone().map(Log::observer);
        Exported {
            drive: Arc::new(SharedDrive::new(self.drive, observer)),
            path: self.path,
            nqn: self.nqn,
            serial,
            model,
            log,
            disk: self.disk,
            front_ends: Vec::new(),
        }
    }
}

/// A way to a drive.
pub(super) struct FrontEnd {
    /// Where hosts find it.
    pub(super) place: Place,
    /// Ends every connection of the drive, as loss of power does.
    pub(super) disconnect: Box<dyn Fn() + Send + Sync>,
}

/// A drive that is served.
pub struct Exported {
    drive: Arc<SharedDrive>,
    path: Option<PathBuf>,
    nqn: Nqn,
    serial: String,
    model: String,
    log: Option<Log>,
    disk: Option<Disk>,
    front_ends: Vec<FrontEnd>,
}

impl Exported {
    /// The drive's file, as it was named.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The subsystem's name.
    #[must_use]
    pub const fn nqn(&self) -> &Nqn {
        &self.nqn
    }

    /// The drive's serial number.
    #[must_use]
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// The drive's model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Where hosts find it.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.front_ends.iter().map(|front_end| &front_end.place)
    }

    /// The drive, for a front end.
    pub(super) fn drive(&self) -> Arc<SharedDrive> {
        Arc::clone(&self.drive)
    }

    /// The disk that it is to be.
    pub(super) const fn disk(&self) -> Option<&Disk> {
        self.disk.as_ref()
    }

    /// Takes note of a way to it.
    pub(super) fn add(&mut self, front_end: FrontEnd) {
        self.front_ends.push(front_end);
    }

    /// Cuts the power and brings it back; connections end.
    pub(super) fn power_cycle(&self) -> Result<(), Error> {
        self.note("power cycle");
        let outcome = self.drive.power_cycle();
        self.disconnect();
        outcome
    }

    /// Resets the interface; connections end.
    pub(super) fn hardware_reset(&self) -> Result<(), Error> {
        self.note("hardware reset");
        let outcome = self.drive.hardware_reset();
        self.disconnect();
        outcome
    }

    fn disconnect(&self) {
        for front_end in &self.front_ends {
            (front_end.disconnect)();
        }
    }

    /// Makes everything durable.
    pub(super) fn flush(&self) -> Result<(), Error> {
        self.drive.lock().flush()
    }

    /// Does what was asked for at the control socket.
    pub(super) fn control(&self, request: Request) -> Reply {
        match request {
            Request::Where => Reply::Places(self.places().cloned().collect()),
            Request::PowerCycle => done(self.power_cycle()),
            Request::HardwareReset => done(self.hardware_reset()),
            Request::Read { lba, count } => self.read(count, |drive| drive.read(lba, count)),
            Request::Media { lba, count } => self.read(count, |drive| drive.ciphertext(lba, count)),
        }
    }

    fn read(
        &self,
        count: u64,
        read: impl FnOnce(&VirtualDrive) -> Result<Vec<u8>, MediaError>,
    ) -> Reply {
        let drive = self.drive.lock();
        let block_size = u64::from(drive.profile().geometry.block_size);
        if count.saturating_mul(block_size) > MAX_DATA {
            return Reply::Refused(Refusal::TooMuch);
        }
        read(&drive).map_or_else(|error| Reply::Refused(refusal(&error)), Reply::Data)
    }

    fn note(&self, event: &str) {
        if let Some(log) = &self.log {
            log.entry(event, "");
        }
    }
}

fn done(result: Result<(), Error>) -> Reply {
    result.map_or(Reply::Refused(Refusal::Failed), |()| Reply::Done)
}

const fn refusal(error: &MediaError) -> Refusal {
    match error {
        MediaError::DataProtection => Refusal::DataProtection,
        MediaError::InvalidParameter => Refusal::InvalidParameter,
        MediaError::OutOfRange { .. } | MediaError::Length { .. } => Refusal::OutOfRange,
        _ => Refusal::Failed,
    }
}
