//! The statuses that this controller answers (\[NVMe\] Status Field).
//!
//! All but Controller Busy say Do Not Retry: what failed will fail again.

use super::outcome::{Completion, Status};

/// Bit 14: the same command would fail again.
const DO_NOT_RETRY: u16 = 1 << 14;

impl Status {
    /// Successful Completion.
    pub(crate) const SUCCESS: Self = Self(0);
    /// Invalid Command Opcode.
    pub(crate) const INVALID_OPCODE: Self = Self::fatal(0, 0x01);
    /// Invalid Field in Command.
    pub(crate) const INVALID_FIELD: Self = Self::fatal(0, 0x02);
    /// Command ID Conflict.
    pub(crate) const COMMAND_ID_CONFLICT: Self = Self::fatal(0, 0x03);
    /// Data Transfer Error.
    pub(crate) const DATA_TRANSFER_ERROR: Self = Self::fatal(0, 0x04);
    /// Internal Error.
    pub(crate) const INTERNAL_ERROR: Self = Self::fatal(0, 0x06);
    /// Command Abort Requested.
    pub(crate) const ABORT_REQUESTED: Self = Self::fatal(0, 0x07);
    /// Invalid Namespace or Format.
    pub(crate) const INVALID_NAMESPACE: Self = Self::fatal(0, 0x0b);
    /// Command Sequence Error.
    pub(crate) const SEQUENCE_ERROR: Self = Self::fatal(0, 0x0c);
    /// Data SGL Length Invalid.
    pub(crate) const SGL_LENGTH_INVALID: Self = Self::fatal(0, 0x0f);
    /// SGL Descriptor Type Invalid.
    pub(crate) const SGL_TYPE_INVALID: Self = Self::fatal(0, 0x11);
    /// Operation Denied: lack of access rights, but not to the media.
    pub(crate) const OPERATION_DENIED: Self = Self::fatal(0, 0x15);
    /// SGL Offset Invalid.
    pub(crate) const SGL_OFFSET_INVALID: Self = Self::fatal(0, 0x16);
    /// LBA Out of Range.
    pub(crate) const LBA_OUT_OF_RANGE: Self = Self::fatal(0, 0x80);
    /// Asynchronous Event Request Limit Exceeded.
    pub(crate) const EVENT_LIMIT_EXCEEDED: Self = Self::fatal(1, 0x05);
    /// Invalid Log Page.
    pub(crate) const INVALID_LOG_PAGE: Self = Self::fatal(1, 0x09);
    /// Feature Identifier Not Saveable.
    pub(crate) const FEATURE_NOT_SAVEABLE: Self = Self::fatal(1, 0x0d);
    /// Connect Incompatible Format.
    pub(crate) const INCOMPATIBLE_FORMAT: Self = Self::fatal(1, 0x80);
    /// Connect Controller Busy; it need not stay so.
    pub(crate) const CONTROLLER_BUSY: Self = Self(1 << 8 | 0x81);
    /// Connect Invalid Parameters.
    pub(crate) const CONNECT_INVALID: Self = Self::fatal(1, 0x82);
    /// Invalid Queue Type.
    pub(crate) const INVALID_QUEUE_TYPE: Self = Self::fatal(1, 0x85);
    /// Write Fault.
    pub(crate) const WRITE_FAULT: Self = Self::fatal(2, 0x80);
    /// Unrecovered Read Error.
    pub(crate) const UNRECOVERED_READ: Self = Self::fatal(2, 0x81);
    /// Compare Failure.
    pub(crate) const COMPARE_FAILURE: Self = Self::fatal(2, 0x85);
    /// Access Denied: the media are locked (\[SIIS\] Data Protection Error).
    pub(crate) const ACCESS_DENIED: Self = Self::fatal(2, 0x86);

    const fn fatal(code_type: u16, code: u16) -> Self {
        Self(DO_NOT_RETRY | code_type << 8 | code)
    }
}

impl From<Status> for Completion {
    fn from(status: Status) -> Self {
        Self { result: 0, status }
    }
}
