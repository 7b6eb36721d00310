//! What the ComPackets of an answer say: whether to poll on, and whose the tokens are.

use zeroize::Zeroizing;

use super::{Error, Malformed, MalformedKind};
use crate::spec::{Hsn, Tsn, method, uid};
use crate::wire::packet::COM_PACKET_HEADER;
use crate::wire::token::byte;
use crate::wire::{ComPacket, MethodCall, Packet, Value};

/// The two numbers of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) tsn: Tsn,
    pub(crate) hsn: Hsn,
}

impl Numbers {
    pub(crate) const SESSION_MANAGER: Self = Self {
        tsn: Tsn::SESSION_MANAGER,
        hsn: Hsn::SESSION_MANAGER,
    };

    fn of(packet: &Packet) -> Self {
        Self {
            tsn: packet.tsn,
            hsn: packet.hsn,
        }
    }
}

/// What the header of a fetched ComPacket asks the host to do (\[Core\] 3.3.10.4, \[Enterprise\]
/// table of IF-RECV responses).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// Packets are there.
    Ready,
    /// The TPer is at work: ask again later.
    Processing,
    /// The answer needs a buffer of so many bytes.
    NeedsBuffer(usize),
    /// Nothing will come.
    Nothing,
    /// The ComID is inactive.
    Inactive,
}

/// Judges the header of a ComPacket that was fetched into a buffer of `offered` bytes.
///
/// TPers differ in whether OutstandingData counts the header, so it is taken as missing where that
/// decides.
pub(crate) fn readiness(packet: &ComPacket, offered: usize) -> Readiness {
    const INACTIVE: u16 = 0xffff;
    let needed = packet.outstanding_data.max(packet.min_transfer);
    match (
        packet.packets.is_empty(),
        packet.outstanding_data,
        packet.min_transfer,
    ) {
        (false, _, _) => return Readiness::Ready,
        (true, 0, 0) if packet.extension == INACTIVE => return Readiness::Inactive,
        (true, 0, 0) => return Readiness::Nothing,
        (true, 1, 0) => return Readiness::Processing,
        (true, _, _) => {}
    }
    let needed = usize::try_from(needed).unwrap_or(usize::MAX);
    if needed.saturating_add(COM_PACKET_HEADER) > offered {
        Readiness::NeedsBuffer(needed)
    } else {
        Readiness::Processing
    }
}

/// The tokens that belong to a session among the Packets of an answer; `None` if the Packets only
/// told that other sessions are closed.
///
/// # Errors
/// [`Error::Closed`] if they tell that this session is closed, [`Error::Malformed`] if they belong
/// to another session.
pub(crate) fn tokens_of(
    numbers: Numbers,
    packets: &[Packet],
) -> Result<Option<Zeroizing<Vec<u8>>>, Error> {
    let mut own: Option<Zeroizing<Vec<u8>>> = None;
    for packet in packets {
        let tokens = packet.tokens();
        if Numbers::of(packet) == Numbers::SESSION_MANAGER
            && let Some(closed) = closed_session(&tokens)
        {
            if closed == numbers {
                return Err(Error::Closed);
            }
            continue;
        }
        if Numbers::of(packet) != numbers {
            return Err(Malformed::new(MalformedKind::SessionNumbers, &tokens).into());
        }
        own.get_or_insert_default().extend_from_slice(&tokens);
    }
    Ok(own)
}

/// The sessions that are still open according to the Packets of an answer that nobody waits for.
pub(crate) fn sessions_of(packets: &[Packet]) -> Vec<Numbers> {
    let mut sessions = Vec::new();
    for packet in packets {
        let (numbers, tokens) = (Numbers::of(packet), packet.tokens());
        if numbers != Numbers::SESSION_MANAGER {
            sessions.extend((!is_end_of_session(&tokens)).then_some(numbers));
        } else if let Some(closed) = closed_session(&tokens) {
            sessions.retain(|session| *session != closed);
        } else {
            sessions.extend(opened_session(&tokens));
        }
    }
    sessions.dedup();
    sessions
}

/// Whether tokens end a session; empty atoms may precede it.
pub(crate) fn is_end_of_session(tokens: &[u8]) -> bool {
    let mut tokens = tokens.iter().filter(|&&token| token != byte::EMPTY);
    tokens.next() == Some(&byte::END_OF_SESSION)
}

/// The session that a SyncSession claims to have opened, if the TPer can know it by these numbers.
pub(crate) fn claimed_session(tokens: &[u8]) -> Option<Numbers> {
    opened_session(tokens).filter(|numbers| numbers.tsn != Tsn::SESSION_MANAGER)
}

/// The session that a SyncSession opened.
fn opened_session(tokens: &[u8]) -> Option<Numbers> {
    let call = MethodCall::decode(tokens).ok()?;
    if call.method_id != method::SYNC_SESSION || !call.status.is_success() {
        return None;
    }
    numbers_in(&call)
}

/// The session that a CloseSession names (\[Core\] 5.2.3.5: remote number, then local number).
fn closed_session(tokens: &[u8]) -> Option<Numbers> {
    let call = MethodCall::decode(tokens).ok()?;
    if call.invoking_id != uid::SESSION_MANAGER || call.method_id != method::CLOSE_SESSION {
        return None;
    }
    numbers_in(&call)
}

