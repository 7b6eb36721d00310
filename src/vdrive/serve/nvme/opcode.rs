//! Opcodes of the commands that are answered (\[NVMe\] Opcodes).

/// The Admin Command Set.
pub(super) mod admin {
    /// Get Log Page.
    pub(crate) const GET_LOG_PAGE: u8 = 0x02;
    /// Identify.
    pub(crate) const IDENTIFY: u8 = 0x06;
    /// Abort.
    pub(crate) const ABORT: u8 = 0x08;
    /// Set Features.
    pub(crate) const SET_FEATURES: u8 = 0x09;
    /// Get Features.
    pub(crate) const GET_FEATURES: u8 = 0x0a;
    /// Asynchronous Event Request.
    pub(crate) const EVENT_REQUEST: u8 = 0x0c;
    /// Keep Alive.
    pub(crate) const KEEP_ALIVE: u8 = 0x18;
    /// Security Send.
    pub(crate) const SECURITY_SEND: u8 = 0x81;
    /// Security Receive.
    pub(crate) const SECURITY_RECEIVE: u8 = 0x82;
}

/// The NVM Command Set.
pub(super) mod io {
    /// Flush.
    pub(crate) const FLUSH: u8 = 0x00;
    /// Write.
    pub(crate) const WRITE: u8 = 0x01;
    /// Read.
    pub(crate) const READ: u8 = 0x02;
    /// Compare.
    pub(crate) const COMPARE: u8 = 0x05;
    /// Write Zeroes.
    pub(crate) const WRITE_ZEROES: u8 = 0x08;
    /// Dataset Management.
    pub(crate) const DATASET_MANAGEMENT: u8 = 0x09;
}
