//! How parameters, columns and cell block entries are called, and which of them hold secrets.

use crate::spec::signature::{self, Signature, cell_block};
use crate::spec::{HalfUid, Uid, column, property, uid};
use crate::wire::Value;

/// What the names of named values name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Names {
    /// Optional parameters of a method.
    Parameters(Signature),
    /// Columns of a table; `None` if the table is not known.
    Columns(Option<Uid>),
    /// Entries of a cell block on a table.
    CellBlock(Option<Uid>),
    /// Communication properties.
    Properties,
    /// Nothing known.
    Plain,
}

/// What a byte string may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A PIN, a key, or a proof of one.
    Secret,
    /// A name that people gave or the standard has.
    Text,
    /// Contents of a byte table.
    Bulk,
    /// Who knows.
    Unknown,
}

/// Parameters and columns that hold a secret or something computed from one.
const SECRETS: [&str; 9] = [
    "PIN",
    "Key",
    "Admin1PIN",
    "HostChallenge",
    "SPChallenge",
    "SignedHash",
    "Challenge",
    "Proof",
    "ParamCheck",
];

/// The largest number that a column or a parameter may have.
pub(super) const MAX_NUMBER: u64 = 0x00ff_ffff;

/// Columns that hold names.
const TEXTS: [&str; 3] = ["Name", "CommonName", "SSC"];

/// Names that the Enterprise SSC sends as strings, beside those of columns and parameters.
const ENTERPRISE_STRINGS: [&str; 4] = ["Challenge", "ParamCheck", "Where", "Count"];

impl Names {
    /// The name of a named value, if it is a known one.
    pub(super) fn label(self, name: &Value) -> Option<&'static str> {
        match (self, name) {
            (_, Value::Bytes(bytes)) => known_string(bytes),
            (Self::Parameters(signature), Value::Uint(number)) => signature.optional_name(*number),
            (Self::Columns(Some(table)), Value::Uint(number)) => column::name(table, *number),
            (Self::CellBlock(_), Value::Uint(number)) => cell_block::name(*number),
            _ => None,
        }
    }

    /// What the names inside a named value name.
    pub(super) fn inside(self, label: &str, table: Option<Uid>) -> Self {
        match label {
            "Cellblock" | "Where" => Self::CellBlock(table),
            "Values" => Self::Columns(table),
            "HostProperties" | "TPerProperties" => Self::Properties,
            _ => Self::Plain,
        }
    }

    /// What byte strings under a name may be.
    ///
    /// Text is shown only where it can't be a PIN, not even if the column's number or the table's is
    /// damaged.
    pub(super) fn meaning(self, name: &Value, label: Option<&str>) -> Meaning {
        let is_third = name.as_uint() == Some(column::c_pin::PIN);
        match (self, label) {
            (_, Some(label)) if SECRETS.contains(&label) => Meaning::Secret,
            // No standard has such a number: damage may have made it of a PIN.
            _ if name.as_uint().is_some_and(|number| number > MAX_NUMBER) => Meaning::Secret,
            // The table is not known: this may be the PIN of C_PIN or the Key of K_AES.
            (Self::Columns(None), _) if is_third => Meaning::Secret,
            (Self::Columns(Some(uid::C_PIN) | None), _) => Meaning::Unknown,
            (Self::Columns(_), Some(label)) if TEXTS.contains(&label) && !is_third => Meaning::Text,
            _ => Meaning::Unknown,
        }
    }
}

/// The known name that a byte string spells, so that nothing else is ever printed as a name.
pub(super) fn known_string(bytes: &[u8]) -> Option<&'static str> {
    let half = <[u8; 4]>::try_from(bytes).ok();
    if let Some(name) = half.and_then(|half| half_uid(HalfUid(u32::from_be_bytes(half)))) {
        return Some(name);
    }
    let parameters = signature::START_SESSION.iter().map(|(_, name)| *name);
    let cell_block = (0..=4).filter_map(cell_block::name);
    ENTERPRISE_STRINGS
        .into_iter()
        .chain(parameters)
        .chain(cell_block)
        .chain(property::NAMES)
        .chain(column::all_names())
        .find(|name| name.as_bytes() == bytes)
}

fn half_uid(half: HalfUid) -> Option<&'static str> {
    match half {
        HalfUid::AUTHORITY_OBJECT_REF => Some("Authority_object_ref"),
        HalfUid::BOOLEAN_ACE => Some("boolean_ACE"),
        _ => None,
    }
}

/// Parameters that hold session numbers.
pub(super) const SESSION_NUMBERS: [&str; 4] = [
    "HostSessionID",
    "SPSessionID",
    "RemoteSessionNumber",
    "LocalSessionNumber",
];

/// True for the byte tables: the shadow MBR and the DataStore tables of every SSC.
pub(super) const fn is_byte_table(table: Uid) -> bool {
    table.low() == 0 && matches!(table.high(), 0x0804 | 0x1001..=0x10ff | 0x1204 | 0x8001)
}

/// An object's name; that of its table and its number where only the table is known.
pub(super) fn uid_text(uid: Uid) -> String {
    known_uid_text(uid).unwrap_or_else(|| uid.to_string())
}

/// The same for a UID that can't be taken for a PIN, since its table is known.
pub(super) fn known_uid_text(uid: Uid) -> Option<String> {
    let table = || uid::name(uid.table()).filter(|_| uid.high() != 0);
    let row = || table().map(|table| format!("{table} {:08x}", uid.low()));
    uid::name(uid).or_else(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_strings_are_names() {
        assert_eq!(known_string(b"ReadLocked"), Some("ReadLocked"));
        assert_eq!(known_string(b"Done"), Some("Done"));
        assert_eq!(known_string(b"HostChallenge"), Some("HostChallenge"));
        assert_eq!(
            known_string(&[0, 0, 0x0c, 0x05]),
            Some("Authority_object_ref")
        );
        assert_eq!(known_string(b"password"), None);
        assert_eq!(known_string(b""), None);
    }

    #[test]
    fn only_uids_of_known_tables_are_known() {
        let text = |uid| known_uid_text(Uid(uid));
        assert_eq!(text(0x0000_0008_0007_0001).as_deref(), Some("ACE 00070001"));
        assert_eq!(text(0).as_deref(), Some("Null"));
        assert_eq!(text(0x0000_0000_0000_1234), None);
        assert_eq!(text(u64::from_be_bytes(*b"password")), None);
        assert_eq!(uid_text(Uid(0x1234)), "0000000000001234");
    }

    #[test]
    fn byte_tables_are_tables_not_rows() {
        assert!(is_byte_table(uid::MBR) && is_byte_table(uid::data_store(128)));
        assert!(!is_byte_table(uid::MBR.table_descriptor()) && !is_byte_table(uid::C_PIN));
    }
}
