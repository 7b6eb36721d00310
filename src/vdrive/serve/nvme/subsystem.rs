//! A subsystem: one drive, and the controllers through which hosts reach it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::controller::{Controller, Host, Origin};
use super::namespace::Namespace;
use super::outcome::{Events, Status};
use crate::vdrive::serve::shared::SharedDrive;
use crate::vdrive::{Info, VirtualDrive};

/// The most controllers of a subsystem at one time.
const MAX_CONTROLLERS: usize = 64;
/// The highest CNTLID that a dynamic controller may have.
const MAX_ID: u16 = 0xffef;

/// One drive under its NQN.
pub(crate) struct Subsystem {
    nqn: String,
    drive: Arc<SharedDrive>,
    info: Info,
    namespaces: Vec<Namespace>,
    controllers: Mutex<Controllers>,
}

/// The controllers that live.
#[derive(Default)]
struct Controllers {
    live: Vec<Arc<Controller>>,
    /// The CNTLID that was given last. Numbers are not used again soon.
    last_id: u16,
    /// Who has sent last by Security Send: what waits for IF-RECV is the answer to it.
    last_sender: Option<u16>,
}

impl Subsystem {
    /// Offers a drive under a name.
    pub(crate) fn new(nqn: String, drive: Arc<SharedDrive>) -> Self {
        let info = drive.lock().info();
        Self {
            namespaces: Namespace::split(&info),
            nqn,
            drive,
            info,
            controllers: Mutex::default(),
        }
    }

    /// Its NVMe Qualified Name.
    pub(crate) fn nqn(&self) -> &str {
        &self.nqn
    }

    /// The drive's label and capacity.
    pub(super) const fn info(&self) -> &Info {
        &self.info
    }

    /// The namespaces, in the order of their NSIDs.
    pub(super) fn namespaces(&self) -> &[Namespace] {
        &self.namespaces
    }

    /// The namespace of an NSID.
    ///
    /// # Errors
    /// Invalid Namespace or Format.
    pub(super) fn namespace(&self, nsid: u32) -> Result<&Namespace, Status> {
        let index = usize::try_from(nsid).ok().and_then(|n| n.checked_sub(1));
        index
            .and_then(|index| self.namespaces.get(index))
            .ok_or(Status::INVALID_NAMESPACE)
    }

    /// The drive for interface commands.
    pub(super) fn shared(&self) -> &SharedDrive {
        &self.drive
    }

    /// The drive for a media command of a controller, unless the power was cut since the controller
    /// was made.
    pub(super) fn drive(&self, controller: &Controller) -> Option<MutexGuard<'_, VirtualDrive>> {
        let drive = self.drive.lock();
        (!self.has_lost_power(controller)).then_some(drive)
    }

    /// The power was cut since a controller was made.
    pub(super) fn has_lost_power(&self, controller: &Controller) -> bool {
        self.drive.power_cycles() != controller.power_cycles()
    }

    /// Waits for the commands that are at work, so that none has an effect any later.
    pub(super) fn settle(&self) {
        drop(self.drive.lock());
    }

    /// Makes a controller for a host, whose admin queue `events` belong to.
    ///
    /// # Errors
    /// Controller Busy.
    pub(super) fn create(
        &self,
        host: Host,
        keep_alive: Duration,
        events: Arc<Events>,
    ) -> Result<Arc<Controller>, Status> {
        let mut controllers = self.controllers();
        if controllers.live.len() >= MAX_CONTROLLERS {
            return Err(Status::CONTROLLER_BUSY);
        }
        let origin = Origin {
            id: controllers.next_id(),
            host,
            // Read under the lock, so that no controller of before escapes `lose_power`.
            power_cycles: self.drive.power_cycles(),
        };
        let controller = Arc::new(Controller::new(origin, keep_alive, events));
        controllers.live.push(Arc::clone(&controller));
        Ok(controller)
    }

    /// The controller with a CNTLID.
    pub(super) fn controller(&self, id: u16) -> Option<Arc<Controller>> {
        let controllers = self.controllers();
        let mut live = controllers.live.iter();
        live.find(|controller| controller.id() == id).cloned()
    }

    /// Ends a controller, whose admin queue is gone already.
    pub(super) fn remove(&self, controller: &Arc<Controller>) {
        self.controllers()
            .live
            .retain(|live| !Arc::ptr_eq(live, controller));
        self.lose_responses(controller);
        controller.end();
    }

    /// Ends every controller.
    pub(super) fn lose_power(&self) {
        let controllers = std::mem::take(&mut self.controllers().live);
        for controller in controllers {
            controller.end();
        }
    }

    /// Ends the controllers whose host has been silent for too long.
    pub(super) fn end_silent(&self, now: Instant) {
        let silent = {
            let mut controllers = self.controllers();
            let is_silent = |controller: &mut Arc<Controller>| controller.is_silent(now);
            controllers
                .live
                .extract_if(.., is_silent)
                .collect::<Vec<_>>()
        };
        for controller in silent {
            self.lose_responses(&controller);
            controller.end();
        }
    }

    /// Notes that a controller sent by Security Send, and that a response may wait for it.
    pub(super) fn note_send(&self, controller: &Controller) {
        self.controllers().last_sender = Some(controller.id());
    }

    /// What waits for a controller's Security Receive is lost with a controller level reset
    /// (\[NVMe\] Security Receive command). Sessions go on.
    pub(super) fn lose_responses(&self, controller: &Controller) {
        let sent = self
            .controllers()
            .last_sender
            .take_if(|id| *id == controller.id());
        if sent.is_some()
            && let Some(mut drive) = self.drive(controller)
        {
            // The next command finds out if the file has failed.
            let _ = drive.lose_responses();
        }
    }

    /// The lock is never held while the drive's is waited for, nor while events are sent.
    fn controllers(&self) -> MutexGuard<'_, Controllers> {
        self.controllers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Controllers {
    /// A CNTLID that no live controller has. There are more numbers than controllers.
    fn next_id(&mut self) -> u16 {
        loop {
            self.last_id = if self.last_id < MAX_ID {
                self.last_id + 1
            } else {
                1
            };
            if !self.live.iter().any(|live| live.id() == self.last_id) {
                return self.last_id;
            }
        }
    }
}
