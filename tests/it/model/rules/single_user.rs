//! The rules of Single User Mode, from section 5.9 of the reference.

use super::*;

/// The ranges in Single User Mode, and who places them.
#[derive(Clone, Debug, Default)]
pub(super) struct SingleUser {
    ranges: BTreeSet<u16>,
    admins_place: bool,
}

/// What Activate and Reactivate may be given: ranges and a policy.
pub(in crate::model) type Wish = Option<(Vec<u16>, u64)>;

impl SingleUser {
    /// 5.9.1: each range once, and of the drive; a policy below 2.
    fn wished(wish: &Wish) -> std::result::Result<Self, MethodStatus> {
        let Some((list, policy)) = wish else {
            return Ok(Self::default());
        };
        let ranges: BTreeSet<u16> = list.iter().copied().collect();
        let exist = ranges.iter().all(|range| usize::from(*range) < RANGES);
        if ranges.len() != list.len() || !exist || *policy > 1 {
            return Err(MethodStatus::INVALID_PARAMETER);
        }
        Ok(Self {
            admins_place: *policy == 1 && !ranges.is_empty(),
            ranges,
        })
    }
}

impl Locking {
    pub(super) fn is_single(&self, range: u16) -> bool {
        self.single.ranges.contains(&range)
    }

    /// 5.9.1: the range whose owner this is, if it is in Single User Mode.
    pub(super) fn is_owner(&self, who: Who) -> bool {
        matches!(who, Who::User(user) if user > 0 && self.is_single(user - 1))
    }

    /// 5.9.3: the expressions that are fixed for a range in Single User Mode.
    pub(super) fn fixed_expression(&self, kind: AceKind) -> Option<Vec<Who>> {
        match kind {
            AceKind::ReadLocked(range) | AceKind::WriteLocked(range) if self.is_single(range) => {
                Some(vec![Who::Admins])
            }
            AceKind::GetRange(range) if self.is_single(range) => Some(vec![Who::Anybody]),
            AceKind::GenKey(range) if self.is_single(range) => Some(vec![Who::User(range + 1)]),
            AceKind::UserPin(user) if self.is_owner(Who::User(user)) => Some(vec![Who::User(user)]),
            _ => None,
        }
    }

    /// 5.9.3: which columns of a range in Single User Mode may be set; `None` if it is in none.
    pub(super) fn settable(&self, session: &Session, range: u16) -> Option<Vec<u64>> {
        if !self.is_single(range) {
            return None;
        }
        let owner = session.is(Who::User(range + 1));
        let places = match self.single.admins_place {
            true => session.is(Who::Admins),
            false => owner,
        };
        let locks: &[u64] = if owner { &[5, 6, 7, 8, 9] } else { &[] };
        let place: &[u64] = match (places, range) {
            (false, _) => &[],
            (true, 0) => &[2],
            (true, _) => &[2, 3, 4],
        };
        Some([locks, place].concat())
    }

    fn enter(&mut self, single: SingleUser) {
        for range in &single.ranges {
            let owner = Who::User(range + 1);
            self.accounts.get_mut(&owner).unwrap().enabled = true;
        }
        self.single = single;
    }
}

impl Model {
    /// Byte 8 of the Single User Mode feature (3.9.8).
    pub(in crate::model) fn single_user_bits(&self) -> u8 {
        let single = &self.locking.single;
        let any = !single.ranges.is_empty();
        let all = single.ranges.len() == RANGES;
        let policy = !any || single.admins_place;
        u8::from(any) | u8::from(all) << 1 | u8::from(policy) << 2
    }

    /// 5.4.1, 5.9.4.
    pub(super) fn activate(&mut self, wish: &Wish) -> Result {
        let single = SingleUser::wished(wish)?;
        if !self.active {
            self.active = true;
            let admin1 = self.locking.accounts.get_mut(&Who::Admin(1));
            admin1.unwrap().pin = self.admin.sid.clone();
            self.locking.enter(single);
        }
        DONE
    }

    /// 5.9.4: the result, and whether the session goes on.
    pub(super) fn reactivate(&mut self, wish: &Wish, pin: Option<&str>) -> (Result, bool) {
        let single = match SingleUser::wished(wish) {
            Ok(single) => single,
            Err(status) => return (Err(status), true),
        };
        let before = &self.locking;
        if before
            .ranges
            .iter()
            .any(|range| range.flags[0] || range.flags[1])
        {
            return (FAIL, true);
        }
        let mut after = Locking::new();
        for (new, old) in after.ranges.iter_mut().zip(&before.ranges) {
            (new.start, new.length) = (old.start, old.length);
        }
        let admin1 = Who::Admin(1);
        let old_pin = before.accounts[&admin1].pin.as_str();
        after.accounts.get_mut(&admin1).unwrap().pin = pin.unwrap_or(old_pin).to_owned();
        (after.mbr, after.data_store) = (before.mbr.clone(), before.data_store.clone());
        after.enter(single);
        self.locking = after;
        self.tries.retain(|who, _| match who {
            Who::Admin(1) => pin.is_none(),
            who => !matches!(who, Who::Admin(_) | Who::User(_)),
        });
        (DONE, false)
    }

    /// 5.9.3: Admins or the owner, of a range in Single User Mode.
    pub(super) fn may_erase(&self, session: &Session, range: u16) -> bool {
        self.locking.is_single(range) && session.is_any(&[Who::Admins, Who::User(range + 1)])
    }

    /// 5.9.4.
    pub(super) fn erase(&mut self, range: u16) {
        let index = usize::from(range);
        self.keys[index] += 1;
        let erased = &mut self.locking.ranges[index];
        erased.flags = [false; 4];
        erased.lock_on_reset = vec![0];
        let owner = Who::User(range + 1);
        self.locking.accounts.get_mut(&owner).unwrap().pin.clear();
        self.tries.remove(&owner);
    }
}
