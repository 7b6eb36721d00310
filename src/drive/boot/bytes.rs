//! Numbers and pieces of what is being looked at; all little-endian.

use super::super::byte_table::Contents;

/// Bytes from an offset on, as many as there are up to a number.
pub(super) fn read_up_to<C: Contents + ?Sized>(
    contents: &mut C,
    offset: u64,
    length: u32,
) -> Result<Vec<u8>, C::Error> {
    let left = contents.length().saturating_sub(offset);
    let length = usize::try_from(left.min(u64::from(length))).unwrap_or_default();
    let mut bytes = vec![0; length];
    if !bytes.is_empty() {
        contents.read_at(offset, &mut bytes)?;
    }
    Ok(bytes)
}

/// Bytes from an offset on; nothing if the contents end before.
pub(super) fn read<C: Contents + ?Sized>(
    contents: &mut C,
    offset: u64,
    length: u32,
) -> Result<Option<Vec<u8>>, C::Error> {
    let bytes = read_up_to(contents, offset, length)?;
    let is_whole = u32::try_from(bytes.len()) == Ok(length);
    Ok(is_whole.then_some(bytes))
}

/// A byte.
pub(super) fn u8_at(bytes: &[u8], offset: usize) -> Option<u8> {
    bytes.get(offset).copied()
}

/// Two bytes.
pub(super) fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    let bytes = bytes.get(offset..)?.first_chunk()?;
    Some(u16::from_le_bytes(*bytes))
}

/// Four bytes.
pub(super) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let bytes = bytes.get(offset..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// Eight bytes.
pub(super) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let bytes = bytes.get(offset..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}
