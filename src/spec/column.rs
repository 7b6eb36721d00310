//! Column numbers and names (\[Core\] 5.3 to 5.7, with the additions of \[Opal\] 4 and of the feature
//! sets).

use super::uid::{self, Uid};

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

/// Column numbers with the standards' names.
type Names = &'static [(u64, &'static str)];

/// The name of a column of an object table, for traces and messages.
#[must_use]
pub fn name(table: Uid, column: u64) -> Option<&'static str> {
    if column == UID {
        return Some("UID");
    }
    let names = names(table);
    let found = names.iter().find(|(number, _)| *number == column);
    found.map(|(_, name)| *name)
}

/// The number of a column of an object table; case makes no difference.
#[must_use]
pub fn number(table: Uid, name: &str) -> Option<u64> {
    let mut columns = all(table);
    columns.find_map(|(number, known)| known.eq_ignore_ascii_case(name).then_some(number))
}

/// The columns of an object table that are known, with their names.
pub fn all(table: Uid) -> impl Iterator<Item = (u64, &'static str)> {
    let is_known = !names(table).is_empty();
    let uid = is_known.then_some((UID, "UID"));
    uid.into_iter().chain(names(table).iter().copied())
}

/// Every column's name, in no order, some twice.
pub fn all_names() -> impl Iterator<Item = &'static str> {
    let tables = TABLES.iter().flat_map(|(_, names)| names.iter());
    std::iter::once("UID").chain(tables.map(|(_, name)| *name))
}

fn names(table: Uid) -> Names {
    let found = TABLES.iter().find(|(known, _)| *known == table);
    found.map_or(&[], |(_, names)| *names)
}

const TABLES: &[(Uid, Names)] = &[
    (uid::TABLE, TABLE),
    (uid::SP_INFO, SP_INFO),
    (uid::SP_TEMPLATES, SP_TEMPLATES),
    (uid::METHOD_ID, METHOD_ID),
    (uid::ACCESS_CONTROL, ACCESS_CONTROL),
    (uid::ACE, ACE),
    (uid::AUTHORITY, AUTHORITY),
    (uid::C_PIN, C_PIN),
    (uid::SECRET_PROTECT, SECRET_PROTECT),
    (uid::TPER_INFO_TABLE, TPER_INFO),
    (uid::TEMPLATE, TEMPLATE),
    (uid::SP, SP),
    (uid::LOCKING_INFO_TABLE, LOCKING_INFO),
    (uid::LOCKING, LOCKING),
    (uid::MBR_CONTROL_TABLE, MBR_CONTROL),
    (uid::K_AES_128, K_AES),
    (uid::K_AES_256, K_AES),
    (uid::DATA_REMOVAL_MECHANISM_TABLE, DATA_REMOVAL_MECHANISM),
];

const TABLE: Names = &[
    (table::NAME, "Name"),
    (table::COMMON_NAME, "CommonName"),
    (table::TEMPLATE_ID, "TemplateID"),
    (table::KIND, "Kind"),
    (table::COLUMN, "Column"),
    (table::NUM_COLUMNS, "NumColumns"),
    (table::ROWS, "Rows"),
    (table::ROWS_FREE, "RowsFree"),
    (table::ROW_BYTES, "RowBytes"),
    (table::LAST_ID, "LastID"),
    (table::MIN_SIZE, "MinSize"),
    (table::MAX_SIZE, "MaxSize"),
    (
        table::MANDATORY_WRITE_GRANULARITY,
        "MandatoryWriteGranularity",
    ),
    (
        table::RECOMMENDED_ACCESS_GRANULARITY,
        "RecommendedAccessGranularity",
    ),
];

const SP_INFO: Names = &[
    (sp_info::SP_ID, "SPID"),
    (sp_info::NAME, "Name"),
    (sp_info::SIZE, "Size"),
    (sp_info::SIZE_IN_USE, "SizeInUse"),
    (sp_info::SP_SESSION_TIMEOUT, "SPSessionTimeout"),
    (sp_info::ENABLED, "Enabled"),
];

