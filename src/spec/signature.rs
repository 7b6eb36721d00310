//! Parameters of methods, by name and number (\[Core\] 5.2, 5.3; \[Opal\] 5.1 to 5.3).

use super::method::{self, parameter};
use super::uid::Uid;

/// The parameters of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Required ones, in their order.
    pub required: &'static [&'static str],
    /// Optional ones, by number. The Enterprise SSC sends the names instead.
    pub optional: &'static [(u64, &'static str)],
}

impl Signature {
    /// The parameters of a method; none for one that is not known here.
    #[must_use]
    pub const fn of(method: Uid) -> Self {
        let (required, optional): (&[&str], &[(u64, &str)]) = match method {
            method::PROPERTIES => (&[], &[(0, "HostProperties")]),
            method::START_SESSION => (&["HostSessionID", "SPID", "Write"], START_SESSION),
            method::SYNC_SESSION => (&["HostSessionID", "SPSessionID"], SYNC_SESSION),
            method::CLOSE_SESSION => (&["RemoteSessionNumber", "LocalSessionNumber"], &[]),
            method::GET | method::ENTERPRISE_GET => (&["Cellblock"], &[]),
            method::SET => (&[], &[(0, "Where"), (1, "Values")]),
            method::ENTERPRISE_SET => (&["Where", "Values"], &[]),
            method::NEXT => (&[], &[(0, "Where"), (1, "Count")]),
            method::AUTHENTICATE => (&["Authority"], &[(0, "Proof")]),
            method::ENTERPRISE_AUTHENTICATE => (&["Authority"], &[]),
            method::GET_ACL => (&["InvokingID", "MethodID"], &[]),
            method::ADD_ACE | method::REMOVE_ACE => (&["InvokingID", "MethodID", "ACE"], &[]),
            method::GEN_KEY => (&[], &[(0, "PublicExponent"), (1, "PinLength")]),
            method::RANDOM => (&["Count"], &[(0, "BufferOut")]),
            method::REVERT_SP => (&[], REVERT_SP),
            method::ACTIVATE => (&[], ACTIVATE),
            method::REACTIVATE => (&[], REACTIVATE),
            _ => (&[], &[]),
        };
        Self { required, optional }
    }

    /// The name of an optional parameter.
    #[must_use]
    pub fn optional_name(&self, number: u64) -> Option<&'static str> {
        let found = self.optional.iter().find(|(known, _)| *known == number);
        found.map(|(_, name)| *name)
    }
}

/// Optional parameters of StartSession (\[Core\] 5.2.3.1).
pub const START_SESSION: &[(u64, &str)] = &[
    (0, "HostChallenge"),
    (1, "HostExchangeAuthority"),
    (2, "HostExchangeCert"),
    (3, "HostSigningAuthority"),
    (4, "HostSigningCert"),
    (5, "SessionTimeout"),
    (6, "TransTimeout"),
    (7, "InitialCredit"),
    (8, "SignedHash"),
];

const SYNC_SESSION: &[(u64, &str)] = &[
    (0, "SPChallenge"),
    (1, "SPExchangeCert"),
    (2, "SPSigningCert"),
    (3, "TransTimeout"),
    (4, "InitialCredit"),
    (5, "SignedHash"),
];

const REVERT_SP: &[(u64, &str)] = &[(parameter::KEEP_GLOBAL_RANGE_KEY, "KeepGlobalRangeKey")];

const ACTIVATE: &[(u64, &str)] = &[
    (
        parameter::SINGLE_USER_MODE_SELECTION_LIST,
        "SingleUserModeSelectionList",
    ),
    (
        parameter::RANGE_START_RANGE_LENGTH_POLICY,
        "RangeStartRangeLengthPolicy",
    ),
    (
        parameter::ACTIVATE_DATA_STORE_TABLE_SIZES,
        "DataStoreTableSizes",
    ),
];

const REACTIVATE: &[(u64, &str)] = &[
    (
        parameter::SINGLE_USER_MODE_SELECTION_LIST,
        "SingleUserModeSelectionList",
    ),
    (
        parameter::RANGE_START_RANGE_LENGTH_POLICY,
        "RangeStartRangeLengthPolicy",
    ),
    (parameter::REACTIVATE_ADMIN1_PIN, "Admin1PIN"),
    (
        parameter::REACTIVATE_DATA_STORE_TABLE_SIZES,
        "DataStoreTableSizes",
    ),
];

/// Numbers of the entries of a cell block (\[Core\], type `cell_block`).
pub mod cell_block {
    /// `Table`.
    pub const TABLE: u64 = 0;
    /// `startRow`: a UID, or an offset into a byte table.
    pub const START_ROW: u64 = 1;
    /// `endRow`, inclusive.
    pub const END_ROW: u64 = 2;
    /// `startColumn`.
    pub const START_COLUMN: u64 = 3;
    /// `endColumn`, inclusive.
    pub const END_COLUMN: u64 = 4;

    /// The name of an entry, as the Enterprise SSC sends it.
    #[must_use]
    pub const fn name(number: u64) -> Option<&'static str> {
        match number {
            TABLE => Some("Table"),
            START_ROW => Some("startRow"),
            END_ROW => Some("endRow"),
            START_COLUMN => Some("startColumn"),
            END_COLUMN => Some("endColumn"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_number_means_different_parameters() {
        let name = |method, number| Signature::of(method).optional_name(number);
        assert_eq!(
            name(method::ACTIVATE, 0x06_0002),
            Some("DataStoreTableSizes")
        );
        assert_eq!(name(method::REACTIVATE, 0x06_0002), Some("Admin1PIN"));
        assert_eq!(
            name(method::REVERT_SP, 0x06_0000),
            Some("KeepGlobalRangeKey")
        );
        assert_eq!(name(method::SET, 1), Some("Values"));
        assert_eq!(name(method::ERASE, 0), None);
    }
}
