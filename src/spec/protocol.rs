//! Security protocols and the fixed values of their SP Specific field (\[SIIS\] 3, \[SPC\] 7.7).

open_enum! {
    /// The Security Protocol field of IF-SEND and IF-RECV.
    pub SecurityProtocol: u8 {
        /// Security protocol information: the list of protocols, certificates (IF-RECV only).
        INFORMATION = 0x00, "security protocol information";
        /// TCG sessions and Level 0 Discovery; SP Specific is the ComID.
        TCG = 0x01, "TCG 01";
        /// TCG ComID management, TPER_RESET and Block SID Authentication.
        TCG_MANAGEMENT = 0x02, "TCG 02";
        /// ATA security over NVMe or SCSI.
        ATA_SECURITY = 0xef, "ATA security";
        /// IEEE 1667 silos (Windows eDrive).
        IEEE_1667 = 0xee, "IEEE 1667";
    }
}

/// Request codes of HANDLE_COMID_REQUEST (protocol 02h, \[Core\] 3.3.4.7).
pub mod com_id_request {
    /// VERIFY_COMID_VALID: asks for the state of a ComID.
    pub const VERIFY_COMID_VALID: u32 = 1;
    /// STACK_RESET: ends every session of a ComID and forgets its host properties.
    pub const STACK_RESET: u32 = 2;
}

open_enum! {
    /// The state of a ComID, as VERIFY_COMID_VALID answers it (\[Core\] 3.3.4.7).
    pub ComIdState: u32 {
        /// No such ComID.
        INVALID = 0, "invalid";
        /// The ComID exists and nobody has it.
        INACTIVE = 1, "inactive";
        /// The ComID was handed out, or is static; no session uses it.
        ISSUED = 2, "issued";
        /// A session uses the ComID.
        ASSOCIATED = 3, "associated";
    }
}
