//! What a profile must keep so that a TPer can be made of it.

use super::Profile;
use crate::spec::property::opal_minimum;

/// A profile of which no TPer can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// There is no profile of that name.
    #[error("no such profile; there is {}", super::NAMES.join(", "))]
    Unknown,
    /// Block size, alignment or the drive's size is impossible.
    #[error("the geometry is impossible")]
    Geometry,
    /// The ComIDs are none, or not in the range of assigned ones.
    #[error("the ComIDs are impossible")]
    ComIds,
    /// A packet size or count is below what the standard requires, or they contradict each other.
    #[error("the communication properties are below the minimum")]
    Communication,
    /// A session limit is below what the standard requires.
    #[error("the session limits are below the minimum")]
    Sessions,
    /// The Locking SP has fewer or more rows than is possible.
    #[error("the contents of the Locking SP are impossible")]
    Locking,
}

/// Largest sizes that a virtual drive has room for, in bytes.
const MAX_BYTE_TABLE: u64 = 1 << 40;

/// The most rows of one kind: the ACE table has 2047 places for each (\[Opal\] 4.3.1.7).
const MAX_ROWS: u16 = 0x07ff;

impl Profile {
    /// Checks that a TPer can be made of this profile.
    pub(crate) fn check(&self) -> Result<(), ProfileError> {
        let checks = [
            (self.geometry_is_possible(), ProfileError::Geometry),
            (self.com_ids_are_possible(), ProfileError::ComIds),
            (self.packets_are_possible(), ProfileError::Communication),
            (self.sessions_are_possible(), ProfileError::Sessions),
            (self.locking_is_possible(), ProfileError::Locking),
        ];
        checks
            .into_iter()
            .try_for_each(|(holds, error)| if holds { Ok(()) } else { Err(error) })
    }

    fn geometry_is_possible(&self) -> bool {
        let geometry = &self.geometry;
        (512..=65_536).contains(&geometry.block_size) && geometry.alignment_granularity > 0
    }

    fn com_ids_are_possible(&self) -> bool {
        let communication = &self.communication;
        let last = communication
            .base_com_id
            .checked_add(communication.com_ids.saturating_sub(1));
        communication.com_ids > 0
            && communication.com_ids <= 16
            && communication.base_com_id >= 0x0010
            && last.is_some()
    }

    fn packets_are_possible(&self) -> bool {
        let sizes = &self.communication;
        let holds = |size: u64, minimum: usize| usize::try_from(size).is_ok_and(|s| s >= minimum);
        holds(sizes.max_com_packet, opal_minimum::COM_PACKET)
            && holds(sizes.max_response_com_packet, opal_minimum::COM_PACKET)
            && holds(sizes.max_packet, opal_minimum::PACKET)
            && holds(sizes.max_ind_token, opal_minimum::IND_TOKEN)
            && sizes.max_com_packet <= 1 << 24
            && sizes.max_response_com_packet <= 1 << 24
            && sizes.max_subpackets > 0
            && sizes.max_methods > 0
    }

    fn sessions_are_possible(&self) -> bool {
        let sessions = &self.sessions;
        (1..=64).contains(&sessions.max_sessions) && sessions.max_authentications >= 2
    }

    fn locking_is_possible(&self) -> bool {
        let locking = &self.locking;
        let sizes = [locking.mbr_size, locking.data_store_size];
        (1..=0x00ff).contains(&locking.admins)
            && (1..=MAX_ROWS).contains(&locking.users)
            && locking.ranges <= MAX_ROWS
            && sizes.iter().all(|&size| size > 0 && size <= MAX_BYTE_TABLE)
            && (1..=128).contains(&locking.data_store_tables)
            && locking.data_store_alignment > 0
            && (1..=8192).contains(&locking.write_granularity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_profiles_are_possible() {
        for name in super::super::NAMES {
            let profile = Profile::named(name).unwrap();
            assert_eq!(profile.check(), Ok(()), "{name}");
            assert_eq!(profile.name, *name);
        }
        assert_eq!(Profile::named("enterprise"), Err(ProfileError::Unknown));
    }

    #[test]
    fn impossible_profiles_are_refused() {
        let mut profile = Profile::opal2();
        profile.geometry.alignment_granularity = 0;
        assert_eq!(profile.check(), Err(ProfileError::Geometry));
        let mut profile = Profile::opal2();
        profile.communication.com_ids = 0;
        assert_eq!(profile.check(), Err(ProfileError::ComIds));
        let mut profile = Profile::opal2();
        profile.locking.write_granularity = 0;
        assert_eq!(profile.check(), Err(ProfileError::Locking));
    }
}
