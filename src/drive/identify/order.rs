//! The order of a search: what a PIN may be, the likeliest first.
//!
//! Cheap and likely rules come before rare ones: raw bytes, since every firmware and most tools send
//! them; the hashes of the sedutil family; their salts on other systems; what keyboards and prompts
//! leave of a passphrase. What the drive shows moves some of them to the front:
//! - a shadow MBR that is enabled is sedutil's boot image most of the time, which always hashes;
//! - a LUKS volume with hardware encryption was made by cryptsetup, which sends the PIN raw;
//! - on SAS sedutil salts with the vendor; on NVMe its Windows version salts with zeros.

use crate::drive::{Drive, MbrState};
use crate::secret::{PinRule, SaltInput, SaltRule, Scheme, Secret};
use crate::session::Bus;

/// What a drive shows of how it was set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The bus by which it is reached now.
    pub bus: Bus,
    /// Whether the shadow MBR is enabled.
    pub is_mbr_enabled: bool,
    /// Whether LUKS has ranges of it for itself.
    pub has_luks: bool,
    /// Salts that a person thinks of.
    pub salts: Vec<SaltRule>,
}

/// The hashes of the sedutil family, the commoner first.
const HASHES: [Scheme; 3] = [
    Scheme::Sedutil,
    Scheme::SedutilSha512,
    Scheme::SedutilSha512With75k,
];

/// What becomes of typed bytes on the way, the commoner first.
const VARIANTS: [Scheme; 5] = [
    Scheme::RawNul32,
    Scheme::RawLatin1,
    Scheme::RawUpper,
    Scheme::RawLower,
    Scheme::Sha256,
];

/// Salts of other systems and tools, the likelier first.
const fn rare_salts(bus: Bus) -> [SaltRule; 7] {
    use SaltRule::{LeftTrimmedNul, NulPadded, Serial, Short16, TrimmedNul, Vendor, Zero};
    match bus {
        Bus::Nvme | Bus::Virtual => [
            Zero,
            NulPadded,
            TrimmedNul,
            LeftTrimmedNul,
            Vendor,
            Short16,
            Serial,
        ],
        Bus::Scsi => [
            LeftTrimmedNul,
            Short16,
            Serial,
            TrimmedNul,
            Zero,
            NulPadded,
            Vendor,
        ],
        _ => [
            TrimmedNul,
            LeftTrimmedNul,
            Vendor,
            Short16,
            Zero,
            NulPadded,
            Serial,
        ],
    }
}

impl Evidence {
    /// All rules, the likeliest first; some may make equal PINs.
    fn rules(&self, passphrase: &Secret) -> Vec<PinRule> {
        let raw: &[Scheme] = match passphrase.expose().is_ascii() {
            true => &[Scheme::Raw, Scheme::RawCut32],
            false => &[Scheme::Raw, Scheme::RawCut32, Scheme::RawLatin1],
        };
        let raw = raw.iter().map(|&scheme| unsalted(scheme));
        let mut rules = self.likely_hashes();
        match self.is_mbr_enabled && !self.has_luks {
            true => rules.extend(raw),
            false => drop(rules.splice(0..0, raw)),
        }
        let salts = rare_salts(self.bus);
        let with = |scheme| move |salt| PinRule::new(scheme, salt);
        let [common, others @ ..] = HASHES;
        rules.extend(salts.clone().map(with(common)));
        rules.extend(VARIANTS.map(unsalted));
        for scheme in others {
            rules.extend(salts.clone().map(with(scheme)));
        }
        rules
    }

    /// The hashes with the salts that a person thinks of, and with the one of sedutil on Linux.
    fn likely_hashes(&self) -> Vec<PinRule> {
        let own: &[SaltRule] = match self.bus {
            Bus::Scsi => &[SaltRule::Vendor],
            Bus::Usb => &[SaltRule::Serial, SaltRule::Vendor],
            _ => &[SaltRule::Serial],
        };
        let salts = self.salts.iter().chain(own);
        let hashed = |salt: &SaltRule| HASHES.map(|scheme| PinRule::new(scheme, salt.clone()));
        salts.flat_map(hashed).collect()
    }

    /// The rules that make something of a passphrase, each PIN once, the likeliest first.
    #[must_use]
    pub fn ordered(&self, passphrase: &Secret, input: &SaltInput<'_>) -> Vec<PinRule> {
        let mut seen = Vec::new();
        let mut rules = self.rules(passphrase);
        rules.retain(|rule| {
            let outcome = Outcome::of(rule, passphrase, input);
            let is_new = outcome.as_ref().is_some_and(|one| !seen.contains(one));
            seen.extend(outcome.filter(|_| is_new));
            is_new
        });
        rules
    }
}

fn unsalted(scheme: Scheme) -> PinRule {
    PinRule::new(scheme, SaltRule::default())
}

/// What a rule makes of a passphrase, without the cost of hashing.
#[derive(PartialEq, Eq)]
enum Outcome {
    Plain(Secret),
    Hashed(Scheme, [u8; crate::secret::SALT_LENGTH]),
}

impl Outcome {
    fn of(rule: &PinRule, passphrase: &Secret, input: &SaltInput<'_>) -> Option<Self> {
        if !rule.scheme.is_salted() {
            return rule.pin(passphrase, input).ok().map(Self::Plain);
        }
        let salt = rule.salt.salt(input).ok()?;
        let is_taken = rule.scheme.takes(passphrase);
        is_taken.then_some(Self::Hashed(rule.scheme, salt))
    }
}

