//! The texts of captured payloads, and what they never show.

use proptest::prelude::*;
use sedkit::spec::{ComId, SecurityProtocol, method, uid};
use sedkit::wire::pretty::{self, Direction, Masking, Printer};
use sedkit::wire::{ComPacket, MethodCall, Value, hex};

use crate::vectors;

/// Frames with a secret, and the secret.
const SECRETS: [(&str, &str); 9] = [
    ("7.8", "MSIDPASSWORD1234567890"),
    ("7.10", "0123456789abcdef"),
    ("7.11", "password"),
    ("7.12", "password"),
    ("7.27", "u1pass"),
    ("7.38", "MSIDPASSWORD1234567890"),
    ("7.40", "MSIDPASSWORD1234567890"),
    ("7.48.2", "newadmin"),
    ("7.32", "\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"),
];

fn frame(name: &str) -> Vec<u8> {
    vectors::hex(&format!("frames/{name}.hex"))
}

#[track_caller]
fn hides(text: &str, secret: &str, what: &str) {
    for shown in [secret.to_owned(), hex::encode(secret.as_bytes())] {
        assert!(!text.contains(&shown), "{what} shows {shown}:\n{text}");
    }
}

#[test]
fn no_secret_appears() {
    for (name, secret) in SECRETS {
        hides(&pretty::com_packet(&frame(name)), secret, name);
    }
}

#[test]
fn no_secret_appears_after_the_call_it_answers() {
    let mut printer = Printer::new(Masking::On);
    for (name, secret) in SECRETS.iter().filter(|(name, _)| *name != "7.32") {
        for call in ["7.7", "7.39", "7.19", "7.29", "7.31"] {
            printer.com_packet(&frame(call));
            hides(&printer.com_packet(&frame(name)), secret, name);
        }
    }
}

#[test]
fn no_secret_appears_in_a_cut_frame() {
    for (name, secret) in SECRETS {
        let bytes = frame(name);
        for length in 0..bytes.len() {
            let text = pretty::com_packet(&bytes[..length]);
            hides(&text, &secret[..6], &format!("{name} cut at {length}"));
        }
    }
}

#[test]
fn no_secret_appears_in_a_damaged_frame() {
    for (name, secret) in SECRETS {
        let mut bytes = frame(name);
        for index in 0..bytes.len() {
            let original = bytes[index];
            for flip in 1..=u8::MAX {
                bytes[index] = original ^ flip;
                let text = pretty::com_packet(&bytes);
                hides(&text, &secret[..6], &format!("{name} damaged at {index}"));
            }
            bytes[index] = original;
        }
    }
}

#[test]
fn no_frame_has_errors() {
    for name in vectors::names("frames", "hex") {
        let text = pretty::com_packet(&frame(&name));
        assert!(!text.contains("error"), "{name}:\n{text}");
    }
}

proptest! {
    #[test]
    fn any_tokens_have_a_text(tokens in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = pretty::tokens(&tokens);
        let _ = pretty::com_packet(&tokens);
        let _ = pretty::discovery(&tokens);
    }

    #[test]
    fn likely_tokens_have_a_text(tokens in prop::collection::vec(likely_byte(), 0..100)) {
        let call = [&frame("7.12")[0x38..0x4b], &tokens].concat();
        let _ = Printer::new(Masking::Off).tokens(&call);
        let _ = Printer::new(Masking::Off).tokens(&tokens);
    }
}

/// A byte that often makes sense in a token stream.
fn likely_byte() -> impl Strategy<Value = u8> {
    let control = vec![
        0xf0, 0xf1, 0xf2, 0xf3, 0xf8, 0xf9, 0xfa, 0xfb, 0xff, 0xa4, 0xa8, 0x82,
    ];
    prop_oneof![prop::sample::select(control), 0..8_u8, any::<u8>()]
}

#[test]
fn a_start_session_is_explained() {
    let text = pretty::com_packet(&frame("7.10"));
    let expected = "\
ComPacket ComID 0x1004, extension 0x0000
  Packet TSN 0x0, HSN 0x0
    Call SMUID.StartSession
      HostSessionID = 0x69
      SPID = Admin SP
      Write = 1
      HostChallenge = <16 bytes masked>
      HostSigningAuthority = SID
";
    assert_eq!(text, expected);
}

