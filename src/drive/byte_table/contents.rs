//! What shall be in a table: an image in a file, or bytes in memory.

use std::io::{self, Read, Seek, SeekFrom};

/// Bytes that can be read at any place.
pub trait Contents {
    /// Why bytes could not be read.
    type Error;

    /// How many bytes there are.
    fn length(&self) -> u64;

    /// Reads bytes from an offset on, as many as `buffer` holds.
    ///
    /// # Errors
    /// If they cannot be read, or if the contents end before.
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<(), Self::Error>;
}

impl Contents for &[u8] {
    type Error = io::Error;

    fn length(&self) -> u64 {
        u64::try_from(self.len()).unwrap_or(u64::MAX)
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<(), io::Error> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let mut rest = self.get(start..).unwrap_or_default();
        rest.read_exact(buffer)
    }
}

/// The length of a file is asked for once, so that one that grows does no harm.
impl<T: Read + Seek> Contents for (T, u64) {
    type Error = io::Error;

    fn length(&self) -> u64 {
        self.1
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<(), io::Error> {
        self.0.seek(SeekFrom::Start(offset))?;
        self.0.read_exact(buffer)
    }
}

/// Contents, and zeros after them up to a length.
#[derive(Debug)]
pub struct ZeroPadded<C> {
    contents: C,
    length: u64,
}

impl<C: Contents> ZeroPadded<C> {
    /// Contents with zeros after them, up to `length` bytes or their own length.
    pub fn new(contents: C, length: u64) -> Self {
        let length = length.max(contents.length());
        Self { contents, length }
    }

    /// The contents without the zeros.
    pub const fn contents_mut(&mut self) -> &mut C {
        &mut self.contents
    }
}

impl<C: Contents> Contents for ZeroPadded<C> {
    type Error = C::Error;

    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<(), C::Error> {
        let left = self.contents.length().saturating_sub(offset);
        let there = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let (bytes, zeros) = buffer.split_at_mut(there);
        zeros.fill(0);
        match bytes.is_empty() {
            true => Ok(()),
            false => self.contents.read_at(offset, bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_follow_the_contents() {
        let mut padded = ZeroPadded::new(&[1, 2, 3][..], 8);
        assert_eq!(padded.length(), 8);
        for (offset, expected) in [(0, [1, 2, 3, 0]), (2, [3, 0, 0, 0]), (4, [0; 4])] {
            let mut buffer = [9; 4];
            padded.read_at(offset, &mut buffer).unwrap();
            assert_eq!(buffer, expected, "{offset}");
        }
    }

    #[test]
    fn files_are_read_at_any_place() {
        let mut file = (io::Cursor::new(vec![1, 2, 3, 4]), 4);
        let mut buffer = [0; 2];
        file.read_at(2, &mut buffer).unwrap();
        assert_eq!(buffer, [3, 4]);
        file.read_at(0, &mut buffer).unwrap();
        assert_eq!(buffer, [1, 2]);
        assert!(file.read_at(3, &mut buffer).is_err());
        let mut bytes = &[1_u8, 2][..];
        assert!(bytes.read_at(1, &mut buffer).is_err());
        assert!(bytes.read_at(u64::MAX, &mut buffer).is_err());
    }
}
