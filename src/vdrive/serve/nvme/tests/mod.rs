//! Tests of the controller as a host sees it, by the fields of the standard.

use std::sync::{Arc, Mutex};

use super::{Command, Event, Outcome, Port, QueuePair, Subsystem, Transfer};
use crate::vdrive::serve::shared::SharedDrive;
use crate::vdrive::{CreateOptions, VirtualDrive};

mod admin;
mod connect;
mod hostile;
mod identify;
mod io;
mod life;
mod locked;
mod namespaces;
mod security;

/// Bytes of the media of a test drive.
const SIZE: u64 = 8 << 20;
const HOST: &str = "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555";
const HOST_ID: [u8; 16] = [0x11; 16];
/// CC as Linux sets it.
const ENABLED: u32 = 0x0046_0001;
const DISABLED: u32 = 0x0046_0000;

/// A port with drives.
struct Bench {
    port: Arc<Port>,
    drives: Vec<Arc<SharedDrive>>,
}

impl Bench {
    /// One drive of 512-byte blocks.
    fn new() -> Self {
        Self::with(1, &options(512))
    }

    /// One drive, as so many namespaces.
    fn with_namespaces(count: u32) -> Self {
        let mut options = options(512);
        options.namespaces = count;
        Self::with(1, &options)
    }

    /// Drives with names of their own.
    fn with(count: usize, options: &CreateOptions) -> Self {
        let drives = (0..count).map(|_| shared_drive(options));
        let drives = drives.collect::<Vec<_>>();
        let subsystems = drives.iter().enumerate();
        let subsystems =
            subsystems.map(|(index, drive)| Subsystem::new(nqn(index), Arc::clone(drive)));
        Self {
            port: Arc::new(Port::new(subsystems.collect())),
            drives,
        }
    }

    /// A new connection.
    fn queue(&self) -> Queue {
        let events = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&events);
        let events_of_queue = Box::new(move |event| seen.lock().unwrap().push(event));
        Queue {
            pair: QueuePair::new(Arc::clone(&self.port), events_of_queue),
            events,
        }
    }

    /// An admin queue of the first drive, connected and enabled.
    fn admin(&self) -> Queue {
        self.admin_of(0)
    }

    /// An admin queue of a drive, connected and enabled.
    fn admin_of(&self, drive: usize) -> Queue {
        let mut queue = self.queue();
        queue.connect(&Connect::admin(drive)).success();
        queue.set_cc(ENABLED);
        queue
    }

    /// The admin queue and I/O queue 1 of one host.
    fn host(&self) -> (Queue, Queue) {
        let mut admin = self.admin();
        let io = self.io_queue(&mut admin, 1);
        (admin, io)
    }

    fn io_queue(&self, admin: &mut Queue, queue_id: u16) -> Queue {
        let mut queue = self.queue();
        let connect = Connect::io(queue_id, admin.controller_id());
        queue.connect(&connect).success();
        queue
    }
}

fn shared_drive(options: &CreateOptions) -> Arc<SharedDrive> {
    let drive = VirtualDrive::in_memory(options).unwrap();
    Arc::new(SharedDrive::new(drive, None))
}

fn options(block_size: u32) -> CreateOptions {
    let mut options = CreateOptions::new(SIZE);
    options.profile.geometry.block_size = block_size;
    options.serial = Some("VD0000000001".to_owned());
    options.model = Some("sedkit virtual drive".to_owned());
    options.firmware = Some("1.0".to_owned());
    options
}

fn nqn(index: usize) -> String {
    format!("nqn.2026-01.sedkit:v{index}")
}

/// What a host says by Connect.
#[derive(Clone)]
struct Connect {
    record_format: u16,
    queue_id: u16,
    size: u16,
    keep_alive: u32,
    host_id: [u8; 16],
    controller_id: u16,
    subsystem: String,
    host: String,
}

impl Connect {
    fn admin(drive: usize) -> Self {
        Self {
            record_format: 0,
            queue_id: 0,
            size: 31,
            keep_alive: 5000,
            host_id: HOST_ID,
            controller_id: 0xffff,
            subsystem: nqn(drive),
            host: HOST.to_owned(),
        }
    }

    fn io(queue_id: u16, controller_id: u16) -> Self {
        Self {
            queue_id,
            controller_id,
            size: 127,
            keep_alive: 0,
            ..Self::admin(0)
        }
    }

    fn command(&self) -> Sqe {
        let sqe = Sqe::new(0x7f).put(4, &[1]).capsule(1024);
        sqe.put(40, &self.record_format.to_le_bytes())
            .put(42, &self.queue_id.to_le_bytes())
            .put(44, &self.size.to_le_bytes())
            .put(48, &self.keep_alive.to_le_bytes())
    }

    fn data(&self) -> Vec<u8> {
        let mut data = vec![0; 1024];
        data[..16].copy_from_slice(&self.host_id);
        data[16..18].copy_from_slice(&self.controller_id.to_le_bytes());
        data[256..256 + self.subsystem.len()].copy_from_slice(self.subsystem.as_bytes());
        data[512..512 + self.host.len()].copy_from_slice(self.host.as_bytes());
        data
    }
}

