//! The frames of the protocol reference, byte for byte.

use sedkit::spec::{Hsn, MethodStatus, Tsn, column, uid};
use sedkit::vdrive::profile::{Feature, Profile, ViolationReply};
use sedkit::wire::ComPacket;

use crate::support::{Bench, HSN, MSID, Session, set_bytes};
use crate::vectors::hex;

/// A frame, named after its section of the reference.
fn frame(section: &str) -> Vec<u8> {
    hex(&format!("frames/{section}.hex"))
}

/// A frame of a session, moved to another session.
fn frame_in(section: &str, session: Session) -> Vec<u8> {
    let mut frame = frame(section);
    frame[20..24].copy_from_slice(&session.tsn.0.to_be_bytes());
    frame
}

/// A drive of 1 GiB on ComID 1004h, as the frames have it.
fn bench() -> Bench {
    bench_with(|_| {})
}

fn bench_with(change: fn(&mut Profile)) -> Bench {
    Bench::with(|options| {
        options.size = 1 << 30;
        options.profile.communication.base_com_id = 0x1004;
        change(&mut options.profile);
    })
}

/// A drive that was activated with the frames, with PIN "password" for SID and Admin1.
fn active() -> Bench {
    activated(bench())
}

fn activated(mut bench: Bench) -> Bench {
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    assert_eq!(
        bench.frame(&frame_in("7.12", session)),
        frame_in("7.14", session)
    );
    bench.end(session);
    let session = bench.start(uid::ADMIN_SP, uid::SID, b"password").unwrap();
    assert_eq!(
        bench.frame(&frame_in("7.13", session)),
        frame_in("7.14", session)
    );
    bench.end(session);
    bench
}

/// Opens a session with a frame.
fn open(bench: &mut Bench, section: &str) -> Session {
    let answer = ComPacket::decode(&bench.frame(&frame(section))).unwrap();
    let tokens = answer.packets[0].tokens();
    // F8 A8 SMUID A8 SyncSession F0 81 69 82 TSN F1 ...
    let tsn = u32::from(tokens[23]) << 8 | u32::from(tokens[24]);
    let session = Session {
        tsn: Tsn(tsn),
        hsn: Hsn(HSN),
    };
    let mut expected = frame("7.5");
    expected[0x4f] = tokens[23];
    expected[0x50] = tokens[24];
    assert_eq!(bench.frame(&[]).len(), 20, "nothing else waits");
    assert_eq!(answer.encode().to_vec(), expected);
    session
}

#[test]
fn properties_answer_as_the_reference_has_it() {
    // Reference 7.1 to 7.3: the request of sedutil, answered by a Samsung-like drive.
    let mut bench = Bench::with(|options| {
        let profile = &mut options.profile;
        profile.communication.base_com_id = 0x1004;
        profile.communication.max_com_packet = 66_048;
        profile.communication.max_response_com_packet = 66_048;
        profile.communication.max_packet = 66_028;
        profile.communication.max_ind_token = 65_540;
        profile.sessions.max_sessions = 1;
        profile.sessions.max_read_sessions = 0;
        profile.sessions.max_authentications = 5;
        profile.sessions.default_timeout = 0;
        profile.sessions.min_timeout = None;
        profile.sessions.max_timeout = None;
    });
    assert_eq!(bench.frame(&frame("7.1")), frame("7.2"));
    let silent = bench.frame(&frame("7.3"));
    // Without HostProperties the echo is missing: the answer ends after the TPer's list.
    let tokens = ComPacket::decode(&silent).unwrap().packets[0].tokens();
    assert!(tokens.ends_with(&[0xf3, 0xf1, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1]));
}

#[test]
fn anybody_reads_the_msid() {
    // Reference 7.4, 7.5, 7.7, 7.8, 7.9.
    let mut bench = bench();
    assert_eq!(bench.frame(&frame("7.4")), frame("7.5"));
    assert_eq!(bench.frame(&frame("7.7")), frame("7.8"));
    assert_eq!(bench.frame(&frame("7.9")), frame("7.9"));
}

#[test]
fn sid_with_a_wrong_pin_gets_no_session() {
    // Reference 7.10, 7.6.
    let mut bench = bench();
    assert_eq!(bench.frame(&frame("7.10")), frame("7.6"));
}

