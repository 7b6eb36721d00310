//! Why a connection is ended: the fatal errors of a transport.

/// Fatal Error Status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FatalErrorStatus {
    InvalidHeaderField = 1,
    PduSequence = 2,
    HeaderDigest = 3,
    DataOutOfRange = 4,
    LimitExceeded = 5,
    UnsupportedParameter = 6,
}

impl FatalErrorStatus {
    /// The number that stands for it on the wire.
    pub(crate) const fn code(self) -> u16 {
        self as u16
    }
}

/// What the host did that ends its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fatal {
    pub status: FatalErrorStatus,
    /// Fatal Error Information: the offset of the field, where there is one.
    pub information: u32,
}

impl Fatal {
    pub(crate) const SEQUENCE: Self = Self::of(FatalErrorStatus::PduSequence);
    pub(crate) const HEADER_DIGEST: Self = Self::of(FatalErrorStatus::HeaderDigest);
    pub(crate) const OUT_OF_RANGE: Self = Self::of(FatalErrorStatus::DataOutOfRange);
    pub(crate) const LIMIT: Self = Self::of(FatalErrorStatus::LimitExceeded);

    /// The field at that offset of the PDU has a value that it must not have.
    pub(crate) const fn field(offset: u32) -> Self {
        Self {
            status: FatalErrorStatus::InvalidHeaderField,
            information: offset,
        }
    }

    /// The parameter at that offset of the PDU asks for what is not supported.
    pub(crate) const fn unsupported(offset: u32) -> Self {
        Self {
            status: FatalErrorStatus::UnsupportedParameter,
            information: offset,
        }
    }

    const fn of(status: FatalErrorStatus) -> Self {
        Self {
            status,
            information: 0,
        }
    }
}
