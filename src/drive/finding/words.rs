//! Findings in plain words: what is found, and what can be done about it.

use super::Finding;
use super::status;
use crate::spec::Ssc;

impl Finding {
    /// What is found, in plain words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::UnsupportedSsc(Ssc::Enterprise) => {
                "The drive speaks the Enterprise SSC, for which sedkit has no operations yet."
            }
            Self::UnsupportedSsc(_) => {
                "The drive speaks an SSC for which sedkit has no operations yet."
            }
            Self::SidBlocked { .. } => {
                "The firmware has blocked SID (Block SID Authentication): taking ownership and \
                 reverting as SID will be refused, whatever the PIN."
            }
            Self::SidNotMsid {
                locking_active: false,
            } => {
                "SID has another PIN than the default one: somebody has taken ownership, an earlier \
                 setup was interrupted, or the drive was delivered so."
            }
            Self::SidNotMsid {
                locking_active: true,
            } => {
                "The drive is owned and locking is activated: setup and revert as SID need the PIN \
                 that was set."
            }
            Self::SidIsMsid => {
                "Locking is activated, but SID still has the default PIN, which the drive shows to \
                 anybody: whoever can send commands can revert the drive and erase its data."
            }
            Self::SidUnknown => {
                "The drive does not tell whether SID still has the default PIN (no Block SID \
                 descriptor)."
            }
            Self::SidVendorUniqueAtDelivery => {
                "SID was not delivered with the default PIN that the drive shows, but with a PIN of \
                 the vendor's."
            }
            Self::SidVendorUniqueAfterRevert => {
                "After a revert SID will not have the default PIN that the drive shows, but a PIN \
                 of the vendor's."
            }
            Self::NothingLocked => {
                "Locking is activated, but no range is locked now. If no range has locking enabled, \
                 none will be locked after a power cycle either."
            }
            Self::Locked => "At least one range is locked: reading or writing it fails.",
            Self::MbrShown => "The shadow MBR is shown in place of the first blocks of the drive.",
            Self::LockingFrozen => {
                "The firmware has frozen the Locking SP: locking and unlocking will be refused."
            }
            Self::ErasureProcessing => "The drive is erasing data now.",
            Self::ErasureInterrupted => {
                "An erase was interrupted by a reset or a loss of power: the data are undefined."
            }
            other => other.text_of_owner(),
        }
    }

    /// As [`Finding::text`], for whose the drive is and who is in its way.
    const fn text_of_owner(self) -> &'static str {
        match self {
            Self::SingleUserMode { all: true } => {
                "All ranges are in single user mode: each belongs to its User, and no Admin can \
                 lock, unlock or read its settings."
            }
            Self::SingleUserMode { all: false } => {
                "Some ranges are in single user mode: each of them belongs to its User, and no \
                 Admin can lock or unlock it."
            }
            Self::BootImage => {
                "A boot image asks for the passphrase: whoever set the drive up has a shadow MBR \
                 enabled, as sedutil does, whose PINs are hashes of the passphrase."
            }
            Self::Ieee1667 => {
                "The drive speaks IEEE 1667, as Windows needs it for eDrive: if nobody here has set it \
                 up, BitLocker may own it, with PINs that only Windows knows."
            }
            Self::AtaPassword { security, .. } if security.locked => {
                "An ATA password locks the drive. It is not TCG Storage: no PIN opens it, and \
                 drives refuse to activate TCG locking beside it."
            }
            Self::AtaPassword { .. } => {
                "An ATA password is set on the drive. It is not TCG Storage, and drives refuse to \
                 activate TCG locking beside it."
            }
            Self::PsidTries(tries) if tries.is_exhausted() => {
                "Too many wrong PSIDs were given: the drive refuses the right one, too."
            }
            Self::PsidTries(_) => "Wrong PSIDs were given, and the drive counts them.",
            Self::LockedOut { .. } => {
                "Too many wrong PINs were given for this authority: the drive refuses the right \
                 one, too."
            }
            other => other.text_of_refusal(),
        }
    }

    /// As [`Finding::text`], for what is known from a refusal alone.
    const fn text_of_refusal(self) -> &'static str {
        match self {
            Self::Busy(_) => {
                "Another session is open: of another program, or of one that was killed and could \
                 not end it."
            }
            Self::SidStillMsid => {
                "SID still has the default PIN, which the drive shows, and another one was given."
            }
            Self::SidUnexplained => {
                "Level 0 Discovery does not explain the refusal: it says that SID has the default \
                 PIN and is not blocked, and yet the drive refused the default PIN."
            }
            Self::ActivationUnexplained => {
                "Nothing that the drive shows explains why activation failed: it shows no ATA \
                 password."
            }
            Self::NoAnswer => {
                "The drive took the command and answered with an empty packet: it dropped the \
                 command, or the session had ended."
            }
            Self::Status(status) => status::meaning(status),
            Self::NoTcg(cause) => cause.text(),
            _ => "",
        }
    }

    /// What can be done about it, in plain words.
    #[must_use]
    pub const fn way_out(self) -> &'static str {
        match self {
            Self::UnsupportedSsc(_) => "Use a tool of the drive's vendor for this drive.",
            Self::SidBlocked {
                hardware_reset_clears,
            } => way_out_of_block(hardware_reset_clears),
            Self::SidNotMsid {
                locking_active: false,
            } => {
                "Run setup again with the PIN of the earlier run, or give the PIN that SID has. If \
                 nobody knows it, revert with the PSID printed on the label."
            }
            Self::SidNotMsid {
                locking_active: true,
            } => {
                "Use the PIN that was set; if Windows owns the drive, decrypt it there first. If \
                 nobody knows the PIN, revert with the PSID printed on the label: this erases all \
                 data."
            }
            Self::SidIsMsid => "Change the PIN of SID (passwd), or run setup.",
            Self::SidUnknown => {
                "Setup tries the default PIN first, which costs one try if the drive is owned."
            }
            Self::SidVendorUniqueAtDelivery => {
                "Ask the vendor for the PIN of SID and give it to setup, or revert with the PSID \
                 printed on the label if that sets the default PIN."
            }
            Self::SidVendorUniqueAfterRevert => {
                "Ask the vendor which PIN SID has after a revert before you revert the drive."
            }
            Self::NothingLocked => "List the ranges; run setup to enable locking.",
            Self::Locked => "Unlock the drive.",
            Self::MbrShown => "Unlock with the shadow MBR done (unlock --mbr-done).",
            Self::LockingFrozen => {
                "Power-cycle the drive; if it is frozen again, switch the option off in the \
                 firmware setup."
            }
            Self::ErasureProcessing => "Wait until it is done.",
            Self::ErasureInterrupted => "Run the erase or the revert again.",
            other => other.way_out_of_owner(),
        }
    }

    const fn way_out_of_owner(self) -> &'static str {
        match self {
            Self::SingleUserMode { .. } => {
                "Act as the User of the range (range N belongs to User N+1): --as User2 for range 1."
            }
            Self::BootImage => {
                "Give the passphrase with the scheme that made the PIN: --scheme sedutil, \
                 sedutil-sha512 or sedutil-sha512-75k; \"sedkit identify-pin\" finds out which."
            }
            Self::Ieee1667 => {
                "If Windows used the drive: turn BitLocker off there and wait until it has \
                 decrypted the drive. If Windows is gone, revert with the PSID printed on the \
                 label: this erases all data."
            }
            Self::AtaPassword { security, .. } => {
                ata_way_out(security.frozen, security.count_expired)
            }
            Self::PsidTries(tries) => psid_way_out(tries.is_exhausted()),
            Self::LockedOut { tries, .. } => lockout_way_out(match tries {
                Some(tries) => tries.persistence,
                None => None,
            }),
            other => other.way_out_of_refusal(),
        }
    }

    const fn way_out_of_refusal(self) -> &'static str {
        match self {
            Self::Busy(_) => {
                "End the other program and try again. If a killed one left its session open, it \
                 ends by itself after the drive's session timeout where there is one, with \
                 --stack-reset, or with a power cycle."
            }
            Self::SidStillMsid => "Give the default PIN: --key msid or --sid-key msid.",
            Self::SidUnexplained => {
                "Do not guess. What it can be: the firmware blocks SID in a way that the drive \
                 does not report; too many wrong PINs before (cut the power and try once); what \
                 discovery reports is wrong, as some firmware does, and SID has another PIN. What \
                 helps: a power cycle; TCG changes allowed in firmware setup; the drive in another \
                 machine; an update of the drive's firmware; at last, a revert with the PSID \
                 printed on the label, which erases all data."
            }
            Self::ActivationUnexplained => {
                "What it can be: a disk password that the interface does not show (look into \
                 firmware setup: \"disk password\", \"DriveLock\", \"NVMe password\"); \
                 several namespaces (give the drive one before activation); a frozen drive \
                 (power-cycle it and run setup again)."
            }
            Self::NoAnswer => {
                "Run the command again. If it stays so, --stack-reset ends all sessions, a reset \
                 of the controller (nvme reset) wakes drives that answer nothing any more, and a \
                 power cycle does both."
            }
            Self::Status(status) => status::way_out(status),
            Self::NoTcg(cause) => cause.way_out(),
            _ => "",
        }
    }
}

