//! How tokens are written.

use sedkit::spec::{Hsn, Tsn, column, uid};
use sedkit::wire::{ComPacket, Value};

use crate::profiles::quirky;
use crate::support::{Bench, get, start_session};

/// The ComPacket that answers StartSession, as bytes.
fn sync_session(bench: &mut Bench) -> Vec<u8> {
    let call = start_session(uid::ADMIN_SP, true, None).encode();
    let (tsn, hsn) = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
    let frame = ComPacket::with_tokens(bench.com_id(), tsn, hsn, &call);
    bench.frame(&frame.encode())
}

/// Bytes of the field of four bytes at an offset.
fn field(bytes: &[u8], offset: usize) -> u32 {
    u32::from_be_bytes(bytes[offset..offset + 4].try_into().unwrap())
}

/// The tokens that answer Get of Enable and Done of MBRControl.
fn mbr_control(quirks: &[&str]) -> Vec<u8> {
    let mut bench = quirky(quirks);
    bench.activate();
    let session = bench.admin1();
    let get = get(uid::MBR_CONTROL, 1..=2);
    bench.tokens(session, &get.encode()).unwrap()
}

/// `[ [ 1 = 0, 2 = 0 ] ]`, SUCCESS.
const STANDARD: [u8; 18] = [
    0xf0, 0xf0, 0xf2, 0x01, 0x00, 0xf3, 0xf2, 0x02, 0x00, 0xf3, 0xf1, 0xf1, 0xf9, 0xf0, 0, 0, 0,
    0xf1,
];

#[test]
fn the_standard_form_is_the_narrowest() {
    assert_eq!(mbr_control(&[]), STANDARD);
}

#[test]
fn empty_atoms_or_zeros_follow_the_status_list() {
    // Demands D53 and D54, Toshiba.
    assert_eq!(
        mbr_control(&["empty-atoms"]),
        [&STANDARD[..], &[0xff; 2]].concat()
    );
    assert_eq!(
        mbr_control(&["trailing-zeros"]),
        [&STANDARD[..], &[0; 2]].concat()
    );
    // What fills its last four bytes, as SyncSession of 20h does, gets four more.
    let bytes = sync_session(&mut quirky(&["empty-atoms"]));
    assert_eq!(field(&bytes, 52), 0x24);
    assert_eq!(bytes[bytes.len() - 5..], [0xf1, 0xff, 0xff, 0xff, 0xff]);
}

#[test]
fn what_follows_fits_into_the_guaranteed_size() {
    // Reference 1.11: Linux reads 1982 bytes at a time, and the answer fills 2048 bytes exactly. A
    // TPer that adds something must refuse, and not send more than the host can take.
    use crate::support::get_bytes;
    use sedkit::spec::MethodStatus;
    for (quirks, status) in [
        (&[][..], MethodStatus::SUCCESS),
        (&["empty-atoms"], MethodStatus::RESPONSE_OVERFLOW),
    ] {
        let mut bench = quirky(quirks);
        bench.activate();
        let session = bench.admin1();
        let read = get_bytes(uid::DATA_STORE, 0..=0x7bd);
        assert_eq!(bench.status(session, &read), status);
        let less = get_bytes(uid::DATA_STORE, 0..=0x7b0);
        assert_eq!(bench.status(session, &less), MethodStatus::SUCCESS);
    }
}

#[test]
fn wide_integers_have_four_bytes() {
    // Demands 3.1 and 3.2, Crucial M550: SyncSession has 25h token bytes, see the vector's notes.
    let wide = [
        &[0xf0, 0xf0, 0xf2][..],
        &[0x84, 0, 0, 0, 1, 0x84, 0, 0, 0, 0, 0xf3, 0xf2],
        &[0x84, 0, 0, 0, 2, 0x84, 0, 0, 0, 0, 0xf3, 0xf1, 0xf1, 0xf9],
        &[0xf0, 0, 0, 0, 0xf1],
    ];
    assert_eq!(mbr_control(&["wide-integers"]), wide.concat());
    let bytes = sync_session(&mut quirky(&["wide-integers"]));
    assert_eq!(field(&bytes, 52), 0x25);
    assert_eq!(field(&sync_session(&mut Bench::new()), 52), 0x20);
}

#[test]
fn short_packet_length_ends_with_the_tokens() {
    // Crucial M550: 31h around a Subpacket of 25h; the ComPacket counts the padding.
    let bytes = sync_session(&mut quirky(&["wide-integers", "short-packet-length"]));
    assert_eq!([field(&bytes, 40), field(&bytes, 52)], [0x31, 0x25]);
    assert_eq!(field(&bytes, 16), 0x4c);
    let bytes = sync_session(&mut quirky(&["wide-integers"]));
    assert_eq!([field(&bytes, 40), field(&bytes, 52)], [0x34, 0x25]);
}

#[test]
fn medium_names_are_medium_atoms_however_short() {
    // Demands 3.2: names mix short and medium atoms.
    use sedkit::spec::method;
    use sedkit::wire::MethodCall;
    let call = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES);
    let tokens = |bench: &mut Bench| {
        let (tsn, hsn) = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
        let frame = ComPacket::with_tokens(bench.com_id(), tsn, hsn, &call.encode());
        let answer = ComPacket::decode(&bench.frame(&frame.encode())).unwrap();
        answer.packets[0].tokens().to_vec()
    };
    let holds = |tokens: &[u8], header: &[u8]| {
        let name = [header, b"MaxMethods"].concat();
        tokens.windows(name.len()).any(|window| window == name)
    };
    let quirk = tokens(&mut quirky(&["medium-names"]));
    assert!(holds(&quirk, &[0xf2, 0xd0, 0x0a]));
    assert!(holds(&tokens(&mut Bench::new()), &[0xf2, 0xaa]));
}

#[test]
fn values_are_the_same_in_every_form() {
    let all = [
        "wide-integers",
        "medium-names",
        "empty-atoms",
        "short-packet-length",
    ];
    let mut bench = quirky(&all);
    bench.activate();
    let session = bench.admin1();
    let cells = [(column::mbr_control::ENABLE, true.into())];
    bench.must_set(session, uid::MBR_CONTROL, &cells);
    let read = bench.get(session, uid::MBR_CONTROL, 1..=2);
    assert_eq!(read, Ok(vec![(1, Value::from(true)), (2, false.into())]));
}
