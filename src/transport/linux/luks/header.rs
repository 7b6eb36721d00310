//! The header of a LUKS2 volume, as far as it says that the drive's own locking is used (LUKS2
//! On-Disk Format Specification 1.1.2, chapters 2 and 3).
//!
//! A binary header of 4096 bytes and an area of JSON follow each other, twice: the second pair
//! stands where the first one ends. Checksums are not looked at: a header that is half written says
//! the same of locking ranges before and after.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};

use serde::Deserialize;

use crate::spec::RangeNumber;
use crate::transport::sanitise;

/// Bytes of the binary header.
const BINARY: usize = 4096;
const FIRST_MAGIC: &[u8; 6] = b"LUKS\xba\xbe";
const SECOND_MAGIC: &[u8; 6] = b"SKUL\xba\xbe";
/// Version of the format, big-endian.
const VERSION: [u8; 2] = [0, 2];
/// Bytes of a binary header and its JSON, and so the places where the second pair may begin.
const SIZES: [u32; 9] = [
    0x4000, 0x8000, 0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000, 0x10_0000, 0x20_0000, 0x40_0000,
];

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// UUID of the volume, sanitised.
    pub(super) uuid: String,
    /// Its label, sanitised; empty if it has none.
    pub(super) label: String,
    /// The segments for which the drive's own locking is used.
    pub(super) segments: Vec<Segment>,
}

/// A part of a volume that lies in a locking range of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// The range; `None` if the header does not say it in a way that can be read.
    pub(super) range: Option<RangeNumber>,
    /// dm-crypt encrypts on top.
    pub(super) with_crypt: bool,
}

/// Reads some bytes at an offset.
pub(super) type Source<'s> = &'s dyn Fn(u64, usize) -> io::Result<Vec<u8>>;

/// Reads the header of a volume; nothing if there is none.
///
/// The second header counts if the first is damaged or was wiped out. Where anything else stands in
/// place of the first, the second is a leftover of a volume that is gone.
///
/// # Errors
/// What `source` answers, but for the end of the device; [`ErrorKind::InvalidData`] for a LUKS2 header
/// that is damaged in both places.
pub(super) fn read(source: Source<'_>) -> io::Result<Option<Header>> {
    let Some(start) = bytes(source, 0, BINARY)? else {
        return Ok(None);
    };
    let has_magic = start.starts_with(FIRST_MAGIC) && start.get(6..8) == Some(&VERSION);
    if let Some(header) = read_pair(source, 0, FIRST_MAGIC)? {
        return Ok(Some(header));
    }
    if !has_magic && start.iter().any(|&byte| byte != 0) {
        return Ok(None);
    }
    for size in SIZES {
        if let Some(header) = read_pair(source, size.into(), SECOND_MAGIC)? {
            return Ok(Some(header));
        }
    }
    match has_magic {
        true => Err(ErrorKind::InvalidData.into()),
        false => Ok(None),
    }
}

/// Reads the binary header at `offset`, and the JSON that follows it.
fn read_pair(source: Source<'_>, offset: u64, magic: &[u8; 6]) -> io::Result<Option<Header>> {
    let Some(start) = bytes(source, offset, BINARY)? else {
        return Ok(None);
    };
    let Some(binary) = Binary::parse(&start, offset, magic) else {
        return Ok(None);
    };
    let json = bytes(source, offset + 4096, binary.size - BINARY)?;
    let segments = json.as_deref().and_then(segments);
    Ok(segments.map(|segments| Header {
        uuid: binary.uuid,
        label: binary.label,
        segments,
    }))
}

/// What a source has; nothing beyond its end.
fn bytes(source: Source<'_>, offset: u64, length: usize) -> io::Result<Option<Vec<u8>>> {
    match source(offset, length) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// What is used of the binary header.
#[derive(Debug, PartialEq, Eq)]
struct Binary {
    /// Bytes of the binary header and the JSON together.
    size: usize,
    uuid: String,
    label: String,
}

impl Binary {
    /// | bytes | content, integers big-endian |
    /// |---|---|
    /// | 0–5 | magic |
    /// | 6–7 | version, 2 |
    /// | 8–15 | size of this and the JSON |
    /// | 24–71 | label |
    /// | 168–207 | UUID |
    /// | 256–263 | where this stands |
    fn parse(bytes: &[u8], offset: u64, magic: &[u8; 6]) -> Option<Self> {
        if !bytes.starts_with(magic) || bytes.get(6..8)? != VERSION {
            return None;
        }
        let size = u64_at(bytes, 8)?;
        let is_size = SIZES.iter().any(|&known| u64::from(known) == size);
        if !is_size || u64_at(bytes, 256)? != offset {
            return None;
        }
        Some(Self {
            size: usize::try_from(size).ok()?,
            label: text(bytes.get(24..72)?),
            uuid: text(bytes.get(168..208)?),
        })
    }
}

fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let field = bytes.get(offset..)?.first_chunk()?;
    Some(u64::from_be_bytes(*field))
}