const fn ata_way_out(frozen: bool, count_expired: bool) -> &'static str {
    match (frozen, count_expired) {
        (_, true) => {
            "Cut the power first: the drive takes no more passwords until then. Then remove the \
             disk password in the setup of the firmware that set it."
        }
        (true, false) => {
            "Remove the disk password in the setup of the firmware that set it; ATA Security is \
             frozen now, so that no program can before the next power cycle."
        }
        (false, false) => {
            "Remove the disk password in the setup of the firmware that set it, on a machine of the \
             same maker: others make another password of the same keys."
        }
    }
}

const fn psid_way_out(is_exhausted: bool) -> &'static str {
    if is_exhausted {
        "It helps to cut the drive's power: compare the PSID with the label before you give it once \
         more."
    } else {
        "Compare the PSID with the label before you give it once more; a right one counts from 0 \
         again."
    }
}

const fn lockout_way_out(persistence: Option<bool>) -> &'static str {
    match persistence {
        Some(true) => {
            "This drive keeps the count over a power cycle: another authority must set the PIN \
             anew (Admin1 for Users, PSID for all, which erases all data)."
        }
        Some(false) => {
            "It helps to cut the drive's power (a warm reboot is not enough): give the right secret \
             then."
        }
        None => {
            "It helps to cut the drive's power (a warm reboot is not enough): most drives count \
             from 0 then. Give the right secret; without it, a revert with the PSID helps and \
             erases all data."
        }
    }
}

const fn way_out_of_block(hardware_reset_clears: bool) -> &'static str {
    if hardware_reset_clears {
        "Power-cycle or reset the drive without passing through the firmware (suspend to RAM, \
         hot-plug), or switch the block off in the firmware setup (\"Block SID\", \"TCG storage \
         security\") or by the TPM's physical presence interface. PSID is not affected."
    } else {
        "Power-cycle the drive without passing through the firmware (suspend to RAM, hot-plug), or \
         switch the block off in the firmware setup (\"Block SID\", \"TCG storage security\") or \
         by the TPM's physical presence interface. PSID is not affected."
    }
}
