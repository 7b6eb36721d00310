//! What one model of virtual drive is made of: sizes, counts, limits, and how it behaves where the
//! standards leave a choice.
//!
//! A [`Profile`] is data. It is written into the drive's file when the drive is created, so that an
//! old file keeps the profile that it was made with.

mod behaviour;
mod check;
mod defects;
mod discovery;
mod models;
mod neighbours;
mod opal2;
mod property;
mod quirk;
mod quirks;
mod real;

use serde::{Deserialize, Serialize};

use crate::spec::DataRemovalMechanism;

pub use behaviour::{
    Behaviour, InactiveComId, LockoutReply, MinTransfer, RemovedData, SingleUserPolicy,
    SingleUserRanges, Unauthorised, ViolationReply,
};
pub use check::ProfileError;
pub use defects::{Defects, HostEcho, IntegerWidth, Trailing};
pub use discovery::{Descriptor, Feature, Layout};
pub use models::Model;
pub use neighbours::{AtaSecurityState, Neighbours};
pub use property::Property;
pub use quirk::{Quirk, QuirkError};

/// One model of virtual drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The profile's name.
    pub name: String,
    /// Logical blocks and their alignment.
    pub geometry: Geometry,
    /// ComIDs and the sizes of packets.
    pub communication: Communication,
    /// Sessions and their time limits.
    pub sessions: SessionLimits,
    /// The contents of the Locking SP.
    pub locking: LockingLimits,
    /// How many wrong attempts each kind of PIN allows.
    pub tries: TryPolicies,
    /// What C_PIN_SID holds in the original factory state.
    pub initial_pin: SidPin,
    /// What C_PIN_SID holds after Revert of the Admin SP (\[Opal\] 3.1.1.5, byte 14).
    pub pin_after_revert: SidPin,
    /// Block SID Authentication offers to freeze the Locking SP (\[Block SID\] 4.2.1).
    pub freeze_lock: bool,
    /// A TCG Hardware Reset applies LockOnReset and DoneOnReset (\[Opal\] 3.1.1.3, bit 7).
    pub hardware_reset_locks: bool,
    /// Time that a cryptographic erase is said to take, in units of two seconds.
    pub erase_time: u16,
    /// How the drive can remove data beside a cryptographic erase, which it always does. Files from
    /// before there was a choice do not say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removals: Vec<Removal>,
    /// The largest Count that Random accepts; at least 32 (\[Opal\] 4.2.9.1).
    pub max_random: u64,
    /// What Level 0 Discovery shows. Files from before it could vary do not say it.
    #[serde(default)]
    pub discovery: Layout,
    /// The properties that it tells of itself, in its order.
    #[serde(default = "Property::usual")]
    pub properties: Vec<Property>,
    /// Choices that the standards leave to the TPer.
    pub behaviour: Behaviour,
    /// What the drive speaks beside TCG Storage.
    #[serde(default)]
    pub neighbours: Neighbours,
    /// What it does that no standard lets it do.
    #[serde(default)]
    pub defects: Defects,
    /// The quirks that were added to the named profile, as they were written.
    #[serde(default)]
    pub quirks: Vec<String>,
}

/// Logical blocks and their alignment (\[Opal\] 3.1.1.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Geometry {
    /// Bytes of a logical block.
    pub block_size: u32,
    /// Ranges must be aligned.
    pub alignment_required: bool,
    /// `AlignmentGranularity` in logical blocks.
    pub alignment_granularity: u64,
    /// `LowestAlignedLBA`.
    pub lowest_aligned_lba: u64,
}

/// ComIDs and the sizes of packets (\[Core\] 3.3.2, 5.2.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Communication {
    /// The first static ComID.
    pub base_com_id: u16,
    /// How many static ComIDs follow each other.
    pub com_ids: u16,
    /// GET_COMID is answered (with "none available", since every ComID here is static).
    pub com_id_management: bool,
    /// `MaxComPacketSize` in bytes.
    pub max_com_packet: u64,
    /// `MaxResponseComPacketSize` in bytes.
    pub max_response_com_packet: u64,
    /// `MaxPacketSize` in bytes.
    pub max_packet: u64,
    /// `MaxIndTokenSize` in bytes.
    pub max_ind_token: u64,
    /// `MaxSubpackets`.
    pub max_subpackets: u64,
    /// `MaxMethods`.
    pub max_methods: u64,
}