/// A text that ends with the first zero, or with its field.
fn text(field: &[u8]) -> String {
    sanitise(until_zero(field))
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// The JSON area. Of what is not named here, only the form is checked.
#[derive(Deserialize)]
struct Metadata {
    segments: BTreeMap<String, RawSegment>,
}

#[derive(Deserialize)]
struct RawSegment {
    #[serde(rename = "type")]
    kind: String,
    opal_segment_number: Option<Number>,
}

/// A number, or one in a text: 64-bit fields are texts in LUKS2.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Plain(u16),
    Text(String),
    Other(serde::de::IgnoredAny),
}

/// The segments of a JSON area that lie in locking ranges; `None` if the area cannot be read.
fn segments(json: &[u8]) -> Option<Vec<Segment>> {
    let metadata: Metadata = serde_json::from_slice(until_zero(json)).ok()?;
    let mut segments: Vec<Segment> = Vec::new();
    for raw in metadata.segments.values() {
        let segment = raw.segment();
        segments.extend(segment.filter(|segment| !segments.contains(segment)));
    }
    Some(segments)
}

impl RawSegment {
    fn segment(&self) -> Option<Segment> {
        let with_crypt = match self.kind.as_str() {
            "hw-opal" => false,
            "hw-opal-crypt" => true,
            _ => return None,
        };
        let number = match self.opal_segment_number.as_ref() {
            Some(Number::Plain(number)) => Some(*number),
            Some(Number::Text(text)) => text.parse().ok(),
            Some(Number::Other(_)) | None => None,
        };
        Some(Segment {
            range: number.map(RangeNumber),
            with_crypt,
        })
    }
}

#[cfg(test)]
pub(in crate::transport::linux) mod tests {
    use super::*;

