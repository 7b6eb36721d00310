//! A cursor over bytes that answers with an error instead of running past the end.

use super::{DecodeError, DecodeErrorKind};

/// A position in a byte slice. Reading moves it forward; nothing ever indexes.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `bytes`.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Takes the next `length` bytes.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Truncated`] if fewer are left; the reader then stays where it was.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], DecodeError> {
        let Some((taken, rest)) = self.bytes.split_at_checked(length) else {
            let missing = length - self.bytes.len();
            return Err(self.error(DecodeErrorKind::Truncated { missing }));
        };
        self.bytes = rest;
        self.offset += length;
        Ok(taken)
    }

    /// Takes the next `N` bytes as an array.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// Takes one byte.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn u8(&mut self) -> Result<u8, DecodeError> {
        self.array().map(u8::from_be_bytes)
    }

    /// Takes a big-endian 16-bit integer.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_be_bytes)
    }

    /// Takes a big-endian 32-bit integer.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_be_bytes)
    }

    /// Takes a big-endian 64-bit integer.
    ///
    /// # Errors
    /// As [`Reader::take`].
    pub fn u64(&mut self) -> Result<u64, DecodeError> {
        self.array().map(u64::from_be_bytes)
    }

    /// The next byte, without moving.
    #[must_use]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.first().copied()
    }

    /// Everything that is left; the reader is at its end afterwards.
    pub fn rest(&mut self) -> &'a [u8] {
        let rest = self.bytes;
        self.offset += rest.len();
        self.bytes = &[];
        rest
    }

    /// How many bytes are left.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.bytes.len()
    }

    /// True at the end.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// How many bytes have been taken.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// [`DecodeErrorKind::TrailingBytes`] otherwise.
    pub fn finish(&self) -> Result<(), DecodeError> {
        if self.is_empty() {
            return Ok(());
        }
        Err(self.error(DecodeErrorKind::TrailingBytes(self.remaining())))
    }

    /// An error at the current position.
    #[must_use]
    pub const fn error(&self, kind: DecodeErrorKind) -> DecodeError {
        DecodeError::new(self.offset, kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_past_the_end_is_an_error_and_moves_nothing() {
        let mut reader = Reader::new(&[1, 2, 3]);
        assert_eq!(reader.u16(), Ok(0x0102));
        let error = DecodeError::new(2, DecodeErrorKind::Truncated { missing: 3 });
        assert_eq!(reader.u32(), Err(error));
        assert_eq!(reader.u8(), Ok(3));
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn trailing_bytes_are_counted() {
        let mut reader = Reader::new(&[1, 2, 3]);
        assert_eq!(reader.u8(), Ok(1));
        assert_eq!(
            reader.finish(),
            Err(DecodeError::new(1, DecodeErrorKind::TrailingBytes(2)))
        );
        assert_eq!(reader.rest(), [2, 3]);
        assert!(reader.is_empty());
    }
}
