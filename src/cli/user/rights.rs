//! Rights: from options, for people, and in JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::args::user::Rights;
use crate::drive::Right;
use crate::spec::RangeNumber;
use crate::spec::ace::Subject;
use crate::wire::hex;

/// A right in JSON.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct RightFields {
    right: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ace: Option<String>,
}

impl From<Right> for RightFields {
    fn from(right: Right) -> Self {
        let plain = |right| Self {
            right,
            ..Self::default()
        };
        let of_range = |right, range: RangeNumber| Self {
            range: Some(range.0),
            ..plain(right)
        };
        let of_table = |right, table| Self {
            table: Some(table),
            ..plain(right)
        };
        let of_user = |right, user| Self {
            user: Some(format!("User{user}")),
            ..plain(right)
        };
        let subject = match right {
            Right::Known(subject) => subject,
            Right::Unknown(row) => {
                return Self {
                    ace: Some(hex::encode(&row.to_bytes())),
                    ..plain("unknown")
                };
            }
        };
        match subject {
            Subject::SetReadLocked(range) => of_range("set_read_locked", range),
            Subject::SetWriteLocked(range) => of_range("set_write_locked", range),
            Subject::GetRange(range) => of_range("get_range", range),
            Subject::GenKey(range) => of_range("gen_key", range),
            Subject::SetLocks(range) => of_range("set_locks", range),
            Subject::SetPlace(range) => of_range("set_place", range),
            Subject::SetMbrDone => plain("set_mbr_done"),
            Subject::GetDataStore(table) => of_table("get_data_store", table),
            Subject::SetDataStore(table) => of_table("set_data_store", table),
            Subject::SetPin(user) => of_user("set_pin", user),
            Subject::SetCommonName(user) => of_user("set_common_name", user),
            Subject::GetAces => plain("get_aces"),
            Subject::GetAuthorities => plain("get_authorities"),
        }
    }
}

/// The rights that options name; a range without more is locking and unlocking both ways.
pub(super) fn granted(args: &Rights) -> Vec<Subject> {
    let both = args.read == args.write;
    let mut rights = Vec::new();
    for range in args.ranges.iter().copied().map(RangeNumber) {
        rights.extend((both || args.read).then_some(Subject::SetReadLocked(range)));
        rights.extend((both || args.write).then_some(Subject::SetWriteLocked(range)));
        rights.extend(args.erase.then_some(Subject::GenKey(range)));
    }
    rights.extend(others(args));
    unique(rights)
}

/// The rights that come with ranges: seeing them.
pub(super) fn implied(args: &Rights) -> Vec<Subject> {
    let ranges = args.ranges.iter().copied().map(RangeNumber);
    unique(ranges.map(Subject::GetRange).collect())
}

/// The rights that are to be taken; a range without more is everything that there is to it.
pub(super) fn revoked(args: &Rights) -> Vec<Subject> {
    if args.read || args.write || args.erase {
        let is_erase_alone = !args.read && !args.write;
        let mut rights = granted(args);
        rights.retain(|right| !is_erase_alone || !is_lock(*right));
        return rights;
    }
    let ranges = args.ranges.iter().copied().map(RangeNumber);
    let rights = ranges.flat_map(|range| {
        [
            Subject::SetReadLocked(range),
            Subject::SetWriteLocked(range),
            Subject::GenKey(range),
            Subject::GetRange(range),
        ]
    });
    unique(rights.chain(others(args)).collect())
}

const fn is_lock(right: Subject) -> bool {
    matches!(
        right,
        Subject::SetReadLocked(_) | Subject::SetWriteLocked(_)
    )
}

/// What is not about ranges.
fn others(args: &Rights) -> Vec<Subject> {
    let tables = |tables: &[u16], subject: fn(u16) -> Subject| -> Vec<Subject> {
        tables.iter().copied().map(subject).collect()
    };
    let mut rights = Vec::new();
    rights.extend(args.mbr_done.then_some(Subject::SetMbrDone));
    rights.extend(tables(&args.datastore, Subject::GetDataStore));
    rights.extend(tables(&args.datastore_read, Subject::GetDataStore));
    rights.extend(tables(&args.datastore, Subject::SetDataStore));
    rights.extend(tables(&args.datastore_write, Subject::SetDataStore));
    rights
}

fn unique(rights: Vec<Subject>) -> Vec<Subject> {
    let mut found = Vec::new();
    for right in rights {
        if !found.contains(&right) {
            found.push(right);
        }
    }
    found
}

