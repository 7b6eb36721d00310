//! Method UIDs (\[Core\] 5.1.4, table MethodID) and session manager methods.

use super::uid::Uid;

/// Session manager: exchange of communication properties.
pub const PROPERTIES: Uid = Uid::from_halves(0x0000_0000, 0x0000_ff01);
/// Session manager: opens a session.
pub const START_SESSION: Uid = Uid::from_halves(0x0000_0000, 0x0000_ff02);
/// Session manager: the TPer's answer to StartSession.
pub const SYNC_SESSION: Uid = Uid::from_halves(0x0000_0000, 0x0000_ff03);
/// Session manager: opens a session with a challenge (not supported by any SSC here).
pub const START_TRUSTED_SESSION: Uid = Uid::from_halves(0x0000_0000, 0x0000_ff04);
/// Session manager: the TPer's answer to StartTrustedSession.
pub const SYNC_TRUSTED_SESSION: Uid = Uid::from_halves(0x0000_0000, 0x0000_ff05);
/// Session manager: the TPer tells that it closed a session.
pub const CLOSE_SESSION: Uid = Uid::from_halves(0x0000_0000, 0x0000_ff06);

const fn method(low: u32) -> Uid {
    Uid::from_halves(0x0000_0006, low)
}

/// DeleteSP.
pub const DELETE_SP: Uid = method(0x01);
/// CreateTable.
pub const CREATE_TABLE: Uid = method(0x02);
/// Delete.
pub const DELETE: Uid = method(0x03);
/// CreateRow.
pub const CREATE_ROW: Uid = method(0x04);
/// DeleteRow.
pub const DELETE_ROW: Uid = method(0x05);
/// Get of the Enterprise SSC.
pub const ENTERPRISE_GET: Uid = method(0x06);
/// Set of the Enterprise SSC.
pub const ENTERPRISE_SET: Uid = method(0x07);
/// Next: the rows of an object table.
pub const NEXT: Uid = method(0x08);
/// GetFreeSpace.
pub const GET_FREE_SPACE: Uid = method(0x09);
/// GetFreeRows.
pub const GET_FREE_ROWS: Uid = method(0x0a);
/// DeleteMethod.
pub const DELETE_METHOD: Uid = method(0x0b);
/// Authenticate of the Enterprise SSC.
pub const ENTERPRISE_AUTHENTICATE: Uid = method(0x0c);
/// GetACL: the ACEs of one association of AccessControl.
pub const GET_ACL: Uid = method(0x0d);
/// AddACE.
pub const ADD_ACE: Uid = method(0x0e);
/// RemoveACE.
pub const REMOVE_ACE: Uid = method(0x0f);
/// GenKey: replaces a key.
pub const GEN_KEY: Uid = method(0x10);
/// RevertSP: returns an SP to its original factory state, from inside.
pub const REVERT_SP: Uid = method(0x11);
/// GetPackage.
pub const GET_PACKAGE: Uid = method(0x12);
/// SetPackage.
pub const SET_PACKAGE: Uid = method(0x13);
/// Get.
pub const GET: Uid = method(0x16);
/// Set.
pub const SET: Uid = method(0x17);
/// Authenticate.
pub const AUTHENTICATE: Uid = method(0x1c);
/// IssueSP.
pub const ISSUE_SP: Uid = method(0x0201);
/// Revert: returns an SP, or the whole TPer, to its original factory state.
pub const REVERT: Uid = method(0x0202);
/// Activate: takes the Locking SP out of Manufactured-Inactive.
pub const ACTIVATE: Uid = method(0x0203);
/// Random: bytes from the TPer's generator.
pub const RANDOM: Uid = method(0x0601);
/// Salt.
pub const SALT: Uid = method(0x0602);
/// Reactivate (Single User Mode).
pub const REACTIVATE: Uid = method(0x0801);
/// Erase (Enterprise and Single User Mode).
pub const ERASE: Uid = method(0x0803);
/// Assign (Configurable Namespace Locking).
pub const ASSIGN: Uid = method(0x0804);
/// Deassign (Configurable Namespace Locking).
pub const DEASSIGN: Uid = method(0x0805);