#[test]
fn sid_with_the_right_pin_gets_a_session() {
    // Reference 7.10, 7.5.
    let mut bench = Bench::with(|options| {
        options.profile.communication.base_com_id = 0x1004;
        options.msid = Some("0123456789abcdef".to_owned());
    });
    assert_eq!(bench.frame(&frame("7.10")), frame("7.5"));
}

#[test]
fn linux_ends_a_session_with_a_trailer() {
    // Reference 2.4, 7.48.7.
    let mut bench = bench();
    let mut start = frame("7.4");
    assert_eq!(start[0x4c..0x4e], [0x81, 0x69]);
    start[0x4d] = 0x41;
    bench.frame(&start);
    let mut expected = frame("7.9");
    expected[24..28].copy_from_slice(&0x41_u32.to_be_bytes());
    assert_eq!(bench.frame(&frame("7.48.7")), expected);
    // The session is gone.
    assert_eq!(bench.frame(&frame("7.48.7")).len(), 20);
}

#[test]
fn the_locking_sp_answers_as_the_reference_has_it() {
    let mut bench = active();
    let session = open(&mut bench, "7.11");
    let exchanges = [
        ("7.16", "7.14"),
        ("7.17", "7.14"),
        ("7.18", "7.14"),
        ("7.19", "7.20"),
        ("7.21", "7.14"),
        ("7.22", "7.14"),
        ("7.23", "7.24"),
        ("7.25", "7.26"),
        ("7.30", "7.14"),
        ("7.33", "7.14"),
        ("7.48.8", "7.48.8"),
        ("7.48.9", "7.48.9"),
    ];
    for (request, answer) in exchanges {
        let found = bench.frame(&frame_in(request, session));
        assert_eq!(found, frame_in(answer, session), "{request}");
    }
    assert_eq!(
        bench.frame(&frame_in("7.34", session)),
        frame_in("7.14", session)
    );
    // RevertSP has ended the session.
    assert_eq!(bench.frame(&frame_in("7.9", session)).len(), 20);
}

#[test]
fn users_authenticate_in_an_open_session() {
    // Reference 7.27, 7.28.
    let mut bench = active();
    let session = open(&mut bench, "7.11");
    let user1 = uid::USER1;
    bench.must_set(session, user1, &[(column::authority::ENABLED, true.into())]);
    bench.must_set(
        session,
        uid::c_pin(user1),
        &[(column::c_pin::PIN, "u1pass".into())],
    );
    assert_eq!(
        bench.frame(&frame_in("7.27", session)),
        frame_in("7.28", session)
    );
}

#[test]
fn the_data_store_is_read_as_the_reference_has_it() {
    // Reference 7.31, 7.32.
    let mut bench = active();
    let session = open(&mut bench, "7.11");
    let bytes: Vec<u8> = (0..16).collect();
    let status = bench.status(session, &set_bytes(uid::DATA_STORE, 0, &bytes));
    assert_eq!(status, MethodStatus::SUCCESS);
    assert_eq!(
        bench.frame(&frame_in("7.31", session)),
        frame_in("7.32", session)
    );
}

#[test]
fn random_gives_as_many_bytes_as_were_asked_for() {
    // Reference 7.29.
    let mut bench = bench();
    assert_eq!(bench.frame(&frame("7.4")), frame("7.5"));
    let answer = ComPacket::decode(&bench.frame(&frame("7.29"))).unwrap();
    let tokens = answer.packets[0].tokens();
    assert_eq!(tokens.len(), 1 + 2 + 32 + 1 + 6);
    assert_eq!(tokens[..3], [0xf0, 0xd0, 0x20]);
}

#[test]
fn anybody_may_not_activate() {
    // Reference 7.13, 7.15.
    let mut bench = bench();
    assert_eq!(bench.frame(&frame("7.4")), frame("7.5"));
    assert_eq!(bench.frame(&frame("7.13")), frame("7.15"));
}

#[test]
fn the_admin_sp_is_reverted_in_the_fifth_session() {
    // Reference 7.35, the request of a real trace with TSN 1005h.
    let mut bench = bench();
    for _ in 0..4 {
        let session = bench.start_anybody(uid::ADMIN_SP);
        bench.end(session);
    }
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    assert_eq!(session.tsn, Tsn(0x1005));
    assert_eq!(bench.frame(&frame("7.35")), frame_in("7.14", session));
    assert!(!bench.is_open(session));
}

