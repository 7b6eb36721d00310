//! Level 0 Discovery, encoded from the live state (\[Core\] 3.3.6, \[Opal\] 3.1.1, \[DataStore\] 4.1,
//! \[Single User Mode\], \[Block SID\] 4.2).
//!
//! This is written independently of the decoder in `wire`, so that each checks the other.

use super::Tper;
use super::tables::{SpId, locking};
use crate::spec::{FeatureCode, LifeCycle, RangePolicy, column, uid};
use crate::vdrive::profile::{Descriptor, Feature, SidPin};

/// Bytes of the header.
const HEADER: usize = 48;

impl Tper {
    /// The whole response.
    pub(super) fn level0(&self) -> Vec<u8> {
        let layout = &self.state.profile.discovery;
        let mut response = vec![0; HEADER];
        for (place, byte) in response.iter_mut().skip(16).zip(&layout.vendor_specific) {
            *place = *byte;
        }
        for shown in &layout.descriptors {
            response.extend(self.descriptor(shown));
        }
        let length = u32::try_from(response.len() - 4).unwrap_or(u32::MAX);
        let fields = length.to_be_bytes().into_iter().chain(REVISION);
        for (place, byte) in response.iter_mut().zip(fields) {
            *place = byte;
        }
        let end = response.len() + usize::from(layout.trailing_zeros);
        response.resize(end, 0);
        response
    }

    /// A descriptor: code, version, length, then its data and zeros up to the length.
    fn descriptor(&self, shown: &Descriptor) -> Vec<u8> {
        let (code, length, data) = match &shown.feature {
            Feature::Tper => (FeatureCode::TPER, 0x0c, self.tper_feature()),
            Feature::Locking => (FeatureCode::LOCKING, 0x0c, self.locking_feature()),
            Feature::Geometry => (FeatureCode::GEOMETRY, 0x1c, self.geometry_feature()),
            Feature::SingleUserMode => {
                let data = self.single_user_feature();
                (FeatureCode::SINGLE_USER_MODE, 0x0c, data)
            }
            Feature::DataStore => (FeatureCode::DATA_STORE, 0x0c, self.data_store_feature()),
            Feature::Opal2 => (FeatureCode::OPAL_2, 0x10, self.opal_feature()),
            Feature::Ruby => (FeatureCode::RUBY, 0x10, self.opal_feature()),
            Feature::BlockSid => (FeatureCode::BLOCK_SID, 0x0c, self.block_sid_feature()),
            Feature::NamespaceLocking {
                keys,
                unused_keys,
                ranges,
            } => {
                let data = namespace_locking_feature([*keys, *unused_keys, *ranges]);
                (FeatureCode::NAMESPACE_LOCKING, 0x10, data)
            }
            Feature::DataRemoval => (FeatureCode::DATA_REMOVAL, 0x20, self.data_removal_feature()),
            Feature::Other { code, data } => {
                let length = u8::try_from(data.len()).unwrap_or(u8::MAX);
                (FeatureCode(*code), length, data.clone())
            }
        };
        let mut bytes = code.0.to_be_bytes().to_vec();
        bytes.extend([shown.version, length]);
        bytes.extend(data);
        bytes.resize(4 + usize::from(length), 0);
        bytes
    }

    /// | byte | bit | meaning |
    /// |---|---|---|
    /// | 4 | 6 | ComID Management Supported |
    /// | | 4 | Streaming Supported |
    /// | | 0 | Sync Supported |
    fn tper_feature(&self) -> Vec<u8> {
        let management = self.state.profile.communication.com_id_management;
        let bits = 0x11 | bit(6, management);
        vec![bits]
    }

    /// | byte | bit | meaning |
    /// |---|---|---|
    /// | 4 | 0 | Locking Supported |
    /// | | 1 | Locking Enabled |
    /// | | 2 | Locked |
    /// | | 3 | Media Encryption |
    /// | | 4 | MBR Enabled |
    /// | | 5 | MBR Done |
    /// | | 6 | MBR Shadowing Not Supported |
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
            | bit(6, !self.state.profile.locking.has_mbr())
            | bit(7, self.state.profile.hardware_reset_locks);
        vec![bits]
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
        data.extend(self.state.profile.told_block_size().to_be_bytes());
        data.extend(geometry.alignment_granularity.to_be_bytes());
        data.extend(geometry.lowest_aligned_lba.to_be_bytes());
        data
    }

    /// | bytes | meaning |
    /// |---|---|
    /// | 4–7 | number of Locking objects that can be in Single User Mode |
    /// | 8 | bit 0: ANY, bit 1: ALL, bit 2: POLICY |
    ///
    /// POLICY is 0 only while Users own RangeStart and RangeLength: not in an inactive or a frozen
    /// Locking SP, and not where no range is in Single User Mode.
    fn single_user_feature(&self) -> Vec<u8> {
        let (profile, single_user) = (&self.state.profile, &self.state.single_user);
        let any = !single_user.is_off();
        let all = any && locking::owned_ranges(profile).all(|range| single_user.contains(range));
        let users_place = any
            && single_user.policy() == RangePolicy::USER
            && self.life_cycle() == LifeCycle::MANUFACTURED;
        let shows_any = any && (!all || profile.behaviour.single_user_any_bit);
        let count = u32::try_from(locking::owned_ranges(profile).count()).unwrap_or(u32::MAX);
        let mut data = count.to_be_bytes().to_vec();
        data.push(bit(0, shows_any) | bit(1, all) | bit(2, !users_place));
        data
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
        data
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
        data.push(pin_indicator(self.promised_pin()));
        data.push(pin_indicator(profile.pin_after_revert));
        data
    }

    /// What Level 0 Discovery says of the PIN of SID while no host has set it.
    const fn promised_pin(&self) -> SidPin {
        let profile = &self.state.profile;
        if profile.defects.sid_changed_at_delivery {
            return profile.initial_pin;
        }
        self.state.initial_pin
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
        vec![bits, bit(0, block.hardware_reset_clears)]
    }

    /// | bytes | meaning |
    /// |---|---|
    /// | 5 | bit 0: Operation Processing, bit 1: Operation Interrupted |
    /// | 6 | supported mechanisms, a bit each; bit 2: Cryptographic Erase |
    /// | 7 | unit of each mechanism's time: 0 is two seconds, 1 is two minutes |
    /// | 8+2i | time of mechanism i |
    fn data_removal_feature(&self) -> Vec<u8> {
        let (mut supported, mut minutes, mut times) = (0, 0, [0_u16; 6]);
        for removal in self.state.profile.removals() {
            let number = removal.mechanism.0;
            supported |= bit(number, true);
            minutes |= bit(number, removal.in_minutes);
            if let Some(time) = times.get_mut(usize::from(number)) {
                *time = removal.time;
            }
        }
        let state = bit(0, self.is_removing_data()) | bit(1, self.state.removal_interrupted);
        let mut data = vec![0, state, supported, minutes];
        data.extend(times.into_iter().flat_map(u16::to_be_bytes));
        data
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

/// | bytes | meaning |
/// |---|---|
/// | 4 | bit 7: `Range_C`, namespaces may have ranges of their own |
/// | 8–11 | `MaximumKeyCount` |
/// | 12–15 | `UnusedKeyCount` |
/// | 16–19 | `MaximumRangesPerNamespace` |
fn namespace_locking_feature(counts: [u32; 3]) -> Vec<u8> {
    let mut data = vec![0x80, 0, 0, 0];
    data.extend(counts.into_iter().flat_map(u32::to_be_bytes));
    data
}
