//! Profile `opal2`: a client drive with Opal 2.30, one namespace, every mandatory feature set, and
//! Single User Mode, which nearly every drive has.

use super::{
    Behaviour, Communication, Defects, Feature, Geometry, Layout, LockingLimits, Neighbours,
    Profile, Property, SessionLimits, SidPin, TryPolicies, TryPolicy,
};

/// What client drives allow for SID and PSID: five attempts, and a power cycle gives new ones.
const FIVE: TryPolicy = TryPolicy {
    limit: 5,
    persistent: false,
};

const UNLIMITED: TryPolicy = TryPolicy {
    limit: 0,
    persistent: false,
};

impl Profile {
    /// The default profile: Opal 2.30 with four Admins, nine Users and eight ranges.
    ///
    /// It deviates from \[Opal\] 4.3.1.9 in one point, on purpose: there, `TryLimit` of the C_PINs of
    /// the Locking SP is 0 in the original factory state, and here it is 5 for Admins and Users too.
    /// Many client drives have a limit, and only with one can a lock-out be tried. A profile that
    /// keeps to the letter has a limit of 0 in [`TryPolicies::locking_sp`].
    #[must_use]
    pub fn opal2() -> Self {
        Self {
            name: "opal2".to_owned(),
            geometry: Geometry {
                block_size: 512,
                alignment_required: true,
                alignment_granularity: 8,
                lowest_aligned_lba: 0,
            },
            communication: communication(),
            sessions: sessions(),
            locking: locking(),
            tries: TryPolicies {
                sid: FIVE,
                psid: FIVE,
                admin_sp_admins: UNLIMITED,
                locking_sp: FIVE,
            },
            initial_pin: SidPin::Msid,
            pin_after_revert: SidPin::Msid,
            freeze_lock: true,
            hardware_reset_locks: true,
            erase_time: 1,
            removals: Vec::new(),
            max_random: 32,
            discovery: Layout::default()
                .with(Feature::SingleUserMode.version(0x10), &Feature::Geometry),
            behaviour: Behaviour::default(),
            neighbours: Neighbours::default(),
            properties: Property::usual(),
            defects: Defects::default(),
            quirks: Vec::new(),
        }
    }
}

fn communication() -> Communication {
    Communication {
        base_com_id: 0x1000,
        com_ids: 1,
        com_id_management: false,
        max_com_packet: 65_536,
        max_response_com_packet: 65_536,
        max_packet: 65_516,
        max_ind_token: 65_480,
        max_subpackets: 1,
        max_methods: 1,
    }
}

fn sessions() -> SessionLimits {
    SessionLimits {
        max_sessions: 2,
        max_read_sessions: 2,
        max_authentications: 8,
        default_timeout: 30_000,
        min_timeout: Some(1000),
        max_timeout: Some(0),
    }
}

fn locking() -> LockingLimits {
    LockingLimits {
        admins: 4,
        users: 9,
        ranges: 8,
        crossing_terminates: false,
        mbr_size: 128 << 20,
        data_store_size: 10 << 20,
        data_store_tables: 9,
        data_store_alignment: 1,
        write_granularity: 1,
        access_granularity: 1,
    }
}
