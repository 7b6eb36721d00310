//! UIDs: tables, rows and the fixed objects of the SSCs (\[Core\] 5.1, \[Opal\] 4).

use std::fmt;

use super::numbers::RangeNumber;

pub use super::object::{label, name, named};

/// The 8-byte name of a table, a row or a method.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uid(pub u64);

/// The 4-byte name of a type, which precedes a reference in a Boolean expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HalfUid(pub u32);

impl HalfUid {
    /// `Authority_object_ref`.
    pub const AUTHORITY_OBJECT_REF: Self = Self(0x0000_0c05);
    /// `boolean_ACE`.
    pub const BOOLEAN_ACE: Self = Self(0x0000_040e);

    /// The bytes as they stand in a token stream.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }
}

impl Uid {
    /// The null reference.
    pub const NULL: Self = Self(0);

    /// A UID from its table half and its row half.
    #[must_use]
    pub const fn from_halves(high: u32, low: u32) -> Self {
        Self(((high as u64) << 32) | low as u64)
    }

    /// A UID from its eight bytes, as they stand in a token stream.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }

    /// A UID from 16 hexadecimal digits, between which blanks, colons, dashes and underscores may
    /// stand.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_separator = |character| matches!(character, ' ' | ':' | '-' | '_');
        let digits: String = text.chars().filter(|&c| !is_separator(c)).collect();
        let is_hex = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hex.then(|| u64::from_str_radix(&digits, 16).ok().map(Self))?
    }

    /// The eight bytes, as they stand in a token stream.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// The half that names the table.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the upper half of 64 bits is 32 bits"
    )]
    pub const fn high(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// The half that names the row; 0 for the table itself.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the lower half is what is asked for"
    )]
    pub const fn low(self) -> u32 {
        self.0 as u32
    }

    /// The table that holds this row.
    #[must_use]
    pub const fn table(self) -> Self {
        Self::from_halves(self.high(), 0)
    }

    /// The row with the given number in this table.
    #[must_use]
    pub const fn row(self, low: u32) -> Self {
        Self::from_halves(self.high(), low)
    }

    /// The row of table `Table` that describes this table.
    #[must_use]
    pub const fn table_descriptor(self) -> Self {
        TABLE.row(self.high())
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match name(*self) {
            Some(name) => write!(f, "{self} ({name})"),
            None => fmt::Display::fmt(self, f),
        }
    }
}

impl fmt::Debug for HalfUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

const fn table(high: u32) -> Uid {
    Uid::from_halves(high, 0)
}

/// ThisSP: the SP of the session, as an invoking object.
pub const THIS_SP: Uid = Uid::from_halves(0, 0x01);
/// The session manager.
pub const SESSION_MANAGER: Uid = Uid::from_halves(0, 0xff);

/// Table `Table`: a row for each table.
pub const TABLE: Uid = table(0x0001);
/// Table `SPInfo`.
pub const SP_INFO: Uid = table(0x0002);
/// Table `SPTemplates`.
pub const SP_TEMPLATES: Uid = table(0x0003);
/// Table `MethodID`.
pub const METHOD_ID: Uid = table(0x0006);
/// Table `AccessControl`.
pub const ACCESS_CONTROL: Uid = table(0x0007);
/// Table `ACE`.
pub const ACE: Uid = table(0x0008);
/// Table `Authority`.
pub const AUTHORITY: Uid = table(0x0009);
/// Table `C_PIN`.
pub const C_PIN: Uid = table(0x000b);
/// Table `SecretProtect`.
pub const SECRET_PROTECT: Uid = table(0x001d);
/// Table `TPerInfo`.
pub const TPER_INFO_TABLE: Uid = table(0x0201);
/// Table `Template`.
pub const TEMPLATE: Uid = table(0x0204);
/// Table `SP`.
pub const SP: Uid = table(0x0205);
/// Table `LockingInfo`.
pub const LOCKING_INFO_TABLE: Uid = table(0x0801);
/// Table `Locking`.
pub const LOCKING: Uid = table(0x0802);
/// Table `MBRControl`.
pub const MBR_CONTROL_TABLE: Uid = table(0x0803);
/// The byte table `MBR`: the shadow MBR.
pub const MBR: Uid = table(0x0804);
/// Table `K_AES_128`.
pub const K_AES_128: Uid = table(0x0805);
/// Table `K_AES_256`.
pub const K_AES_256: Uid = table(0x0806);
/// The byte table `DataStore` (the first one; `DataStoreN` is [`data_store`]).
pub const DATA_STORE: Uid = table(0x1001);
/// Table `DataRemovalMechanism`.
pub const DATA_REMOVAL_MECHANISM_TABLE: Uid = table(0x1101);