/// A submission queue entry in the making.
#[derive(Clone, Copy)]
struct Sqe([u8; 64]);

impl Sqe {
    /// As Linux sends it: SGLs, and one by the transport, of length 0.
    fn new(opcode: u8) -> Self {
        Self([0; 64]).put(0, &[opcode, 0x40]).sgl(0)
    }

    fn put(mut self, offset: usize, field: &[u8]) -> Self {
        self.0[offset..offset + field.len()].copy_from_slice(field);
        self
    }

    fn cid(self, cid: u16) -> Self {
        self.put(2, &cid.to_le_bytes())
    }

    fn nsid(self, nsid: u32) -> Self {
        self.put(4, &nsid.to_le_bytes())
    }

    fn cdw(self, number: usize, value: u32) -> Self {
        self.put(number * 4, &value.to_le_bytes())
    }

    /// Data that travel by the transport.
    fn sgl(self, length: u32) -> Self {
        self.put(24, &[0; 16])
            .put(32, &length.to_le_bytes())
            .put(39, &[0x5a])
    }

    /// Data in the capsule.
    fn capsule(self, length: u32) -> Self {
        self.sgl(length).put(39, &[0x01])
    }

    fn command(self) -> Command {
        Command::new(self.0)
    }
}

/// A connection of a host.
struct Queue {
    pair: QueuePair,
    events: Arc<Mutex<Vec<Event>>>,
}

/// A completion and its data.
#[derive(Debug, PartialEq, Eq)]
struct Reply {
    status: u16,
    result: u64,
    data: Vec<u8>,
}

impl Reply {
    #[track_caller]
    fn success(self) -> Self {
        assert_eq!(self.status, 0, "status {:04x}", self.status);
        self
    }

    #[track_caller]
    fn refused(self, status: u16) {
        assert_eq!(self.status, status, "status {:04x}", self.status);
        assert!(self.data.is_empty(), "a command that failed moves no data");
    }
}

impl Queue {
    /// Carries out a command with the data that it wants.
    #[track_caller]
    fn send(&mut self, sqe: Sqe, data: &[u8]) -> Reply {
        self.try_send(sqe, data).expect("the command is answered")
    }

    #[track_caller]
    fn get(&mut self, sqe: Sqe) -> Reply {
        self.send(sqe, &[])
    }

    /// None if the command is held.
    #[track_caller]
    fn try_send(&mut self, sqe: Sqe, data: &[u8]) -> Option<Reply> {
        let command = sqe.command();
        match self.pair.transfer(&command) {
            Ok(Transfer::FromHost(length)) => assert_eq!(length, data.len()),
            Ok(Transfer::Nothing) => {}
            Err(completion) => {
                let executed = self.pair.execute(&command, &[]);
                let refused = Outcome::Done {
                    completion,
                    data: Vec::new(),
                };
                assert_eq!(executed, refused, "execute refuses what transfer refuses");
            }
        }
        match self.pair.execute(&command, data) {
            Outcome::Done { completion, data } => Some(Reply {
                status: completion.status.0,
                result: completion.result,
                data,
            }),
            Outcome::Held => None,
        }
    }

    fn connect(&mut self, connect: &Connect) -> Reply {
        self.send(connect.command(), &connect.data())
    }

    fn property(&mut self, offset: u32, is_long: bool) -> Reply {
        let sqe = Sqe::new(0x7f).put(4, &[4]);
        self.get(sqe.put(40, &[u8::from(is_long)]).cdw(11, offset))
    }

    fn csts(&mut self) -> u64 {
        self.property(0x1c, false).success().result
    }

    fn set_cc(&mut self, value: u32) {
        let sqe = Sqe::new(0x7f).put(4, &[0]).cdw(11, 0x14).cdw(12, value);
        self.get(sqe).success();
    }

    fn identify(&mut self, structure: u32, nsid: u32) -> Reply {
        self.get(Sqe::new(0x06).nsid(nsid).cdw(10, structure).sgl(4096))
    }

    fn controller_id(&mut self) -> u16 {
        let data = self.identify(1, 0).success().data;
        u16::from_le_bytes([data[78], data[79]])
    }

    fn set_feature(&mut self, identifier: u32, value: u32) -> Reply {
        self.get(Sqe::new(0x09).cdw(10, identifier).cdw(11, value))
    }

    fn get_feature(&mut self, identifier: u32) -> Reply {
        self.get(Sqe::new(0x0a).cdw(10, identifier))
    }

    /// What the controller has told by itself since it was asked last.
    fn events(&self) -> Vec<Event> {
        std::mem::take(&mut self.events.lock().unwrap())
    }
}

/// A command for `blocks` blocks from `lba` of namespace 1.
fn media(opcode: u8, lba: u64, blocks: u32) -> Sqe {
    Sqe::new(opcode)
        .nsid(1)
        .put(40, &lba.to_le_bytes())
        .cdw(12, blocks - 1)
}

fn read(lba: u64, blocks: u32) -> Sqe {
    media(0x02, lba, blocks).sgl(blocks * 512)
}

fn write(lba: u64, blocks: u32) -> Sqe {
    media(0x01, lba, blocks).sgl(blocks * 512)
}
