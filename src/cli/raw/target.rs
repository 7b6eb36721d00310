//! Objects, columns and authorities by the names that people give them, and the SP that they belong
//! to.

use crate::cli::args::raw::RawSession;
use crate::cli::error::CliError;
use crate::cli::looking::{ANYBODY, is_anybody};
use crate::drive::Authority;
use crate::spec::{Uid, column, uid};

/// What a command is about, with the session that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The object.
    pub(super) object: Uid,
    /// The SP of the session.
    pub(super) sp: Uid,
    /// Who acts; nobody for Anybody.
    pub(super) authority: Option<Authority>,
}

impl Target {
    /// The object that a text names, in the session that the options and the object ask for.
    pub(super) fn new(text: &str, options: &RawSession) -> Result<Self, CliError> {
        let sp = options.sp.as_deref().map(sp).transpose()?;
        let found = object(text, sp)?;
        let name = who(options, sp.or(home(found)).unwrap_or(uid::ADMIN_SP));
        let sp = match (sp, authority(name, sp)?) {
            (Some(sp), _) => sp,
            (None, Some(Named::Known(authority))) => authority.sp(),
            (None, _) => home(found).unwrap_or(uid::ADMIN_SP),
        };
        Ok(Self {
            object: object(text, Some(sp))?,
            sp,
            authority: acting(name, sp)?,
        })
    }
}

/// An authority that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// One whose SP is known.
    Known(Authority),
    /// One of whatever SP.
    Row(Uid),
}

/// The name of who acts in a session with an SP. A secret that is given is somebody's: of whom there
/// is nothing said, it is that of the owner of the SP.
pub(super) fn who(options: &RawSession, sp: Uid) -> &str {
    let owner = match sp {
        uid::ADMIN_SP => "SID",
        _ => "Admin1",
    };
    let unnamed = options.login.key.key.as_ref().map_or(ANYBODY, |_| owner);
    options.authority.as_deref().unwrap_or(unnamed)
}

/// Who acts in an SP; nobody for Anybody.
pub(super) fn acting(text: &str, sp: Uid) -> Result<Option<Authority>, CliError> {
    Ok(authority(text, Some(sp))?.map(|named| match named {
        Named::Known(authority) if authority.sp() == sp => authority,
        Named::Known(authority) => Authority::Other {
            sp,
            uid: authority.uid(),
        },
        Named::Row(uid) => Authority::Other { sp, uid },
    }))
}

/// The SP of an authority that has one of its own.
pub(super) fn sp_of(text: &str) -> Result<Option<Uid>, CliError> {
    Ok(match authority(text, None)? {
        Some(Named::Known(authority)) => Some(authority.sp()),
        _ => None,
    })
}

fn authority(text: &str, sp: Option<Uid>) -> Result<Option<Named>, CliError> {
    if is_anybody(text) {
        return Ok(None);
    }
    // Admin1 of the Admin SP has the name of Admin1 of the Locking SP.
    let is_ambiguous = sp == Some(uid::ADMIN_SP) && has_other_row_in_admin_sp(text);
    if let (false, Ok(authority)) = (is_ambiguous, text.parse()) {
        return Ok(Some(Named::Known(authority)));
    }
    let row = object(text, sp).ok();
    let row = row.filter(|row| row.table() == uid::AUTHORITY && row.low() != 0);
    match row {
        Some(row) => Ok(Some(Named::Row(row))),
        None => Err(
            CliError::usage(format!("{text:?} is no authority")).with_hint(
                "\"sedkit raw names\" lists the names; a UID of 16 hexadecimal digits works too",
            ),
        ),
    }
}

fn has_other_row_in_admin_sp(text: &str) -> bool {
    uid::named(&in_admin_sp(text)).is_some()
}

fn in_admin_sp(text: &str) -> String {
    format!("{text} (Admin SP)")
}

/// An SP by `admin`, `locking`, name or UID.
pub(super) fn sp(text: &str) -> Result<Uid, CliError> {
    let named = match text.to_ascii_lowercase().as_str() {
        "admin" => Some(uid::ADMIN_SP),
        "locking" => Some(uid::LOCKING_SP),
        _ => Uid::parse(text).or_else(|| uid::named(text)),
    };
    let named = named.filter(|sp| sp.table() == uid::SP && sp.low() != 0);
    named.ok_or_else(|| {
        CliError::usage(format!("{text:?} is no SP")).with_hint("admin, locking, or a UID")
    })
}