    /// JSON of a volume as `cryptsetup luksFormat --hw-opal-only` makes it, cut to its segments.
    pub(crate) fn json(kind: &str, number: &str) -> String {
        format!(
            r#"{{"keyslots":{{}},"tokens":{{}},"segments":{{"0":{{"type":"{kind}",
            "offset":"16777216","size":"50331648","opal_segment_number":{number},
            "opal_key_size":32,"opal_segment_size":"50331648"}}}},
            "digests":{{}},"config":{{"json_size":"12288","keyslots_size":"16744448",
            "requirements":{{"mandatory":["opal"]}}}}}}"#
        )
    }

    /// A binary header and its JSON, 16 KiB together.
    pub(crate) fn pair(magic: &[u8; 6], offset: u64, json: &str) -> Vec<u8> {
        let mut header = vec![0; 0x4000];
        header[..6].copy_from_slice(magic);
        header[6..8].copy_from_slice(&[0, 2]);
        header[8..16].copy_from_slice(&0x4000_u64.to_be_bytes());
        header[16..24].copy_from_slice(&3_u64.to_be_bytes());
        header[24..31].copy_from_slice(b"archive");
        header[72..78].copy_from_slice(b"sha256");
        header[168..204].copy_from_slice(UUID.as_bytes());
        header[256..264].copy_from_slice(&offset.to_be_bytes());
        header[4096..4096 + json.len()].copy_from_slice(json.as_bytes());
        header
    }

    pub(crate) const UUID: &str = "0c7ad2b1-54f3-4b0e-9d5c-7b1f0c2a9e11";

    /// A whole volume: both headers.
    pub(crate) fn volume(json: &str) -> Vec<u8> {
        let mut volume = pair(FIRST_MAGIC, 0, json);
        volume.extend(pair(SECOND_MAGIC, 0x4000, json));
        volume
    }

    fn found(device: &[u8]) -> Option<Header> {
        answer(device).unwrap()
    }

    fn is_damaged(device: &[u8]) -> bool {
        answer(device).is_err_and(|error| error.kind() == ErrorKind::InvalidData)
    }

    fn answer(device: &[u8]) -> io::Result<Option<Header>> {
        read(&|offset, length| {
            let offset = usize::try_from(offset).unwrap();
            let bytes = device.get(offset..offset + length);
            bytes
                .map(<[u8]>::to_vec)
                .ok_or_else(|| ErrorKind::UnexpectedEof.into())
        })
    }

    fn ranges(device: &[u8]) -> Option<Vec<Option<u16>>> {
        let segments = found(device)?.segments.into_iter();
        Some(segments.map(|one| one.range.map(|range| range.0)).collect())
    }

    #[test]
    fn volume_in_a_locking_range_is_found() {
        for (kind, with_crypt) in [("hw-opal", false), ("hw-opal-crypt", true)] {
            let header = found(&volume(&json(kind, "2"))).unwrap();
            assert_eq!(header.uuid, UUID);
            assert_eq!(header.label, "archive");
            let range = Some(RangeNumber(2));
            assert_eq!(header.segments, [Segment { range, with_crypt }]);
        }
    }

    #[test]
    fn numbers_may_be_texts_and_what_is_none_is_not_known() {
        for (number, range) in [
            ("8", Some(8)),
            ("\"3\"", Some(3)),
            ("-1", None),
            ("70000", None),
            ("null", None),
            ("[1]", None),
            ("\"one\"", None),
        ] {
            assert_eq!(ranges(&volume(&json("hw-opal", number))), Some(vec![range]));
        }
        let without = r#"{"segments":{"0":{"type":"hw-opal"}}}"#;
        assert_eq!(ranges(&volume(without)), Some(vec![None]));
    }

    #[test]
    fn other_segments_do_not_use_the_drive_s_locking() {
        assert_eq!(ranges(&volume(&json("crypt", "1"))), Some(vec![]));
        let two = r#"{"segments":{"0":{"type":"crypt"},"1":{"type":"hw-opal","opal_segment_number":4},
            "2":{"type":"hw-opal","opal_segment_number":4}}}"#;
        assert_eq!(ranges(&volume(two)), Some(vec![Some(4)]));
    }

    #[test]
    fn second_header_counts_where_the_first_is_damaged_or_wiped() {
        let good = json("hw-opal", "1");
        let mut damaged = volume(&good);
        damaged[4096..8192].fill(b'x');
        assert_eq!(ranges(&damaged), Some(vec![Some(1)]));
        let mut wiped = volume(&good);
        wiped[..0x4000].fill(0);
        assert_eq!(ranges(&wiped), Some(vec![Some(1)]));
        for offset in SIZES {
            let mut device = vec![0; usize::try_from(offset).unwrap()];
            device.extend(pair(SECOND_MAGIC, offset.into(), &good));
            assert_eq!(ranges(&device), Some(vec![Some(1)]), "{offset:x}");
        }
    }

    #[test]
    fn second_header_is_a_leftover_where_something_else_was_made() {
        let mut ext4 = volume(&json("hw-opal", "1"));
        ext4[..4096].fill(0);
        ext4[1024 + 56..1024 + 58].copy_from_slice(&[0x53, 0xef]);
        assert_eq!(found(&ext4), None);
    }

    #[test]
    fn what_is_no_header_is_none_and_a_damaged_one_is_an_error() {
        let good = json("hw-opal", "1");
        let change = |at: usize, bytes: &[u8]| {
            let mut device = pair(FIRST_MAGIC, 0, &good);
            device[at..at + bytes.len()].copy_from_slice(bytes);
            device
        };
        for (what, device) in [
            ("nothing", vec![]),
            ("LUKS1", change(6, &[0, 1])),
            ("second magic first", change(0, SECOND_MAGIC)),
            ("zeros", vec![0; 1 << 20]),
        ] {
            assert_eq!(found(&device), None, "{what}");
        }
        for (what, device) in [
            ("too short", pair(FIRST_MAGIC, 0, &good)[..0x3fff].to_vec()),
            ("size 0", change(8, &[0; 8])),
            ("size of 8 KiB", change(8, &0x2000_u64.to_be_bytes())),
            ("size of 8 MiB", change(8, &0x80_0000_u64.to_be_bytes())),
            ("no power of two", change(8, &0x5000_u64.to_be_bytes())),
            ("size beyond memory", change(8, &[0xff; 8])),
            (
                "copied from elsewhere",
                change(256, &0x4000_u64.to_be_bytes()),
            ),
            ("no JSON", change(4096, b"\xff\xfe{")),
        ] {
            assert!(is_damaged(&device), "{what}");
        }
    }

    #[test]
    fn deep_and_odd_json_is_damage() {
        for json in [
            "[".repeat(10_000),
            r#"{"segments":[]}"#.to_owned(),
            r#"{"segments":{"0":{"type":7}}}"#.to_owned(),
            r#"{"keyslots":{}}"#.to_owned(),
            format!(r#"{{"a":{},"segments":{{}}}}"#, "[".repeat(5_000)),
        ] {
            assert!(is_damaged(&volume(&json)), "{json:.40}");
        }
    }

    #[test]
    fn texts_of_a_header_are_hostile() {
        let mut device = volume(&json("hw-opal", "1"));
        device[24..72].fill(0x1b);
        device[168..208].fill(b'A');
        let header = found(&device).unwrap();
        assert!(
            header
                .label
                .chars()
                .all(|character| !character.is_control())
        );
        assert_eq!(header.uuid, "A".repeat(40));
    }

    #[test]
    fn errors_of_the_device_are_told() {
        let failing = |_, _| Err(io::Error::from_raw_os_error(61));
        assert_eq!(read(&failing).unwrap_err().raw_os_error(), Some(61));
    }
}
