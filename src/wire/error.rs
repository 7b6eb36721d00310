//! The one error of decoding: what is wrong, and where.

/// Bytes that no standard allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct DecodeError {
    /// Offset of the offending byte from the start of what was decoded.
    pub offset: usize,
    /// What is wrong.
    pub kind: DecodeErrorKind,
}

/// What is wrong with the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The bytes end inside an element.
    #[error("{missing} bytes are missing")]
    Truncated {
        /// How many bytes are missing at least.
        missing: usize,
    },
    /// A token that the standards reserve.
    #[error("reserved token {0:#04x}")]
    ReservedToken(u8),
    /// An integer of more than 64 bits.
    #[error("an integer of more than 64 bits")]
    IntegerTooWide,
    /// A token that may not stand here.
    #[error("unexpected {found}, where {expected} should stand")]
    Unexpected {
        /// The token that was found.
        found: &'static str,
        /// What should stand there.
        expected: &'static str,
    },
    /// Lists or names are nested deeper than [`crate::wire::value::MAX_DEPTH`].
    #[error("lists nested too deeply")]
    TooDeep,
    /// More bytes follow than the element holds.
    #[error("{0} bytes follow where the element should end")]
    TrailingBytes(usize),
    /// A length field contradicts the data around it.
    #[error("length field of {what} says {says}, {holds} bytes are there")]
    Length {
        /// The element whose length is wrong.
        what: &'static str,
        /// What the field says, in bytes.
        says: usize,
        /// What is there, in bytes.
        holds: usize,
    },
    /// A status list is missing or has no code of eight bits.
    #[error("no valid status list")]
    StatusList,
    /// A byte string that should be a UID has another length.
    #[error("a UID of {0} bytes")]
    UidLength(usize),
}

impl DecodeError {
    /// An error at a byte offset.
    #[must_use]
    pub const fn new(offset: usize, kind: DecodeErrorKind) -> Self {
        Self { offset, kind }
    }

    /// The same error in a larger buffer that holds the decoded bytes at `base`.
    #[must_use]
    pub const fn shifted(self, base: usize) -> Self {
        Self {
            offset: self.offset.saturating_add(base),
            kind: self.kind,
        }
    }
}