#[test]
fn a_get_and_its_answer_are_explained() {
    let mut printer = Printer::new(Masking::On);
    let text = printer.com_packet(&frame("7.19")) + &printer.com_packet(&frame("7.20"));
    let expected = "\
ComPacket ComID 0x1004, extension 0x0000
  Packet TSN 0x1001, HSN 0x69
    Call Locking_Range1.Get
      Cellblock
        startColumn = 3 (RangeStart)
        endColumn = 10 (ActiveKey)
ComPacket ComID 0x1004, extension 0x0000
  Packet TSN 0x1001, HSN 0x69
    Answer to Locking_Range1.Get
      result
        RangeStart = 2048
        RangeLength = 1048576
        ReadLockEnabled = 1
        WriteLockEnabled = 1
        ReadLocked = 0
        WriteLocked = 0
        LockOnReset = [0]
        ActiveKey = K_AES_256_Range1_Key
      status SUCCESS
";
    assert_eq!(text, expected);
}

#[test]
fn a_capture_of_many_com_packets_is_explained() {
    let capture = [frame("7.19"), frame("7.20"), frame("7.9")].concat();
    let text = Printer::new(Masking::On).com_packets(&capture);
    assert_eq!(text.matches("ComPacket ComID 0x1004").count(), 3, "{text}");
    assert!(
        text.contains("RangeStart = 2048") && text.ends_with("End of Session\n"),
        "{text}"
    );
}

#[test]
fn a_boolean_expression_is_explained() {
    let text = pretty::tokens(&tokens("7.22"));
    let expected = "\
Call ACE_Locking_Range1_Set_RdLocked.Set
  Values
    BooleanExpr
      Authority_object_ref = Admins
      Authority_object_ref = User1
      boolean_ACE = 1
";
    assert_eq!(text, expected);
}

#[test]
fn an_answer_of_the_session_manager_has_its_status() {
    let text = pretty::tokens(&tokens("7.6"));
    let expected = "\
Call SMUID.SyncSession
  HostSessionID = 0x69
  SPSessionID = 0x0
  status NOT_AUTHORIZED
";
    assert_eq!(text, expected);
}

#[test]
fn numbers_of_feature_sets_are_known() {
    let text = pretty::tokens(&tokens("7.48.3"));
    let expected = "\
Call LockingInfo.Get
  Cellblock
    startColumn = 0x060000 (SingleUserModeRanges)
    endColumn = 0x060001 (RangeStartRangeLengthPolicy)
";
    assert_eq!(text, expected);
}

#[test]
fn an_answer_without_its_call_masks_what_may_be_a_pin() {
    let text = pretty::tokens(&tokens("7.8"));
    assert_eq!(
        text,
        "Answer\n  result\n    3 = <22 bytes masked>\n  status SUCCESS\n"
    );
}

#[test]
fn byte_tables_are_abbreviated() {
    let mut printer = Printer::new(Masking::On);
    let values = Value::named(1_u64, [0xeb; 1000].as_slice());
    let call = MethodCall::new(uid::MBR, method::SET).argument(values);
    let text = printer.tokens(&call.encode());
    let expected = format!(
        "Call MBR.Set\n  Values = {}… (1000 bytes)\n",
        "eb".repeat(16)
    );
    assert_eq!(text, expected);
    printer.tokens(&tokens("7.31"));
    let text = printer.tokens(&tokens("7.32"));
    assert!(
        text.contains("result = 000102030405060708090a0b0c0d0e0f"),
        "{text}"
    );
}

#[test]
fn secrets_appear_on_request() {
    let mut printer = Printer::new(Masking::Off);
    let text = printer.com_packet(&frame("7.11"));
    assert!(text.contains("HostChallenge = \"password\""), "{text}");
    let text = printer.com_packet(&frame("7.48.6"));
    assert!(text.contains("HostChallenge = \"\""), "{text}");
}

#[test]
fn errors_stand_in_place() {
    let mut bytes = frame("7.20");
    // The column number of RangeLength becomes a reserved token.
    bytes[0x41] = 0xe4;
    let text = pretty::com_packet(&bytes);
    let expected = "\
ComPacket ComID 0x1004, extension 0x0000
  Packet TSN 0x1001, HSN 0x69
    error: reserved token 0xe4 at byte 9 of the tokens
    Start List
      Start List
        Start Name
          <unsigned integer masked>
          <unsigned integer masked>
        End Name
        Start Name
    error: reserved token 0xe4 at byte 9 of the tokens
";
    assert_eq!(text, expected);
}

#[test]
fn a_cut_com_packet_shows_what_is_there() {
    let bytes = frame("7.12");
    let text = pretty::com_packet(&bytes[..0x50]);
    let expected = "\
ComPacket of 80 bytes
  error: length field of ComPacket says 80, 60 bytes are there at byte 16
  error: unexpected end of data, where a name should stand at byte 24 of the tokens
  Call
  C_PIN_SID
  Set
  Start List
    Start Name
      <unsigned integer masked>
      Start List
        Start Name
";
    assert_eq!(text, expected);
}

