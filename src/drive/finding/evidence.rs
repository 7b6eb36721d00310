//! The evidence of findings: which bits and answers they rest on.

use super::{Finding, NoTcg};
use crate::drive::{AtaSource, Tries};
use crate::session::AtaSecurity;

impl Finding {
    /// What it rests on, in the standards' words: descriptors, statuses, counts.
    #[must_use]
    pub fn evidence(self) -> String {
        let text = match self {
            Self::UnsupportedSsc(ssc) => {
                return format!("Level 0 Discovery names the {} SSC", ssc.name());
            }
            Self::SidBlocked {
                hardware_reset_clears,
            } => evidence_of_block(hardware_reset_clears),
            Self::SidNotMsid { locking_active } => evidence_of_owner(locking_active),
            Self::SidIsMsid => {
                "Block SID descriptor (0402h): the SID Value State bit is 0; Locking descriptor \
                 (0002h): LockingEnabled is 1"
            }
            Self::SidUnknown => "Level 0 Discovery has no Block SID descriptor (0402h)",
            Self::SidVendorUniqueAtDelivery => {
                "SSC descriptor: the initial C_PIN_SID indicator (byte 13) is not MSID (00h)"
            }
            Self::SidVendorUniqueAfterRevert => {
                "SSC descriptor: the behaviour of C_PIN_SID on revert (byte 14) is not MSID (00h)"
            }
            Self::NothingLocked => "Locking descriptor (0002h): LockingEnabled is 1, Locked is 0",
            Self::Locked => "Locking descriptor (0002h): Locked is 1",
            Self::MbrShown => "Locking descriptor (0002h): MBREnabled is 1, MBRDone is 0",
            Self::LockingFrozen => {
                "Block SID descriptor (0402h): the Locking SP Freeze Lock State bit is 1, or the \
                 drive answered SP_FROZEN (06h)"
            }
            Self::ErasureProcessing => "Data Removal descriptor (0404h): Operation Processing is 1",
            Self::ErasureInterrupted => {
                "Data Removal descriptor (0404h): Operation Interrupted is 1"
            }
            other => return other.evidence_beside_discovery(),
        };
        text.to_owned()
    }

    fn evidence_beside_discovery(self) -> String {
        let text = match self {
            Self::SingleUserMode { all: true } => "Single User Mode descriptor (0201h): ALL is 1",
            Self::SingleUserMode { all: false } => "Single User Mode descriptor (0201h): ANY is 1",
            Self::BootImage => {
                "Locking descriptor (0002h): MBREnabled is 1, on a drive that is owned"
            }
            Self::Ieee1667 => {
                "security protocol EEh (IEEE 1667) is in the drive's list, and the drive is owned"
            }
            Self::AtaPassword { security, by } => return evidence_of_password(security, by),
            Self::PsidTries(tries) => return counted("C_PIN_PSID", tries),
            Self::LockedOut { authority, tries } => {
                let counted = tries.map(|tries| format!("; {}", counted("its C_PIN", tries)));
                let counted = counted.unwrap_or_default();
                return format!("{authority} was refused with AUTHORITY_LOCKED_OUT (12h){counted}");
            }
            Self::Busy(status) | Self::Status(status) => {
                return format!("the drive answered {status} ({:02x}h)", status.0);
            }
            Self::SidStillMsid | Self::SidUnexplained => {
                "Block SID descriptor (0402h): the SID Value State and SID Blocked State bits are \
                 0; the drive answered NOT_AUTHORIZED (01h)"
            }
            Self::ActivationUnexplained => {
                "the drive answered FAIL (3fh); IDENTIFY DEVICE and security protocol EFh, where \
                 the drive has them, show no password"
            }
            Self::NoAnswer => "a ComPacket of length 0 with OutstandingData 0",
            Self::NoTcg(cause) => evidence_of_no_tcg(cause),
            _ => "",
        };
        text.to_owned()
    }
}

const fn evidence_of_block(hardware_reset_clears: bool) -> &'static str {
    if hardware_reset_clears {
        "Block SID descriptor (0402h): the SID Blocked State bit is 1, and a hardware reset clears \
         it"
    } else {
        "Block SID descriptor (0402h): the SID Blocked State bit is 1, and no hardware reset clears \
         it"
    }
}

const fn evidence_of_owner(locking_active: bool) -> &'static str {
    if locking_active {
        "Block SID descriptor (0402h): the SID Value State bit is 1; Locking descriptor (0002h): \
         LockingEnabled is 1"
    } else {
        "Block SID descriptor (0402h): the SID Value State bit is 1; Locking descriptor (0002h): \
         LockingEnabled is 0"
    }
}

const fn evidence_of_no_tcg(cause: NoTcg) -> &'static str {
    match cause {
        NoTcg::Refused => "the interface refused IF-RECV for security protocol 01h, ComID 0001h",
        NoTcg::NoBytes => "IF-RECV for security protocol 01h, ComID 0001h, brought 0 bytes",
        NoTcg::Zeros => "IF-RECV for security protocol 01h, ComID 0001h, brought zeros only",
        NoTcg::KernelBlocks => {
            "SECURITY PROTOCOL IN and ATA PASS-THROUGH were refused, and \
             /sys/module/libata/parameters/allow_tpm is 0"
        }
        NoTcg::NoSsc => "no descriptor of an SSC in Level 0 Discovery, or none with a ComID",
    }
}

fn evidence_of_password(security: AtaSecurity, by: AtaSource) -> String {
    let flags = [
        (security.enabled, "enabled"),
        (security.locked, "locked"),
        (security.frozen, "frozen"),
        (security.count_expired, "count expired"),
    ];
    let set = flags.iter().filter(|(is_set, _)| *is_set);
    let set: Vec<&str> = set.map(|(_, name)| *name).collect();
    let by = match by {
        AtaSource::IdentifyDevice => "IDENTIFY DEVICE, word 128",
        AtaSource::SecurityProtocol => "security protocol EFh, byte 9",
    };
    format!("{by}: {}", set.join(", "))
}

/// `C_PIN_PSID: Tries 3 of TryLimit 5, Persistence false`.
fn counted(row: &str, tries: Tries) -> String {
    let number = |value: Option<u64>| value.map_or("?".to_owned(), |value| value.to_string());
    let persistence = tries.persistence;
    let persistence = persistence.map_or(String::new(), |is| format!(", Persistence {is}"));
    format!(
        "{row}: Tries {} of TryLimit {}{persistence}",
        number(tries.tries),
        number(tries.try_limit)
    )
}