const SP_TEMPLATES: Names = &[
    (sp_templates::TEMPLATE_ID, "TemplateID"),
    (sp_templates::NAME, "Name"),
    (sp_templates::VERSION, "Version"),
];

const METHOD_ID: Names = &[
    (method_id::NAME, "Name"),
    (method_id::COMMON_NAME, "CommonName"),
    (method_id::TEMPLATE_ID, "TemplateID"),
];

const ACCESS_CONTROL: Names = &[
    (access_control::INVOKING_ID, "InvokingID"),
    (access_control::METHOD_ID, "MethodID"),
    (access_control::COMMON_NAME, "CommonName"),
    (access_control::ACL, "ACL"),
    (access_control::LOG, "Log"),
    (access_control::ADD_ACE_ACL, "AddACEACL"),
    (access_control::REMOVE_ACE_ACL, "RemoveACEACL"),
    (access_control::GET_ACL_ACL, "GetACLACL"),
    (access_control::DELETE_METHOD_ACL, "DeleteMethodACL"),
];

const ACE: Names = &[
    (ace::NAME, "Name"),
    (ace::COMMON_NAME, "CommonName"),
    (ace::BOOLEAN_EXPR, "BooleanExpr"),
    (ace::COLUMNS, "Columns"),
];

const AUTHORITY: Names = &[
    (authority::NAME, "Name"),
    (authority::COMMON_NAME, "CommonName"),
    (authority::IS_CLASS, "IsClass"),
    (authority::CLASS, "Class"),
    (authority::ENABLED, "Enabled"),
    (authority::SECURE, "Secure"),
    (authority::HASH_AND_SIGN, "HashAndSign"),
    (authority::PRESENT_CERTIFICATE, "PresentCertificate"),
    (authority::OPERATION, "Operation"),
    (authority::CREDENTIAL, "Credential"),
    (authority::RESPONSE_SIGN, "ResponseSign"),
    (authority::RESPONSE_EXCH, "ResponseExch"),
    (authority::CLOCK_START, "ClockStart"),
    (authority::CLOCK_END, "ClockEnd"),
    (authority::LIMIT, "Limit"),
    (authority::USES, "Uses"),
    (authority::LOG, "Log"),
    (authority::LOG_TO, "LogTo"),
];

const C_PIN: Names = &[
    (c_pin::NAME, "Name"),
    (c_pin::COMMON_NAME, "CommonName"),
    (c_pin::PIN, "PIN"),
    (c_pin::CHAR_SET, "CharSet"),
    (c_pin::TRY_LIMIT, "TryLimit"),
    (c_pin::TRIES, "Tries"),
    (c_pin::PERSISTENCE, "Persistence"),
];

const SECRET_PROTECT: Names = &[
    (secret_protect::TABLE, "Table"),
    (secret_protect::COLUMN_NUMBER, "ColumnNumber"),
    (secret_protect::PROTECT_MECHANISMS, "ProtectMechanisms"),
];

const TPER_INFO: Names = &[
    (tper_info::BYTES, "Bytes"),
    (tper_info::GUDID, "GUDID"),
    (tper_info::GENERATION, "Generation"),
    (tper_info::FIRMWARE_VERSION, "FirmwareVersion"),
    (tper_info::PROTOCOL_VERSION, "ProtocolVersion"),
    (tper_info::SPACE_FOR_ISSUANCE, "SpaceForIssuance"),
    (tper_info::SSC, "SSC"),
    (
        tper_info::PROGRAMMATIC_RESET_ENABLE,
        "ProgrammaticResetEnable",
    ),
];

const TEMPLATE: Names = &[
    (template::NAME, "Name"),
    (template::REVISION_NUMBER, "RevisionNumber"),
    (template::INSTANCES, "Instances"),
    (template::MAX_INSTANCES, "MaxInstances"),
];

const SP: Names = &[
    (sp::NAME, "Name"),
    (sp::ORG, "ORG"),
    (sp::EFFECTIVE_AUTH, "EffectiveAuth"),
    (sp::DATE_OF_ISSUE, "DateofIssue"),
    (sp::BYTES, "Bytes"),
    (sp::LIFE_CYCLE_STATE, "LifeCycleState"),
    (sp::FROZEN, "Frozen"),
];

