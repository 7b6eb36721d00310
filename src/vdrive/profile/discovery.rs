//! What Level 0 Discovery shows: which descriptors, in which versions and in which order
//! (\[Core\] 3.3.6). Their contents follow from the rest of the profile and from the drive's state.

use serde::{Deserialize, Serialize};

/// The layout of the Level 0 Discovery response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Layout {
    /// The first vendor specific bytes of the header, at most 32; the others are zero.
    pub vendor_specific: Vec<u8>,
    /// The descriptors, in the drive's order.
    pub descriptors: Vec<Descriptor>,
    /// Zeros that are sent after the end of the response (Samsung T7).
    pub trailing_zeros: u16,
}

/// One descriptor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Descriptor {
    /// What it tells.
    pub feature: Feature,
    /// Its byte 2: the version of the descriptor in the high half, a minor version in the low one.
    pub version: u8,
}

/// What a descriptor tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Feature {
    /// 0001h: what the communication stack can do.
    Tper,
    /// 0002h: the state of locking and of the shadow MBR.
    Locking,
    /// 0003h: block size and alignment.
    Geometry,
    /// 0201h: Single User Mode. A drive that shows it has it.
    SingleUserMode,
    /// 0202h: additional DataStore tables.
    DataStore,
    /// 0203h: Opal SSC 2.x.
    Opal2,
    /// 0304h: Ruby SSC.
    Ruby,
    /// 0402h: Block SID Authentication.
    BlockSid,
    /// 0403h: Configurable Namespace Locking. It is shown, and none of its methods is there.
    NamespaceLocking {
        /// Media encryption keys in all.
        keys: u32,
        /// Media encryption keys that no range uses.
        unused_keys: u32,
        /// `MaximumRangesPerNamespace`.
        ranges: u32,
    },
    /// 0404h: Supported Data Removal Mechanism.
    DataRemoval,
    /// Any other one.
    Other {
        /// The feature code.
        code: u16,
        /// The bytes after the length, at most 255.
        data: Vec<u8>,
    },
}

impl Feature {
    /// The feature as a descriptor with this byte 2.
    pub(crate) const fn version(self, version: u8) -> Descriptor {
        Descriptor {
            feature: self,
            version,
        }
    }
}

impl Default for Layout {
    /// Everything that Opal 2.30 asks for, in ascending order of the codes.
    ///
    /// The SIIS descriptor (0005h) is left out, although \[SIIS\] 1.10 and later ask for it: how its
    /// revision is encoded is not public beyond doubt, and a wrong one is worse than none.
    fn default() -> Self {
        Self {
            vendor_specific: Vec::new(),
            descriptors: vec![
                Feature::Tper.version(0x10),
                Feature::Locking.version(0x30),
                Feature::Geometry.version(0x10),
                Feature::DataStore.version(0x21),
                Feature::Opal2.version(0x23),
                Feature::BlockSid.version(0x20),
                Feature::DataRemoval.version(0x20),
            ],
            trailing_zeros: 0,
        }
    }
}

impl Layout {
    /// True if a TPer can send it, and a host can find a ComID in it.
    pub(crate) fn is_possible(&self) -> bool {
        let has_com_id =
            |descriptor: &Descriptor| matches!(descriptor.feature, Feature::Opal2 | Feature::Ruby);
        let fits = |descriptor: &Descriptor| match &descriptor.feature {
            Feature::Other { data, .. } => data.len() <= usize::from(u8::MAX),
            _ => true,
        };
        self.vendor_specific.len() <= 32
            && self.descriptors.len() <= 64
            && self.descriptors.iter().any(has_com_id)
            && self.descriptors.iter().all(fits)
    }

    /// Takes out a descriptor, and with it what the drive has only where it shows it.
    pub fn remove(&mut self, feature: &Feature) {
        self.descriptors
            .retain(|descriptor| descriptor.feature != *feature);
    }

    /// The same with a descriptor behind that of some feature, or at the end.
    pub(crate) fn with(mut self, descriptor: Descriptor, after: &Feature) -> Self {
        let mut descriptors = self.descriptors.iter();
        let place = descriptors.position(|other| other.feature == *after);
        let place = place.map_or(self.descriptors.len(), |place| place + 1);
        self.descriptors.insert(place, descriptor);
        self
    }

    /// True if there is such a descriptor.
    pub(crate) fn has(&self, feature: &Feature) -> bool {
        let mut descriptors = self.descriptors.iter();
        descriptors.any(|descriptor| descriptor.feature == *feature)
    }
}
