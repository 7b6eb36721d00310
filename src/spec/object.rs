//! Names of objects: one table, which is read from UID to name and from name to UID (\[Core\] 5,
//! \[Opal\] 4, \[PSID\], \[DataStore\], \[Enterprise\] 4, \[Key Per I/O\] 4).

use super::method;
use super::uid::{self, Uid};

/// Objects that are numbered in their names: number `first + i` is the UID `base + i * step`.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    prefix: &'static str,
    suffix: &'static str,
    base: Uid,
    step: u64,
    first: u64,
    last: u64,
}

impl Numbered {
    /// Rows of one table, one after the other.
    const fn rows(
        prefix: &'static str,
        suffix: &'static str,
        base: Uid,
        numbers: (u64, u64),
    ) -> Self {
        Self {
            prefix,
            suffix,
            base,
            step: 1,
            first: numbers.0,
            last: numbers.1,
        }
    }

    /// The same, with a distance between them.
    const fn every(mut self, step: u64) -> Self {
        self.step = step;
        self
    }

    fn name(&self, uid: Uid) -> Option<String> {
        let distance = uid.0.checked_sub(self.base.0)?;
        let number = self.first.checked_add(distance / self.step)?;
        let is_one = distance.is_multiple_of(self.step) && number <= self.last;
        is_one.then(|| format!("{}{number}{}", self.prefix, self.suffix))
    }

    /// `folded` is a name as [`fold`] makes it.
    fn uid(&self, folded: &str) -> Option<Uid> {
        let digits = folded.strip_prefix(&fold(self.prefix))?;
        let digits = digits.strip_suffix(&fold(self.suffix))?;
        let number: u64 = digits.parse().ok()?;
        let is_one = (self.first..=self.last).contains(&number) && number.to_string() == digits;
        is_one.then(|| Uid(self.base.0 + (number - self.first) * self.step))
    }
}

/// The name of a table, a row or a method.
///
/// Names are unique but for case and blanks, so that [`named`] finds every one of them.
#[must_use]
pub fn name(uid: Uid) -> Option<String> {
    if let Some((_, name)) = FIXED.iter().find(|(known, _)| *known == uid) {
        return Some((*name).to_owned());
    }
    if let Some(method) = method::name(uid) {
        return Some(method.to_owned());
    }
    let numbered = NUMBERED.iter().find_map(|numbered| numbered.name(uid));
    numbered.or_else(|| descriptor_name(uid))
}

/// The name, or the UID of an object that has none.
#[must_use]
pub fn label(uid: Uid) -> String {
    name(uid).unwrap_or_else(|| uid.to_string())
}

/// The object of a name; case and blanks make no difference.
#[must_use]
pub fn named(name: &str) -> Option<Uid> {
    let name = fold(name);
    let fixed = FIXED.iter().find(|(_, known)| fold(known) == name);
    let fixed = fixed.map(|(uid, _)| *uid);
    fixed
        .or_else(|| method::all().find_map(|(uid, known)| (fold(known) == name).then_some(uid)))
        .or_else(|| NUMBERED.iter().find_map(|numbered| numbered.uid(&name)))
        .or_else(|| descriptor(name.strip_prefix("table.")?))
}

/// Every name that has no number in it, and the forms of those that have: `Locking_RangeN`.
pub fn names() -> impl Iterator<Item = (Uid, String)> {
    let fixed = FIXED.iter().map(|(uid, name)| (*uid, (*name).to_owned()));
    let methods = method::all().map(|(uid, name)| (uid, name.to_owned()));
    let numbered = NUMBERED.iter().map(|numbered| {
        let Numbered { prefix, suffix, .. } = numbered;
        (numbered.base, format!("{prefix}N{suffix}"))
    });
    fixed.chain(methods).chain(numbered)
}

/// What the names of tables end with whose only row has the name itself.
const TABLE_SUFFIX: &str = " table";