const LOCKING_INFO: Names = &[
    (locking_info::NAME, "Name"),
    (locking_info::VERSION, "Version"),
    (locking_info::ENCRYPT_SUPPORT, "EncryptSupport"),
    (locking_info::MAX_RANGES, "MaxRanges"),
    (locking_info::MAX_RE_ENCRYPTIONS, "MaxReEncryptions"),
    (locking_info::KEYS_AVAILABLE_CFG, "KeysAvailableCfg"),
    (locking_info::ALIGNMENT_REQUIRED, "AlignmentRequired"),
    (locking_info::LOGICAL_BLOCK_SIZE, "LogicalBlockSize"),
    (locking_info::ALIGNMENT_GRANULARITY, "AlignmentGranularity"),
    (locking_info::LOWEST_ALIGNED_LBA, "LowestAlignedLBA"),
    (
        locking_info::SINGLE_USER_MODE_RANGES,
        "SingleUserModeRanges",
    ),
    (
        locking_info::RANGE_START_RANGE_LENGTH_POLICY,
        "RangeStartRangeLengthPolicy",
    ),
];

const LOCKING: Names = &[
    (locking::NAME, "Name"),
    (locking::COMMON_NAME, "CommonName"),
    (locking::RANGE_START, "RangeStart"),
    (locking::RANGE_LENGTH, "RangeLength"),
    (locking::READ_LOCK_ENABLED, "ReadLockEnabled"),
    (locking::WRITE_LOCK_ENABLED, "WriteLockEnabled"),
    (locking::READ_LOCKED, "ReadLocked"),
    (locking::WRITE_LOCKED, "WriteLocked"),
    (locking::LOCK_ON_RESET, "LockOnReset"),
    (locking::ACTIVE_KEY, "ActiveKey"),
    (locking::NEXT_KEY, "NextKey"),
    (locking::RE_ENCRYPT_STATE, "ReEncryptState"),
    (locking::RE_ENCRYPT_REQUEST, "ReEncryptRequest"),
    (locking::ADV_KEY_MODE, "AdvKeyMode"),
    (locking::VERIFY_MODE, "VerifyMode"),
    (locking::CONT_ON_RESET, "ContOnReset"),
    (locking::LAST_RE_ENCRYPT_LBA, "LastReEncryptLBA"),
    (locking::LAST_RE_ENC_STAT, "LastReEncStat"),
    (locking::GENERAL_STATUS, "GeneralStatus"),
];

const MBR_CONTROL: Names = &[
    (mbr_control::ENABLE, "Enable"),
    (mbr_control::DONE, "Done"),
    (mbr_control::DONE_ON_RESET, "DoneOnReset"),
];

const K_AES: Names = &[
    (k_aes::NAME, "Name"),
    (k_aes::COMMON_NAME, "CommonName"),
    (k_aes::KEY, "Key"),
    (k_aes::MODE, "Mode"),
];

const DATA_REMOVAL_MECHANISM: Names = &[(
    data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM,
    "ActiveDataRemovalMechanism",
)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_names_of_the_standard() {
        assert_eq!(name(uid::C_PIN, 3), Some("PIN"));
        assert_eq!(name(uid::LOCKING, 0x0a), Some("ActiveKey"));
        assert_eq!(
            name(uid::LOCKING_INFO_TABLE, 0x06_0001),
            Some("RangeStartRangeLengthPolicy")
        );
        assert_eq!(name(uid::LOCKING, 0), Some("UID"));
        assert_eq!(name(uid::MBR_CONTROL_TABLE, 4), None);
        assert_eq!(name(uid::MBR, 1), None);
        assert_eq!(number(uid::C_PIN, "pin"), Some(3));
        assert_eq!(number(uid::LOCKING, "UID"), Some(0));
        assert_eq!(number(uid::LOCKING, "PIN"), None);
        assert_eq!(number(uid::MBR, "UID"), None);
    }
}