/// An object by name, by TABLE.ROW, or by UID.
pub(super) fn object(text: &str, sp: Option<Uid>) -> Result<Uid, CliError> {
    let in_sp = (sp == Some(uid::ADMIN_SP)).then(|| uid::named(&in_admin_sp(text)));
    let found = in_sp
        .flatten()
        .or_else(|| Uid::parse(text))
        .or_else(|| uid::named(text))
        .or_else(|| {
            let (table, row) = text.split_once('.')?;
            row_of(
                uid::named(table).filter(|table| table.low() == 0)?,
                table,
                row,
            )
        });
    found.ok_or_else(|| {
        CliError::usage(format!("{text:?} names no object")).with_hint(
            "\"sedkit raw names\" lists the names; a UID of 16 hexadecimal digits works too",
        )
    })
}

/// A row by the name that it has in its table, or by its number there.
fn row_of(table: Uid, name: &str, row: &str) -> Option<Uid> {
    let names = [
        row.to_owned(),
        format!("{name}_{row}"),
        format!("{name} {row}"),
        format!("{row} {name}"),
        format!("{name}_Range{row}"),
    ];
    let is_row = |found: &Uid| found.table() == table && found.low() != 0;
    let named = names
        .iter()
        .filter_map(|name| uid::named(name))
        .find(is_row);
    named.or_else(|| {
        let is_number = row.len() == 8 && row.bytes().all(|digit| digit.is_ascii_hexdigit());
        let low = u32::from_str_radix(row, 16).ok().filter(|_| is_number);
        low.map(|low| table.row(low))
    })
}

/// An object, and the columns after it.
pub(super) fn split(text: &str, sp: Option<Uid>) -> Result<(&str, Option<&str>), CliError> {
    let whole = object(text, sp);
    if whole.is_ok() {
        return Ok((text, None));
    }
    match text.rsplit_once('.') {
        Some((object_text, columns)) if object(object_text, sp).is_ok() => {
            Ok((object_text, Some(columns)))
        }
        _ => whole.map(|_| (text, None)),
    }
}

/// A column by name or number.
pub(super) fn column(table: Uid, text: &str) -> Result<u64, CliError> {
    let named = column::number(table, text).or_else(|| number(text));
    named.ok_or_else(|| {
        let known: Vec<&str> = column::all(table).map(|(_, name)| name).collect();
        let hint = match known.as_slice() {
            [] => "columns of this table are known by number only".to_owned(),
            known => format!("its columns: {}", known.join(", ")),
        };
        let table = uid::label(table);
        CliError::usage(format!("{text:?} is no column of {table}")).with_hint(hint)
    })
}

/// A number, decimal or hexadecimal.
pub(super) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None if text.starts_with('+') => None,
        None => text.parse().ok(),
    }
}