/// Optional parameter numbers that the SSCs give explicitly.
pub mod parameter {
    /// RevertSP: `KeepGlobalRangeKey` (Pyrite: `KeepData`).
    pub const KEEP_GLOBAL_RANGE_KEY: u64 = 0x06_0000;
    /// Activate and Reactivate: `SingleUserModeSelectionList`.
    pub const SINGLE_USER_MODE_SELECTION_LIST: u64 = 0x06_0000;
    /// Activate and Reactivate: `RangeStartRangeLengthPolicy`.
    pub const RANGE_START_RANGE_LENGTH_POLICY: u64 = 0x06_0001;
    /// Activate: `DataStoreTableSizes`.
    pub const ACTIVATE_DATA_STORE_TABLE_SIZES: u64 = 0x06_0002;
    /// Reactivate: `Admin1PIN`.
    pub const REACTIVATE_ADMIN1_PIN: u64 = 0x06_0002;
    /// Reactivate: `DataStoreTableSizes`.
    pub const REACTIVATE_DATA_STORE_TABLE_SIZES: u64 = 0x06_0003;
}

/// The name of a method, for traces and messages.
#[must_use]
pub fn name(uid: Uid) -> Option<&'static str> {
    NAMES
        .iter()
        .find(|(known, _)| *known == uid)
        .map(|(_, name)| *name)
}

/// Every method with its name.
pub fn all() -> impl Iterator<Item = (Uid, &'static str)> {
    NAMES.iter().copied()
}

/// Methods that change nothing but, for Authenticate, a count of wrong attempts.
pub const READ_ONLY: [Uid; 7] = [
    GET,
    NEXT,
    GET_ACL,
    RANDOM,
    AUTHENTICATE,
    GET_FREE_SPACE,
    GET_FREE_ROWS,
];

const NAMES: &[(Uid, &str)] = &[
    (PROPERTIES, "Properties"),
    (START_SESSION, "StartSession"),
    (SYNC_SESSION, "SyncSession"),
    (START_TRUSTED_SESSION, "StartTrustedSession"),
    (SYNC_TRUSTED_SESSION, "SyncTrustedSession"),
    (CLOSE_SESSION, "CloseSession"),
    (DELETE_SP, "DeleteSP"),
    (CREATE_TABLE, "CreateTable"),
    (DELETE, "Delete"),
    (CREATE_ROW, "CreateRow"),
    (DELETE_ROW, "DeleteRow"),
    (ENTERPRISE_GET, "Get (Enterprise)"),
    (ENTERPRISE_SET, "Set (Enterprise)"),
    (NEXT, "Next"),
    (GET_FREE_SPACE, "GetFreeSpace"),
    (GET_FREE_ROWS, "GetFreeRows"),
    (DELETE_METHOD, "DeleteMethod"),
    (ENTERPRISE_AUTHENTICATE, "Authenticate (Enterprise)"),
    (GET_ACL, "GetACL"),
    (ADD_ACE, "AddACE"),
    (REMOVE_ACE, "RemoveACE"),
    (GEN_KEY, "GenKey"),
    (REVERT_SP, "RevertSP"),
    (GET_PACKAGE, "GetPackage"),
    (SET_PACKAGE, "SetPackage"),
    (GET, "Get"),
    (SET, "Set"),
    (AUTHENTICATE, "Authenticate"),
    (ISSUE_SP, "IssueSP"),
    (REVERT, "Revert"),
    (ACTIVATE, "Activate"),
    (RANDOM, "Random"),
    (SALT, "Salt"),
    (REACTIVATE, "Reactivate"),
    (ERASE, "Erase"),
    (ASSIGN, "Assign"),
    (DEASSIGN, "Deassign"),
];
