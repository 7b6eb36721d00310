//! A virtual drive under any sequence of interface commands: it answers, and it stays a drive.
//!
//! The input is a sequence of steps, each with a header of three bytes: what to do, and how much of
//! what follows goes with it. Tokens can be sent in a sound envelope, so that the interpreter behind
//! it is reached, or as bare bytes, so that the envelope is tried itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sedkit::VirtualDrive;
use sedkit::spec::{ComId, Hsn, SecurityProtocol, Tsn};
use sedkit::transport::Transport;
use sedkit::vdrive::CreateOptions;
use sedkit::wire::ComPacket;
use sedkit::wire::discovery::Discovery;

/// The host session number of the committed frames.
const HSN: Hsn = Hsn(0x69);

fuzz_target!(|data: &[u8]| {
    let mut drive = new_drive();
    let com_id = discover(&mut drive);
    let mut rest = data;
    while let Some((&[what, high, low], tail)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_be_bytes([high, low])).min(tail.len());
        let (payload, tail) = tail.split_at(length);
        step(&mut drive, com_id, what, payload);
        rest = tail;
    }
    assert_eq!(
        discover(&mut drive),
        com_id,
        "it is the drive that it was before"
    );
});

/// A small drive whose MSID is the PIN of the committed frames.
fn new_drive() -> VirtualDrive {
    let mut options = CreateOptions::new(1 << 20);
    options.msid = Some("MSIDPASSWORD1234567890".to_owned());
    options.psid = Some("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".to_owned());
    VirtualDrive::in_memory(&options).expect("a small drive can be made")
}

/// Asks for Level 0 Discovery, which works in every state, and returns the base ComID.
fn discover(drive: &mut VirtualDrive) -> ComId {
    let mut buffer = [0; 512];
    let length = drive
        .if_recv(SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY, &mut buffer)
        .expect("a drive answers discovery");
    let discovery = Discovery::decode(&buffer[..length]).expect("and answers with sense");
    discovery.base_com_id().expect("and names its ComID")
}

/// One step; what the drive refuses is refused, and no finding.
fn step(drive: &mut VirtualDrive, com_id: ComId, what: u8, payload: &[u8]) {
    let tcg = SecurityProtocol::TCG;
    let other_com_id = any_com_id(com_id, payload);
    match what % 8 {
        // Tokens to the session manager, or to one of the first sessions; then the answer.
        session @ 0..=3 => {
            let (tsn, hsn) = match session {
                0 => (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER),
                number => (Tsn(Tsn::FIRST.0 + u32::from(number) - 1), HSN),
            };
            let packet = ComPacket::with_tokens(com_id, tsn, hsn, payload).encode();
            let _ = drive.if_send(tcg, com_id, &packet);
            receive(drive, tcg, com_id, 4096);
        }
        // Bare bytes, without taking the answer.
        4 => drop(drive.if_send(tcg, com_id, payload)),
        5 => drop(drive.if_send(SecurityProtocol::TCG_MANAGEMENT, other_com_id, payload)),
        // Answers with buffers of any size, from any ComID and protocol.
        6 => receive(drive, tcg, com_id, payload.len()),
        _ => receive(drive, SecurityProtocol(what >> 3), other_com_id, 512),
    }
}

/// The drive's own ComID, or the one that the payload begins with.
fn any_com_id(own: ComId, payload: &[u8]) -> ComId {
    match payload.first_chunk() {
        Some(bytes) if bytes[0] < 0x80 => ComId(u16::from_be_bytes(*bytes)),
        _ => own,
    }
}

/// Fetches an answer; no more may arrive than was asked for.
fn receive(drive: &mut VirtualDrive, protocol: SecurityProtocol, com_id: ComId, size: usize) {
    let mut buffer = vec![0; size];
    if let Ok(length) = drive.if_recv(protocol, com_id, &mut buffer) {
        assert!(length <= size);
    }
}