/// The SP in which an object is, where the standards say so.
fn home(object: Uid) -> Option<Uid> {
    /// The first ACE of the Locking SP that is no base ACE (\[Opal\] 4.3.1.7).
    const LOCKING_SP_ACES: std::ops::Range<u32> = 0x0003_8000..0x0005_0000;
    let is_of_admin_sp = matches!(
        object,
        uid::SID | uid::PSID | uid::MAKERS | uid::C_PIN_SID | uid::C_PIN_MSID
    );
    match object.table() {
        _ if is_of_admin_sp => Some(uid::ADMIN_SP),
        uid::AUTHORITY | uid::C_PIN if object.low() == 0x0001_ff01 => Some(uid::ADMIN_SP),
        uid::AUTHORITY | uid::C_PIN if object.low() >= 0x0001_0000 => Some(uid::LOCKING_SP),
        uid::ACE if LOCKING_SP_ACES.contains(&object.low()) => Some(uid::LOCKING_SP),
        uid::SECRET_PROTECT
        | uid::LOCKING_INFO_TABLE
        | uid::LOCKING
        | uid::MBR_CONTROL_TABLE
        | uid::MBR
        | uid::K_AES_128
        | uid::K_AES_256 => Some(uid::LOCKING_SP),
        table if (0x1001..0x1101).contains(&table.high()) => Some(uid::LOCKING_SP),
        table if (0x1201..0x1205).contains(&table.high()) => Some(uid::KEY_PER_IO_SP),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Uid> {
        object(text, None).ok()
    }

    #[test]
    fn objects_are_named_in_several_ways() {
        for (text, high, low) in [
            ("C_PIN_MSID", 0x0b, 0x8402),
            ("C_PIN.MSID", 0x0b, 0x8402),
            ("Authority.User3", 0x09, 0x0003_0003),
            ("SP.Locking", 0x0205, 2),
            ("Locking.3", 0x0802, 0x0003_0003),
            ("Locking.GlobalRange", 0x0802, 1),
            ("ACE.0003e001", 0x08, 0x0003_e001),
            ("Template.Base", 0x0204, 1),
            ("Table.MBR", 0x01, 0x0804),
            ("0000 0802-0003:0001", 0x0802, 0x0003_0001),
        ] {
            assert_eq!(found(text), Some(Uid::from_halves(high, low)), "{text}");
        }
        for text in [
            "",
            "Locking.",
            "C_PIN.User0",
            "Authority.Locking_Range1",
            "ACE.3e001",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn admin1_is_another_one_in_each_sp() {
        let row = |sp| object("Admin1", Some(sp)).unwrap();
        assert_eq!(row(uid::ADMIN_SP), uid::ADMIN_SP_ADMIN1);
        assert_eq!(row(uid::LOCKING_SP), uid::ADMIN1);
        let acting = |sp| acting("admin1", sp).unwrap();
        let other = Authority::Other {
            sp: uid::ADMIN_SP,
            uid: uid::ADMIN_SP_ADMIN1,
        };
        assert_eq!(acting(uid::ADMIN_SP), Some(other));
        assert_eq!(acting(uid::LOCKING_SP), Some(Authority::Admin(1)));
    }

    #[test]
    fn columns_follow_the_object() {
        let split = |text| split(text, None).ok();
        assert_eq!(split("C_PIN_MSID.PIN"), Some(("C_PIN_MSID", Some("PIN"))));
        assert_eq!(split("Authority.User3"), Some(("Authority.User3", None)));
        assert_eq!(
            split("Authority.User3.Enabled,Name"),
            Some(("Authority.User3", Some("Enabled,Name")))
        );
        assert_eq!(split("Nonsense.PIN"), None);
        assert_eq!(column(uid::C_PIN, "tries").unwrap(), 6);
        assert_eq!(column(uid::C_PIN, "0xffff0001").unwrap(), 0xffff_0001);
        assert!(
            column(uid::C_PIN, "RangeStart")
                .unwrap_err()
                .hint
                .unwrap()
                .contains("TryLimit")
        );
    }

    #[test]
    fn objects_are_looked_for_where_they_are() {
        let home = |text| home(found(text).unwrap());
        for text in ["SID", "C_PIN_MSID", "C_PIN_PSID"] {
            assert_eq!(home(text), Some(uid::ADMIN_SP), "{text}");
        }
        for text in [
            "User3",
            "C_PIN_Admin1",
            "Locking_Range1",
            "DataStore2",
            "MBR",
            "ACE_Locking_Range1_Set_RdLocked",
            "K_AES_256_GlobalRange_Key",
            "LockingInfo",
        ] {
            assert_eq!(home(text), Some(uid::LOCKING_SP), "{text}");
        }
        assert_eq!(home("ThisSP"), None);
        assert_eq!(home("ACE_Anybody"), None);
    }

    #[test]
    fn sps_are_named_shortly() {
        assert_eq!(sp("admin").unwrap(), uid::ADMIN_SP);
        assert_eq!(sp("LockingSP").unwrap(), uid::LOCKING_SP);
        assert_eq!(sp("0000020500010001").unwrap(), uid::ENTERPRISE_LOCKING_SP);
        assert!(sp("User1").is_err());
    }
}
