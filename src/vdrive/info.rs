//! What somebody sees who looks into a virtual drive.

use super::fault::Fault;
use super::label::Label;
use super::profile::Profile;
use super::stats::Stats;
use super::tper::Tper;
use super::tper::tables::{SpId, locking};
use crate::spec::{LifeCycle, RangeNumber, column, uid};

/// The state of a virtual drive. It holds no PIN and no key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// The profile's name.
    pub profile: String,
    /// The quirks that were added to it.
    pub quirks: Vec<String>,
    /// Serial number.
    pub serial: String,
    /// Model.
    pub model: String,
    /// Firmware revision.
    pub firmware: String,
    /// Bytes of a logical block.
    pub block_size: u32,
    /// Logical blocks.
    pub blocks: u64,
    /// NVMe namespaces that the blocks are divided into.
    pub namespaces: u32,
    /// Microseconds that each interface command takes.
    pub latency_us: u64,
    /// The fault that is arranged, counted from now.
    pub fault: Option<Fault>,
    /// The state of the Locking SP.
    pub life_cycle: LifeCycle,
    /// Somebody has changed the PIN of SID.
    pub is_owned: bool,
    /// SID cannot be authenticated until the next power cycle.
    pub sid_blocked: bool,
    /// Sessions that are open.
    pub open_sessions: usize,
    /// `MBRControl.Enable`.
    pub mbr_enabled: bool,
    /// `MBRControl.Done`.
    pub mbr_done: bool,
    /// The ranges: the Global range, and those that hold a block.
    pub ranges: Vec<RangeInfo>,
}

/// The state of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeInfo {
    /// Its number; 0 is the Global range, whose start and length do not count.
    pub number: RangeNumber,
    /// First logical block.
    pub start: u64,
    /// Logical blocks.
    pub length: u64,
    /// Reads are refused.
    pub read_locked: bool,
    /// Writes are refused.
    pub write_locked: bool,
}

/// What a look at a drive shows that somebody else may have open.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// Its state.
    pub info: Info,
    /// What stands on its label, its PINs included.
    pub label: Label,
    /// How many interface commands it has got.
    pub stats: Stats,
}

impl Info {
    pub(super) fn new(tper: &Tper) -> Self {
        let (state, profile) = (tper.state(), tper.profile());
        let view = tper.view(SpId::Locking);
        Self {
            profile: profile.name.clone(),
            quirks: profile.quirks.clone(),
            serial: state.label.serial.clone(),
            model: state.label.model.clone(),
            firmware: state.label.firmware.clone(),
            block_size: profile.geometry.block_size,
            blocks: state.blocks,
            namespaces: state.namespaces,
            latency_us: state.latency_us,
            fault: tper.fault(),
            life_cycle: tper.life_cycle(),
            is_owned: !tper.sid_is_msid(),
            sid_blocked: tper.power().block.sid,
            open_sessions: tper.open_sessions(),
            mbr_enabled: view.is_true(uid::MBR_CONTROL, column::mbr_control::ENABLE),
            mbr_done: view.is_true(uid::MBR_CONTROL, column::mbr_control::DONE),
            ranges: ranges(tper, profile),
        }
    }
}

fn ranges(tper: &Tper, profile: &Profile) -> Vec<RangeInfo> {
    let view = tper.view(SpId::Locking);
    let range = |number| {
        let (span, locks) = (view.span(number), view.locks(number));
        RangeInfo {
            number,
            start: span.start,
            length: span.length,
            read_locked: locks.read,
            write_locked: locks.write,
        }
    };
    locking::ranges(profile)
        .map(range)
        .filter(|range| range.length > 0 || range.number == RangeNumber::GLOBAL)
        .collect()
}
