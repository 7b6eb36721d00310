//! Exit codes, and the names by which a failure goes in JSON.

use std::process;

use serde::{Serialize, Serializer};

/// How a run of the program ends. Scripts depend on these numbers: none ever changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExitCode {
    /// Done: the state is as asked.
    Done = 0,
    /// Failed, for a reason that no other code names.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Some drives failed, or all did for different reasons.
    Partial = 3,
    /// The drive refused the PIN, or the authority may not do this.
    NotAuthorized = 4,
    /// The drive takes no more tries for this authority.
    LockedOut = 5,
    /// No SED, or one without this feature.
    NotSupported = 6,
    /// The device or the SP is in use.
    Busy = 7,
    /// Something would be lost, and the serial number was not given.
    ConsentRequired = 8,
    /// A check found a problem.
    Finding = 9,
    /// No secret came from where it was to come from.
    SecretUnavailable = 10,
    /// The drive answered nonsense.
    Malformed = 11,
}

impl ExitCode {
    /// Every code.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 12] = [
        Self::Done,
        Self::Failed,
        Self::Usage,
        Self::Partial,
        Self::NotAuthorized,
        Self::LockedOut,
        Self::NotSupported,
        Self::Busy,
        Self::ConsentRequired,
        Self::Finding,
        Self::SecretUnavailable,
        Self::Malformed,
    ];

    /// The number that the process ends with.
    pub(crate) const fn number(self) -> u8 {
        self as u8
    }

    /// The code of a failure that is known by nothing but its exit code.
    const fn plain(self) -> Code {
        match self {
            Self::Done | Self::Failed => Code::Failed,
            Self::Usage => Code::Usage,
            Self::Partial => Code::Partial,
            Self::NotAuthorized => Code::NotAuthorized,
            Self::LockedOut => Code::LockedOut,
            Self::NotSupported => Code::NotSupported,
            Self::Busy => Code::Busy,
            Self::ConsentRequired => Code::ConsentRequired,
            Self::Finding => Code::Finding,
            Self::SecretUnavailable => Code::SecretUnavailable,
            Self::Malformed => Code::Malformed,
        }
    }
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

/// What kind of failure it was: `error.code` in JSON. Finer than the exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Code {
    /// None of the others.
    Failed,
    /// The command line is wrong.
    Usage,
    /// Some drives failed, or all did for different reasons.
    Partial,
    /// The drive refused the PIN, or the authority may not do this.
    NotAuthorized,
    /// The drive takes no more tries for this authority.
    LockedOut,
    /// No SED, or one without this feature.
    NotSupported,
    /// The device or the SP is in use.
    Busy,
    /// Something would be lost, and the serial number was not given.
    ConsentRequired,
    /// A check found a problem.
    Finding,
    /// No secret came from where it was to come from.
    SecretUnavailable,
    /// The drive or the file holds nonsense.
    Malformed,
    /// The drive did not answer within the time limit.
    TimedOut,
    /// A signal ended the run.
    Interrupted,
    /// The medium is locked where it was to be read or written.
    DataProtected,
    /// The kernel does not let this user open the device.
    PermissionDenied,
    /// There is no such device or file.
    NotFound,
    /// Standard output could not be written.
    Output,
}

impl Code {
    /// Every code.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 17] = [
        Self::Failed,
        Self::Usage,
        Self::Partial,
        Self::NotAuthorized,
        Self::LockedOut,
        Self::NotSupported,
        Self::Busy,
        Self::ConsentRequired,
        Self::Finding,
        Self::SecretUnavailable,
        Self::Malformed,
        Self::TimedOut,
        Self::Interrupted,
        Self::DataProtected,
        Self::PermissionDenied,
        Self::NotFound,
        Self::Output,
    ];

    /// `error.code` in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Partial => "partial",
            Self::NotAuthorized => "not_authorized",
            Self::LockedOut => "locked_out",
            Self::NotSupported => "not_supported",
            Self::Busy => "busy",
            Self::ConsentRequired => "consent_required",
            Self::Finding => "finding",
            Self::SecretUnavailable => "secret_unavailable",
            Self::Malformed => "malformed",
            Self::TimedOut => "timed_out",
            Self::Interrupted => "interrupted",
            Self::DataProtected => "data_protected",
            Self::PermissionDenied => "permission_denied",
            Self::NotFound => "not_found",
            Self::Output => "output",
        }
    }

    /// The exit code of this failure.
    pub(crate) const fn exit(self) -> ExitCode {
        match self {
            Self::Failed
            | Self::TimedOut
            | Self::Interrupted
            | Self::DataProtected
            | Self::PermissionDenied
            | Self::NotFound
            | Self::Output => ExitCode::Failed,
            Self::Usage => ExitCode::Usage,
            Self::Partial => ExitCode::Partial,
            Self::NotAuthorized => ExitCode::NotAuthorized,
            Self::LockedOut => ExitCode::LockedOut,
            Self::NotSupported => ExitCode::NotSupported,
            Self::Busy => ExitCode::Busy,
            Self::ConsentRequired => ExitCode::ConsentRequired,
            Self::Finding => ExitCode::Finding,
            Self::SecretUnavailable => ExitCode::SecretUnavailable,
            Self::Malformed => ExitCode::Malformed,
        }
    }

    /// What a run over `drives` drives is called, of which those with `failures` failed.
    ///
    /// All for one and the same reason: that reason. Otherwise [`Code::Partial`].
    pub(crate) fn of_many(drives: usize, failures: &[Self]) -> Option<Self> {
        let (&first, rest) = failures.split_first()?;
        if failures.len() < drives {
            return Some(Self::Partial);
        }
        if rest.iter().all(|&code| code == first) {
            return Some(first);
        }
        if rest.iter().all(|code| code.exit() == first.exit()) {
            return Some(first.exit().plain());
        }
        Some(Self::Partial)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_the_contract() {
        let numbers: Vec<u8> = ExitCode::ALL.iter().map(|code| code.number()).collect();
        assert_eq!(numbers, (0..=11).collect::<Vec<u8>>());
        assert_eq!(Code::NotAuthorized.exit().number(), 4);
        assert_eq!(Code::LockedOut.exit().number(), 5);
        assert_eq!(Code::Malformed.exit().number(), 11);
        assert_eq!(Code::DataProtected.exit().number(), 1);
    }

    #[test]
    fn plain_codes_keep_their_exit_code() {
        for exit in &ExitCode::ALL[1..] {
            assert_eq!(exit.plain().exit(), *exit);
        }
    }

    #[test]
    fn names_are_snake_case_and_unique() {
        let mut names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        let snake = |name: &&str| {
            name.bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_lowercase())
        };
        assert!(names.iter().all(snake));
    }

    #[test]
    fn the_schema_lists_every_code() {
        let schema = include_str!("../../man/schema/common.json");
        let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
        let listed = schema["$defs"]["error"]["properties"]["code"]["enum"]
            .as_array()
            .unwrap();
        let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(*listed, names);
    }

    #[test]
    fn drives_that_fail_alike_give_their_own_code() {
        use Code::{Busy, Failed, NotAuthorized, Partial, TimedOut};
        assert_eq!(Code::of_many(3, &[]), None);
        assert_eq!(Code::of_many(2, &[Busy, Busy]), Some(Busy));
        assert_eq!(Code::of_many(3, &[Busy, Busy]), Some(Partial));
        assert_eq!(Code::of_many(2, &[Busy, NotAuthorized]), Some(Partial));
        assert_eq!(Code::of_many(2, &[TimedOut, Failed]), Some(Failed));
    }
}
