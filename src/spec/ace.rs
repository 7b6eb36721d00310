//! Rows of table `ACE` in the Locking SP of the Opal family: who may do what (\[Opal\] 4.3.1.7,
//! \[DataStore\] 4.3.1).
//!
//! An ACE holds a Boolean expression of authorities. Only some can be changed; these have functions
//! here, and the others are in [`FIXED`].

use super::numbers::RangeNumber;
use super::uid::{ACE, Uid};

/// `ACE_ACE_Get_All`: who sees the ACEs.
pub const ACE_GET_ALL: Uid = ACE.row(0x0003_8000);
/// `ACE_Authority_Get_All`: who sees the authorities.
pub const AUTHORITY_GET_ALL: Uid = ACE.row(0x0003_9000);
/// `ACE_MBRControl_Set_DoneToDOR`: who sets Done and `DoneOnReset` of the shadow MBR.
pub const MBR_CONTROL_SET_DONE: Uid = ACE.row(0x0003_f801);

/// The ACEs of the Locking SP whose expression nobody can change.
pub const FIXED: [Uid; 12] = [
    ACE.row(0x0000_0001),
    ACE.row(0x0000_0002),
    ACE.row(0x0000_0003),
    ACE.row(0x0000_0004),
    ACE.row(0x0003_8001),
    ACE.row(0x0003_9001),
    ACE.row(0x0003_a000),
    ACE.row(0x0003_a001),
    ACE.row(0x0003_bfff),
    ACE.row(0x0003_f000),
    ACE.row(0x0003_f001),
    ACE.row(0x0003_f800),
];

/// A kind of ACE of which there is one for each range, user or table.
struct Kind {
    /// The row of number 0.
    base: u32,
    /// One more than the highest number that the row numbers leave room for.
    end: u16,
}

impl Kind {
    const fn row(&self, number: u16) -> Uid {
        ACE.row(self.base + number as u32)
    }

    /// The number of a row of this kind.
    fn number(&self, row: Uid) -> Option<u16> {
        let number = row.low().checked_sub(self.base)?;
        let number = u16::try_from(number).ok()?;
        (row.table() == ACE && number < self.end).then_some(number)
    }
}

const C_PIN_SET: Kind = Kind {
    base: 0x0003_a800,
    end: 0x0800,
};
const K_AES_128: Kind = Kind {
    base: 0x0003_b000,
    end: 0x0800,
};
const K_AES_256: Kind = Kind {
    base: 0x0003_b800,
    end: 0x07ff,
};
const GET: Kind = Kind {
    base: 0x0003_d000,
    end: 0x1000,
};
const RD_LOCKED: Kind = Kind {
    base: 0x0003_e000,
    end: 0x0800,
};
const WR_LOCKED: Kind = Kind {
    base: 0x0003_e800,
    end: 0x0800,
};
const SINGLE_USER_LOCKS: Kind = Kind {
    base: 0x0004_0000,
    end: 0x1000,
};
const SINGLE_USER_PLACE: Kind = Kind {
    base: 0x0004_1000,
    end: 0x1000,
};
const COMMON_NAME: Kind = Kind {
    base: 0x0004_4000,
    end: 0x1000,
};
/// `DataStoreY`, Y from 1 to 128: Get and Set by turns.
const DATA_STORE: Kind = Kind {
    base: 0x0003_fc00,
    end: 0x0100,
};
/// `DataStoreY`, Y from 129 on; the numbers go on with those of [`DATA_STORE`].
const DATA_STORE_MORE: Kind = Kind {
    base: 0x0004_5000,
    end: 0x1000,
};

/// What an ACE that can be changed is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Subject {
    /// `ACE_Locking_RangeN_Set_RdLocked`.
    SetReadLocked(RangeNumber),
    /// `ACE_Locking_RangeN_Set_WrLocked`.
    SetWriteLocked(RangeNumber),
    /// `ACE_Locking_RangeN_Get_RangeStartToActiveKey`.
    GetRange(RangeNumber),
    /// `ACE_K_AES_128_RangeN_GenKey`, or the one for keys of 256 bits.
    GenKey(RangeNumber),
    /// `ACE_Locking_RangeN_Set_ReadToLOR`, of a range in single user mode.
    SetLocks(RangeNumber),
    /// `ACE_Locking_RangeN_Set_Range`, of a range in single user mode.
    SetPlace(RangeNumber),
    /// `ACE_MBRControl_Set_DoneToDOR`.
    SetMbrDone,
    /// `ACE_DataStoreN_Get_All`, N from 1.
    GetDataStore(u16),
    /// `ACE_DataStoreN_Set_All`, N from 1.
    SetDataStore(u16),
    /// `ACE_C_PIN_UserN_Set_PIN`.
    SetPin(u16),
    /// `ACE_UserN_Set_CommonName`.
    SetCommonName(u16),
    /// `ACE_ACE_Get_All`.
    GetAces,
    /// `ACE_Authority_Get_All`.
    GetAuthorities,
}

