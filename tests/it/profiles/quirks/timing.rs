//! Answers that come late, or not at all.

use sedkit::spec::{Hsn, Tsn, uid};
use sedkit::wire::ComPacket;

use crate::profiles::quirky;
use crate::support::{Bench, start_session};

/// OutstandingData, MinTransfer and Length of a ComPacket.
fn header(bytes: &[u8]) -> [u32; 3] {
    [8, 12, 16].map(|place| u32::from_be_bytes(bytes[place..place + 4].try_into().unwrap()))
}

/// Sends StartSession.
fn start(bench: &mut Bench) {
    let call = start_session(uid::ADMIN_SP, true, None).encode();
    let (tsn, hsn) = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
    let frame = ComPacket::with_tokens(bench.com_id(), tsn, hsn, &call);
    bench.send_frame(&frame.encode());
}

/// Payload of STACK_RESET.
fn stack_reset(com_id: u16) -> Vec<u8> {
    let [high, low] = com_id.to_be_bytes();
    let mut payload = vec![high, low, 0, 0, 0, 0, 0, 2];
    payload.resize(512, 0);
    payload
}

const NOTHING: [u32; 3] = [0, 0, 0];
const STILL_TO_COME: [u32; 3] = [1, 0, 0];

#[test]
fn a_slow_drive_says_so_before_it_answers() {
    // Reference 1.11: OutstandingData 1, MinTransfer 0, Length 0 is "still processing".
    let mut bench = quirky(&["slow=2"]);
    start(&mut bench);
    assert_eq!(header(&bench.fetch()), STILL_TO_COME);
    assert_eq!(header(&bench.fetch()), STILL_TO_COME);
    assert!(header(&bench.fetch())[2] > 0);
    let mut bench = Bench::new();
    start(&mut bench);
    assert!(header(&bench.fetch())[2] > 0);
}

#[test]
fn an_answer_may_come_after_there_was_none() {
    // Demands D56: all-zero headers where "still to come" would be right.
    let mut bench = quirky(&["empty-answers=2"]);
    start(&mut bench);
    assert_eq!(header(&bench.fetch()), NOTHING);
    assert_eq!(header(&bench.fetch()), NOTHING);
    assert!(header(&bench.fetch())[2] > 0);
    assert_eq!(header(&bench.fetch()), NOTHING);
}

#[test]
fn a_mute_drive_swallows_commands_until_a_reset() {
    // Demands D56, Intel 6000p: until the controller is reset.
    type Reset = fn(&mut Bench);
    let resets: [Reset; 2] = [
        |bench| bench.drive().hardware_reset().unwrap(),
        |bench| bench.drive().lose_responses().unwrap(),
    ];
    for reset in resets {
        let mut bench = quirky(&["mute-until-reset"]);
        assert!(bench.level0().len() > 48);
        for _ in 0..2 {
            start(&mut bench);
            assert_eq!(header(&bench.fetch()), NOTHING);
        }
        reset(&mut bench);
        start(&mut bench);
        assert!(header(&bench.fetch())[2] > 0);
        bench.drive().power_cycle().unwrap();
        start(&mut bench);
        assert_eq!(header(&bench.fetch()), NOTHING);
    }
}

#[test]
fn a_stack_reset_may_hang_the_drive_until_a_power_cycle() {
    // Demands D49, Samsung PM9D3a.
    let mut bench = quirky(&["hang-after-stack-reset"]);
    let com_id = bench.com_id().0;
    start(&mut bench);
    bench.fetch();
    bench.send(2, com_id, &stack_reset(com_id)).unwrap();
    for _ in 0..2 {
        start(&mut bench);
        assert_eq!(header(&bench.fetch()), STILL_TO_COME);
    }
    assert_eq!(bench.recv(2, com_id, 512).unwrap()[4..8], [0; 4]);
    bench.drive().hardware_reset().unwrap();
    assert_eq!(header(&bench.fetch()), STILL_TO_COME);
    bench.drive().power_cycle().unwrap();
    start(&mut bench);
    assert!(header(&bench.fetch())[2] > 0);
}

#[test]
fn a_stack_reset_of_the_standard_is_answered() {
    // Reference 1.7.2: request code 2, four bytes of which 0 is success.
    let mut bench = Bench::new();
    let com_id = bench.com_id().0;
    bench.send(2, com_id, &stack_reset(com_id)).unwrap();
    let answer = bench.recv(2, com_id, 512).unwrap();
    assert_eq!(answer[4..8], [0, 0, 0, 2]);
    start(&mut bench);
    assert!(header(&bench.fetch())[2] > 0);
}
