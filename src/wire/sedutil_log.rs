//! Debug logs of sedutil: finds the hex dumps in them.
//!
//! `sedutil-cli -vvvvv` prints each buffer that it sends or receives as lines of an offset, groups of
//! eight digits and the text of the bytes, after lines that say what it is. Users post such logs, so
//! anything may stand between, lines may be cut, and the dump of a Level 0 response ends early.
//!
//! **Such logs show PINs**, so the bytes of a [`Block`] are wiped when dropped and don't appear in
//! `Debug`.
//!
//! ```
//! use sedkit::wire::sedutil_log::{self, BlockKind, Direction};
//!
//! let log = "\
//! - 22:11:34.708 DBG3: Dumping command buffer
//! - 22:11:34.708 DBG1: Entering hexDump
//! 0000 00000000 10040000 00000000 00000000  ................
//! 0010 00000028 00001001 00000069 00000000  ...(.......i....
//! 0020 00000000 00000000 00000010 00000000  ................
//! 0030 00000000 00000001 fa000000           ............
//! - 22:11:34.708 DBG1: Entering DtaDev
//! ";
//! let blocks = sedutil_log::decode(log);
//! assert_eq!(blocks.len(), 1);
//! assert_eq!(blocks[0].heading, "Dumping command buffer");
//! assert_eq!(blocks[0].direction(), Some(Direction::Sent));
//! assert_eq!(blocks[0].kind(), BlockKind::ComPacket);
//! assert_eq!(blocks[0].bytes.len(), 60);
//! ```

use std::fmt;

use zeroize::Zeroizing;

use super::hex::DumpLine;
use super::packet::{COM_PACKET_HEADER, PACKET_HEADER};
use super::{ComPacket, DecodeError, Discovery, Reader};
use crate::spec::FeatureCode;

/// Most bytes in one line of a dump.
const MAX_LINE: usize = 64;

/// A hex dump of a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Block {
    /// The number of its first line, from 1.
    pub line: usize,
    /// The line of text before it, without time and level; empty if there is none.
    pub heading: String,
    /// The bytes. Wiped when dropped, since they may hold a PIN.
    pub bytes: Zeroizing<Vec<u8>>,
}

/// What a dump shows, judged by its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A response to Level 0 Discovery.
    Discovery,
    /// A ComPacket, maybe a damaged one.
    ComPacket,
    /// Anything else: identify data, ComID requests, other buffers.
    Unknown,
}

/// Where a dump's bytes went, judged by its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the drive.
    Sent,
    /// From the drive.
    Received,
}

/// The hex dumps of a log, in its order.
///
/// A dump begins with offset 0; it goes on as long as offsets fit the bytes between them.
#[must_use]
pub fn decode(log: &str) -> Vec<Block> {
    let lines: Vec<&str> = log.lines().collect();
    let mut rest = lines.as_slice();
    let mut heading = "";
    let mut blocks = Vec::new();
    while let Some((line, after)) = rest.split_first() {
        let Some((bytes, used)) = dump(rest) else {
            heading = text_of(line).unwrap_or(heading);
            rest = after;
            continue;
        };
        blocks.push(Block {
            line: lines.len() - rest.len() + 1,
            heading: sanitised(std::mem::take(&mut heading)),
            bytes,
        });
        rest = rest.split_at(used).1;
    }
    blocks
}

/// The bytes of the dump that begins with the first line, and how many lines it has.
fn dump(lines: &[&str]) -> Option<(Zeroizing<Vec<u8>>, usize)> {
    let mut last = DumpLine::parse(lines.first()?).filter(|first| first.offset == 0)?;
    let mut bytes = Zeroizing::new(Vec::new());
    let mut used = 1;
    while let Some((next, more)) = lines.get(used).and_then(|line| following(&last, line)) {
        bytes.extend_from_slice(&more);
        last = next;
        used += 1;
    }
    let more = Zeroizing::new(last.bytes().unwrap_or_default());
    bytes.extend_from_slice(&more);
    (!bytes.is_empty()).then_some((bytes, used))
}

