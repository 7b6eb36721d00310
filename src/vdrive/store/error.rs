//! What can go wrong with the file of a virtual drive.

use std::io;

/// A failure of the file of a virtual drive. The caller knows its path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A drive is not created over a file that is there.
    #[error("the file exists")]
    Exists,
    /// Another process has the drive open.
    #[error("the virtual drive is in use by another process")]
    Busy,
    /// A directory, a device or another thing that is no file.
    #[error("not a regular file")]
    NotRegular,
    /// The file does not begin like one of ours.
    #[error("not the file of a virtual drive")]
    Foreign,
    /// The file was made by a newer version of this program.
    #[error("the virtual drive has format {version}, and only formats up to {supported} are known")]
    Newer {
        /// Version in the file.
        version: u32,
        /// Newest version that this program knows.
        supported: u32,
    },
    /// The file was cut, or something was appended to it.
    #[error("the file has {actual} bytes, and its drive needs {expected}")]
    Length {
        /// Bytes that the header calls for.
        expected: u64,
        /// Bytes that the file has.
        actual: u64,
    },
    /// A part of the file does not match its checksum.
    #[error("the {part} of the virtual drive is damaged")]
    Damaged {
        /// Which part.
        part: &'static str,
    },
    /// No drive can have these dimensions.
    #[error("a drive of {blocks} blocks of {block_size} bytes cannot be made")]
    Dimensions {
        /// Bytes of a logical block.
        block_size: u32,
        /// Logical blocks.
        blocks: u64,
    },
    /// An access ends beyond its area.
    #[error("{length} bytes at {offset} lie beyond the end of the {area}")]
    OutOfRange {
        /// What was accessed.
        area: &'static str,
        /// Offset of the first byte.
        offset: u64,
        /// Bytes accessed.
        length: u64,
    },
    /// The state of the TPer has outgrown its place.
    #[error("{length} bytes of state exceed the {limit} bytes that there is room for")]
    TooLong {
        /// Bytes to be kept.
        length: usize,
        /// Room.
        limit: usize,
    },
    /// A reset of the drive, or a command that it panicked in, was not completed, so that its locks
    /// may not be what they should be: it refuses all until its power is cut.
    #[error("the drive is out of order until a power cycle succeeds")]
    OutOfOrder,
    /// The file system is full; what the drive held before is still there.
    #[error("no space left to {operation}")]
    NoSpace {
        /// What could not be done.
        operation: &'static str,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The kernel could not do what it was asked to.
    #[error("could not {operation}")]
    Io {
        /// What could not be done.
        operation: &'static str,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
}

impl StoreError {
    /// Wraps the kernel's error; pass the result to `map_err`.
    pub(super) fn io(operation: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace { operation, source }
            }
            _ => Self::Io { operation, source },
        }
    }
}
