//! Every cause of a failure, and every code, has a way out.

use std::time::Duration;

use super::session::for_status;
use super::*;
use crate::drive::{
    AccessError, Authority, SingleUserError, TableError, TableName, TableSizesError, TallyError,
};
use crate::secret::SchemeError;
use crate::session::{self, MalformedKind};
use crate::spec::{DataRemovalMechanism, FeatureCode, MethodStatus, RangeNumber, Ssc};
use crate::transport;

/// One of each kind.
fn causes() -> Vec<Cause> {
    let causes = causes_of_anybody().into_iter();
    causes.chain(causes_of_tables()).collect()
}

fn causes_of_tables() -> Vec<Cause> {
    let table = TableName::Mbr;
    let io_error = || std::io::Error::from(std::io::ErrorKind::NotFound);
    vec![
        Cause::Table(TableError::NoShadowMbr),
        Cause::Table(TableError::Missing(table)),
        Cause::Table(TableError::Beyond {
            table,
            offset: 0,
            length: 2,
            size: 1,
        }),
        Cause::Table(TableError::Sizes(TableSizesError::Refused)),
        Cause::Table(TableError::NotReadable(table)),
        Cause::Table(TableError::Short(table)),
        Cause::Table(TableError::Contents(io_error())),
        Cause::Table(TableError::Output(io_error())),
        Cause::NoEncryption,
        Cause::NoMechanism(DataRemovalMechanism::CRYPTOGRAPHIC_ERASE),
        Cause::NoFeature(FeatureCode::BLOCK_SID),
        Cause::NoFreeze,
        Cause::BlockedOtherwise,
        Cause::ProgrammaticResetDisabled,
        Cause::OtherRanges(vec![RangeNumber(1)]),
        Cause::Access(AccessError::Admin1),
        Cause::SingleUser(SingleUserError::OtherMode),
        Cause::Tally(TallyError::NoFolder),
        Cause::Scheme(SchemeError::Empty),
    ]
}

fn causes_of_anybody() -> Vec<Cause> {
    let authority = Authority::Admin(1);
    let status = MethodStatus::SP_BUSY;
    vec![
        Cause::NotSed(None),
        Cause::NoSsc,
        Cause::NoLocking,
        Cause::Ssc(Ssc::Enterprise),
        Cause::WrongAuthority(authority),
        Cause::NotActivated,
        Cause::SidBlocked,
        Cause::Frozen,
        Cause::ActivationFailed,
        Cause::Refused { authority },
        Cause::OneOfTwoRefused { authority },
        Cause::UnknownAuthority { authority },
        Cause::NotPermitted { authority },
        Cause::LockedOut { authority },
        Cause::TryBudget {
            authority,
            refused: 1,
        },
        Cause::Busy {
            status,
            waited: Duration::ZERO,
        },
        Cause::ConsentRequired,
        Cause::PinLength {
            length: 33,
            limit: 32,
        },
        Cause::Range(RangeError::Global),
        Cause::NotAsAsked(Mismatch::Unchanged),
        Cause::Session(session::Error::NoAnswer),
    ]
}

/// The names of the variants of an enumeration, from its source.
fn variants(source: &str, name: &str) -> Vec<String> {
    let start = source.find(&format!("pub enum {name} {{")).unwrap();
    let body = source.get(start..).unwrap();
    let lines = body.lines().skip(1).take_while(|line| *line != "}");
    let names = lines.filter_map(|line| {
        let line = line.strip_prefix("    ")?;
        let is_name = line.starts_with(|first: char| first.is_ascii_uppercase());
        let name = line.split(['(', ' ', ',']).next()?;
        is_name.then(|| name.to_owned())
    });
    names.collect()
}

/// The name of a value's variant.
fn variant(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    text.split(['(', ' ']).next().unwrap().to_owned()
}

#[test]
fn every_cause_has_a_hint() {
    for cause in causes() {
        let hint = for_cause(&cause);
        assert!(hint.is_some_and(|hint| !hint.is_empty()), "{cause:?}");
    }
}

/// So that a new cause is not forgotten here.
#[test]
fn every_cause_is_tried() {
    let tried: Vec<String> = causes().iter().map(variant).collect();
    let known = variants(include_str!("../../drive/error.rs"), "Cause");
    assert!(known.len() > 20, "{known:?}");
    for name in known {
        assert!(tried.contains(&name), "{name} has no hint that is tested");
    }
}

#[test]
fn every_session_error_has_a_hint() {
    let malformed = session::Malformed {
        kind: MalformedKind::Zeros,
        offset: 0,
        excerpt: session::Excerpt::new(&[0; 8], 0),
    };
    let errors = [
        session::Error::Malformed(malformed),
        session::Error::Status(MethodStatus::FAIL),
        session::Error::Busy {
            status: MethodStatus::SP_BUSY,
            waited: Duration::ZERO,
        },
        session::Error::Transport(transport::Error::Blocked { command: "READ" }),
        session::Error::Closed,
        session::Error::NoAnswer,
        session::Error::InactiveComId,
        session::Error::Endless,
        session::Error::OutOfTurn,
        session::Error::TimedOut {
            limit: Duration::ZERO,
        },
        session::Error::Interrupted,
        session::Error::Limit {
            what: "a token",
            length: 2,
            limit: 1,
        },
        session::Error::StackReset,
    ];
    for error in errors {
        assert!(for_session(&error).is_some(), "{error:?}");
    }
}

#[test]
fn every_status_has_a_hint() {
    for status in (1..=u8::MAX).map(MethodStatus) {
        let hint = for_status(status);
        assert!(hint.is_some_and(|hint| !hint.is_empty()), "{status}");
    }
}

#[test]
fn every_code_of_the_contract_has_a_way_out() {
    for code in Code::ALL {
        assert!(!for_code(code, "unlock").is_empty(), "{code:?}");
    }
}

#[test]
fn every_range_error_has_a_hint() {
    let range = RangeNumber(1);
    for error in [
        RangeError::Global,
        RangeError::Duplicate(range),
        RangeError::Empty(range),
        RangeError::TooLong(range),
        RangeError::Overlap(range, range),
        RangeError::Missing(range),
    ] {
        assert!(!for_range(error).is_empty());
    }
}