/// Sessions and their time limits (\[Core\] 5.2.2, 3.3.7). Times are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionLimits {
    /// `MaxSessions`.
    pub max_sessions: u64,
    /// `MaxReadSessions`; 0 means that there are no read-only sessions, and is not reported.
    pub max_read_sessions: u64,
    /// `MaxAuthentications`, Anybody included.
    pub max_authentications: u64,
    /// `DefSessionTimeout`; 0 is never.
    pub default_timeout: u64,
    /// `MinSessionTimeout`, where it is reported.
    pub min_timeout: Option<u64>,
    /// `MaxSessionTimeout`, where it is reported; 0 is no limit.
    pub max_timeout: Option<u64>,
}

/// The contents of the Locking SP (\[Opal\] 4.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockingLimits {
    /// How many authorities AdminN.
    pub admins: u16,
    /// How many authorities UserN.
    pub users: u16,
    /// `MaxRanges`: how many ranges beside the Global range.
    pub ranges: u16,
    /// A command that touches more than one range is refused (Range Crossing Behavior 1).
    pub crossing_terminates: bool,
    /// Bytes of the shadow MBR; 0 if there is none.
    pub mbr_size: u64,
    /// Bytes of all DataStore tables together.
    pub data_store_size: u64,
    /// How many DataStore tables Activate may make.
    pub data_store_tables: u16,
    /// Sizes of DataStore tables are multiples of this many bytes.
    pub data_store_alignment: u32,
    /// `MandatoryWriteGranularity` of byte tables.
    pub write_granularity: u64,
    /// `RecommendedAccessGranularity` of byte tables.
    pub access_granularity: u64,
}

/// How many wrong attempts each kind of PIN allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TryPolicies {
    /// C_PIN_SID.
    pub sid: TryPolicy,
    /// C_PIN_PSID.
    pub psid: TryPolicy,
    /// C_PIN_Admin1 of the Admin SP.
    pub admin_sp_admins: TryPolicy,
    /// C_PIN_AdminN and C_PIN_UserN of the Locking SP.
    pub locking_sp: TryPolicy,
}

/// `TryLimit` and `Persistence` of a C_PIN (\[Core\] 5.3.2.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TryPolicy {
    /// Wrong attempts until the authority is locked out; 0 is no limit.
    pub limit: u64,
    /// The count survives a power cycle.
    pub persistent: bool,
}

/// A way to remove data (\[Opal\] 3.1.1, 4.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removal {
    /// The mechanism.
    #[serde(with = "mechanism")]
    pub mechanism: DataRemovalMechanism,
    /// The time that it is said to take, in units of two seconds or of two minutes.
    pub time: u16,
    /// The unit is two minutes.
    pub in_minutes: bool,
}

/// Mechanisms in a file: their numbers.
mod mechanism {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::spec::DataRemovalMechanism;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    pub(super) fn serialize<S: Serializer>(
        mechanism: &DataRemovalMechanism,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(mechanism.0)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<DataRemovalMechanism, D::Error> {
        u8::deserialize(deserializer).map(DataRemovalMechanism)
    }
}

/// What C_PIN_SID holds (\[Opal\] 3.1.1.5, bytes 13 and 14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SidPin {
    /// The PIN of C_PIN_MSID.
    Msid,
    /// Something that only the vendor knows; on a virtual drive it is the PSID.
    VendorUnique,
}

impl Profile {
    /// A profile by its name.
    ///
    /// # Errors
    /// [`ProfileError::Unknown`] if there is none of that name.
    pub fn named(name: &str) -> Result<Self, ProfileError> {
        let model = Model::all().find(|model| model.name == name);
        model.map(Model::profile).ok_or(ProfileError::Unknown)
    }

    /// The drive has Single User Mode.
    #[must_use]
    pub fn has_single_user_mode(&self) -> bool {
        self.discovery.has(&Feature::SingleUserMode)
    }

    /// The size of a logical block as the TPer tells it, in bytes.
    pub(crate) fn told_block_size(&self) -> u32 {
        let stale = self.defects.told_block_size;
        stale.unwrap_or(self.geometry.block_size)
    }

    /// Every way in which the drive can remove data.
    pub(crate) fn removals(&self) -> impl Iterator<Item = Removal> {
        let keys = Removal {
            mechanism: DataRemovalMechanism::CRYPTOGRAPHIC_ERASE,
            time: self.erase_time,
            in_minutes: false,
        };
        std::iter::once(keys).chain(self.removals.iter().copied())
    }

    /// The static ComIDs.
    pub(crate) fn com_ids(&self) -> impl Iterator<Item = u16> + use<> {
        let base = self.communication.base_com_id;
        (0..self.communication.com_ids).filter_map(move |index| base.checked_add(index))
    }
}

impl LockingLimits {
    /// There is a shadow MBR.
    #[must_use]
    pub const fn has_mbr(&self) -> bool {
        self.mbr_size > 0
    }
}
