//! Column numbers (\[Core\] 5.3 to 5.7, with the additions of \[Opal\] 4 and of the feature sets).

/// Column 0 of every object table.
pub const UID: u64 = 0;

/// Table `Table`.
pub mod table {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const COMMON_NAME: u64 = 2;
    pub const TEMPLATE_ID: u64 = 3;
    pub const KIND: u64 = 4;
    pub const COLUMN: u64 = 5;
    pub const NUM_COLUMNS: u64 = 6;
    pub const ROWS: u64 = 7;
    pub const ROWS_FREE: u64 = 8;
    pub const ROW_BYTES: u64 = 9;
    pub const LAST_ID: u64 = 0x0a;
    pub const MIN_SIZE: u64 = 0x0b;
    pub const MAX_SIZE: u64 = 0x0c;
    pub const MANDATORY_WRITE_GRANULARITY: u64 = 0x0d;
    pub const RECOMMENDED_ACCESS_GRANULARITY: u64 = 0x0e;
}

/// Table `SPInfo`.
pub mod sp_info {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const SP_ID: u64 = 1;
    pub const NAME: u64 = 2;
    pub const SIZE: u64 = 3;
    pub const SIZE_IN_USE: u64 = 4;
    pub const SP_SESSION_TIMEOUT: u64 = 5;
    pub const ENABLED: u64 = 6;
}

/// Table `SPTemplates`.
pub mod sp_templates {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const TEMPLATE_ID: u64 = 1;
    pub const NAME: u64 = 2;
    pub const VERSION: u64 = 3;
}

/// Table `MethodID`.
pub mod method_id {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const COMMON_NAME: u64 = 2;
    pub const TEMPLATE_ID: u64 = 3;
}

/// Table `AccessControl`.
pub mod access_control {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const INVOKING_ID: u64 = 1;
    pub const METHOD_ID: u64 = 2;
    pub const COMMON_NAME: u64 = 3;
    pub const ACL: u64 = 4;
    pub const LOG: u64 = 5;
    pub const ADD_ACE_ACL: u64 = 6;
    pub const REMOVE_ACE_ACL: u64 = 7;
    pub const GET_ACL_ACL: u64 = 8;
    pub const DELETE_METHOD_ACL: u64 = 9;
}

/// Table `ACE`.
pub mod ace {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const COMMON_NAME: u64 = 2;
    pub const BOOLEAN_EXPR: u64 = 3;
    pub const COLUMNS: u64 = 4;
}

/// Table `Authority`.
pub mod authority {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const COMMON_NAME: u64 = 2;
    pub const IS_CLASS: u64 = 3;
    pub const CLASS: u64 = 4;
    pub const ENABLED: u64 = 5;
    pub const SECURE: u64 = 6;
    pub const HASH_AND_SIGN: u64 = 7;
    pub const PRESENT_CERTIFICATE: u64 = 8;
    pub const OPERATION: u64 = 9;
    pub const CREDENTIAL: u64 = 0x0a;
    pub const RESPONSE_SIGN: u64 = 0x0b;
    pub const RESPONSE_EXCH: u64 = 0x0c;
    pub const CLOCK_START: u64 = 0x0d;
    pub const CLOCK_END: u64 = 0x0e;
    pub const LIMIT: u64 = 0x0f;
    pub const USES: u64 = 0x10;
    pub const LOG: u64 = 0x11;
    pub const LOG_TO: u64 = 0x12;
}

/// Table `C_PIN`.
pub mod c_pin {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const COMMON_NAME: u64 = 2;
    pub const PIN: u64 = 3;
    pub const CHAR_SET: u64 = 4;
    pub const TRY_LIMIT: u64 = 5;
    pub const TRIES: u64 = 6;
    pub const PERSISTENCE: u64 = 7;
}

/// Table `SecretProtect`.
pub mod secret_protect {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const TABLE: u64 = 1;
    pub const COLUMN_NUMBER: u64 = 2;
    pub const PROTECT_MECHANISMS: u64 = 3;
}