#[test]
fn empty_com_packets_say_what_they_mean() {
    let cases = [
        (
            "00000000 1004 0000 00000001 00000000 00000000",
            "the answer is not ready",
        ),
        (
            "00000000 1004 0000 00000060 00000000 00000000",
            "the buffer is too small for the answer",
        ),
        (
            "00000000 2000 FFFF 00000000 00000000 00000000",
            "the ComID is inactive",
        ),
        ("00000000 1000 0000 00000000 00000000 00000000", "no answer"),
    ];
    for (bytes, meaning) in cases {
        let text = pretty::com_packet(&hex::decode(bytes).unwrap());
        assert!(text.contains(meaning), "{text}");
    }
}

#[test]
fn level_0_discovery_is_explained() {
    let text = pretty::discovery(&vectors::hex("discovery0/dta-392-seagate-sata-opal.hex"));
    for line in [
        "  length = 188\n",
        "  0203h Opal SSC 2.x, version 1.0, 16 bytes at byte 80\n    base_com_id = 0x07fe\n",
        "    initial_pin_indicator = 0 (MSID)\n",
        "  c001h unknown, version 1.0, 24 bytes at byte 132\n    bytes = 0001000101000000",
        "    alignment_granularity = 8\n    lowest_aligned_lba = absent\n",
        "  error: 4 bytes are missing\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(pretty::discovery(&[]).contains("error: 4 bytes are missing at byte 0"));
}

fn received(protocol: u8, sp_specific: u16, data: &str) -> String {
    payload(Direction::Receive, protocol, sp_specific, data)
}

fn sent(protocol: u8, sp_specific: u16, data: &str) -> String {
    payload(Direction::Send, protocol, sp_specific, data)
}

fn payload(direction: Direction, protocol: u8, sp_specific: u16, data: &str) -> String {
    let data = hex::decode(data).unwrap();
    let (protocol, com_id) = (SecurityProtocol(protocol), ComId(sp_specific));
    pretty::payload(direction, protocol, com_id, &data)
}

#[test]
fn what_is_sent_where_drives_only_answer_is_masked() {
    // 200 bytes that could pass for a response to Level 0 Discovery, or for a certificate.
    let data = format!("000000c4{}", "50".repeat(196));
    for (protocol, sp_specific) in [(0x01, 0x0001), (0x01, 0x0002), (0x00, 0x0001)] {
        let text = sent(protocol, sp_specific, &data);
        assert!(text.contains("<200 bytes masked>"), "{text}");
        assert!(!text.contains("5050"), "{text}");
    }
}

#[test]
fn other_protocols_are_explained() {
    let list = received(0x00, 0x0000, "000000000000 0003 00 01 02");
    let expected =
        "security protocols\n  00h security protocol information\n  01h TCG 01\n  02h TCG 02\n";
    assert_eq!(list, expected);
    let reset = received(0x02, 0x07fe, "07fe0000 00000002 0000 0004 00000000");
    let expected =
        "ComID management\n  ComID = 0x07fe, extension = 0x0000\n  STACK_RESET: success\n";
    assert_eq!(reset, expected);
    let request = sent(0x02, 0x1004, "10040000 00000002 00000000");
    assert!(
        request.ends_with("  STACK_RESET: requested or pending\n"),
        "{request}"
    );
    let state = received(0x02, 0x07fe, "07fe0000 00000001 0000 0004 00000003");
    assert!(
        state.ends_with("  VERIFY_COMID_VALID: associated\n"),
        "{state}"
    );
    let block = sent(0x02, 0x0005, "01 00");
    assert!(
        block.contains("hardware_reset_clears_block = true"),
        "{block}"
    );
    assert_eq!(sent(0x02, 0x0004, "00"), "TPER_RESET\n");
    assert_eq!(
        sent(0xef, 0x0001, "61626364"),
        "security protocol efh\n  <4 bytes masked>\n"
    );
    assert!(received(0x02, 0x0000, "00000000").contains("no ComID is free"));
    assert!(received(0x01, 0x0001, "00").starts_with("Level 0 Discovery"));
    assert!(sent(0x01, 0x1004, "00").starts_with("ComPacket of 1 bytes"));
}

#[test]
fn the_text_of_hostile_data_is_bounded() {
    let mut lists = vec![0xf0; 100_000];
    for tokens in [vec![0x01; 100_000], lists.clone(), vec![0xff; 100_000]] {
        assert!(pretty::tokens(&tokens).len() < 1_000_000);
    }
    lists.resize(200_000, 0xf1);
    let text = pretty::tokens(&lists);
    assert!(text.contains("lists nested too deeply"));
    assert!(text.ends_with("the rest is left out\n"));
}

fn tokens(name: &str) -> Vec<u8> {
    let com_packet = ComPacket::decode(&frame(name)).unwrap();
    com_packet.packets[0].tokens().to_vec()
}