/// A dump's next line, if its offset fits the bytes of the line before, and these bytes.
fn following<'a>(last: &DumpLine<'_>, line: &'a str) -> Option<(DumpLine<'a>, Zeroizing<Vec<u8>>)> {
    let next = DumpLine::parse(line)?;
    let count = usize::try_from(next.offset.checked_sub(last.offset)?).ok()?;
    let bytes = Some(count)
        .filter(|count| (1..=MAX_LINE).contains(count))
        .and_then(|count| last.take(count))?;
    Some((next, Zeroizing::new(bytes)))
}

/// What a line of text says; `None` for lines that say nothing of the dump after them.
fn text_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let says_nothing =
        line.is_empty() || line.contains("hexDump") || DumpLine::parse(line).is_some();
    let text = line
        .strip_prefix("- ")
        .and_then(|line| line.split_once(": "))
        .map_or(line, |(_, text)| text.trim());
    (!says_nothing).then_some(text)
}

/// At most 200 printable characters.
fn sanitised(text: &str) -> String {
    let printable = |character: char| match character {
        ' '..='~' => character,
        _ => '?',
    };
    text.chars().take(200).map(printable).collect()
}

impl Block {
    /// What the dump shows.
    #[must_use]
    pub fn kind(&self) -> BlockKind {
        if is_discovery(&self.bytes) {
            BlockKind::Discovery
        } else if ComPacket::decode(&self.bytes).is_ok_and(|packet| packet.com_id.0 != 0)
            || is_damaged_com_packet(&self.bytes).unwrap_or(false)
        {
            BlockKind::ComPacket
        } else {
            BlockKind::Unknown
        }
    }

    /// Where the bytes went, if the heading tells.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        let heading = self.heading.to_ascii_lowercase();
        if heading.contains("command") {
            Some(Direction::Sent)
        } else if heading.contains("reply") || heading.contains("response") {
            Some(Direction::Received)
        } else {
            None
        }
    }
}

fn is_discovery(bytes: &[u8]) -> bool {
    Discovery::decode(bytes).is_ok_and(|discovery| {
        discovery.revision == 1 && discovery.feature(FeatureCode::TPER).is_some()
    })
}

/// True if the headers of a ComPacket that can't be decoded agree with each other.
fn is_damaged_com_packet(bytes: &[u8]) -> Result<bool, DecodeError> {
    let mut reader = Reader::new(bytes);
    let (reserved, com_id) = (reader.u32()?, reader.u16()?);
    reader.take(COM_PACKET_HEADER - 10)?;
    let com_packet_length = reader.u32()?;
    reader.take(PACKET_HEADER - 4)?;
    let packet_length = reader.u32()?;
    Ok(reserved == 0 && com_id != 0 && packet_length.checked_add(24) == Some(com_packet_length))
}