/// The Admin SP.
pub const ADMIN_SP: Uid = SP.row(0x01);
/// The Locking SP of the Opal family.
pub const LOCKING_SP: Uid = SP.row(0x02);
/// The Key Per I/O SP.
pub const KEY_PER_IO_SP: Uid = SP.row(0x03);
/// The Locking SP of the Enterprise SSC.
pub const ENTERPRISE_LOCKING_SP: Uid = SP.row(0x0001_0001);

/// The row of `SPInfo`.
pub const SP_INFO_ROW: Uid = SP_INFO.row(0x01);
/// The row of `TPerInfo`.
pub const TPER_INFO: Uid = TPER_INFO_TABLE.row(0x0003_0001);
/// The row of `LockingInfo`.
pub const LOCKING_INFO: Uid = LOCKING_INFO_TABLE.row(0x01);
/// The row of `MBRControl`.
pub const MBR_CONTROL: Uid = MBR_CONTROL_TABLE.row(0x01);
/// The row of `DataRemovalMechanism`.
pub const DATA_REMOVAL_MECHANISM: Uid = DATA_REMOVAL_MECHANISM_TABLE.row(0x01);
/// `SecretProtect` of the key column of `K_AES_128`.
pub const SECRET_PROTECT_K_AES_128: Uid = SECRET_PROTECT.row(0x1d);
/// `SecretProtect` of the key column of `K_AES_256`.
pub const SECRET_PROTECT_K_AES_256: Uid = SECRET_PROTECT.row(0x1e);
/// Template Base.
pub const TEMPLATE_BASE: Uid = TEMPLATE.row(0x01);
/// Template Admin.
pub const TEMPLATE_ADMIN: Uid = TEMPLATE.row(0x02);
/// Template Locking.
pub const TEMPLATE_LOCKING: Uid = TEMPLATE.row(0x06);

/// Authority Anybody: authenticated in every session.
pub const ANYBODY: Uid = AUTHORITY.row(0x01);
/// Authority class Admins.
pub const ADMINS: Uid = AUTHORITY.row(0x02);
/// Authority class Makers.
pub const MAKERS: Uid = AUTHORITY.row(0x03);
/// Authority SID: the owner of the TPer.
pub const SID: Uid = AUTHORITY.row(0x06);
/// Authority Admin1 of the Admin SP (Opal 2).
pub const ADMIN_SP_ADMIN1: Uid = AUTHORITY.row(0x0201);
/// Authority PSID: whoever can read the label.
pub const PSID: Uid = AUTHORITY.row(0x0001_ff01);
/// Authority Admin1 of the Locking SP.
pub const ADMIN1: Uid = AUTHORITY.row(0x0001_0001);
/// Authority class Users of the Locking SP.
pub const USERS: Uid = AUTHORITY.row(0x0003_0000);
/// Authority User1 of the Locking SP.
pub const USER1: Uid = AUTHORITY.row(0x0003_0001);
/// Authority BandMaster0 of the Enterprise SSC.
pub const BAND_MASTER0: Uid = AUTHORITY.row(0x8001);
/// Authority EraseMaster of the Enterprise SSC.
pub const ERASE_MASTER: Uid = AUTHORITY.row(0x8401);

