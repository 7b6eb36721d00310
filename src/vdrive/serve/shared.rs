//! One drive that many hosts and front ends use at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::spec::{ComId, SecurityProtocol};
use crate::transport::{self, Transport};
use crate::vdrive::{Error, VirtualDrive};
use crate::wire::pretty::Direction;

/// Shows an interface command.
pub(crate) type Observer = Box<dyn FnMut(IfCommand<'_>) + Send>;

/// An interface command that the drive has answered.
#[derive(Debug)]
pub(crate) struct IfCommand<'c> {
    pub direction: Direction,
    pub protocol: SecurityProtocol,
    pub com_id: ComId,
    /// What was sent or received, or why it was refused.
    pub result: Result<&'c [u8], &'c transport::Error>,
}

/// A drive behind front ends. One command at a time reaches it, whoever sends it.
pub(crate) struct SharedDrive {
    drive: Mutex<VirtualDrive>,
    observer: Mutex<Option<Observer>>,
    power_cycles: AtomicU64,
}

impl SharedDrive {
    /// Shares a drive; `observer` sees every interface command.
    pub(crate) fn new(drive: VirtualDrive, observer: Option<Observer>) -> Self {
        Self {
            drive: Mutex::new(drive),
            observer: Mutex::new(observer),
            power_cycles: AtomicU64::new(0),
        }
    }

    /// The drive, for one command. After a command that panicked nobody knows what the drive's
    /// memory holds, so it refuses all until a power cycle.
    pub(crate) fn lock(&self) -> MutexGuard<'_, VirtualDrive> {
        self.drive.lock().unwrap_or_else(|poisoned| {
            let mut drive = poisoned.into_inner();
            drive.put_out_of_order();
            self.drive.clear_poison();
            drive
        })
    }

    /// How often the power has been cut, or the interface reset, since the drive is served. A front
    /// end whose connection is older than this drops it.
    pub(crate) fn power_cycles(&self) -> u64 {
        self.power_cycles.load(Ordering::Acquire)
    }

    /// Cuts the power and brings it back. Connections are dropped by the front ends.
    ///
    /// # Errors
    /// The file failed. The connections are dropped all the same, and the drive refuses all that
    /// hosts ask of it until a power cycle succeeds.
    pub(crate) fn power_cycle(&self) -> Result<(), Error> {
        let mut drive = self.lock();
        self.power_cycles.fetch_add(1, Ordering::AcqRel);
        drive.power_cycle()
    }

    /// Resets the interface as an NVM Subsystem Reset does. Connections are dropped by the front
    /// ends, as after a loss of power.
    ///
    /// # Errors
    /// As [`SharedDrive::power_cycle`].
    pub(crate) fn hardware_reset(&self) -> Result<(), Error> {
        let mut drive = self.lock();
        self.power_cycles.fetch_add(1, Ordering::AcqRel);
        drive.hardware_reset()
    }

    /// The drive for interface commands, which the observer sees.
    pub(crate) fn hold(&self) -> HeldDrive<'_> {
        HeldDrive {
            drive: self.lock(),
            observer: &self.observer,
            power_cycles: &self.power_cycles,
        }
    }

    /// IF-SEND.
    pub(crate) fn if_send(
        &self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), transport::Error> {
        self.hold().if_send(protocol, com_id, data)
    }

    /// IF-RECV; answers how many bytes of the buffer were filled.
    pub(crate) fn if_recv(
        &self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, transport::Error> {
        self.hold().if_recv(protocol, com_id, buffer)
    }
}

/// A drive that nobody else gets a command to while this lasts.
pub(crate) struct HeldDrive<'s> {
    drive: MutexGuard<'s, VirtualDrive>,
    observer: &'s Mutex<Option<Observer>>,
    power_cycles: &'s AtomicU64,
}

