//! What a profile must keep so that a TPer can be made of it.

use super::Profile;
use crate::spec::DataRemovalMechanism;
use crate::spec::property::opal_minimum;

/// A profile of which no TPer can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// There is no profile of that name.
    #[error("no such profile; there is {}", names())]
    Unknown,
    /// Block size, alignment or the drive's size is impossible.
    #[error("the geometry is impossible")]
    Geometry,
    /// The ComIDs are none, or not in the range of assigned ones.
    #[error("the ComIDs are impossible")]
    ComIds,
    /// A packet size or count is below what the standard requires, or too large for the file.
    #[error("the communication properties are impossible")]
    Communication,
    /// A session limit is below what the standard requires.
    #[error("the session limits are below the minimum")]
    Sessions,
    /// The Locking SP has fewer or more rows than is possible.
    #[error("the contents of the Locking SP are impossible")]
    Locking,
    /// A way to remove data has no number in Level 0 Discovery, or is the one that is always there.
    #[error("a data removal mechanism is impossible")]
    Removal,
    /// Level 0 Discovery names no ComID, or cannot be sent.
    #[error("the Level 0 Discovery is impossible")]
    Discovery,
}

fn names() -> String {
    let names: Vec<_> = super::Model::all().map(|model| model.name).collect();
    names.join(", ")
}

/// Largest sizes that a virtual drive has room for, in bytes.
const MAX_BYTE_TABLE: u64 = 1 << 40;

/// The most Users: the ACE table has 2047 places for each kind of row (\[Opal\] 4.3.1.7).
const MAX_USERS: u16 = 0x07ff;

/// The most ranges: at the place of the 2047th, `ACE_K_AES_Mode` stands (\[Opal\] 4.3.1.7).
const MAX_RANGES: u16 = 0x07fe;

/// The most DataStore tables: the ACEs of more have no numbers (\[DataStore\] 4.3).
const MAX_DATA_STORES: u16 = 2048;

/// The most bytes of a ComPacket.
const MAX_COM_PACKET: u64 = 1 << 20;

/// The most bytes of the responses that wait on all ComIDs. The power state holds them in hex, and
/// has to fit into its place in the file beside the sessions.
const MAX_WAITING: u64 = 4 << 20;

impl Profile {
    /// Checks that a TPer can be made of this profile.
    pub(crate) fn check(&self) -> Result<(), ProfileError> {
        let checks = [
            (self.geometry_is_possible(), ProfileError::Geometry),
            (self.com_ids_are_possible(), ProfileError::ComIds),
            (self.packets_are_possible(), ProfileError::Communication),
            (self.sessions_are_possible(), ProfileError::Sessions),
            (self.locking_is_possible(), ProfileError::Locking),
            (self.discovery.is_possible(), ProfileError::Discovery),
            (self.removals_are_possible(), ProfileError::Removal),
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
            && sizes.max_com_packet <= MAX_COM_PACKET
            && sizes.max_response_com_packet <= MAX_COM_PACKET
            && sizes.max_response_com_packet * u64::from(sizes.com_ids) <= MAX_WAITING
            && sizes.max_subpackets > 0
            && sizes.max_methods > 0
    }

    fn sessions_are_possible(&self) -> bool {
        let sessions = &self.sessions;
        (1..=64).contains(&sessions.max_sessions) && sessions.max_authentications >= 2
    }

    fn removals_are_possible(&self) -> bool {
        self.removals.iter().all(|removal| {
            DataRemovalMechanism::ALL.contains(&removal.mechanism)
                && removal.mechanism != DataRemovalMechanism::CRYPTOGRAPHIC_ERASE
        })
    }

    fn locking_is_possible(&self) -> bool {
        let locking = &self.locking;
        (1..=0x00ff).contains(&locking.admins)
            && (1..=MAX_USERS).contains(&locking.users)
            && locking.ranges <= MAX_RANGES
            && locking.mbr_size <= MAX_BYTE_TABLE
            && (1..=MAX_BYTE_TABLE).contains(&locking.data_store_size)
            && (1..=MAX_DATA_STORES).contains(&locking.data_store_tables)
            && locking.data_store_alignment > 0
            && (1..=8192).contains(&locking.write_granularity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_profiles_are_possible() {
        for model in super::super::Model::all() {
            let profile = Profile::named(model.name).unwrap();
            assert_eq!(profile.check(), Ok(()), "{}", model.name);
            assert_eq!(profile.name, model.name);
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

    #[test]
    fn the_ace_table_has_room_for_2046_ranges() {
        // Reference 4.8: ACE_K_AES_256_RangeN_GenKey is 0003B800 + N, and 0003BFFF is taken.
        let mut profile = Profile::opal2();
        profile.locking.ranges = 0x07fe;
        assert_eq!(profile.check(), Ok(()));
        profile.locking.ranges = 0x07ff;
        assert_eq!(profile.check(), Err(ProfileError::Locking));
    }

    #[test]
    fn what_waits_to_be_fetched_fits_into_the_file() {
        const LIMIT: u64 = 1 << 20;
        let with = |size: u64, response: u64, com_ids: u16| {
            let mut profile = Profile::opal2();
            profile.communication.max_com_packet = size;
            profile.communication.max_packet = size - 20;
            profile.communication.max_response_com_packet = response;
            profile.communication.com_ids = com_ids;
            profile.check()
        };
        assert_eq!(with(LIMIT, LIMIT, 1), Ok(()));
        assert_eq!(with(LIMIT, LIMIT, 4), Ok(()));
        assert_eq!(with(LIMIT, LIMIT / 4, 16), Ok(()));
        let refused = Err(ProfileError::Communication);
        assert_eq!(with(LIMIT + 1, LIMIT, 1), refused);
        assert_eq!(with(LIMIT, LIMIT + 1, 1), refused);
        assert_eq!(with(LIMIT, LIMIT, 5), refused);
    }
}