/// The PIN of SID.
pub const C_PIN_SID: Uid = C_PIN.row(0x01);
/// The default PIN that the drive shows to anybody.
pub const C_PIN_MSID: Uid = C_PIN.row(0x8402);

/// The Global range.
pub const LOCKING_GLOBAL_RANGE: Uid = LOCKING.row(0x01);

/// Authority AdminN of the Locking SP, N from 1.
#[must_use]
pub const fn admin(number: u16) -> Uid {
    AUTHORITY.row(0x0001_0000 + number as u32)
}

/// Authority UserN of the Locking SP, N from 1.
#[must_use]
pub const fn user(number: u16) -> Uid {
    AUTHORITY.row(0x0003_0000 + number as u32)
}

/// The User to whom a range belongs that is in Single User Mode: User1 for the Global range, User
/// N + 1 for range N (\[Single User Mode\]).
#[must_use]
pub const fn range_owner(range: RangeNumber) -> Uid {
    AUTHORITY.row(0x0003_0001 + range.0 as u32)
}

/// The `C_PIN` row of an authority that has a PIN (\[Core\] pattern: same low half, but for SID).
#[must_use]
pub fn c_pin(authority: Uid) -> Uid {
    if authority == SID {
        C_PIN_SID
    } else {
        C_PIN.row(authority.low())
    }
}

/// The row of `Locking` for a range of the Opal family.
#[must_use]
pub const fn locking_range(range: RangeNumber) -> Uid {
    LOCKING.row(range_low(range))
}

/// The row of `K_AES_128` for a range of the Opal family.
#[must_use]
pub const fn k_aes_128(range: RangeNumber) -> Uid {
    K_AES_128.row(range_low(range))
}

/// The row of `K_AES_256` for a range of the Opal family.
#[must_use]
pub const fn k_aes_256(range: RangeNumber) -> Uid {
    K_AES_256.row(range_low(range))
}

const fn range_low(range: RangeNumber) -> u32 {
    if range.0 == 0 {
        0x01
    } else {
        0x0003_0000 + range.0 as u32
    }
}

/// The byte table `DataStoreN`, N from 1 (\[DataStore\] 4.2).
#[must_use]
pub const fn data_store(number: u16) -> Uid {
    table(0x1000 + number as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_real_frames_have_their_uids() {
        // Opal 2 rows as they stand on the wire.
        assert_eq!(locking_range(RangeNumber(1)), Uid(0x0000_0802_0003_0001));
        assert_eq!(
            locking_range(RangeNumber::GLOBAL),
            Uid(0x0000_0802_0000_0001)
        );
        assert_eq!(k_aes_256(RangeNumber(300)), Uid(0x0000_0806_0003_012c));
        assert_eq!(c_pin(SID), Uid(0x0000_000b_0000_0001));
        assert_eq!(c_pin(user(2)), Uid(0x0000_000b_0003_0002));
        assert_eq!(MBR.table_descriptor(), Uid(0x0000_0001_0000_0804));
        assert_eq!(data_store(1), DATA_STORE);
    }

    #[test]
    fn a_range_in_single_user_mode_belongs_to_the_next_user() {
        assert_eq!(range_owner(RangeNumber::GLOBAL), USER1);
        assert_eq!(range_owner(RangeNumber(8)), user(9));
        assert_eq!(range_owner(RangeNumber(u16::MAX)).low(), 0x0004_0000);
    }

    #[test]
    fn uids_are_read_with_and_without_separators() {
        for text in [
            "0000000b00008402",
            "0000000B 00008402",
            "00:00:00:0b-00:00:84:02",
        ] {
            assert_eq!(Uid::parse(text), Some(C_PIN_MSID), "{text}");
        }
        for text in [
            "",
            "b00008402",
            "0000000b000084020",
            "0000000b0000840g",
            "+000000b00008402",
        ] {
            assert_eq!(Uid::parse(text), None, "{text}");
        }
    }
}
