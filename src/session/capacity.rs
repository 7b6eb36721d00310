//! How many bytes of a byte table one method can carry (\[Core\] 3.2.3, 3.3.8, 5.3.3.6, 5.3.3.7).

use super::{Limits, Session};
use crate::spec::{Uid, method};
use crate::wire::atom::encoded_bytes_len;
use crate::wire::packet::{COM_PACKET_HEADER, OVERHEAD};
use crate::wire::{MethodCall, Value};

/// Tokens around the bytes in the answer to Get: a list, End of Data, and the status list.
const ANSWER: usize = 8;

/// Header of the longest atom; a TPer may use it whatever the length.
const LONG_ATOM: usize = 4;

/// Tokens are padded to a multiple of this many bytes.
const PADDING: usize = 4;

impl Session<'_> {
    /// The most bytes that one Set of a byte table can carry, at any offset up to `end`.
    #[must_use]
    pub fn set_capacity(&self, table: Uid, end: u64) -> usize {
        set_capacity(self.limits(), table, end)
    }

    /// The most bytes of a byte table that the answer to one Get can carry.
    #[must_use]
    pub fn get_capacity(&self) -> usize {
        get_capacity(self.limits())
    }
}

fn set_capacity(limits: Limits, table: Uid, end: u64) -> usize {
    let empty = set(table, end, &[]).encode().len();
    let around = empty - encoded_bytes_len(0);
    let room = limits.com_packet.min(limits.packet + COM_PACKET_HEADER);
    let tokens = room.saturating_sub(OVERHEAD) / PADDING * PADDING;
    let atom = tokens.saturating_sub(around).min(limits.ind_token);
    atom_content(atom)
}

fn get_capacity(limits: Limits) -> usize {
    let tokens = limits.response.saturating_sub(OVERHEAD) / PADDING * PADDING;
    tokens.saturating_sub(ANSWER + LONG_ATOM)
}

/// Set of bytes of a byte table from an offset on.
pub(super) fn set(table: Uid, offset: u64, bytes: &[u8]) -> MethodCall {
    MethodCall::new(table, method::SET)
        .optional(WHERE, offset)
        .optional(VALUES, Value::from(bytes))
}

/// Optional parameters of Set.
const WHERE: u64 = 0;
const VALUES: u64 = 1;

/// The most bytes in an atom of so many bytes.
fn atom_content(atom: usize) -> usize {
    let header = |header: &usize| {
        let content = atom.checked_sub(*header)?;
        (encoded_bytes_len(content) <= atom).then_some(content)
    };
    [1, 2, LONG_ATOM]
        .iter()
        .find_map(header)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Ssc, uid};

    #[test]
    fn atoms_hold_what_their_header_leaves() {
        for (atom, content) in [
            (0, 0),
            (1, 0),
            (16, 15),
            (17, 15),
            (18, 16),
            (2049, 2047),
            (2051, 2047),
            (2052, 2048),
            (65_480, 65_476),
        ] {
            assert_eq!(atom_content(atom), content, "{atom}");
        }
    }

    #[test]
    fn a_full_set_is_as_large_as_may_be_sent_and_no_larger() {
        // What the three kinds of headers leave of the packets that are known of drives.
        for size in [2048, 16_896, 17_408, 65_536, 131_072] {
            let limits = Limits::of_buffer(size);
            for end in [1, 63, 64, 0xffff, 128 << 20, u64::from(u32::MAX)] {
                let capacity = set_capacity(limits, uid::MBR, end);
                let length = |bytes: usize| {
                    let call = set(uid::MBR, end, &vec![0; bytes]);
                    (call.encode().len(), encoded_bytes_len(bytes))
                };
                let (tokens, token) = length(capacity);
                assert!(limits.check(tokens, token).is_ok(), "{size} {end}");
                let (tokens, token) = length(capacity + 1);
                assert!(limits.check(tokens, token).is_err(), "{size} {end}");
            }
        }
    }

    #[test]
    fn packets_of_64_kib_carry_65_438_bytes_up_to_128_mib() {
        // 65,536 - 56 of headers - 42 of method, offset in 4 bytes, atom header and status.
        let limits = Limits::of_buffer(65_536);
        assert_eq!(set_capacity(limits, uid::MBR, 128 << 20), 65_438);
        assert_eq!(get_capacity(limits), 65_468);
    }

    #[test]
    fn the_guaranteed_packets_carry_what_linux_reads_by_them() {
        // tcg.md 1.11: 1982 bytes fill 2048 exactly where the atom has a header of 2 bytes.
        assert_eq!(get_capacity(Limits::guaranteed(Ssc::Opal2)), 1982 - 2);
    }
}