/// Host session number and TPer session number, the first two arguments of a session manager's
/// answer.
fn numbers_in(call: &MethodCall) -> Option<Numbers> {
    let number = |index| {
        let value = call.arguments.get(index).and_then(Value::as_uint)?;
        u32::try_from(value).ok()
    };
    Some(Numbers {
        hsn: Hsn(number(0)?),
        tsn: Tsn(number(1)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::ComId;

    const OWN: Numbers = Numbers {
        tsn: Tsn(0x1001),
        hsn: Hsn(0x69),
    };
    const OTHER: Numbers = Numbers {
        tsn: Tsn(0x1002),
        hsn: Hsn(0x69),
    };
    const SUCCESS: [u8; 8] = [0xf0, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1];

    fn packets(numbers: Numbers, tokens: &[u8]) -> Vec<Packet> {
        ComPacket::with_tokens(ComId(0x1004), numbers.tsn, numbers.hsn, tokens).packets
    }

    fn header(outstanding_data: u32, min_transfer: u32, extension: u16) -> ComPacket {
        ComPacket {
            outstanding_data,
            min_transfer,
            extension,
            ..ComPacket::empty(ComId(0x1004))
        }
    }

    /// CloseSession as a TPer prepares it, tcg.md frame 7.36: HSN 69h, TSN 1001h.
    fn close_session(numbers: Numbers) -> Vec<Packet> {
        let call = MethodCall::new(uid::SESSION_MANAGER, method::CLOSE_SESSION)
            .argument(u64::from(numbers.hsn.0))
            .argument(u64::from(numbers.tsn.0));
        packets(Numbers::SESSION_MANAGER, &call.encode())
    }

    #[test]
    fn headers_say_what_to_do() {
        assert_eq!(readiness(&header(0, 0, 0), 2048), Readiness::Nothing);
        assert_eq!(readiness(&header(0, 0, 0xffff), 2048), Readiness::Inactive);
        assert_eq!(readiness(&header(1, 0, 0), 2048), Readiness::Processing);
        assert_eq!(
            readiness(&header(3000, 0, 0), 2048),
            Readiness::NeedsBuffer(3000)
        );
        assert_eq!(
            readiness(&header(3000, 3000, 0), 2048),
            Readiness::NeedsBuffer(3000)
        );
        assert_eq!(
            readiness(&header(1, 3000, 0), 2048),
            Readiness::NeedsBuffer(3000)
        );
    }

    #[test]
    fn an_answer_that_fits_only_without_its_header_needs_more() {
        assert_eq!(
            readiness(&header(2040, 0, 0), 2048),
            Readiness::NeedsBuffer(2040)
        );
        assert_eq!(readiness(&header(2028, 0, 0), 2048), Readiness::Processing);
    }

    #[test]
    fn tokens_of_other_sessions_are_refused() {
        let tokens = tokens_of(OWN, &packets(OWN, &SUCCESS)).unwrap().unwrap();
        assert_eq!(tokens.as_slice(), SUCCESS);
        for numbers in [OTHER, Numbers::SESSION_MANAGER] {
            let error = tokens_of(OWN, &packets(numbers, &SUCCESS)).unwrap_err();
            let Error::Malformed(malformed) = error else {
                panic!("{error}");
            };
            assert_eq!(malformed.kind, MalformedKind::SessionNumbers);
        }
    }

    #[test]
    fn a_closed_session_is_told_apart_from_another_one() {
        assert!(matches!(
            tokens_of(OWN, &close_session(OWN)),
            Err(Error::Closed)
        ));
        assert!(tokens_of(OWN, &close_session(OTHER)).unwrap().is_none());
    }

    #[test]
    fn leftovers_name_the_session_that_is_still_open() {
        assert_eq!(sessions_of(&packets(OWN, &SUCCESS)), [OWN]);
        assert_eq!(sessions_of(&packets(OWN, &[0xfa])), []);
        assert_eq!(sessions_of(&close_session(OWN)), []);
        let mut both = packets(OWN, &SUCCESS);
        both.extend(close_session(OWN));
        assert_eq!(sessions_of(&both), []);
    }

    #[test]
    fn leftover_sync_session_names_the_session_that_it_opened() {
        // tcg.md frames 7.5 and 7.6: success with TSN 1001h, failure NOT_AUTHORIZED.
        let success = [
            0xf8, 0xa8, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xa8, 0, 0, 0, 0, 0, 0, 0xff, 0x03, 0xf0, 0x81,
            0x69, 0x82, 0x10, 0x01, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1,
        ];
        let failure = [
            0xf8, 0xa8, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xa8, 0, 0, 0, 0, 0, 0, 0xff, 0x03, 0xf0, 0x81,
            0x69, 0x00, 0xf1, 0xf9, 0xf0, 1, 0, 0, 0xf1,
        ];
        let manager = Numbers::SESSION_MANAGER;
        assert_eq!(sessions_of(&packets(manager, &success)), [OWN]);
        assert_eq!(sessions_of(&packets(manager, &failure)), []);
    }
}
