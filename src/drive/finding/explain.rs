//! From a failure to the findings that explain it.

use super::Finding;
use crate::drive::{Authority, Cause, Drive};
use crate::session;
use crate::session::MalformedKind;
use crate::spec::MethodStatus;

/// What a failure leaves to be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trouble {
    /// A PIN was refused.
    Login(Authority),
    /// Too many wrong PINs.
    LockedOut(Authority),
    /// SID is blocked.
    SidBlocked,
    /// The Locking SP is frozen.
    Frozen,
    /// Another session is open: the status that the drive answers.
    Busy(MethodStatus),
    /// Activate was refused with FAIL.
    Activation,
    /// The drive took a command and has nothing to say to it.
    NoAnswer,
    /// A method was refused for another reason.
    Status(MethodStatus),
    /// There is no Level 0 Discovery.
    NoTcg(NoTcg),
}

/// In which way a drive has no Level 0 Discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NoTcg {
    /// The command was refused.
    Refused,
    /// No bytes came.
    NoBytes,
    /// Nothing but zeros came.
    Zeros,
    /// The kernel keeps ATA TRUSTED commands from the drive.
    KernelBlocks,
    /// An answer came, and it names no SSC that is known.
    NoSsc,
}

impl Cause {
    /// What is to be explained about it; `None` where the message says all there is to know.
    #[must_use]
    pub const fn trouble(&self) -> Option<Trouble> {
        Some(match self {
            Self::NotSed(source) => Trouble::NoTcg(match source {
                None => NoTcg::NoBytes,
                Some(_) => NoTcg::Refused,
            }),
            Self::NoSsc => Trouble::NoTcg(NoTcg::NoSsc),
            Self::SidBlocked => Trouble::SidBlocked,
            Self::Frozen => Trouble::Frozen,
            Self::ActivationFailed => Trouble::Activation,
            Self::Refused { authority } | Self::OneOfTwoRefused { authority } => {
                Trouble::Login(*authority)
            }
            Self::LockedOut { authority } => Trouble::LockedOut(*authority),
            Self::Busy { status, .. } => Trouble::Busy(*status),
            Self::Session(error) => return of_session(error),
            _ => return None,
        })
    }
}

const fn of_session(error: &session::Error) -> Option<Trouble> {
    Some(match error {
        session::Error::Status(MethodStatus::SP_FROZEN) => Trouble::Frozen,
        session::Error::Status(status) => Trouble::Status(*status),
        session::Error::Busy { status, .. } => Trouble::Busy(*status),
        session::Error::NoAnswer => Trouble::NoAnswer,
        error if error.is_blocked_by_kernel() => Trouble::NoTcg(NoTcg::KernelBlocks),
        session::Error::Malformed(malformed) if matches!(malformed.kind, MalformedKind::Zeros) => {
            Trouble::NoTcg(NoTcg::Zeros)
        }
        _ => return None,
    })
}

impl Drive {
    /// What the drive shows that explains a failure of it, the likeliest first.
    ///
    /// What Level 0 Discovery told is used as it is. Beside it, at most this is asked for: the
    /// security protocols and ATA Security ([`Drive::neighbours`]), and the tries of PSID where its
    /// PIN was refused ([`Drive::psid_tries`]). No PIN is ever sent.
    pub fn explain(&mut self, trouble: Trouble) -> Vec<Finding> {
        match trouble {
            Trouble::Login(Authority::Sid) => self.explain_sid(),
            Trouble::Login(Authority::Psid) => self.explain_psid(),
            Trouble::Login(authority) => self.explain_login(authority),
            Trouble::LockedOut(authority) => vec![self.explain_lockout(authority)],
            Trouble::SidBlocked => self.explain_block(),
            Trouble::Frozen => vec![Finding::LockingFrozen],
            Trouble::Busy(status) => vec![Finding::Busy(status)],
            Trouble::Activation => self.explain_activation(),
            Trouble::NoAnswer => vec![Finding::NoAnswer],
            Trouble::Status(status) => vec![Finding::Status(status)],
            Trouble::NoTcg(cause) => vec![Finding::NoTcg(cause)],
        }
    }

