//! Drives for tests of the front ends.

use std::sync::Arc;

use super::shared::SharedDrive;
use crate::spec::{ComId, Hsn, SecurityProtocol, Tsn, Uid, column, method, uid};
use crate::transport::Transport;
use crate::vdrive::profile::Profile;
use crate::vdrive::{CreateOptions, VirtualDrive};
use crate::wire::packet::ComPacket;
use crate::wire::{MethodCall, Value};

/// Bytes of the drives here.
pub(crate) const CAPACITY: u64 = 64 << 20;

/// A drive in factory state of a known serial number.
pub(crate) fn drive() -> Arc<SharedDrive> {
    shared(VirtualDrive::in_memory(&options()).unwrap())
}

/// A drive with logical blocks of 4096 bytes.
pub(crate) fn drive_4kn() -> Arc<SharedDrive> {
    let mut options = options();
    let mut profile = Profile::named("opal2").unwrap();
    profile.geometry.block_size = 4096;
    options.profile = profile;
    shared(VirtualDrive::in_memory(&options).unwrap())
}

/// A drive whose Global Range is locked for reading and writing.
pub(crate) fn locked_drive() -> Arc<SharedDrive> {
    let mut drive = VirtualDrive::in_memory(&options()).unwrap();
    lock(&mut drive);
    shared(drive)
}

fn shared(drive: VirtualDrive) -> Arc<SharedDrive> {
    Arc::new(SharedDrive::new(drive, None))
}

fn options() -> CreateOptions {
    let mut options = CreateOptions::new(CAPACITY);
    options.serial = Some("VD0000000001".to_owned());
    options.msid = Some("MSIDPASSWORD1234567890".to_owned());
    options
}

/// Takes the Locking SP into use and locks the Global Range.
fn lock(drive: &mut VirtualDrive) {
    let mut session = Session::open(drive, uid::ADMIN_SP, uid::SID);
    session.call(&MethodCall::new(uid::LOCKING_SP, method::ACTIVATE));
    session.close();
    let mut session = Session::open(drive, uid::LOCKING_SP, uid::ADMIN1);
    let cells = [
        column::locking::READ_LOCK_ENABLED,
        column::locking::WRITE_LOCK_ENABLED,
        column::locking::READ_LOCKED,
        column::locking::WRITE_LOCKED,
    ];
    let values = Value::list(cells.map(|cell| Value::named(cell, true)));
    session.call(&MethodCall::new(uid::LOCKING_GLOBAL_RANGE, method::SET).optional(1, values));
    session.close();
}

/// A session of somebody who knows the MSID PIN, which every authority here still has.
struct Session<'d> {
    drive: &'d mut VirtualDrive,
    com_id: ComId,
    tsn: Tsn,
}

impl<'d> Session<'d> {
    fn open(drive: &'d mut VirtualDrive, sp: Uid, authority: Uid) -> Self {
        let com_id = ComId(drive.profile().communication.base_com_id);
        let msid = drive.label().msid.clone();
        let mut session = Self {
            drive,
            com_id,
            tsn: Tsn::SESSION_MANAGER,
        };
        let call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
            .argument(u64::from(HSN.0))
            .argument(sp)
            .argument(true)
            .optional(0, msid.as_bytes())
            .optional(3, authority);
        let answer = session.exchange(Hsn::SESSION_MANAGER, &call.encode());
        let sync = MethodCall::decode(&answer).unwrap();
        let tsn = sync.arguments.get(1).and_then(Value::as_uint).unwrap();
        session.tsn = Tsn(u32::try_from(tsn).unwrap());
        session
    }

    fn call(&mut self, call: &MethodCall) {
        let answer = self.exchange(HSN, &call.encode());
        assert!(
            answer.ends_with(&[0xf9, 0xf0, 0, 0, 0, 0xf1]),
            "{answer:x?}"
        );
    }

    fn close(mut self) {
        assert_eq!(self.exchange(HSN, &[0xfa]), [0xfa]);
    }

    fn exchange(&mut self, hsn: Hsn, tokens: &[u8]) -> Vec<u8> {
        let packet = ComPacket::with_tokens(self.com_id, self.tsn, hsn, tokens).encode();
        let tcg = SecurityProtocol::TCG;
        self.drive.if_send(tcg, self.com_id, &packet).unwrap();
        let mut buffer = vec![0; 2048];
        self.drive.if_recv(tcg, self.com_id, &mut buffer).unwrap();
        let answer = ComPacket::decode(&buffer).unwrap();
        answer.packets[0].tokens().to_vec()
    }
}

const HSN: Hsn = Hsn(105);
