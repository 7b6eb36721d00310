//! The front end for SCSI: a disk of this machine for each drive that is to be one.

use std::sync::Arc;

use super::control::Place;
use super::error::Error;
use super::export::{Disk, Exported, FrontEnd};
use super::tcmu::{self, Running};

/// Called for each disk that fails while it is served.
pub(super) type SharedAlarm = Arc<dyn Fn() + Send + Sync>;

/// A drive that is a SCSI disk of this machine. It ends with the value.
pub(super) struct ServedDisk {
    name: String,
    running: Running,
}

impl ServedDisk {
    /// Shows a drive to the kernel, if it is to be a disk. The alarm is raised if it fails later.
    pub(super) fn start(
        drive: &mut Exported,
        alarm: Option<&SharedAlarm>,
    ) -> Result<Option<Self>, Error> {
        let Some(Disk { name, face }) = drive.disk().cloned() else {
            return Ok(None);
        };
        let alarm = alarm.cloned();
        let alarm = Box::new(move || {
            if let Some(alarm) = alarm {
                alarm();
            }
        });
        let running = match tcmu::start(drive.drive(), &name, face, alarm) {
            Ok(running) => running,
            Err(source) => return Err(Error::Disk { name, source }),
        };
        drive.add(FrontEnd {
            place: Place::Disk { name: name.clone() },
            // The logical unit itself tells its initiators of a reset.
            disconnect: Box::new(|| {}),
        });
        Ok(Some(Self { name, running }))
    }

    /// Takes the disk away from the kernel, which flushes it first.
    pub(super) fn stop(self) -> Result<(), Error> {
        let Self { name, running } = self;
        running
            .stop()
            .map_err(|source| Error::Disk { name, source })
    }
}
