//! Method status codes (\[Core\] 5.1.5).

open_enum! {
    /// The status of a method, the first value of the status list.
    pub MethodStatus: u8 {
        /// The method was carried out.
        SUCCESS = 0x00, "SUCCESS";
        /// The access control list is not satisfied, or a PIN was wrong at StartSession.
        NOT_AUTHORIZED = 0x01, "NOT_AUTHORIZED";
        /// Obsolete (read only).
        OBSOLETE_02 = 0x02, "OBSOLETE_02";
        /// Another session to the SP is open.
        SP_BUSY = 0x03, "SP_BUSY";
        /// The SP is in the failed state.
        SP_FAILED = 0x04, "SP_FAILED";
        /// The SP is disabled.
        SP_DISABLED = 0x05, "SP_DISABLED";
        /// The SP is frozen.
        SP_FROZEN = 0x06, "SP_FROZEN";
        /// The TPer has no room for another session.
        NO_SESSIONS_AVAILABLE = 0x07, "NO_SESSIONS_AVAILABLE";
        /// A unique column would hold the same value twice.
        UNIQUENESS_CONFLICT = 0x08, "UNIQUENESS_CONFLICT";
        /// Not enough space in the SP.
        INSUFFICIENT_SPACE = 0x09, "INSUFFICIENT_SPACE";
        /// Not enough rows in the table.
        INSUFFICIENT_ROWS = 0x0a, "INSUFFICIENT_ROWS";
        /// Obsolete (invalid command, in older drafts and Enterprise drives).
        OBSOLETE_0B = 0x0b, "OBSOLETE_0B";
        /// A parameter has the wrong type or value.
        INVALID_PARAMETER = 0x0c, "INVALID_PARAMETER";
        /// Obsolete (invalid reference).
        OBSOLETE_0D = 0x0d, "OBSOLETE_0D";
        /// Obsolete (invalid secure messaging properties).
        OBSOLETE_0E = 0x0e, "OBSOLETE_0E";
        /// The TPer failed.
        TPER_MALFUNCTION = 0x0f, "TPER_MALFUNCTION";
        /// A transaction could not be started or ended.
        TRANSACTION_FAILURE = 0x10, "TRANSACTION_FAILURE";
        /// The response does not fit the buffer.
        RESPONSE_OVERFLOW = 0x11, "RESPONSE_OVERFLOW";
        /// Too many wrong attempts: `Tries` has reached `TryLimit`.
        AUTHORITY_LOCKED_OUT = 0x12, "AUTHORITY_LOCKED_OUT";
        /// Any other failure.
        FAIL = 0x3f, "FAIL";
    }
}

impl MethodStatus {
    /// True for [`MethodStatus::SUCCESS`].
    #[must_use]
    pub const fn is_success(self) -> bool {
        self.0 == Self::SUCCESS.0
    }
}