impl Subject {
    /// What a row of table `ACE` is about, if it is one that can be changed and that is known here.
    #[must_use]
    pub fn of(row: Uid) -> Option<Self> {
        match row {
            ACE_GET_ALL => return Some(Self::GetAces),
            AUTHORITY_GET_ALL => return Some(Self::GetAuthorities),
            MBR_CONTROL_SET_DONE => return Some(Self::SetMbrDone),
            _ => {}
        }
        let of_range = |kind: &Kind, subject: fn(RangeNumber) -> Self| {
            kind.number(row).map(RangeNumber).map(subject)
        };
        let of_user = |kind: &Kind, subject: fn(u16) -> Self| {
            kind.number(row).filter(|user| *user > 0).map(subject)
        };
        of_range(&RD_LOCKED, Self::SetReadLocked)
            .or_else(|| of_range(&WR_LOCKED, Self::SetWriteLocked))
            .or_else(|| of_range(&GET, Self::GetRange))
            .or_else(|| of_range(&K_AES_128, Self::GenKey))
            .or_else(|| of_range(&K_AES_256, Self::GenKey))
            .or_else(|| of_range(&SINGLE_USER_LOCKS, Self::SetLocks))
            .or_else(|| of_range(&SINGLE_USER_PLACE, Self::SetPlace))
            .or_else(|| of_user(&C_PIN_SET, Self::SetPin))
            .or_else(|| of_user(&COMMON_NAME, Self::SetCommonName))
            .or_else(|| of_data_store(row))
    }

    /// The rows of table `ACE` that may be about it: two where the drive has keys of either size.
    #[must_use]
    pub fn rows(self) -> Vec<Uid> {
        match self {
            Self::SetReadLocked(RangeNumber(range)) => vec![RD_LOCKED.row(range)],
            Self::SetWriteLocked(RangeNumber(range)) => vec![WR_LOCKED.row(range)],
            Self::GetRange(RangeNumber(range)) => vec![GET.row(range)],
            Self::GenKey(RangeNumber(range)) => vec![K_AES_128.row(range), K_AES_256.row(range)],
            Self::SetLocks(RangeNumber(range)) => vec![SINGLE_USER_LOCKS.row(range)],
            Self::SetPlace(RangeNumber(range)) => vec![SINGLE_USER_PLACE.row(range)],
            Self::SetMbrDone => vec![MBR_CONTROL_SET_DONE],
            Self::GetDataStore(table) => vec![data_store(table, 0)],
            Self::SetDataStore(table) => vec![data_store(table, 1)],
            Self::SetPin(user) => vec![C_PIN_SET.row(user)],
            Self::SetCommonName(user) => vec![COMMON_NAME.row(user)],
            Self::GetAces => vec![ACE_GET_ALL],
            Self::GetAuthorities => vec![AUTHORITY_GET_ALL],
        }
    }
}

/// `FC00 + 2(Y−1)` for Get, one more for Set; from Y = 129 on at another place.
const fn data_store(table: u16, set: u16) -> Uid {
    let number = table
        .saturating_sub(1)
        .saturating_mul(2)
        .saturating_add(set);
    if number < DATA_STORE.end {
        DATA_STORE.row(number)
    } else {
        DATA_STORE_MORE.row(number)
    }
}

fn of_data_store(row: Uid) -> Option<Subject> {
    let more = || {
        let number = DATA_STORE_MORE.number(row)?;
        (number >= DATA_STORE.end).then_some(number)
    };
    let number = DATA_STORE.number(row).or_else(more)?;
    let table = number / 2 + 1;
    Some(match number % 2 {
        0 => Subject::GetDataStore(table),
        _ => Subject::SetDataStore(table),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows as \[Opal\] 4.3.1.7 and \[DataStore\] 4.3.1 number them.
    #[test]
    fn rows_are_those_of_the_standard() {
        let range = RangeNumber;
        for (subject, low) in [
            (Subject::SetReadLocked(range(0)), 0x0003_e000),
            (Subject::SetReadLocked(range(1)), 0x0003_e001),
            (Subject::SetReadLocked(range(300)), 0x0003_e12c),
            (Subject::SetWriteLocked(range(192)), 0x0003_e8c0),
            (Subject::GetRange(range(8)), 0x0003_d008),
            (Subject::SetLocks(range(0)), 0x0004_0000),
            (Subject::SetPlace(range(8)), 0x0004_1008),
            (Subject::SetMbrDone, 0x0003_f801),
            (Subject::GetDataStore(1), 0x0003_fc00),
            (Subject::SetDataStore(1), 0x0003_fc01),
            (Subject::SetDataStore(128), 0x0003_fcff),
            (Subject::GetDataStore(129), 0x0004_5100),
            (Subject::SetDataStore(193), 0x0004_5181),
            (Subject::SetPin(1), 0x0003_a801),
            (Subject::SetCommonName(9), 0x0004_4009),
            (Subject::GetAces, 0x0003_8000),
            (Subject::GetAuthorities, 0x0003_9000),
        ] {
            assert_eq!(subject.rows(), [ACE.row(low)], "{subject:?}");
            assert_eq!(Subject::of(ACE.row(low)), Some(subject));
        }
    }

    #[test]
    fn keys_of_both_sizes_are_one_subject() {
        let subject = Subject::GenKey(RangeNumber(2));
        let rows = [ACE.row(0x0003_b002), ACE.row(0x0003_b802)];
        assert_eq!(subject.rows(), rows);
        for row in rows {
            assert_eq!(Subject::of(row), Some(subject));
        }
    }

    #[test]
    fn fixed_and_unknown_rows_have_no_subject() {
        for row in FIXED {
            assert_eq!(Subject::of(row), None, "{row}");
        }
        for low in [
            0x0003_a800,
            0x0004_4000,
            0x0004_2001,
            0x0004_5000,
            0x00ff_0000,
        ] {
            assert_eq!(Subject::of(ACE.row(low)), None, "{low:x}");
        }
        assert_eq!(
            Subject::of(crate::spec::uid::LOCKING.row(0x0003_e001)),
            None
        );
    }
}