impl Drive {
    /// What the drive shows of how it was set up. Nothing is sent.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        Evidence {
            bus: self.identity().bus,
            is_mbr_enabled: matches!(self.state().mbr, MbrState::Shown | MbrState::Done),
            has_luks: false,
            salts: Vec::new(),
        }
    }

    /// What the drive's PINs may be salted with. Nothing is sent.
    #[must_use]
    pub fn salt_input(&self) -> SaltInput<'_> {
        let identity = self.identity();
        SaltInput {
            serial: &identity.serial,
            vendor: identity.vendor.as_deref(),
            model: Some(&identity.model),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIAL: &[u8] = b"S1234567890ABCD     ";

    fn evidence(bus: Bus) -> Evidence {
        Evidence {
            bus,
            is_mbr_enabled: false,
            has_luks: false,
            salts: Vec::new(),
        }
    }

    fn order(evidence: &Evidence, passphrase: &str, serial: &[u8], vendor: &[u8]) -> Vec<String> {
        let input = SaltInput {
            serial,
            vendor: Some(vendor).filter(|vendor| !vendor.is_empty()),
            model: None,
        };
        let passphrase = Secret::from_slice(passphrase.as_bytes());
        let rules = evidence.ordered(&passphrase, &input);
        rules.iter().map(ToString::to_string).collect()
    }

    fn first(evidence: &Evidence, count: usize) -> Vec<String> {
        order(evidence, "Test1234", SERIAL, b"SEAGATE ")[..count].to_vec()
    }

    #[test]
    fn nvme_begins_with_raw_bytes_then_sedutil_then_windows() {
        let expected = [
            "raw",
            "sedutil/serial",
            "sedutil-sha512/serial",
            "sedutil-sha512-75k/serial",
            "sedutil/zero",
            "sedutil/nul-padded",
        ];
        assert_eq!(first(&evidence(Bus::Nvme), 6), expected);
    }

    #[test]
    fn sas_is_salted_with_the_vendor() {
        let expected = [
            "raw",
            "sedutil/vendor",
            "sedutil-sha512/vendor",
            "sedutil-sha512-75k/vendor",
        ];
        assert_eq!(first(&evidence(Bus::Scsi), 4), expected);
    }

    #[test]
    fn a_bridge_may_hide_the_serial_number() {
        let rules = first(&evidence(Bus::Usb), 7);
        assert_eq!(rules[1], "sedutil/serial");
        assert_eq!(rules[4], "sedutil/vendor");
    }

    #[test]
    fn a_shadow_mbr_is_taken_for_sedutils() {
        let sedutil = Evidence {
            is_mbr_enabled: true,
            ..evidence(Bus::Ata)
        };
        let rules = first(&sedutil, 4);
        assert_eq!(rules[0], "sedutil/serial");
        assert_eq!(rules[3], "raw");
        let luks = Evidence {
            has_luks: true,
            ..sedutil
        };
        assert_eq!(first(&luks, 1), ["raw"]);
    }

    #[test]
    fn salts_of_a_person_come_before_all_others() {
        let given = Evidence {
            salts: vec![SaltRule::Hex([7; 20])],
            ..evidence(Bus::Usb)
        };
        let rules = first(&given, 5);
        assert!(rules[1].starts_with("sedutil/hex:0707"), "{rules:?}");
        assert_eq!(rules[4], "sedutil/serial");
    }

    #[test]
    fn rules_that_make_the_same_pin_are_tried_once() {
        let full = b"ABCDEFGHIJ0123456789";
        let rules = order(&evidence(Bus::Ata), "test1234", full, b"");
        for name in ["trimmed-nul", "left-trimmed-nul", "nul-padded", "vendor"] {
            assert!(!rules.contains(&format!("sedutil/{name}")), "{rules:?}");
        }
        assert!(!rules.contains(&"raw-lower".to_owned()), "{rules:?}");
        assert!(!rules.contains(&"raw-cut32".to_owned()), "{rules:?}");
        let distinct: std::collections::BTreeSet<_> = rules.iter().collect();
        assert_eq!(distinct.len(), rules.len());
    }

    #[test]
    fn every_hash_comes_with_every_salt_in_the_end() {
        let serial = b" S1_34567 90ABCDEF  ";
        for bus in [Bus::Nvme, Bus::Scsi, Bus::Ata, Bus::Usb] {
            let rules = order(&evidence(bus), "Test1234", serial, b"ATA     ");
            for scheme in HASHES {
                for salt in SaltRule::NAMED {
                    assert!(
                        rules.contains(&format!("{scheme}/{salt}")),
                        "{bus:?} {salt}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_prompts_leave_of_a_passphrase_depends_on_it() {
        let nvme = evidence(Bus::Nvme);
        let long = order(&nvme, &"x".repeat(40), SERIAL, b"");
        assert_eq!(long[..2], ["raw-cut32", "sedutil/serial"]);
        let accents = order(&nvme, "p\u{e4}ssw\u{f6}rd", SERIAL, b"");
        assert_eq!(accents[..3], ["raw", "raw-latin1", "sedutil/serial"]);
        let nul = order(&nvme, "a\0b", SERIAL, b"");
        assert!(
            nul.iter().all(|rule| !rule.starts_with("sedutil")),
            "{nul:?}"
        );
    }
}
