use super::*;
use crate::transport::Bus;

const TCG: SecurityProtocol = SecurityProtocol::TCG;
const COM_ID: ComId = ComId(0x1004);

/// The answer to a method without results: `F0 F1 F9 F0 00 00 00 F1`, TSN 1, HSN 69h.
fn com_packet() -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[4..6].copy_from_slice(&[0x10, 0x04]);
    bytes[19] = 24 + 12 + 8;
    bytes[23] = 0x01;
    bytes[27] = 0x69;
    bytes[43] = 12 + 8;
    bytes[55] = 8;
    bytes[56..].copy_from_slice(&[0xf0, 0xf1, 0xf9, 0xf0, 0x00, 0x00, 0x00, 0xf1]);
    bytes
}

/// A TPer that always has the same answer, and counts what reaches it.
struct Steady {
    identity: Identity,
    sent: usize,
    fetched: usize,
}

impl Transport for Steady {
    fn if_send(&mut self, _: SecurityProtocol, _: ComId, data: &[u8]) -> Result<(), Error> {
        assert_eq!(data, [1, 2, 3]);
        self.sent += 1;
        Ok(())
    }

    fn if_recv(
        &mut self,
        _: SecurityProtocol,
        _: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        self.fetched += 1;
        buffer.fill(0);
        buffer[..64].copy_from_slice(&com_packet());
        Ok(buffer.len())
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn max_transfer(&self) -> usize {
        4096
    }
}

fn fault(kinds: &[FaultKind], per_mille: u64, seed: u64) -> Fault<Steady> {
    let inner = Steady {
        identity: Identity::new(Bus::Virtual, b"M", b"S", b"1"),
        sent: 0,
        fetched: 0,
    };
    Fault::new(
        inner,
        FaultPlan {
            seed,
            per_mille,
            kinds: kinds.to_vec(),
        },
    )
    .0
}

fn always(kind: FaultKind) -> Fault<Steady> {
    fault(&[kind], 1000, 1)
}

fn receive(fault: &mut Fault<Steady>, size: usize) -> Vec<u8> {
    let mut buffer = vec![0xa5; size];
    let length = fault.if_recv(TCG, COM_ID, &mut buffer).unwrap();
    buffer.truncate(length);
    buffer
}

fn original(size: usize) -> Vec<u8> {
    let mut bytes = com_packet();
    bytes.resize(size, 0);
    bytes
}

fn number(bytes: &[u8], place: usize) -> u32 {
    u32::from_be_bytes(bytes[place..place + 4].try_into().unwrap())
}

/// OutstandingData, MinTransfer and Length of a ComPacket.
fn lengths(bytes: &[u8]) -> (u32, u32, u32) {
    (number(bytes, 8), number(bytes, 12), number(bytes, 16))
}

#[test]
fn nothing_is_disturbed_without_a_chance() {
    let mut fault = fault(&FaultKind::ALL, 0, 1);
    for _ in 0..100 {
        fault.if_send(TCG, COM_ID, &[1, 2, 3]).unwrap();
        assert_eq!(receive(&mut fault, 512), original(512));
    }
    assert_eq!((fault.inner.sent, fault.inner.fetched), (100, 100));
    assert_eq!(fault.handle.faults(), 0);
}

#[test]
fn same_seed_disturbs_in_the_same_way() {
    let run = |seed| {
        let mut fault = fault(&FaultKind::ALL, 300, seed);
        (0..50)
            .map(|_| receive(&mut fault, 512))
            .collect::<Vec<_>>()
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

#[test]
fn chance_is_about_what_was_asked_for() {
    let mut fault = fault(&[FaultKind::BitFlips], 100, 1);
    for _ in 0..10_000 {
        receive(&mut fault, 512);
    }
    let faults = fault.handle.faults();
    assert!((900..1100).contains(&faults), "{faults}");
}

#[test]
fn truncated_answer_is_shorter() {
    let mut fault = always(FaultKind::Truncate);
    for _ in 0..100 {
        let bytes = receive(&mut fault, 512);
        assert!(bytes.len() < 512);
        assert_eq!(bytes, original(512)[..bytes.len()]);
    }
}

#[test]
fn one_to_eight_bits_are_flipped() {
    let mut fault = always(FaultKind::BitFlips);
    for _ in 0..100 {
        let bytes = receive(&mut fault, 512);
        let pairs = bytes.iter().zip(original(512));
        let flipped: u32 = pairs.map(|(one, other)| (one ^ other).count_ones()).sum();
        assert!(flipped <= 8, "{flipped}");
    }
}

#[test]
fn session_numbers_are_those_of_another_session() {
    let bytes = receive(&mut always(FaultKind::WrongSession), 512);
    assert_ne!(number(&bytes, 20), 1);
    assert_ne!(number(&bytes, 24), 0x69);
    assert_eq!(bytes[28..], original(512)[28..]);
}

#[test]
fn stalled_answer_comes_in_the_end() {
    let mut fault = fault(&[FaultKind::Stall], 1000, 3);
    let first = receive(&mut fault, 512);
    assert_eq!(lengths(&first), (1, 0, 0));
    assert_eq!(&first[4..6], [0x10, 0x04]);
    assert_eq!(fault.inner.fetched, 0, "the answer still waits");
    fault.plan.per_mille = 0;
    let answer = (0..MAX_STALLS)
        .map(|_| receive(&mut fault, 512))
        .find(|bytes| bytes[19] != 0);
    assert_eq!(answer.unwrap(), original(512));
}

#[test]
fn endless_work_never_ends() {
    let mut fault = fault(&[FaultKind::EndlessOutstanding], 1000, 1);
    for _ in 0..1000 {
        assert_eq!(lengths(&receive(&mut fault, 512)), (1, 0, 0));
        fault.plan.per_mille = 0;
    }
    assert_eq!(fault.inner.fetched, 0);
}

#[test]
fn one_length_is_zero() {
    let mut fault = always(FaultKind::ZeroLength);
    for _ in 0..20 {
        let bytes = receive(&mut fault, 512);
        let zeros = [16, 40, 52]
            .iter()
            .filter(|&&place| number(&bytes, place) == 0);
        assert_eq!(zeros.count(), 1);
    }
}

#[test]
fn status_list_is_missing_and_all_lengths_fit() {
    let bytes = receive(&mut always(FaultKind::MissingStatus), 512);
    let mut expected = original(512);
    expected[59..64].fill(0);
    expected[19] = 24 + 12 + 4;
    expected[43] = 12 + 4;
    expected[55] = 3;
    assert_eq!(bytes, expected);
}

#[test]
fn lists_are_ten_thousand_deep_in_a_large_buffer() {
    let bytes = receive(&mut always(FaultKind::DeepLists), 32_768);
    assert_eq!((number(&bytes, 20), number(&bytes, 24)), (1, 0x69));
    let tokens = usize::try_from(number(&bytes, 52)).unwrap();
    assert_eq!(tokens, 20_006);
    assert_eq!(number(&bytes, 40), 12 + 20_008);
    assert_eq!(number(&bytes, 16), 24 + 12 + 20_008);
    let tokens = &bytes[56..56 + tokens];
    assert!(tokens[..10_000].iter().all(|&byte| byte == 0xf0));
    assert!(tokens[10_000..20_000].iter().all(|&byte| byte == 0xf1));
    assert_eq!(tokens[20_000..], [0xf9, 0xf0, 0x00, 0x00, 0x00, 0xf1]);
}

#[test]
fn deep_lists_wait_for_a_larger_buffer() {
    let mut fault = always(FaultKind::DeepLists);
    let size = 56 + 20_008;
    assert_eq!(lengths(&receive(&mut fault, 2048)), (size, size, 0));
    let bytes = receive(&mut fault, 20_480);
    assert_eq!(number(&bytes, 52), 20_006);
}

#[test]
fn answer_before_comes_again() {
    let mut fault = always(FaultKind::Duplicate);
    assert_eq!(
        receive(&mut fault, 512),
        original(512),
        "there is none before the first"
    );
    assert_eq!(receive(&mut fault, 1024), original(1024));
    assert_eq!(fault.inner.fetched, 1);
}

#[test]
fn commands_are_dropped_only_if_asked_for() {
    let mut dropping = always(FaultKind::DropSend);
    dropping.if_send(TCG, COM_ID, &[1, 2, 3]).unwrap();
    assert_eq!(dropping.inner.sent, 0);
    assert_eq!(receive(&mut dropping, 512), original(512));
    let plan = FaultPlan::new(1);
    assert!(!plan.kinds.contains(&FaultKind::DropSend));
    let mut others = fault(&plan.kinds, 1000, 1);
    others.if_send(TCG, COM_ID, &[1, 2, 3]).unwrap();
    assert_eq!(others.inner.sent, 1);
}

#[test]
fn discovery_is_disturbed_in_its_own_ways() {
    let packets = [
        FaultKind::WrongSession,
        FaultKind::Stall,
        FaultKind::EndlessOutstanding,
        FaultKind::MissingStatus,
        FaultKind::DeepLists,
        FaultKind::Duplicate,
    ];
    let mut fault = fault(&packets, 1000, 5);
    for _ in 0..20 {
        let mut buffer = [0; 512];
        fault
            .if_recv(TCG, ComId::LEVEL_0_DISCOVERY, &mut buffer)
            .unwrap();
        assert_eq!(buffer, original(512)[..]);
    }
    assert_eq!((fault.inner.fetched, fault.handle.faults()), (20, 0));
    let mut zero = always(FaultKind::ZeroLength);
    let mut buffer = [0xa5; 512];
    zero.if_recv(TCG, ComId::LEVEL_0_DISCOVERY, &mut buffer)
        .unwrap();
    assert_eq!(buffer[..12], [0; 12]);
}

#[test]
fn answers_of_any_size_survive_every_fault() {
    for kind in FaultKind::ALL {
        for size in 64..96 {
            receive(&mut always(kind), size);
        }
        let mut bytes = [0xff; 60];
        for size in 0..bytes.len() {
            answer::spoil(kind, true, &mut bytes[..size], &mut SplitMix64::new(9));
        }
    }
}

#[test]
fn refusals_pass() {
    use crate::transport::InterfaceStatus;
    use crate::transport::script::Script;
    let script = Script::new(Identity::new(Bus::Virtual, b"M", b"S", b"1"))
        .recv(TCG, COM_ID, [])
        .refuse(InterfaceStatus::SequenceError);
    let plan = FaultPlan {
        kinds: vec![FaultKind::Truncate],
        per_mille: 1000,
        seed: 1,
    };
    let error = Fault::new(script, plan)
        .0
        .if_recv(TCG, COM_ID, &mut [0; 512])
        .unwrap_err();
    assert!(matches!(error, Error::Interface { .. }));
}