/// The row of table `Table` that describes another table: `Table.LockingInfo`.
fn descriptor_name(uid: Uid) -> Option<String> {
    let is_descriptor = uid.table() == uid::TABLE && uid.low() != 0;
    let table = name(is_descriptor.then(|| Uid::from_halves(uid.low(), 0))?)?;
    let table = table.strip_suffix(TABLE_SUFFIX).unwrap_or(&table);
    Some(format!("Table.{table}"))
}

fn descriptor(table: &str) -> Option<Uid> {
    if table.is_empty() {
        return None;
    }
    let table = named(&format!("{table}{TABLE_SUFFIX}")).or_else(|| named(table))?;
    (table.low() == 0).then(|| table.table_descriptor())
}

fn fold(name: &str) -> String {
    let kept = name.chars().filter(|character| *character != ' ');
    kept.map(|character| character.to_ascii_lowercase())
        .collect()
}

const fn table(high: u32) -> Uid {
    Uid::from_halves(high, 0)
}

const fn ace(low: u32) -> Uid {
    uid::ACE.row(low)
}

const RANGES: (u64, u64) = (1, 0xffff);
/// Ranges of which an ACE has its own UID.
const ACE_RANGES: (u64, u64) = (1, 0x7fe);

const NUMBERED: &[Numbered] = &[
    Numbered::rows("Admin", "", uid::ADMIN1, (1, 0xfeff)),
    Numbered::rows("User", "", uid::USER1, (1, 0xffff)),
    Numbered::rows("BandMaster", "", uid::BAND_MASTER0, (0, 1023)),
    Numbered::rows("Admin", " (Admin SP)", uid::ADMIN_SP_ADMIN1, (1, 0xff)),
    Numbered::rows("C_PIN_Admin", "", uid::C_PIN.row(0x0001_0001), (1, 0xfeff)),
    Numbered::rows("C_PIN_User", "", uid::C_PIN.row(0x0003_0001), (1, 0xffff)),
    Numbered::rows("C_PIN_BandMaster", "", uid::C_PIN.row(0x8001), (0, 1023)),
    Numbered::rows(
        "C_PIN_Admin",
        " (Admin SP)",
        uid::C_PIN.row(0x0201),
        (1, 0xff),
    ),
    Numbered::rows("Locking_Range", "", uid::LOCKING.row(0x0003_0001), RANGES),
    Numbered::rows(
        "K_AES_128_Range",
        "_Key",
        uid::K_AES_128.row(0x0003_0001),
        RANGES,
    ),
    Numbered::rows(
        "K_AES_256_Range",
        "_Key",
        uid::K_AES_256.row(0x0003_0001),
        RANGES,
    ),
    Numbered::rows("DataStore", "", table(0x1002), (2, 0xff)).every(1 << 32),
    Numbered::rows("ACE_C_PIN_User", "_Set_PIN", ace(0x0003_a801), (1, 0x7ff)),
    Numbered::rows("ACE_User", "_Set_CommonName", ace(0x0004_4001), (1, 0xfff)),
    Numbered::rows(
        "ACE_K_AES_128_Range",
        "_GenKey",
        ace(0x0003_b001),
        ACE_RANGES,
    ),
    Numbered::rows(
        "ACE_K_AES_256_Range",
        "_GenKey",
        ace(0x0003_b801),
        ACE_RANGES,
    ),
    Numbered::rows(
        "ACE_Locking_Range",
        "_Get_RangeStartToActiveKey",
        ace(0x0003_d001),
        ACE_RANGES,
    ),
    Numbered::rows(
        "ACE_Locking_Range",
        "_Set_RdLocked",
        ace(0x0003_e001),
        ACE_RANGES,
    ),
    Numbered::rows(
        "ACE_Locking_Range",
        "_Set_WrLocked",
        ace(0x0003_e801),
        ACE_RANGES,
    ),
    Numbered::rows("ACE_DataStore", "_Get_All", ace(0x0003_fc02), (2, 128)).every(2),
    Numbered::rows("ACE_DataStore", "_Set_All", ace(0x0003_fc03), (2, 128)).every(2),
    Numbered::rows("ACE_DataStore", "_Get_All", ace(0x0004_5100), (129, 2048)).every(2),
    Numbered::rows("ACE_DataStore", "_Set_All", ace(0x0004_5101), (129, 2048)).every(2),
];