    /// The block, and what else there is to know before SID is used again.
    fn explain_block(&self) -> Vec<Finding> {
        let is_block = |finding: &Finding| matches!(finding, Finding::SidBlocked { .. });
        self.sid_findings().into_iter().filter(is_block).collect()
    }

    fn explain_sid(&mut self) -> Vec<Finding> {
        self.neighbours();
        let mut findings: Vec<Finding> = self.sid_findings();
        findings.retain(|finding| speaks_to_a_refusal(*finding));
        if findings.is_empty() {
            findings.push(match self.was_msid_refused() {
                true => Finding::SidUnexplained,
                false => Finding::SidStillMsid,
            });
        }
        findings.extend(self.owner_findings());
        findings.extend(self.ata_findings());
        findings
    }

    fn explain_psid(&mut self) -> Vec<Finding> {
        let tries = self.psid_tries().ok().flatten();
        tries.map(Finding::PsidTries).into_iter().collect()
    }

    /// That ranges belong to Users explains nothing to a User whose PIN was refused.
    fn explain_login(&mut self, authority: Authority) -> Vec<Finding> {
        self.neighbours();
        let mut findings: Vec<Finding> = match authority {
            Authority::User(_) => Vec::new(),
            _ => self.single_user_finding().into_iter().collect(),
        };
        findings.extend(self.owner_findings());
        findings.extend(self.ata_findings());
        findings
    }

    fn explain_lockout(&mut self, authority: Authority) -> Finding {
        let tries = match authority {
            Authority::Psid => self.psid_tries().ok().flatten(),
            _ => None,
        };
        Finding::LockedOut { authority, tries }
    }

    fn explain_activation(&mut self) -> Vec<Finding> {
        self.neighbours();
        let password = self.ata_findings();
        vec![password.unwrap_or(Finding::ActivationUnexplained)]
    }
}

/// That SID has the default PIN on an active drive is a danger, and explains no refusal; what will
/// be after a revert explains none either.
const fn speaks_to_a_refusal(finding: Finding) -> bool {
    !matches!(
        finding,
        Finding::SidIsMsid | Finding::SidVendorUniqueAfterRevert
    )
}

impl NoTcg {
    /// The name of the finding, in snake case.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Refused => "no_tcg",
            Self::NoBytes => "no_discovery",
            Self::Zeros => "all_zero_answer",
            Self::KernelBlocks => "allow_tpm",
            Self::NoSsc => "no_ssc",
        }
    }

    /// What is found, in plain words.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Refused => {
                "Level 0 Discovery was refused: the drive is no TCG drive, or something between it \
                 and the program refuses the command."
            }
            Self::NoBytes => {
                "Level 0 Discovery brought no bytes: the drive is no TCG drive, or something \
                 between it and the program swallows the answer."
            }
            Self::Zeros => {
                "Level 0 Discovery brought nothing but zeros, as controllers and USB bridges answer \
                 that do not pass the command on."
            }
            Self::KernelBlocks => {
                "The kernel keeps ATA TRUSTED commands from the drive, and the drive takes no other \
                 ones."
            }
            Self::NoSsc => {
                "The drive answers Level 0 Discovery, but names no security subsystem class that \
                 is known."
            }
        }
    }

    /// What can be done about it.
    pub(super) const fn way_out(self) -> &'static str {
        match self {
            Self::Refused | Self::NoBytes | Self::Zeros => {
                "Connect the drive directly (NVMe slot, SATA or SAS port); look into its data \
                 sheet whether it has TCG Storage at all."
            }
            Self::KernelBlocks => {
                "Boot with libata.allow_tpm=1 on the kernel's command line, or, until the next \
                 boot: echo 1 > /sys/module/libata/parameters/allow_tpm."
            }
            Self::NoSsc => "See \"sedkit decode\" for what the drive answered (sedkit info -vv).",
        }
    }
}
