//! Connect: how a host's queue comes to belong to a controller (\[NVMe\] Connect command).

use std::sync::Arc;
use std::time::Duration;

use super::command::Command;
use super::controller::{Controller, Host};
use super::outcome::{Completion, Events, Status};
use super::port::Port;
use super::registers::QUEUE_ENTRIES;
use super::subsystem::Subsystem;

/// Bytes of the data of Connect.
pub(super) const DATA: usize = 1024;
/// The CNTLID by which a host asks for any controller: the dynamic model knows no other.
const ANY_CONTROLLER: u16 = 0xffff;

/// Offsets in the command: RECFMT, QID, SQSIZE, KATO.
const RECORD_FORMAT: usize = 40;
const QUEUE_ID: usize = 42;
const QUEUE_SIZE: usize = 44;
const KEEP_ALIVE: usize = 48;
/// Offsets in the data: HOSTID, CNTLID, SUBNQN, HOSTNQN.
const HOST_ID: usize = 0;
const CONTROLLER_ID: usize = 16;
const SUBSYSTEM_NQN: usize = 256;
const HOST_NQN: usize = 512;
/// Bytes of the field of an NQN.
const NQN: usize = 256;

/// What a connected queue belongs to.
pub(super) struct Link {
    pub(super) subsystem: Arc<Subsystem>,
    pub(super) controller: Arc<Controller>,
    /// What tells this queue from another one of its number.
    pub(super) events: Arc<Events>,
    /// QID; 0 is the admin queue.
    pub(super) queue_id: u16,
    /// Entries of the submission queue.
    pub(super) entries: u16,
}

impl Link {
    /// The controller has ended or was reset, and with it this queue.
    pub(super) fn is_ended(&self) -> bool {
        !self.controller.has_queue(self.queue_id, &self.events)
    }

    /// Nothing is done or answered here any more: the queue has ended, or the power was cut. Asked
    /// while the drive is held, this decides over a command that had to wait for it: its host may
    /// have connected anew meanwhile, and must not find an old command carried out after new ones.
    pub(super) fn is_over(&self) -> bool {
        self.is_ended() || self.subsystem.has_lost_power(&self.controller)
    }
}

/// What Connect asks for.
struct Request<'c> {
    queue_id: u16,
    entries: u16,
    keep_alive: Duration,
    host: Host,
    controller_id: u16,
    subsystem: &'c Arc<Subsystem>,
}

/// Connects a queue.
///
/// # Errors
/// Invalid Parameters, with the place of the bad one; Controller Busy; Command Sequence Error.
pub(super) fn connect(
    port: &Port,
    events: &Arc<Events>,
    command: &Command,
    data: &[u8],
) -> Result<Link, Completion> {
    let data = data.first_chunk().ok_or(Status::DATA_TRANSFER_ERROR)?;
    let request = Request::read(port, command, data)?;
    let controller = match request.queue_id {
        0 => request.create(events)?,
        _ => request.join(events)?,
    };
    Ok(Link {
        subsystem: Arc::clone(request.subsystem),
        controller,
        events: Arc::clone(events),
        queue_id: request.queue_id,
        entries: request.entries,
    })
}

impl<'c> Request<'c> {
    fn read(port: &'c Port, fields: &Command, data: &[u8; DATA]) -> Result<Self, Completion> {
        let command = fields.bytes();
        if u16_at(command, RECORD_FORMAT) != 0 {
            return Err(Status::INCOMPATIBLE_FORMAT.into());
        }
        let size = u16_at(command, QUEUE_SIZE);
        if size == 0 || size >= QUEUE_ENTRIES {
            return Err(bad_command(QUEUE_SIZE));
        }
        let subsystem = nqn_at(data, SUBSYSTEM_NQN)?;
        let subsystem = port.subsystem(&subsystem);
        let mut host_id = [0; 16];
        host_id.copy_from_slice(&data[HOST_ID..HOST_ID + 16]);
        Ok(Self {
            queue_id: u16_at(command, QUEUE_ID),
            entries: size + 1,
            keep_alive: Duration::from_millis(fields.cdw(KEEP_ALIVE / 4).into()),
            host: Host {
                nqn: nqn_at(data, HOST_NQN)?,
                id: host_id,
            },
            controller_id: u16_at(data, CONTROLLER_ID),
            subsystem: subsystem.ok_or_else(|| bad_data(SUBSYSTEM_NQN))?,
        })
    }

    /// The admin queue makes a controller.
    fn create(&self, events: &Arc<Events>) -> Result<Arc<Controller>, Completion> {
        if self.controller_id != ANY_CONTROLLER {
            return Err(bad_data(CONTROLLER_ID));
        }
        let (host, events) = (self.host.clone(), Arc::clone(events));
        Ok(self.subsystem.create(host, self.keep_alive, events)?)
    }

    /// An I/O queue joins the controller that its host made.
    fn join(&self, events: &Arc<Events>) -> Result<Arc<Controller>, Completion> {
        let controller = self.subsystem.controller(self.controller_id);
        let controller = controller.ok_or_else(|| bad_data(CONTROLLER_ID))?;
        if controller.host().nqn != self.host.nqn {
            return Err(bad_data(HOST_NQN));
        }
        if controller.host().id != self.host.id {
            return Err(bad_data(HOST_ID));
        }
        if self.queue_id > controller.features().io_queues {
            return Err(bad_command(QUEUE_ID));
        }
        controller.add_queue(self.queue_id, Arc::clone(events))?;
        Ok(controller)
    }
}

/// A name that ends at the first NUL, of which there must be one, and is not empty.
fn nqn_at(data: &[u8; DATA], offset: usize) -> Result<String, Completion> {
    let field = &data[offset..offset + NQN];
    let end = field.iter().position(|byte| *byte == 0);
    let name = end.and_then(|end| std::str::from_utf8(&field[..end]).ok());
    name.filter(|name| !name.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| bad_data(offset))
}

/// Invalid Parameters: Invalid Parameter Offset (IPO) in the command.
fn bad_command(offset: usize) -> Completion {
    Completion {
        result: u64::try_from(offset).unwrap_or_default(),
        status: Status::CONNECT_INVALID,
    }
}

/// Invalid Parameters: IPO in the data, as bit 16 (IATTR) says.
fn bad_data(offset: usize) -> Completion {
    let in_command = bad_command(offset);
    Completion {
        result: in_command.result | 1 << 16,
        ..in_command
    }
}

fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    let field = bytes.get(offset..).and_then(<[u8]>::first_chunk);
    field.map_or(0, |field| u16::from_le_bytes(*field))
}
