//! Level 0 Discovery, encoded from the live state (\[Core\] 3.3.6, \[Opal\] 3.1.1, \[DataStore\] 4.1,
//! \[Single User Mode\], \[Block SID\] 4.2).
//!
//! This is written independently of the decoder in `wire`, so that each checks the other.

use super::Tper;
use super::tables::{SpId, locking};
use crate::spec::{FeatureCode, LifeCycle, RangePolicy, column, uid};
use crate::vdrive::profile::SidPin;

/// Bytes of the header.
const HEADER: usize = 48;

impl Tper {
    /// The whole response.
    pub(super) fn level0(&self) -> Vec<u8> {
        let mut response = vec![0; HEADER];
        for descriptor in self.descriptors() {
            response.extend(descriptor);
        }
        let length = u32::try_from(response.len() - 4).unwrap_or(u32::MAX);
        let fields = length.to_be_bytes().into_iter().chain(REVISION);
        for (place, byte) in response.iter_mut().zip(fields) {
            *place = byte;
        }
        response
    }

    /// In ascending order of their codes.
    ///
    /// The SIIS descriptor (0005h) is left out, although \[SIIS\] 1.10 and later ask for it: how its
    /// revision is encoded is not public beyond doubt, and a wrong one is worse than none.
    fn descriptors(&self) -> Vec<Vec<u8>> {
        let mut descriptors = vec![
            self.tper_feature(),
            self.locking_feature(),
            self.geometry_feature(),
        ];
        if self.state.profile.locking.single_user_mode {
            descriptors.push(self.single_user_feature());
        }
        descriptors.extend([
            self.data_store_feature(),
            self.opal_feature(),
            self.block_sid_feature(),
            self.data_removal_feature(),
        ]);
        descriptors
    }

    /// | byte | bit | meaning |
    /// |---|---|---|
    /// | 4 | 6 | ComID Management Supported |
    /// | | 4 | Streaming Supported |
    /// | | 0 | Sync Supported |
    fn tper_feature(&self) -> Vec<u8> {
        let management = self.state.profile.communication.com_id_management;
        let bits = 0x11 | bit(6, management);
        descriptor(FeatureCode::TPER, 0x10, 0x0c, &[bits])
    }

    /// | byte | bit | meaning |
    /// |---|---|---|
    /// | 4 | 0 | Locking Supported |
    /// | | 1 | Locking Enabled |
    /// | | 2 | Locked |
    /// | | 3 | Media Encryption |
    /// | | 4 | MBR Enabled |
    /// | | 5 | MBR Done |
    /// | | 7 | HW Reset for LOR/DOR Supported |
    fn locking_feature(&self) -> Vec<u8> {
        let active = self.state.active;
        let view = self.view(SpId::Locking);
        let is_locked = locking::ranges(&self.state.profile)
            .map(|range| view.locks(range))
            .any(|locks| locks.read || locks.write);
        let mbr = |column| active && view.is_true(uid::MBR_CONTROL, column);
        let bits = 0x09
            | bit(1, active)
            | bit(2, active && is_locked)
            | bit(4, mbr(column::mbr_control::ENABLE))
            | bit(5, mbr(column::mbr_control::DONE))
            | bit(7, self.state.profile.hardware_reset_locks);
        descriptor(FeatureCode::LOCKING, 0x30, 0x0c, &[bits])
    }

    /// | bytes | meaning |
    /// |---|---|
    /// | 4 | bit 0: ALIGN |
    /// | 12–15 | LogicalBlockSize |
    /// | 16–23 | AlignmentGranularity |
    /// | 24–31 | LowestAlignedLBA |
    fn geometry_feature(&self) -> Vec<u8> {
        let geometry = &self.state.profile.geometry;
        let mut data = vec![bit(0, geometry.alignment_required)];
        data.extend([0; 7]);
        data.extend(geometry.block_size.to_be_bytes());
        data.extend(geometry.alignment_granularity.to_be_bytes());
        data.extend(geometry.lowest_aligned_lba.to_be_bytes());
        descriptor(FeatureCode::GEOMETRY, 0x10, 0x1c, &data)
    }

