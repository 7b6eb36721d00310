//! Exact dialogues with a TPer, in the frames of `tests/vectors/frames`.

use std::time::Duration;

use super::testing::{
    Line, Stage, ending, frame, header, hex, opening, recv, recv_bytes, send, tokens,
};
use super::{Error, GlobalRangeKey, IfCounts, MalformedKind, Row};
use crate::secret::Secret;
use crate::spec::{MethodStatus, RangeNumber, SecurityProtocol, column, method, uid};
use crate::transport::InterfaceStatus;
use crate::wire::Value;

const OUT_OF_TURN: InterfaceStatus = InterfaceStatus::SequenceError;

/// A dialogue in an open session with the Admin SP.
fn in_session(lines: impl IntoIterator<Item = Line>) -> Stage {
    Stage::new(opening().into_iter().chain(lines).chain(ending()))
}

fn malformed(error: Error) -> MalformedKind {
    match error {
        Error::Malformed(malformed) => malformed.kind,
        error => panic!("{error}"),
    }
}

#[test]
fn msid_is_read_in_six_if_commands() {
    let stage = in_session([send("7.7"), recv("7.8")]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let row = session
        .get(uid::C_PIN_MSID, column::c_pin::PIN..=column::c_pin::PIN)
        .unwrap();
    let pin = row.bytes(column::c_pin::PIN).unwrap();
    assert_eq!(pin, Some(b"MSIDPASSWORD1234567890".as_slice()));
    session.end().unwrap();
    stage.assert_finished();
    assert_eq!(tper.if_counts(), IfCounts { send: 3, recv: 3 });
}

#[test]
fn starting_a_session_authenticates() {
    for (request, sp, authority, pin) in [
        ("7.10", uid::ADMIN_SP, uid::SID, "0123456789abcdef"),
        ("7.11", uid::LOCKING_SP, uid::ADMIN1, "password"),
    ] {
        let stage = Stage::new([send(request), recv("7.5")].into_iter().chain(ending()));
        let pin = Secret::from_slice(pin.as_bytes());
        let mut tper = stage.tper();
        let session = tper.start_session(sp, Some((authority, &pin))).unwrap();
        session.end().unwrap();
        stage.assert_finished();
    }
}

#[test]
fn methods_have_the_bytes_that_drives_know() {
    let stage = in_session([
        send("7.12"),
        recv("7.14"),
        send("7.13"),
        recv("7.14"),
        send("7.18"),
        recv("7.14"),
        send("7.19"),
        recv("7.20"),
        send("7.21"),
        recv("7.14"),
        send("7.33"),
        recv("7.14"),
        send("7.34"),
        recv("7.14"),
    ]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let pin = Value::from("password");
    session
        .set(uid::C_PIN_SID, vec![(column::c_pin::PIN, pin)])
        .unwrap();
    session.activate(uid::LOCKING_SP, None, None, &[]).unwrap();
    let unlocked = vec![
        (column::locking::READ_LOCKED, false.into()),
        (column::locking::WRITE_LOCKED, false.into()),
    ];
    session.set(uid::LOCKING_GLOBAL_RANGE, unlocked).unwrap();
    let range = RangeNumber(1);
    let columns = column::locking::RANGE_START..=column::locking::ACTIVE_KEY;
    let row = session.get(uid::locking_range(range), columns).unwrap();
    assert_eq!(row.uint(column::locking::RANGE_START).unwrap(), Some(2048));
    session.gen_key(uid::k_aes_256(range)).unwrap();
    let enabled = vec![
        (column::mbr_control::ENABLE, true.into()),
        (column::mbr_control::DONE, true.into()),
    ];
    session.set(uid::MBR_CONTROL, enabled).unwrap();
    session.revert_sp(GlobalRangeKey::Keep).unwrap();
    drop(session);
    stage.assert_finished();
}

#[test]
fn results_have_their_types() {
    let stage = in_session([
        send("7.23"),
        recv("7.24"),
        send("7.25"),
        recv("7.26"),
        send("7.27"),
        recv("7.28"),
        send("7.30"),
        recv("7.14"),
        send("7.31"),
        recv("7.32"),
        send("7.29"),
        recv("7.32"),
    ]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let aces = session
        .get_acl(uid::locking_range(RangeNumber(1)), method::SET)
        .unwrap();
    let lows: Vec<_> = aces.iter().map(|ace| ace.low()).collect();
    assert_eq!(lows, [0x0003_f001, 0x0003_e001, 0x0003_e801, 0x04]);
    assert_eq!(
        session.next(uid::LOCKING, None, Some(2)).unwrap(),
        [
            uid::LOCKING_GLOBAL_RANGE,
            uid::locking_range(RangeNumber(1))
        ]
    );
    let pin = Secret::from_slice(b"u1pass");
    assert!(session.authenticate(uid::USER1, &pin).unwrap());
    let bytes: Vec<u8> = (0..16).collect();
    session.set_bytes(uid::MBR, 0, &bytes).unwrap();
    assert_eq!(session.get_bytes(uid::DATA_STORE, 0..16).unwrap(), bytes);
    assert_eq!(session.random(32).unwrap(), bytes);
    session.end().unwrap();
    stage.assert_finished();
}

#[test]
fn a_transaction_that_is_dropped_is_aborted() {
    let abort = tokens(&[0xfc, 0x01]);
    let stage = in_session([
        send("7.48.8"),
        recv("7.48.8"),
        send("7.48.9"),
        recv("7.48.9"),
        send("7.48.8"),
        recv("7.48.8"),
        Line::Send(SecurityProtocol::TCG, abort),
        recv_bytes(tokens(&[0xfc, 0x00])),
        send("7.48.8"),
        recv_bytes(tokens(&[0xfb, 0x10])),
    ]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    session.transaction().unwrap().commit().unwrap();
    drop(session.transaction().unwrap());
    let refused = session.transaction().map(drop).unwrap_err();
    assert_eq!(refused.status(), Some(MethodStatus::TRANSACTION_FAILURE));
    session.end().unwrap();
    stage.assert_finished();
}

#[test]
fn a_refused_method_leaves_the_session_open() {
    let stage = in_session([send("7.13"), recv("7.15"), send("7.13"), recv("7.14")]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let error = session
        .activate(uid::LOCKING_SP, None, None, &[])
        .unwrap_err();
    assert_eq!(error.status(), Some(MethodStatus::NOT_AUTHORIZED));
    session.activate(uid::LOCKING_SP, None, None, &[]).unwrap();
    session.end().unwrap();
    stage.assert_finished();
}

#[test]
fn a_refused_session_has_a_status_and_nothing_to_end() {
    let stage = Stage::new([send("7.4"), recv("7.6")]);
    let mut tper = stage.tper();
    let error = tper
        .start_session(uid::ADMIN_SP, None)
        .map(drop)
        .unwrap_err();
    assert_eq!(error.status(), Some(MethodStatus::NOT_AUTHORIZED));
    stage.assert_finished();
}

#[test]
fn busy_answers_are_polled_and_bigger_ones_get_a_bigger_buffer() {
    let answer = frame("7.8");
    let stage = in_session([
        send("7.7"),
        recv_bytes(header(1, 0)),
        recv_bytes(header(1, 0)),
        recv_bytes(header(1, 0)),
        Line::RecvInto(2048, header(3000, 0)),
        Line::RecvInto(3072, answer),
    ]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    session.get(uid::C_PIN_MSID, 3..=3).unwrap();
    session.end().unwrap();
    stage.assert_finished();
    assert_eq!(stage.slept(), Duration::from_millis(1 + 2));
}

#[test]
fn an_answer_in_parts_is_joined() {
    let whole = hex("f0f0f203d0164d5349445041535357 4f524431323334353637383930f3f1f1f9f0000000f1");
    let (first, second) = whole.split_at(10);
    let mut part = tokens(first);
    part[11] = 60;
    let stage = in_session([
        send("7.7"),
        recv_bytes(part),
        recv_bytes(header(1, 0)),
        recv_bytes(tokens(second)),
    ]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let row: Row = session.get(uid::C_PIN_MSID, 3..=3).unwrap();
    assert_eq!(row.bytes(3).unwrap().map(<[u8]>::len), Some(22));
    session.end().unwrap();
    stage.assert_finished();
}

#[test]
fn waiting_ends_with_the_time_limit() {
    let busy = std::iter::repeat_n(recv_bytes(header(1, 0)), 1000);
    let stage = Stage::new(opening().into_iter().chain([send("7.7")]).chain(busy));
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let error = session.get(uid::C_PIN_MSID, 3..=3).unwrap_err();
    assert_eq!(error.to_string(), "the drive did not answer within 10s");
    assert_eq!(stage.slept(), Duration::from_secs(10));
    // Once more as long as cleaning up may take, and no longer.
    drop(session);
    assert_eq!(stage.slept(), Duration::from_secs(12));
}

#[test]
fn answers_beyond_every_limit_are_not_fetched() {
    let stage = in_session([send("7.7"), recv_bytes(header(70_000, 0))]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let error = session.get(uid::C_PIN_MSID, 3..=3).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Limit {
                length: 70_000,
                limit: 65_536,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn answers_without_end_are_given_up() {
    let mut part = tokens(&[0xff; 4]);
    part[10] = 1;
    let parts = std::iter::repeat_n(recv_bytes(part), 2000);
    let stage = Stage::new(opening().into_iter().chain([send("7.7")]).chain(parts));
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let error = session.get(uid::C_PIN_MSID, 3..=3).unwrap_err();
    assert!(matches!(error, Error::Endless), "{error}");
}

#[test]
fn an_all_zero_header_is_no_answer() {
    for empty in [header(0, 0), vec![0; 20], vec![0; 2048]] {
        let polls = vec![recv_bytes(empty); 1 + super::clock::EMPTY_POLLS];
        let stage = in_session([send("7.7")].into_iter().chain(polls));
        let mut tper = stage.tper();
        let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
        let error = session.get(uid::C_PIN_MSID, 3..=3).unwrap_err();
        assert!(matches!(error, Error::NoAnswer), "{error}");
        drop(session);
        stage.assert_finished();
    }
}

#[test]
fn a_session_that_the_drive_closed_is_not_ended_again() {
    let stage = Stage::new(opening().into_iter().chain([send("7.7"), recv("7.36")]));
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let error = session.get(uid::C_PIN_MSID, 3..=3).unwrap_err();
    assert!(matches!(error, Error::Closed), "{error}");
    drop(session);
    stage.assert_finished();
}

#[test]
fn answers_of_other_sessions_are_nonsense() {
    let cases = [
        (23, MalformedKind::SessionNumbers),
        (27, MalformedKind::SessionNumbers),
        (5, MalformedKind::ComId),
    ];
    for (byte, kind) in cases {
        let mut answer = frame("7.8");
        answer[byte] ^= 1;
        let stage = in_session([send("7.7"), recv_bytes(answer)]);
        let mut tper = stage.tper();
        let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
        let error = session.get(uid::C_PIN_MSID, 3..=3).unwrap_err();
        assert_eq!(malformed(error), kind);
    }
}

#[test]
fn sync_session_must_name_our_number_and_a_legal_one_of_its_own() {
    for (answer, kind) in [
        ("8168 821001", MalformedKind::SessionNumbers),
        ("8169 820fff", MalformedKind::ReservedTsn),
        ("8169 00", MalformedKind::ReservedTsn),
        ("8169", MalformedKind::Result("TPer session number")),
        ("", MalformedKind::Result("host session number")),
    ] {
        let call = format!("f8 a800000000000000ff a8000000000000ff03 f0 {answer} f1 f9 f0000000f1");
        let packet = crate::wire::ComPacket::with_tokens(
            super::testing::COM_ID,
            crate::spec::Tsn(0),
            crate::spec::Hsn(0),
            &hex(&call),
        );
        let mut lines = vec![send("7.4"), recv_bytes(packet.encode().to_vec())];
        // A session that the TPer says it has opened is ended.
        if ["8168 821001", "8169 820fff"].contains(&answer) {
            lines.extend([Line::SendAny, recv_bytes(header(0, 0))]);
        }
        let stage = Stage::new(lines);
        let mut tper = stage.tper();
        let error = tper
            .start_session(uid::ADMIN_SP, None)
            .map(drop)
            .unwrap_err();
        assert_eq!(malformed(error), kind, "{answer}");
        stage.assert_finished();
    }
}

#[test]
fn a_refused_session_need_not_name_any_number() {
    let call = "f8 a800000000000000ff a8000000000000ff03 f0 00 00 f1 f9 f0010000f1";
    let packet = crate::wire::ComPacket::with_tokens(
        super::testing::COM_ID,
        crate::spec::Tsn(0),
        crate::spec::Hsn(0),
        &hex(call),
    );
    let stage = Stage::new([send("7.4"), recv_bytes(packet.encode().to_vec())]);
    let mut tper = stage.tper();
    let refused = tper.start_session(uid::ADMIN_SP, None).map(drop);
    let status = refused.unwrap_err().status();
    assert_eq!(status, Some(MethodStatus::NOT_AUTHORIZED));
}

#[test]
fn empty_atoms_may_precede_the_end_of_a_session() {
    let stage = Stage::new(
        opening()
            .into_iter()
            .chain([send("7.9"), recv_bytes(tokens(&[0xff, 0xff, 0xfa]))]),
    );
    let mut tper = stage.tper();
    let session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    session.end().unwrap();
    stage.assert_finished();
}

#[test]
fn an_answer_of_many_bytes_is_given_up() {
    // Parts into a buffer of 64 KiB: eight of them are all that is fetched.
    let mut part = tokens(&[0xff; 4]);
    part[10] = 1;
    let mut lines = vec![send("7.7"), recv_bytes(header(65_500, 0))];
    lines.extend(vec![recv_bytes(part); 8]);
    let stage = Stage::new(opening().into_iter().chain(lines));
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let error = session.get(uid::C_PIN_MSID, 3..=3).unwrap_err();
    assert!(matches!(error, Error::Endless), "{error}");
    stage.assert_finished();
}

#[test]
fn few_sessions_of_killed_processes_are_ended() {
    let mut leftovers = crate::wire::ComPacket::empty(super::testing::COM_ID);
    for number in 0..40 {
        let other = crate::wire::ComPacket::with_tokens(
            super::testing::COM_ID,
            crate::spec::Tsn(0x1001 + number),
            super::testing::HSN,
            &hex("f0f1f9f0000000f1"),
        );
        leftovers.packets.extend(other.packets);
    }
    let mut lines = vec![
        Line::Refuse(OUT_OF_TURN),
        Line::Refuse(OUT_OF_TURN),
        recv_bytes(leftovers.encode().to_vec()),
    ];
    for _ in 0..4 {
        lines.extend([Line::SendAny, recv_bytes(header(0, 0))]);
    }
    let stage = Stage::new(lines.into_iter().chain(opening()).chain(ending()));
    let mut tper = stage.tper();
    let session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    session.end().unwrap();
    stage.assert_finished();
}

#[test]
fn a_busy_drive_is_waited_for() {
    let busy = |status: u8| {
        let mut answer = frame("7.6");
        let at = answer.iter().rposition(|&byte| byte == 1).unwrap();
        answer[at] = status;
        recv_bytes(answer)
    };
    let lines = [send("7.4"), busy(0x03), send("7.4"), busy(0x07)];
    let stage = Stage::new(lines.into_iter().chain(opening()).chain(ending()));
    let mut tper = stage.tper();
    tper.start_session(uid::ADMIN_SP, None)
        .unwrap()
        .end()
        .unwrap();
    stage.assert_finished();
    assert_eq!(stage.slept(), Duration::from_millis(500));

    let stage = Stage::new((0..100).flat_map(|_| [send("7.4"), busy(0x03)]));
    let mut tper = stage.tper();
    let error = tper
        .start_session(uid::ADMIN_SP, None)
        .map(drop)
        .unwrap_err();
    let Error::Busy { status, waited } = error else {
        panic!("{error}");
    };
    assert_eq!(status, MethodStatus::SP_BUSY);
    assert_eq!(waited, Duration::from_secs(10));
}

#[test]
fn an_answer_that_a_killed_process_left_is_fetched_and_its_session_ended() {
    // The killed process had sent StartSession; its session is the one of the frames.
    let lines = [
        Line::Refuse(OUT_OF_TURN),
        Line::Refuse(OUT_OF_TURN),
        recv("7.5"),
        send("7.9"),
        recv("7.9"),
    ];
    let stage = Stage::new(lines.into_iter().chain(opening()).chain(ending()));
    let mut tper = stage.tper();
    tper.start_session(uid::ADMIN_SP, None)
        .unwrap()
        .end()
        .unwrap();
    stage.assert_finished();
    assert!(tper.take_recovered());
    assert!(!tper.take_recovered());

    // It had sent a method in its session.
    let lines = [
        Line::Refuse(InterfaceStatus::Ata {
            status: 0x51,
            error: 0x04,
        }),
        Line::Refuse(OUT_OF_TURN),
        recv("7.14"),
        send("7.9"),
        recv("7.9"),
    ];
    let stage = Stage::new(lines.into_iter().chain(opening()).chain(ending()));
    let mut tper = stage.tper();
    tper.start_session(uid::ADMIN_SP, None)
        .unwrap()
        .end()
        .unwrap();
    stage.assert_finished();
}

#[test]
fn an_answer_that_another_process_fetches_is_left_to_it() {
    let lines = [Line::Refuse(OUT_OF_TURN)];
    let stage = Stage::new(lines.into_iter().chain(opening()).chain(ending()));
    let mut tper = stage.tper();
    tper.start_session(uid::ADMIN_SP, None)
        .unwrap()
        .end()
        .unwrap();
    stage.assert_finished();
    assert!(!tper.take_recovered());
}

#[test]
fn a_refusal_that_stays_is_an_error() {
    let lines = [
        Line::Refuse(OUT_OF_TURN),
        Line::Refuse(OUT_OF_TURN),
        recv_bytes(header(0, 0)),
        Line::Refuse(OUT_OF_TURN),
    ];
    let stage = Stage::new(lines);
    let mut tper = stage.tper();
    let error = tper
        .start_session(uid::ADMIN_SP, None)
        .map(drop)
        .unwrap_err();
    assert!(matches!(error, Error::OutOfTurn), "{error}");
    stage.assert_finished();
}

#[test]
fn an_interrupt_ends_the_session_before_it_is_reported() {
    let stage = Stage::new(
        opening()
            .into_iter()
            .chain([Line::Interrupt])
            .chain(ending()),
    );
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    stage.interrupt.raise();
    let error = session.get(uid::C_PIN_MSID, 3..=3).unwrap_err();
    assert!(matches!(error, Error::Interrupted), "{error}");
    drop(session);
    stage.assert_finished();
}

#[test]
fn an_interrupt_while_polling_fetches_the_answer_and_ends_the_session() {
    let stage = in_session([
        send("7.7"),
        recv_bytes(header(1, 0)),
        Line::Interrupt,
        recv_bytes(header(1, 0)),
        recv_bytes(header(1, 0)),
        recv("7.8"),
    ]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let error = session.get(uid::C_PIN_MSID, 3..=3).unwrap_err();
    assert!(matches!(error, Error::Interrupted), "{error}");
    drop(session);
    stage.assert_finished();
}

#[test]
fn an_interrupt_while_a_session_is_opened_ends_it() {
    let lines = [
        send("7.4"),
        recv_bytes(header(1, 0)),
        Line::Interrupt,
        recv_bytes(header(1, 0)),
        recv("7.5"),
    ];
    let stage = Stage::new(lines.into_iter().chain(ending()));
    let mut tper = stage.tper();
    let error = tper
        .start_session(uid::ADMIN_SP, None)
        .map(drop)
        .unwrap_err();
    assert!(matches!(error, Error::Interrupted), "{error}");
    stage.assert_finished();
}

#[test]
fn properties_are_exchanged_only_for_larger_tokens() {
    let stage = Stage::new([]);
    stage.tper().prepare_for_tokens_of(1992).unwrap();

    let offer = super::properties::request(super::Limits::of_buffer(65_536)).encode();
    let request = crate::wire::ComPacket::with_tokens(
        super::testing::COM_ID,
        crate::spec::Tsn(0),
        crate::spec::Hsn(0),
        &offer,
    );
    let request = request.encode().to_vec();
    let stage = Stage::new([Line::Send(SecurityProtocol::TCG, request), recv("7.2")]);
    let mut tper = stage.tper();
    tper.prepare_for_tokens_of(10_000).unwrap();
    stage.assert_finished();
    // The TPer takes 66,048 bytes, the transport carries 65,536.
    assert_eq!(tper.limits().com_packet, 65_536);
    assert_eq!(tper.limits().ind_token, 65_480);
}

#[test]
fn a_message_beyond_the_limits_is_not_sent() {
    let stage = in_session([]);
    let mut tper = stage.tper();
    let mut session = tper.start_session(uid::ADMIN_SP, None).unwrap();
    let error = session.set_bytes(uid::MBR, 0, &[0; 1990]).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
    session.end().unwrap();
    stage.assert_finished();
}

#[test]
fn a_stack_reset_polls_until_it_is_done() {
    let management = SecurityProtocol::TCG_MANAGEMENT;
    let request = hex("1004 0000 00000002");
    let pending = hex("1004 0000 00000002 0000 0000");
    let answer = |result: &str| hex(&format!("1004 0000 00000002 0000 0004 {result}"));
    let stage = Stage::new([
        Line::Send(management, request.clone()),
        Line::Recv(management, pending),
        Line::Recv(management, answer("00000000")),
        Line::Send(management, request.clone()),
        Line::Recv(management, answer("00000001")),
        Line::Send(management, request),
        Line::Recv(management, hex("1004 0000 00000000 0000 0000")),
    ]);
    let mut tper = stage.tper();
    tper.stack_reset().unwrap();
    assert!(matches!(tper.stack_reset(), Err(Error::StackReset)));
    assert!(matches!(tper.stack_reset(), Err(Error::NoAnswer)));
    stage.assert_finished();
}