/// Rights in words: ranges of which somebody has the same rights stand together.
pub(super) fn text(rights: &[Right]) -> String {
    let mut ranges: BTreeMap<RangeNumber, Vec<&str>> = BTreeMap::new();
    let mut parts = Vec::new();
    let unknown = rights
        .iter()
        .filter(|right| matches!(right, Right::Unknown(_)));
    let unknown = unknown.count();
    for right in rights {
        match (right.range(), word(*right)) {
            (None, _) if matches!(right, Right::Unknown(_)) && unknown > 1 => {}
            (Some(range), Some(word)) => ranges.entry(range).or_default().push(word),
            _ => parts.push(right.to_string()),
        }
    }
    let mut groups: Vec<(Vec<&str>, Vec<RangeNumber>)> = Vec::new();
    for (range, mut words) in ranges {
        words.sort_unstable();
        words.dedup();
        match groups.iter_mut().find(|(known, _)| *known == words) {
            Some((_, numbers)) => numbers.push(range),
            None => groups.push((words, vec![range])),
        }
    }
    let group = |(words, ranges): &(Vec<&str>, Vec<RangeNumber>)| {
        format!("{} ({})", range_names(ranges), words.join(", "))
    };
    if unknown > 1 {
        parts.push(format!("{unknown} rights that are not known here"));
    }
    let groups = groups.iter().map(group);
    groups.chain(parts).collect::<Vec<_>>().join("; ")
}

/// What of a range it is about.
const fn word(right: Right) -> Option<&'static str> {
    Some(match right {
        Right::Known(Subject::SetReadLocked(_)) => "lock reads",
        Right::Known(Subject::SetWriteLocked(_)) => "lock writes",
        Right::Known(Subject::GetRange(_)) => "see",
        Right::Known(Subject::GenKey(_)) => "erase",
        Right::Known(Subject::SetLocks(_)) => "own its locks",
        Right::Known(Subject::SetPlace(_)) => "place",
        _ => return None,
    })
}

/// `range 3`, `ranges 1 to 4, 7`.
fn range_names(ranges: &[RangeNumber]) -> String {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for &RangeNumber(number) in ranges {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): &(u16, u16)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let runs: Vec<String> = runs.iter().map(run).collect();
    let plural = if ranges.len() == 1 { "" } else { "s" };
    format!("range{plural} {}", runs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(ranges: &[u16]) -> Rights {
        Rights {
            ranges: ranges.to_vec(),
            read: false,
            write: false,
            erase: false,
            mbr_done: false,
            datastore: Vec::new(),
            datastore_read: Vec::new(),
            datastore_write: Vec::new(),
        }
    }

    const RANGE: RangeNumber = RangeNumber(3);
    const READ: Subject = Subject::SetReadLocked(RANGE);
    const WRITE: Subject = Subject::SetWriteLocked(RANGE);

    #[test]
    fn a_range_is_both_ways_unless_one_is_named() {
        assert_eq!(granted(&args(&[3, 3])), [READ, WRITE]);
        let read = Rights {
            read: true,
            ..args(&[3])
        };
        assert_eq!(granted(&read), [READ]);
        let both = Rights {
            read: true,
            write: true,
            erase: true,
            ..args(&[3])
        };
        assert_eq!(granted(&both), [READ, WRITE, Subject::GenKey(RANGE)]);
    }

    #[test]
    fn a_range_without_more_is_taken_altogether() {
        let all = [
            READ,
            WRITE,
            Subject::GenKey(RANGE),
            Subject::GetRange(RANGE),
        ];
        assert_eq!(revoked(&args(&[3])), all);
        let erase = Rights {
            erase: true,
            ..args(&[3])
        };
        assert_eq!(revoked(&erase), [Subject::GenKey(RANGE)]);
        let write = Rights {
            write: true,
            ..args(&[3])
        };
        assert_eq!(revoked(&write), [WRITE]);
    }

    #[test]
    fn ranges_with_the_same_rights_stand_together() {
        let known = |subjects: &[Subject]| -> Vec<Right> {
            subjects.iter().copied().map(Right::Known).collect()
        };
        let mut rights = Vec::new();
        for number in [1, 2, 3, 7] {
            let range = RangeNumber(number);
            rights.push(Subject::SetReadLocked(range));
            rights.push(Subject::SetWriteLocked(range));
        }
        rights.push(Subject::GetRange(RangeNumber(9)));
        rights.push(Subject::SetMbrDone);
        assert_eq!(
            text(&known(&rights)),
            "ranges 1 to 3, 7 (lock reads, lock writes); range 9 (see); set MBRDone"
        );
        assert_eq!(text(&[]), "");
    }
}
