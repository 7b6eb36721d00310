//! What a TPer remembers: the [`State`] that survives a loss of power, and the [`Power`] that does
//! not.
//!
//! Both are written into the drive's file as JSON. A file is opened by many runs of the program
//! between two power cycles of the virtual drive, so `Power` is kept too: a range that was unlocked
//! stays unlocked, a session that a killed process left open stays open, a response that was not
//! fetched still waits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::byte_store::{Extents, Pending};
use super::cell::{Cell, Octets};
use super::properties::HostProperties;
use super::single_user::SingleUser;
use super::tables::SpId;
use super::work::Work;
use crate::spec::Uid;
use crate::vdrive::fault::ArmedFault;
use crate::vdrive::label::Label;
use crate::vdrive::profile::{Profile, SidPin};
use crate::vdrive::stats::Stats;
use crate::vdrive::xts::MediaKey;

/// Everything that survives a loss of power, but for the bytes of the media and of byte tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    /// The model.
    pub(crate) profile: Profile,
    /// What is unique to the drive.
    pub(crate) label: Label,
    /// How long each interface command takes.
    pub(crate) latency_us: u64,
    /// Logical blocks of the media.
    pub(crate) blocks: u64,
    /// NVMe namespaces. Files from before there were several do not say it.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub(crate) namespaces: u32,
    /// A fault that is arranged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::vdrive) fault: Option<ArmedFault>,
    /// What hosts have set in the Admin SP.
    pub(crate) admin: Contents,
    /// What hosts have set in the Locking SP.
    pub(crate) locking: Contents,
    /// The Locking SP is not Manufactured-Inactive.
    pub(crate) active: bool,
    /// What C_PIN_SID holds while no host has set it.
    pub(crate) initial_pin: SidPin,
    /// SID has been authenticated since the original factory state (\[Opal\] 5.1.2.2).
    pub(crate) sid_authenticated: bool,
    /// Tries of the C_PINs whose Persistence is True.
    pub(crate) tries: Tries,
    /// Bytes of each DataStore table.
    pub(crate) data_stores: Vec<u64>,
    /// What is in Single User Mode. Files from before there was one do not say it.
    #[serde(default, skip_serializing_if = "SingleUser::is_off")]
    pub(crate) single_user: SingleUser,
    /// The media keys, by range.
    pub(crate) keys: Vec<MediaKey>,
    /// A removal of data was broken off. Files from before there was one do not say it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) removal_interrupted: bool,
    /// What must still be done to byte tables and media; it is done again after a crash.
    pub(crate) pending: Vec<Pending>,
}

/// Everything that a loss of power ends.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Power {
    /// Counts the interface commands: of two copies in a file, the higher one is the right one.
    pub(crate) sequence: u64,
    /// Interface commands, by protocol. The one thing here that a power cycle keeps.
    pub(crate) stats: Stats,
    /// The last TSN that was given to a session.
    pub(crate) last_tsn: u32,
    /// Tries of the C_PINs whose Persistence is False.
    pub(crate) tries: Tries,
    /// What Block SID Authentication has blocked.
    pub(crate) block: Block,
    /// Commands on the ComIDs are swallowed until the interface is reset.
    #[serde(default)]
    pub(crate) is_mute: bool,
    /// Responses on the ComIDs are for ever still to come.
    #[serde(default)]
    pub(crate) is_hung: bool,
    /// The media refuse everything.
    #[serde(default)]
    pub(crate) medium_is_shut: bool,
    /// The protocol stacks, one for each ComID.
    pub(crate) stacks: Vec<Stack>,
    /// The open sessions.
    pub(crate) sessions: Vec<Session>,
}

/// Tries by row of C_PIN; the numbers of the rows are unique across both SPs.
pub(crate) type Tries = BTreeMap<u64, u64>;

/// Cells that differ from the original factory state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Contents(BTreeMap<u64, BTreeMap<u64, Cell>>);

/// What Block SID Authentication has blocked (\[Block SID\] 4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Block {
    /// SID cannot be authenticated.
    pub(crate) sid: bool,
    /// The Locking SP is frozen.
    pub(crate) frozen: bool,
    /// A TCG Hardware Reset ends it.
    pub(crate) hardware_reset_clears: bool,
}