impl HeldDrive<'_> {
    /// IF-SEND.
    pub(crate) fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), transport::Error> {
        let sent = self.drive.if_send(protocol, com_id, data);
        self.count_power_loss();
        self.show(
            Direction::Send,
            protocol,
            com_id,
            sent.as_ref().map(|()| data),
        );
        sent
    }

    /// IF-RECV; answers how many bytes of the buffer were filled.
    pub(crate) fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, transport::Error> {
        let received = self.drive.if_recv(protocol, com_id, buffer);
        self.count_power_loss();
        let seen = received
            .as_ref()
            .map(|length| buffer.get(..*length).unwrap_or_default());
        self.show(Direction::Receive, protocol, com_id, seen);
        received
    }

    /// Lets the front ends drop their connections if a fault has cut the power.
    fn count_power_loss(&mut self) {
        if self.drive.take_power_loss() {
            self.power_cycles.fetch_add(1, Ordering::AcqRel);
        }
    }

    fn show(
        &self,
        direction: Direction,
        protocol: SecurityProtocol,
        com_id: ComId,
        result: Result<&[u8], &transport::Error>,
    ) {
        let mut observer = self.observer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(observer) = observer.as_mut() {
            observer(IfCommand {
                direction,
                protocol,
                com_id,
                result,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::vdrive::store::crash::{Fate, Rig};
    use crate::vdrive::{CreateOptions, Fault, FaultKind, MediaError, StoreError};

    const DISCOVERY: ComId = ComId::LEVEL_0_DISCOVERY;

    /// A drive whose file system is full for the write after so many.
    fn full_after(writes: usize) -> SharedDrive {
        let (layout, record) = CreateOptions::new(1 << 20).first_record().unwrap();
        let (store, _) = Rig::new(&layout, &record).failing(writes, Fate::Full);
        SharedDrive::new(VirtualDrive::with_store(store).unwrap(), None)
    }

    fn receives(drive: &SharedDrive) -> bool {
        let received = drive.if_recv(SecurityProtocol::TCG, DISCOVERY, &mut [0; 512]);
        assert!(matches!(received, Ok(_) | Err(transport::Error::Io { .. })));
        received.is_ok()
    }

    /// Everything that a host may ask for is refused, and for no other reason.
    fn refuses_all(drive: &SharedDrive) {
        assert!(!receives(drive));
        let sent = drive.if_send(SecurityProtocol::TCG, ComId(0x1004), &[0; 512]);
        assert!(matches!(sent, Err(transport::Error::Io { .. })));
        let mut drive = drive.lock();
        for refused in [
            drive.read(0, 1).map(drop),
            drive.write(0, &[1; 512]),
            drive.deallocate(0, 1),
            drive.deallocate_all(&[(0, 1)]),
            drive.check_write(0, 1),
        ] {
            let error = refused.unwrap_err();
            let is_out = matches!(error, MediaError::Store(StoreError::OutOfOrder));
            assert!(is_out, "{error:?}");
        }
        for refused in [
            drive.flush(),
            drive.lose_responses(),
            drive.hardware_reset(),
        ] {
            let error = refused.unwrap_err();
            assert!(matches!(error, Error::Store(StoreError::OutOfOrder)));
        }
    }

    fn works(drive: &SharedDrive) {
        assert!(receives(drive));
        assert_eq!(drive.lock().read(0, 1).unwrap(), [0; 512]);
    }

    #[test]
    fn a_drive_whose_reset_failed_is_closed_until_a_power_cycle() {
        for reset in [SharedDrive::power_cycle, SharedDrive::hardware_reset] {
            let drive = full_after(0);
            let before = drive.power_cycles();
            reset(&drive).unwrap_err();
            assert_eq!(drive.power_cycles(), before + 1);
            refuses_all(&drive);
            drive.power_cycle().unwrap();
            works(&drive);
        }
    }

    #[test]
    fn a_fault_that_cuts_the_power_drops_the_connections() {
        let drive = full_after(usize::MAX);
        let (kind, after) = (FaultKind::PowerCut, 2);
        let fault = Some(Fault { kind, after });
        drive.lock().arrange_fault(fault).unwrap();
        assert!(receives(&drive));
        assert_eq!(drive.power_cycles(), 0);
        assert!(!receives(&drive));
        assert_eq!(drive.power_cycles(), 1);
        works(&drive);
    }

    #[test]
    fn a_drive_that_panicked_is_closed_until_a_power_cycle() {
        let drive = full_after(usize::MAX);
        works(&drive);
        let panicked = thread::scope(|scope| {
            let command = || {
                let _drive = drive.lock();
                panic!("on purpose");
            };
            scope.spawn(command).join()
        });
        panicked.unwrap_err();
        refuses_all(&drive);
        drive.power_cycle().unwrap();
        works(&drive);
    }
}