/// Table `TPerInfo`.
pub mod tper_info {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const BYTES: u64 = 1;
    pub const GUDID: u64 = 2;
    pub const GENERATION: u64 = 3;
    pub const FIRMWARE_VERSION: u64 = 4;
    pub const PROTOCOL_VERSION: u64 = 5;
    pub const SPACE_FOR_ISSUANCE: u64 = 6;
    pub const SSC: u64 = 7;
    pub const PROGRAMMATIC_RESET_ENABLE: u64 = 8;
}

/// Table `Template`.
pub mod template {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const REVISION_NUMBER: u64 = 2;
    pub const INSTANCES: u64 = 3;
    pub const MAX_INSTANCES: u64 = 4;
}

/// Table `SP`.
pub mod sp {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const ORG: u64 = 2;
    pub const EFFECTIVE_AUTH: u64 = 3;
    pub const DATE_OF_ISSUE: u64 = 4;
    pub const BYTES: u64 = 5;
    pub const LIFE_CYCLE_STATE: u64 = 6;
    pub const FROZEN: u64 = 7;
}

/// Table `LockingInfo`.
pub mod locking_info {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const VERSION: u64 = 2;
    pub const ENCRYPT_SUPPORT: u64 = 3;
    pub const MAX_RANGES: u64 = 4;
    pub const MAX_RE_ENCRYPTIONS: u64 = 5;
    pub const KEYS_AVAILABLE_CFG: u64 = 6;
    pub const ALIGNMENT_REQUIRED: u64 = 7;
    pub const LOGICAL_BLOCK_SIZE: u64 = 8;
    pub const ALIGNMENT_GRANULARITY: u64 = 9;
    pub const LOWEST_ALIGNED_LBA: u64 = 0x0a;
    pub const SINGLE_USER_MODE_RANGES: u64 = 0x06_0000;
    pub const RANGE_START_RANGE_LENGTH_POLICY: u64 = 0x06_0001;
}

/// Table `Locking`.
pub mod locking {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const COMMON_NAME: u64 = 2;
    pub const RANGE_START: u64 = 3;
    pub const RANGE_LENGTH: u64 = 4;
    pub const READ_LOCK_ENABLED: u64 = 5;
    pub const WRITE_LOCK_ENABLED: u64 = 6;
    pub const READ_LOCKED: u64 = 7;
    pub const WRITE_LOCKED: u64 = 8;
    pub const LOCK_ON_RESET: u64 = 9;
    pub const ACTIVE_KEY: u64 = 0x0a;
    pub const NEXT_KEY: u64 = 0x0b;
    pub const RE_ENCRYPT_STATE: u64 = 0x0c;
    pub const RE_ENCRYPT_REQUEST: u64 = 0x0d;
    pub const ADV_KEY_MODE: u64 = 0x0e;
    pub const VERIFY_MODE: u64 = 0x0f;
    pub const CONT_ON_RESET: u64 = 0x10;
    pub const LAST_RE_ENCRYPT_LBA: u64 = 0x11;
    pub const LAST_RE_ENC_STAT: u64 = 0x12;
    pub const GENERAL_STATUS: u64 = 0x13;
}

/// Table `MBRControl`.
pub mod mbr_control {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const ENABLE: u64 = 1;
    pub const DONE: u64 = 2;
    pub const DONE_ON_RESET: u64 = 3;
}

/// Tables `K_AES_128` and `K_AES_256`.
pub mod k_aes {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const NAME: u64 = 1;
    pub const COMMON_NAME: u64 = 2;
    pub const KEY: u64 = 3;
    pub const MODE: u64 = 4;
}

/// Table `DataRemovalMechanism`.
pub mod data_removal_mechanism {
    #![allow(missing_docs, reason = "column names mirror the standard")]
    pub const ACTIVE_DATA_REMOVAL_MECHANISM: u64 = 1;
}