#[test]
fn close_session_is_sent_where_the_profile_has_it() {
    // Reference 7.36; 2.5: an aborted session may be answered with CloseSession.
    let mut bench = Bench::with(|options| {
        options.profile.communication.base_com_id = 0x1004;
        options.profile.behaviour.violation_reply = ViolationReply::CloseSession;
    });
    assert_eq!(bench.frame(&frame("7.4")), frame("7.5"));
    let session = Session {
        tsn: Tsn(0x1001),
        hsn: Hsn(HSN),
    };
    let broken = ComPacket::with_tokens(bench.com_id(), session.tsn, session.hsn, &[0xf1]);
    assert_eq!(bench.frame(&broken.encode()), frame("7.36"));
    assert!(!bench.is_open(session));
}

#[test]
fn single_user_mode_is_as_the_reference_has_it() {
    // Reference 7.48.1 to 7.48.6.
    let mut bench = bench();
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let ok = |section: &str, session, bench: &mut Bench| {
        let found = bench.frame(&frame_in(section, session));
        assert_eq!(found, frame_in("7.14", session), "{section}");
    };
    ok("7.12", session, &mut bench);
    ok("7.48.1", session, &mut bench);
    bench.end(session);

    let session = open(&mut bench, "7.11");
    let info = bench.frame(&frame_in("7.48.3", session));
    assert_eq!(info, frame_in("7.48.4", session));
    ok("7.48.5", session, &mut bench);
    bench.end(session);
    // The owner of Range1 has the empty PIN from the first moment.
    let session = open(&mut bench, "7.48.6");
    bench.end(session);

    let session = open(&mut bench, "7.11");
    ok("7.48.2", session, &mut bench);
    assert!(!bench.is_open(session), "Reactivate ends the session");
    let old = bench.start(uid::LOCKING_SP, uid::ADMIN1, b"password");
    assert_eq!(old, Err(MethodStatus::NOT_AUTHORIZED));
    let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, b"newadmin");
    let session = session.unwrap();
    let info = bench.frame(&frame_in("7.48.3", session));
    // The whole table, and the Users' policy: `F2 83 060000 A8 table F3 F2 83 060001 00 F3`.
    let tokens = ComPacket::decode(&info).unwrap().packets[0].tokens();
    let expected = [
        0xf0, 0xf0, 0xf2, 0x83, 6, 0, 0, 0xa8, 0, 0, 8, 2, 0, 0, 0, 0, 0xf3, 0xf2, 0x83, 6, 0, 1,
        0x00, 0xf3, 0xf1, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1,
    ];
    assert_eq!(tokens[..], expected);
}

#[test]
fn single_user_mode_is_refused_where_it_is_not_advertised() {
    // Reference 7.48.1 to 7.48.6: accepted as frames, refused as methods.
    let without = |profile: &mut Profile| profile.discovery.remove(&Feature::SingleUserMode);
    let mut bench = activated(bench_with(without));
    let session = bench.start(uid::ADMIN_SP, uid::SID, b"password").unwrap();
    let refused = |bench: &mut Bench, section: &str, session, status: MethodStatus| {
        let mut expected = frame_in("7.15", session);
        expected[0x3c] = status.0;
        assert_eq!(
            bench.frame(&frame_in(section, session)),
            expected,
            "{section}"
        );
    };
    refused(
        &mut bench,
        "7.48.1",
        session,
        MethodStatus::INVALID_PARAMETER,
    );
    bench.end(session);
    let session = open(&mut bench, "7.11");
    refused(&mut bench, "7.48.2", session, MethodStatus::NOT_AUTHORIZED);
    refused(
        &mut bench,
        "7.48.3",
        session,
        MethodStatus::INVALID_PARAMETER,
    );
    refused(&mut bench, "7.48.5", session, MethodStatus::NOT_AUTHORIZED);
    bench.end(session);
    // User2 is not enabled, so its empty PIN opens nothing.
    assert_eq!(bench.frame(&frame("7.48.6")), frame("7.6"));
}

#[test]
fn enterprise_frames_are_survived() {
    // Reference 7.37 to 7.42: string names, another ComID. They are dropped.
    let mut bench = active();
    for section in ["7.37", "7.38", "7.39", "7.41", "7.42"] {
        assert_eq!(bench.frame(&frame(section)).len(), 20, "{section}");
    }
}
