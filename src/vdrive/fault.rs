//! Faults that are arranged beforehand: after so many interface commands the power is cut, or the
//! drive hangs.
//!
//! They are how somebody tries what a host's program leaves behind when it is broken off between any
//! two commands.

use std::io;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::tper::{CommandError, KeepError, Tper};
use super::{Error, VirtualDrive, transport_error};
use crate::transport;

/// How long a drive hangs: as long as most hosts wait for a command.
const HANG: Duration = Duration::from_secs(60);

/// A fault that will happen once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What will happen.
    pub kind: FaultKind,
    /// Interface commands that are carried out before it; the status of the last one does not reach
    /// the host any more. At least 1.
    pub after: u64,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultKind {
    /// The power goes and comes back.
    PowerCut,
    /// The drive does not answer for a minute.
    Hang,
}

/// A fault as the drive's file has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ArmedFault {
    kind: FaultKind,
    /// The count of commands at which it happens.
    at: u64,
}

impl VirtualDrive {
    /// Arranges a fault, or takes it back. There is one at most.
    ///
    /// # Errors
    /// The drive's file failed.
    pub fn arrange_fault(&mut self, fault: Option<Fault>) -> Result<(), Error> {
        Ok(self.tper.arrange_fault(fault)?)
    }

    /// Lets the fault happen that is due after a command.
    pub(super) fn meet_fault(&mut self, command: &'static str) -> Result<(), transport::Error> {
        let due = self.tper.take_due_fault();
        let due = due.map_err(|error| transport_error(command, CommandError::Keep(error)))?;
        let failed = |kind, text: &str| {
            let source = io::Error::new(kind, text.to_owned());
            Err(transport::Error::Io { command, source })
        };
        match due {
            None => Ok(()),
            Some(FaultKind::PowerCut) => {
                self.has_lost_power = true;
                // If it fails, the drive refuses everything from now on, which is no less a fault.
                let _ = self.power_cycle();
                failed(io::ErrorKind::ConnectionReset, "the drive lost its power")
            }
            Some(FaultKind::Hang) => {
                thread::sleep(HANG);
                failed(io::ErrorKind::TimedOut, "the drive did not answer")
            }
        }
    }

    /// Whether a fault has cut the power since this was asked last.
    pub(super) const fn take_power_loss(&mut self) -> bool {
        std::mem::replace(&mut self.has_lost_power, false)
    }
}

impl Tper {
    /// The fault that was arranged, counted from now.
    pub(super) fn fault(&self) -> Option<Fault> {
        let ArmedFault { kind, at } = self.state().fault?;
        let after = at.saturating_sub(self.commands());
        Some(Fault { kind, after })
    }

    fn arrange_fault(&mut self, fault: Option<Fault>) -> Result<(), KeepError> {
        let commands = self.commands();
        let armed = fault.map(|Fault { kind, after }| ArmedFault {
            kind,
            at: commands.saturating_add(after.max(1)),
        });
        self.keep_fault(armed)
    }

    fn take_due_fault(&mut self) -> Result<Option<FaultKind>, KeepError> {
        let due = self
            .state()
            .fault
            .filter(|fault| fault.at <= self.commands());
        if due.is_some() {
            self.keep_fault(None)?;
        }
        Ok(due.map(|fault| fault.kind))
    }

    fn commands(&self) -> u64 {
        let total = self.power().stats.total();
        total.send.saturating_add(total.recv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{ComId, SecurityProtocol};
    use crate::transport::Transport;
    use crate::vdrive::CreateOptions;

    fn discover(drive: &mut VirtualDrive) -> Result<usize, transport::Error> {
        let (protocol, com_id) = (SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY);
        drive.if_recv(protocol, com_id, &mut [0; 512])
    }

    fn cut_after(after: u64) -> Option<Fault> {
        let kind = FaultKind::PowerCut;
        Some(Fault { kind, after })
    }

    #[test]
    fn the_power_is_cut_once_after_so_many_commands() {
        let mut drive = VirtualDrive::in_memory(&CreateOptions::new(1 << 20)).unwrap();
        discover(&mut drive).unwrap();
        drive.arrange_fault(cut_after(3)).unwrap();
        discover(&mut drive).unwrap();
        assert_eq!(drive.info().fault, cut_after(2));
        discover(&mut drive).unwrap();
        assert!(!drive.take_power_loss());
        let lost = discover(&mut drive).unwrap_err();
        assert!(matches!(lost, transport::Error::Io { .. }), "{lost}");
        assert!(drive.take_power_loss());
        assert_eq!(drive.info().fault, None);
        discover(&mut drive).unwrap();
        assert!(!drive.take_power_loss());
    }

    #[test]
    fn a_fault_can_be_taken_back() {
        let mut drive = VirtualDrive::in_memory(&CreateOptions::new(1 << 20)).unwrap();
        drive.arrange_fault(cut_after(1)).unwrap();
        drive.arrange_fault(None).unwrap();
        discover(&mut drive).unwrap();
    }

    #[test]
    fn a_fault_waits_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drive");
        let mut drive = VirtualDrive::create(&path, &CreateOptions::new(1 << 20)).unwrap();
        drive.arrange_fault(cut_after(2)).unwrap();
        discover(&mut drive).unwrap();
        drop(drive);
        assert_eq!(
            VirtualDrive::inspect(&path).unwrap().info.fault,
            cut_after(1)
        );
        let mut drive = VirtualDrive::open(&path).unwrap();
        discover(&mut drive).unwrap_err();
    }
}