    /// | bytes | meaning |
    /// |---|---|
    /// | 4–7 | number of Locking objects |
    /// | 8 | bit 0: ANY, bit 1: ALL, bit 2: POLICY |
    ///
    /// POLICY is 0 only while Users own RangeStart and RangeLength: not in an inactive or a frozen
    /// Locking SP, and not where no range is in Single User Mode.
    fn single_user_feature(&self) -> Vec<u8> {
        let (profile, single_user) = (&self.state.profile, &self.state.single_user);
        let any = !single_user.is_off();
        let all = locking::ranges(profile).all(|range| single_user.contains(range));
        let users_place = any
            && single_user.policy() == RangePolicy::USER
            && self.life_cycle() == LifeCycle::MANUFACTURED;
        let shows_any = any && (!all || profile.behaviour.single_user_any_bit);
        let mut data = (u32::from(profile.locking.ranges) + 1)
            .to_be_bytes()
            .to_vec();
        data.push(bit(0, shows_any) | bit(1, all) | bit(2, !users_place));
        descriptor(FeatureCode::SINGLE_USER_MODE, 0x10, 0x0c, &data)
    }

    /// | bytes | meaning |
    /// |---|---|
    /// | 6–7 | maximum number of tables |
    /// | 8–11 | maximum size of all tables |
    /// | 12–15 | alignment of a table's size |
    fn data_store_feature(&self) -> Vec<u8> {
        let locking = &self.state.profile.locking;
        let size = u32::try_from(locking.data_store_size).unwrap_or(u32::MAX);
        let mut data = vec![0; 2];
        data.extend(locking.data_store_tables.to_be_bytes());
        data.extend(size.to_be_bytes());
        data.extend(locking.data_store_alignment.to_be_bytes());
        descriptor(FeatureCode::DATA_STORE, 0x21, 0x0c, &data)
    }

    /// | bytes | meaning |
    /// |---|---|
    /// | 4–5 | base ComID |
    /// | 6–7 | number of ComIDs |
    /// | 8 | bit 0: Range Crossing Behavior |
    /// | 9–10 | number of Locking SP Admins |
    /// | 11–12 | number of Locking SP Users |
    /// | 13 | initial C_PIN_SID: 00h MSID, FFh vendor unique |
    /// | 14 | C_PIN_SID after Revert, likewise |
    fn opal_feature(&self) -> Vec<u8> {
        let profile = &self.state.profile;
        let mut data = Vec::new();
        data.extend(profile.communication.base_com_id.to_be_bytes());
        data.extend(profile.communication.com_ids.to_be_bytes());
        data.push(bit(0, profile.locking.crossing_terminates));
        data.extend(profile.locking.admins.to_be_bytes());
        data.extend(profile.locking.users.to_be_bytes());
        data.push(pin_indicator(self.state.initial_pin));
        data.push(pin_indicator(profile.pin_after_revert));
        descriptor(FeatureCode::OPAL_2, 0x23, 0x10, &data)
    }

    /// | byte | bit | meaning |
    /// |---|---|---|
    /// | 4 | 0 | SID Value State: C_PIN_SID differs from MSID |
    /// | | 1 | SID Blocked State |
    /// | | 2 | Locking SP Freeze Lock supported |
    /// | | 3 | Locking SP Freeze Lock state |
    /// | 5 | 0 | Hardware Reset is selected |
    fn block_sid_feature(&self) -> Vec<u8> {
        let block = self.power.block;
        let bits = bit(0, !self.sid_is_msid())
            | bit(1, block.sid)
            | bit(2, self.state.profile.freeze_lock)
            | bit(3, block.frozen);
        let data = [bits, bit(0, block.hardware_reset_clears)];
        descriptor(FeatureCode::BLOCK_SID, 0x20, 0x0c, &data)
    }

    /// | bytes | meaning |
    /// |---|---|
    /// | 5 | bit 0: Operation Processing, bit 1: Operation Interrupted; removal is done before the method answers, or before the next command after a crash, so neither is ever seen |
    /// | 6 | supported mechanisms; bit 2: Cryptographic Erase |
    /// | 7 | units of time: 0 is two seconds |
    /// | 8+2i | time of mechanism i |
    fn data_removal_feature(&self) -> Vec<u8> {
        let mut data = vec![0, 0, 0x04, 0];
        data.extend([0; 4]);
        data.extend(self.state.profile.erase_time.to_be_bytes());
        descriptor(FeatureCode::DATA_REMOVAL, 0x20, 0x20, &data)
    }
}

/// Data Structure Revision 1.
const REVISION: [u8; 4] = [0, 0, 0, 1];

fn bit(number: u8, value: bool) -> u8 {
    u8::from(value) << number
}

const fn pin_indicator(pin: SidPin) -> u8 {
    match pin {
        SidPin::Msid => 0x00,
        SidPin::VendorUnique => 0xff,
    }
}

/// A descriptor: code, version, length, then `data` and zeros up to the length.
fn descriptor(code: FeatureCode, version: u8, length: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = code.0.to_be_bytes().to_vec();
    bytes.extend([version, length]);
    bytes.extend(data);
    bytes.resize(4 + usize::from(length), 0);
    bytes
}