const FIXED: &[(Uid, &str)] = &[
    (Uid::NULL, "Null"),
    (uid::THIS_SP, "ThisSP"),
    (uid::SESSION_MANAGER, "SMUID"),
    // Tables. Those of one row, which is what people mean by their name, say that they are tables.
    (uid::TABLE, "Table"),
    (uid::SP_INFO, "SPInfo table"),
    (uid::SP_TEMPLATES, "SPTemplates"),
    (table(0x0004), "Column"),
    (table(0x0005), "Type"),
    (uid::METHOD_ID, "MethodID"),
    (uid::ACCESS_CONTROL, "AccessControl"),
    (uid::ACE, "ACE"),
    (uid::AUTHORITY, "Authority"),
    (table(0x000a), "Certificates"),
    (uid::C_PIN, "C_PIN"),
    (table(0x000c), "C_RSA_1024"),
    (table(0x000d), "C_RSA_2048"),
    (table(0x000e), "C_AES_128"),
    (table(0x000f), "C_AES_256"),
    (table(0x0010), "C_EC_160"),
    (table(0x0011), "C_EC_192"),
    (table(0x0012), "C_EC_224"),
    (table(0x0013), "C_EC_256"),
    (table(0x0014), "C_EC_384"),
    (table(0x0015), "C_EC_521"),
    (table(0x0016), "C_EC_163"),
    (table(0x0017), "C_EC_233"),
    (table(0x0018), "C_EC_283"),
    (table(0x0019), "C_HMAC_160"),
    (table(0x001a), "C_HMAC_256"),
    (table(0x001b), "C_HMAC_384"),
    (table(0x001c), "C_HMAC_512"),
    (uid::SECRET_PROTECT, "SecretProtect"),
    (uid::TPER_INFO_TABLE, "TPerInfo table"),
    (table(0x0203), "CryptoSuite"),
    (uid::TEMPLATE, "Template"),
    (uid::SP, "SP"),
    (table(0x0401), "ClockTime"),
    (table(0x0601), "H_SHA_1"),
    (table(0x0602), "H_SHA_256"),
    (table(0x0603), "H_SHA_384"),
    (table(0x0604), "H_SHA_512"),
    (uid::LOCKING_INFO_TABLE, "LockingInfo table"),
    (uid::LOCKING, "Locking"),
    (uid::MBR_CONTROL_TABLE, "MBRControl table"),
    (uid::MBR, "MBR"),
    (uid::K_AES_128, "K_AES_128"),
    (uid::K_AES_256, "K_AES_256"),
    (table(0x0a01), "Log"),
    (table(0x0a02), "LogList"),
    (uid::DATA_STORE, "DataStore"),
    (
        uid::DATA_REMOVAL_MECHANISM_TABLE,
        "DataRemovalMechanism table",
    ),
    (table(0x1201), "KeyTagAllocation"),
    (table(0x1202), "KeyEncryptionKey"),
    (table(0x1203), "KPIOPolicies"),
    (table(0x1204), "KeyPerIOPublicKeyCertificateData"),
    (table(0x8001), "DataStore (Enterprise)"),
    // Rows.
    (uid::ADMIN_SP, "Admin SP"),
    (uid::LOCKING_SP, "Locking SP"),
    (uid::KEY_PER_IO_SP, "Key Per I/O SP"),
    (uid::ENTERPRISE_LOCKING_SP, "Locking SP (Enterprise)"),
    (uid::SP_INFO_ROW, "SPInfo"),
    (uid::TPER_INFO, "TPerInfo"),
    (uid::LOCKING_INFO, "LockingInfo"),
    (uid::MBR_CONTROL, "MBRControl"),
    (uid::DATA_REMOVAL_MECHANISM, "DataRemovalMechanism"),
    (uid::TEMPLATE_BASE, "Template Base"),
    (uid::TEMPLATE_ADMIN, "Template Admin"),
    (uid::TEMPLATE.row(0x03), "Template Clock"),
    (uid::TEMPLATE.row(0x04), "Template Crypto"),
    (uid::TEMPLATE.row(0x05), "Template Log"),
    (uid::TEMPLATE_LOCKING, "Template Locking"),
    (uid::TEMPLATE.row(0x07), "Template InterfaceControl"),
    (uid::SECRET_PROTECT_K_AES_128, "SecretProtect K_AES_128"),
    (uid::SECRET_PROTECT_K_AES_256, "SecretProtect K_AES_256"),
    (uid::ANYBODY, "Anybody"),
    (uid::ADMINS, "Admins"),
    (uid::MAKERS, "Makers"),
    (uid::AUTHORITY.row(0x04), "MakerSymK"),
    (uid::AUTHORITY.row(0x05), "MakerPuK"),
    (uid::SID, "SID"),
    (uid::AUTHORITY.row(0x07), "TPerSign"),
    (uid::AUTHORITY.row(0x08), "TPerExch"),
    (uid::AUTHORITY.row(0x09), "AdminExch"),
    (uid::PSID, "PSID"),
    (uid::USERS, "Users"),
    (uid::ERASE_MASTER, "EraseMaster"),
    (uid::AUTHORITY.row(0x8403), "BandMasters"),
    (uid::C_PIN_SID, "C_PIN_SID"),
    (uid::C_PIN_MSID, "C_PIN_MSID"),
    (uid::C_PIN.row(0x0001_ff01), "C_PIN_PSID"),
    (uid::C_PIN.row(0x8401), "C_PIN_EraseMaster"),
    (uid::LOCKING_GLOBAL_RANGE, "Locking_GlobalRange"),
    (uid::K_AES_128.row(0x01), "K_AES_128_GlobalRange_Key"),
    (uid::K_AES_256.row(0x01), "K_AES_256_GlobalRange_Key"),
    // ACEs of every SP, of the Admin SP, of the Locking SP.
    (ace(0x01), "ACE_Anybody"),
    (ace(0x02), "ACE_Admin"),
    (ace(0x0003_0001), "ACE_Set_Enabled"),
    (ace(0x0003_0002), "ACE_SP_SID"),
    (ace(0x0003_0003), "ACE_TPerInfo_Set_ProgrammaticResetEnable"),
    (ace(0x8c02), "ACE_C_PIN_SID_Get_NOPIN"),
    (ace(0x8c03), "ACE_C_PIN_SID_Set_PIN"),
    (ace(0x8c04), "ACE_C_PIN_MSID_Get_PIN"),
    (
        ace(0x0005_0001),
        "ACE_DataRemovalMechanism_Set_ActiveDataRemovalMechanism",
    ),
    (ace(0x0001_00e0), "ACE_SP_PSID"),
    (ace(0x0001_00e1), "ACE_C_PIN_Get_PSID_NoPIN"),
    (ace(0x03), "ACE_Anybody_Get_CommonName"),
    (ace(0x04), "ACE_Admins_Set_CommonName"),
    (ace(0x0003_8000), "ACE_ACE_Get_All"),
    (ace(0x0003_8001), "ACE_ACE_Set_BooleanExpression"),
    (ace(0x0003_9000), "ACE_Authority_Get_All"),
    (ace(0x0003_9001), "ACE_Authority_Set_Enabled"),
    (ace(0x0003_a000), "ACE_C_PIN_Admins_Get_All_NOPIN"),
    (ace(0x0003_a001), "ACE_C_PIN_Admins_Set_PIN"),
    (ace(0x0003_b000), "ACE_K_AES_128_GlobalRange_GenKey"),
    (ace(0x0003_b800), "ACE_K_AES_256_GlobalRange_GenKey"),
    (ace(0x0003_bfff), "ACE_K_AES_Mode"),
    (
        ace(0x0003_d000),
        "ACE_Locking_GlobalRange_Get_RangeStartToActiveKey",
    ),
    (ace(0x0003_e000), "ACE_Locking_GlobalRange_Set_RdLocked"),
    (ace(0x0003_e800), "ACE_Locking_GlobalRange_Set_WrLocked"),
    (ace(0x0003_f000), "ACE_Locking_GlblRng_Admins_Set"),
    (ace(0x0003_f001), "ACE_Locking_Admins_RangeStartToLOR"),
    (ace(0x0003_f800), "ACE_MBRControl_Admins_Set"),
    (ace(0x0003_f801), "ACE_MBRControl_Set_DoneToDOR"),
    (ace(0x0003_fc00), "ACE_DataStore_Get_All"),
    (ace(0x0003_fc01), "ACE_DataStore_Set_All"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::spec::RangeNumber;

    #[test]
    fn numbered_objects_have_the_uids_of_the_standard() {
        for (text, high, low) in [
            ("Admin1", 0x09, 0x0001_0001),
            ("User9", 0x09, 0x0003_0009),
            ("BandMaster1023", 0x09, 0x8400),
            ("Admin2 (Admin SP)", 0x09, 0x0202),
            ("C_PIN_User9", 0x0b, 0x0003_0009),
            ("C_PIN_Admin1 (Admin SP)", 0x0b, 0x0201),
            ("Locking_Range9", 0x0802, 0x0003_0009),
            ("K_AES_256_Range3_Key", 0x0806, 0x0003_0003),
            ("K_AES_128_GlobalRange_Key", 0x0805, 0x01),
            ("DataStore2", 0x1002, 0),
            ("Table.MBR", 0x01, 0x0804),
            ("Table.LockingInfo", 0x01, 0x0801),
            ("ACE_C_PIN_User3_Set_PIN", 0x08, 0x0003_a803),
            ("ACE_K_AES_256_Range1_GenKey", 0x08, 0x0003_b801),
            ("ACE_Locking_Range1_Set_RdLocked", 0x08, 0x0003_e001),
            ("ACE_Locking_Range8_Set_WrLocked", 0x08, 0x0003_e808),
            ("ACE_DataStore3_Set_All", 0x08, 0x0003_fc05),
            ("ACE_DataStore129_Get_All", 0x08, 0x0004_5100),
            ("ACE_User1_Set_CommonName", 0x08, 0x0004_4001),
            ("GenKey", 0x06, 0x10),
            ("LockingInfo", 0x0801, 0x01),
            ("TPerInfo", 0x0201, 0x0003_0001),
        ] {
            let uid = Uid::from_halves(high, low);
            assert_eq!(name(uid).as_deref(), Some(text));
            assert_eq!(named(text), Some(uid), "{text}");
        }
        assert_eq!(name(Uid(0xdead_beef)), None);
        assert_eq!(
            name(uid::locking_range(RangeNumber(300))).as_deref(),
            Some("Locking_Range300")
        );
    }

    #[test]
    fn case_and_blanks_make_no_difference() {
        assert_eq!(named("c_pin_msid"), Some(uid::C_PIN_MSID));
        assert_eq!(named("LockingSP"), Some(uid::LOCKING_SP));
        assert_eq!(named("admin1(adminsp)"), Some(uid::ADMIN_SP_ADMIN1));
        for wrong in [
            "",
            "Admin0",
            "Admin01",
            "User65536",
            "Locking_Range",
            "table.",
            "Table.SID",
        ] {
            assert_eq!(named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_name_names_one_object() {
        let mut seen = BTreeSet::new();
        for (uid, known) in names() {
            if known.contains('N') && NUMBERED.iter().any(|numbered| numbered.base == uid) {
                continue;
            }
            assert!(seen.insert(fold(&known)), "{known}");
            assert_eq!(named(&known), Some(uid), "{known}");
            assert_eq!(name(uid), Some(known));
        }
        assert!(seen.len() > 150);
    }
}