impl Block {
    /// Ends the freeze of the Locking SP; without any block there is no event that clears it.
    pub(crate) fn thaw(&mut self) {
        self.frozen = false;
        self.hardware_reset_clears &= self.sid;
    }
}

/// The protocol stack of one ComID (\[Core\] 3.3.10).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stack {
    /// What the host said that it can receive.
    pub(crate) host: HostProperties,
    /// ComPackets that wait to be fetched: the stack is Awaiting IF-RECV while there is one.
    pub(crate) responses: VecDeque<Octets>,
    /// How many more times the host is told that the response is still to come.
    pub(crate) polls: u32,
    /// A ComPacket that has been put off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) work: Option<Work>,
    /// How many more times the host finds nothing before the response.
    #[serde(default)]
    pub(crate) empty_answers: u32,
    /// The answer of protocol 02h that waits to be fetched.
    pub(crate) management: Option<Octets>,
}

/// An open session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    /// The ComID on which it was opened.
    pub(crate) com_id: u16,
    /// The TPer's number.
    pub(crate) tsn: u32,
    /// The host's number.
    pub(crate) hsn: u32,
    /// The SP.
    pub(crate) sp: SpId,
    /// The session is read-write.
    pub(crate) write: bool,
    /// The authenticated authorities, but for Anybody.
    pub(crate) authorities: BTreeSet<u64>,
    /// Milliseconds without a packet after which it ends; 0 is never.
    pub(crate) timeout: u64,
    /// When the last packet came, in milliseconds.
    pub(crate) last_used: u64,
    /// What the host could receive when it was opened.
    pub(crate) host: HostProperties,
    /// The open transaction.
    pub(crate) transaction: Option<Transaction>,
}

/// What a transaction has changed so far. It is volatile: a loss of power rolls it back.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Transaction {
    /// The contents of the SP as the session sees them.
    pub(crate) contents: Contents,
    /// The C_PINs whose PIN was set.
    pub(crate) pins: BTreeSet<u64>,
    /// Bytes that wait in the staging areas.
    pub(crate) staged: Extents,
}

impl Power {
    /// The state right after power-up. It keeps what counts commands, and no number of a session is
    /// given twice.
    pub(crate) fn up(profile: &Profile, sid_is_msid: bool, before: &Self) -> Self {
        let defects = &profile.defects;
        let block = Block {
            sid: defects.blocks_sid_at_power_up && sid_is_msid,
            ..Block::default()
        };
        Self {
            sequence: before.sequence,
            stats: before.stats.clone(),
            last_tsn: before.last_tsn,
            stacks: profile.com_ids().map(|_| Stack::default()).collect(),
            block,
            is_mute: defects.mute_until_reset,
            ..Self::default()
        }
    }

    /// True if commands on the ComIDs have no effect.
    pub(crate) const fn is_deaf(&self) -> bool {
        self.is_mute || self.is_hung
    }
}

impl Contents {
    /// The cell that a host has set.
    pub(crate) fn cell(&self, row: Uid, column: u64) -> Option<&Cell> {
        self.0.get(&row.0)?.get(&column)
    }

    /// Takes over some cells of a row, where they were set.
    pub(crate) fn copy(&mut self, from: &Self, row: Uid, columns: &[u64]) {
        for &column in columns {
            if let Some(cell) = from.cell(row, column) {
                self.set(row, column, cell.clone());
            }
        }
    }

    /// Sets a cell.
    pub(crate) fn set(&mut self, row: Uid, column: u64, cell: impl Into<Cell>) {
        self.0.entry(row.0).or_default().insert(column, cell.into());
    }
}

const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_one(namespaces: &u32) -> bool {
    *namespaces == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl State {
    /// Logical blocks of each namespace.
    pub(crate) fn namespace_blocks(&self) -> u64 {
        self.blocks / u64::from(self.namespaces.max(1))
    }

    /// What hosts have set in an SP.
    pub(crate) const fn contents(&self, sp: SpId) -> &Contents {
        match sp {
            SpId::Admin => &self.admin,
            SpId::Locking => &self.locking,
        }
    }

    /// What hosts have set in an SP, to be changed.
    pub(crate) const fn contents_mut(&mut self, sp: SpId) -> &mut Contents {
        match sp {
            SpId::Admin => &mut self.admin,
            SpId::Locking => &mut self.locking,
        }
    }
}
