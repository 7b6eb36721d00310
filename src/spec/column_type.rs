//! Types of columns, by the columns' names (\[Core\] 5.1.3, 5.3 to 5.7; \[Opal\] 4).
//!
//! A name has one type in all tables, but for `Version`, which says by itself what it is.

/// The type of a column: how its values are written and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// A number.
    Uinteger,
    /// True or false.
    Boolean,
    /// A UID.
    Reference,
    /// A list of UIDs.
    References,
    /// Text that people gave or the standard has.
    Text,
    /// A list of texts.
    Texts,
    /// A PIN or a key: never shown.
    Secret,
    /// A number with names for its values.
    Enumeration(&'static [(u64, &'static str)]),
    /// A set of numbers with names for them.
    Set(&'static [(u64, &'static str)]),
    /// A set of column numbers of whatever table.
    Columns,
    /// A Boolean expression of authorities, in postfix form (type `AC_element`).
    Expression,
    /// Nothing known: the value says by itself what it is.
    Plain,
}

/// The type of a column of that name.
#[must_use]
pub fn of(column: &str) -> ColumnType {
    let found = TYPES.iter().find(|(name, _)| *name == column);
    found.map_or(ColumnType::Plain, |(_, kind)| *kind)
}

/// The name of a number, of those that a type has.
#[must_use]
pub fn name_of(names: &[(u64, &'static str)], number: u64) -> Option<&'static str> {
    let found = names.iter().find(|(known, _)| *known == number);
    found.map(|(_, name)| *name)
}

/// The number of a name, of those that a type has. Upper and lower case are the same, and so are
/// blanks, `-` and `_`.
#[must_use]
pub fn number_of(names: &[(u64, &str)], text: &str) -> Option<u64> {
    let folded = text.trim().to_ascii_lowercase().replace(['-', ' '], "_");
    let found = names.iter().find(|(_, name)| *name == folded);
    found.map(|(number, _)| *number)
}

/// Type `reset_types`.
pub const RESET_TYPES: &[(u64, &str)] = &[
    (0, "power_cycle"),
    (1, "hardware"),
    (2, "hot_plug"),
    (3, "programmatic"),
];

/// Type `data_removal_mechanism`.
pub const DATA_REMOVAL_MECHANISMS: &[(u64, &str)] = &[
    (0, "overwrite"),
    (1, "block_erase"),
    (2, "cryptographic_erase"),
    (3, "unmap"),
    (4, "reset_write_pointers"),
    (5, "vendor_specific"),
];

const LIFE_CYCLE_STATES: &[(u64, &str)] = &[
    (0, "issued"),
    (1, "issued_disabled"),
    (2, "issued_frozen"),
    (3, "issued_disabled_frozen"),
    (4, "issued_failed"),
    (8, "manufactured_inactive"),
    (9, "manufactured"),
    (10, "manufactured_disabled"),
    (11, "manufactured_frozen"),
    (12, "manufactured_disabled_frozen"),
    (13, "manufactured_failed"),
];

const AUTH_METHODS: &[(u64, &str)] = &[
    (0, "none"),
    (1, "password"),
    (2, "exchange"),
    (3, "sign"),
    (4, "symk"),
    (5, "hmac"),
    (6, "tper_sign"),
    (7, "tper_exchange"),
];

const HASH_PROTOCOLS: &[(u64, &str)] = &[
    (0, "none"),
    (1, "sha_1"),
    (2, "sha_256"),
    (3, "sha_384"),
    (4, "sha_512"),
];

const LOG_SELECTS: &[(u64, &str)] = &[(0, "none"), (1, "success"), (2, "fail"), (3, "always")];

const TABLE_KINDS: &[(u64, &str)] = &[(1, "object"), (2, "byte")];

const MEDIA_MODES: &[(u64, &str)] = &[
    (0, "ecb"),
    (1, "cbc"),
    (2, "cfb"),
    (3, "ofb"),
    (4, "gcm"),
    (5, "ctr"),
    (6, "ccm"),
    (7, "xts"),
    (8, "lrw"),
    (9, "eme"),
    (10, "cmc"),
    (11, "xex"),
    (23, "media_encryption"),
];

const RE_ENCRYPT_STATES: &[(u64, &str)] = &[
    (1, "idle"),
    (2, "pending"),
    (3, "active"),
    (4, "completed"),
    (5, "paused"),
];

const LAST_RE_ENC_STATS: &[(u64, &str)] = &[
    (0, "success"),
    (1, "read_error"),
    (2, "write_error"),
    (3, "verify_error"),
];

const GENERAL_STATUSES: &[(u64, &str)] = &[
    (0, "none"),
    (1, "pending_tper_error"),
    (2, "active_tper_error"),
    (3, "active_pause_requested"),
    (4, "pending_pause_requested"),
    (5, "pending_reset_stop"),
    (6, "key_error"),
    (32, "wait_available_keys"),
    (33, "wait_tper_resources"),
    (34, "active_reset_stop"),
];

const TYPES: &[(&str, ColumnType)] = &[
    ("UID", ColumnType::Reference),
    ("Name", ColumnType::Text),
    ("CommonName", ColumnType::Text),
    // Table, SPInfo, SPTemplates, MethodID, SP, Template
    ("TemplateID", ColumnType::Reference),
    ("Kind", ColumnType::Enumeration(TABLE_KINDS)),
    ("SPID", ColumnType::Reference),
    ("SPSessionTimeout", ColumnType::Uinteger),
    ("Enabled", ColumnType::Boolean),
    ("LifeCycleState", ColumnType::Enumeration(LIFE_CYCLE_STATES)),
    ("Frozen", ColumnType::Boolean),
    // AccessControl, ACE
    ("InvokingID", ColumnType::Reference),
    ("MethodID", ColumnType::Reference),
    ("ACL", ColumnType::References),
    ("AddACEACL", ColumnType::References),
    ("RemoveACEACL", ColumnType::References),
    ("GetACLACL", ColumnType::References),
    ("DeleteMethodACL", ColumnType::References),
    ("BooleanExpr", ColumnType::Expression),
    ("Columns", ColumnType::Columns),
    // Authority
    ("IsClass", ColumnType::Boolean),
    ("Class", ColumnType::Reference),
    ("HashAndSign", ColumnType::Enumeration(HASH_PROTOCOLS)),
    ("PresentCertificate", ColumnType::Boolean),
    ("Operation", ColumnType::Enumeration(AUTH_METHODS)),
    ("Credential", ColumnType::Reference),
    ("ResponseSign", ColumnType::Reference),
    ("ResponseExch", ColumnType::Reference),
    ("Log", ColumnType::Enumeration(LOG_SELECTS)),
    ("LogTo", ColumnType::Reference),
    // C_PIN, SecretProtect, K_AES
    ("PIN", ColumnType::Secret),
    ("CharSet", ColumnType::Reference),
    ("Persistence", ColumnType::Boolean),
    ("Table", ColumnType::Reference),
    ("Key", ColumnType::Secret),
    ("Mode", ColumnType::Enumeration(MEDIA_MODES)),
    // TPerInfo
    ("SSC", ColumnType::Texts),
    ("ProgrammaticResetEnable", ColumnType::Boolean),
    // LockingInfo, Locking, MBRControl
    ("EncryptSupport", ColumnType::Enumeration(ENCRYPT_SUPPORTS)),
    ("AlignmentRequired", ColumnType::Boolean),
    ("SingleUserModeRanges", ColumnType::References),
    ("RangeStart", ColumnType::Uinteger),
    ("RangeLength", ColumnType::Uinteger),
    ("ReadLockEnabled", ColumnType::Boolean),
    ("WriteLockEnabled", ColumnType::Boolean),
    ("ReadLocked", ColumnType::Boolean),
    ("WriteLocked", ColumnType::Boolean),
    ("LockOnReset", ColumnType::Set(RESET_TYPES)),
    ("ActiveKey", ColumnType::Reference),
    ("NextKey", ColumnType::Reference),
    ("ReEncryptState", ColumnType::Enumeration(RE_ENCRYPT_STATES)),
    ("ContOnReset", ColumnType::Set(RESET_TYPES)),
    ("LastReEncStat", ColumnType::Enumeration(LAST_RE_ENC_STATS)),
    ("GeneralStatus", ColumnType::Set(GENERAL_STATUSES)),
    ("Enable", ColumnType::Boolean),
    ("Done", ColumnType::Boolean),
    ("DoneOnReset", ColumnType::Set(RESET_TYPES)),
    // DataRemovalMechanism
    (
        "ActiveDataRemovalMechanism",
        ColumnType::Enumeration(DATA_REMOVAL_MECHANISMS),
    ),
];

const ENCRYPT_SUPPORTS: &[(u64, &str)] = &[(0, "none"), (1, "media_encryption")];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{column, life_cycle::LifeCycle};

    #[test]
    fn every_type_is_of_a_column_that_exists() {
        for (name, _) in TYPES {
            assert!(column::all_names().any(|known| known == *name), "{name}");
        }
    }

    #[test]
    fn columns_have_the_types_of_the_standard() {
        assert_eq!(of("PIN"), ColumnType::Secret);
        assert_eq!(of("Key"), ColumnType::Secret);
        assert_eq!(of("LockOnReset"), ColumnType::Set(RESET_TYPES));
        assert_eq!(name_of(RESET_TYPES, 3), Some("programmatic"));
        assert_eq!(name_of(RESET_TYPES, 17), None);
        assert_eq!(number_of(RESET_TYPES, " Power-Cycle"), Some(0));
        assert_eq!(number_of(RESET_TYPES, "reset"), None);
        assert_eq!(of("BooleanExpr"), ColumnType::Expression);
        assert_eq!(of("MaxRanges"), ColumnType::Plain);
    }

    #[test]
    fn life_cycle_states_are_those_of_their_own_list() {
        for (number, name) in LIFE_CYCLE_STATES {
            let state = LifeCycle(u8::try_from(*number).unwrap()).name().unwrap();
            assert_eq!(state.to_ascii_lowercase().replace('-', "_"), *name);
        }
    }
}