impl fmt::Debug for Block {
    /// The bytes appear by their number only: they may hold a PIN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block")
            .field("line", &self.line)
            .field("heading", &self.heading)
            .field("bytes", &format_args!("<{} bytes>", self.bytes.len()))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Shaped like the logs of issue threads; the PIN is invented.
    const LOG: &str = "\
- 08:02:48.000 DBG : Log level set to DBG4
- 08:02:48.000 DBG3: Dumping D0Response
- 08:02:48.000 DBG1: Entering hexDump
0000 00000060 00000001 00000000 00000000  ...`............ 
0010 00000000 00000000 00000000 00000000  ................ 
0020 00000000 00000000 00000000 00000000  ................ 
0030 0001100c 11000000 00000000 00000000  ................ 
0040 0002100c 09000000 00000000 00000000  ................ 
0050 02031010 07fe0001 00000400 0800      ..............
- 08:02:48.000 DBG1: Entering DtaSession::sendCommand()

Dumping command buffer
Entering hexDump
0000 00000000 07fe0000 00000000 00000000  ................ 
0010 00000050 00001001 00000069 00000000  ...P.......i.... 
0020 00000000 00000000 00000038 00000000  ...........8.... 
0030 00000000 0000002c f8a80000 000b0000  .......,........ 
0040 0001a800 00000600 000017f0 f201f0f2  ................ 
0050 03a83132 33343536 3738f3f1 f3f1f9f0  ..12345678...... 
0060 000000f1                             ....
Security Send Command

Dumping reply buffer
Entering hexDump
0000 00000000 07fe0000 00000000 00000000  ................ 
0010 0000002c 00001001 00000069 00000000  ...,.......i.... 
0020 00000000 00000000 00000014 00000000  ................ 
0030 00000000 00000008 f0f1f9f0 0000
- 08:02:48.000 ERR : method status code
0000 deadbeef deadbeef                    ........
";

    #[test]
    fn every_dump_is_found_with_its_heading() {
        let found: Vec<_> = decode(LOG)
            .iter()
            .map(|block| {
                (
                    block.line,
                    block.heading.clone(),
                    block.bytes.len(),
                    block.kind(),
                )
            })
            .collect();
        let expected = [
            (4, "Dumping D0Response", 94, BlockKind::Discovery),
            (14, "Dumping command buffer", 100, BlockKind::ComPacket),
            (25, "Dumping reply buffer", 62, BlockKind::ComPacket),
            (30, "method status code", 8, BlockKind::Unknown),
        ];
        let expected =
            expected.map(|(line, text, length, kind)| (line, text.to_owned(), length, kind));
        assert_eq!(found, expected);
    }

    #[test]
    fn headings_tell_the_direction() {
        let directions: Vec<_> = decode(LOG).iter().map(Block::direction).collect();
        let received = Some(Direction::Received);
        assert_eq!(
            directions,
            [received, Some(Direction::Sent), received, None]
        );
    }

    #[test]
    fn the_bytes_are_those_of_the_dump_not_of_its_text() {
        let blocks = decode(LOG);
        let packet = ComPacket::decode(&blocks[1].bytes).unwrap();
        let tokens = packet.packets[0].tokens();
        assert!(tokens.windows(9).any(|bytes| bytes == b"\xa812345678"));
        assert_eq!(
            blocks[3].bytes.as_slice(),
            [0xde, 0xad, 0xbe, 0xef, 0xde, 0xad, 0xbe, 0xef]
        );
        let discovery = Discovery::decode(&blocks[0].bytes).unwrap();
        assert_eq!(discovery.missing, 6);
        assert_eq!(discovery.opal2().unwrap().pin_behaviour_on_revert, None);
    }

    #[test]
    fn debug_shows_no_bytes() {
        let text = format!("{:?}", decode(LOG));
        assert!(
            text.contains("<100 bytes>") && !text.contains("3132"),
            "{text}"
        );
    }

    #[test]
    fn a_gap_ends_a_dump_and_hostile_text_is_harmless() {
        let text = "what\x1b[2J\n0000 00000000\n0010 00000000\n0000 01\n0001 02\n0003 03\n";
        let blocks = decode(text);
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].heading, "what?[2J");
        assert_eq!(blocks[0].bytes.len(), 4);
        assert_eq!(
            (blocks[1].heading.as_str(), blocks[1].bytes.as_slice()),
            ("", &[1, 2][..])
        );
    }

    #[test]
    fn every_cut_of_a_log_is_harmless() {
        for length in 0..LOG.len() {
            let blocks = decode(LOG.get(..length).unwrap());
            assert!(blocks.len() <= 4);
            assert!(blocks.iter().all(|block| block.bytes.len() <= 100));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_harmless(text in "[0-9a-f \n:-]{0,300}") {
            for block in decode(&text) {
                let _ = (block.kind(), block.direction());
            }
        }
    }
}
