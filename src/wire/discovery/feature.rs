//! One descriptor of a Level 0 response: its header, its shortfall, and the choice of its layout.

use super::feature_set::{
    BlockSid, DataRemoval, DataStore, NamespaceKeyPerIo, NamespaceLocking, NamespaceShadowMbr,
    SingleUserMode,
};
use super::fields::{DESCRIPTOR_HEADER, Fields};
use super::general::{Geometry, Locking, Siis, Tper};
use super::ssc::{EnterpriseSsc, KeyPerIoSsc, OpalSsc, PyriteSsc};
use crate::spec::{ComId, FeatureCode};

/// A feature descriptor (\[Core\] 3.3.6.4).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Feature {
    /// Bytes 0 and 1.
    pub code: FeatureCode,
    /// Byte 2 bits 7:4: the version of the descriptor.
    pub version: u8,
    /// Byte 2 bits 3:0: the minor version of an SSC; reserved in most other descriptors.
    pub minor: u8,
    /// Byte 3: how many bytes follow, as the drive says it.
    pub length: u8,
    /// Where the descriptor begins in the response.
    pub offset: usize,
    /// Bytes of `length` that the response doesn't hold, because its end came before.
    pub missing: usize,
    /// Bytes beyond those that the standard gives the descriptor.
    pub extra: Vec<u8>,
    /// What follows the header.
    pub body: FeatureBody,
}

/// The contents of a descriptor.
///
/// A descriptor that is shorter than its standard says is decoded as far as it goes: later fields
/// are `None`. If not even the first field is complete, its bytes are [`FeatureBody::Raw`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeatureBody {
    /// 0001h.
    Tper(Tper),
    /// 0002h.
    Locking(Locking),
    /// 0003h.
    Geometry(Geometry),
    /// 0005h.
    Siis(Siis),
    /// 0100h.
    Enterprise(EnterpriseSsc),
    /// 0200h.
    Opal1(EnterpriseSsc),
    /// 0201h.
    SingleUserMode(SingleUserMode),
    /// 0202h.
    DataStore(DataStore),
    /// 0203h.
    Opal2(OpalSsc),
    /// 0301h.
    Opalite(PyriteSsc),
    /// 0302h.
    Pyrite1(PyriteSsc),
    /// 0303h.
    Pyrite2(PyriteSsc),
    /// 0304h.
    Ruby(OpalSsc),
    /// 0305h.
    KeyPerIo(KeyPerIoSsc),
    /// 0401h: its presence is all that it says.
    LbaRangesControl,
    /// 0402h.
    BlockSid(BlockSid),
    /// 0403h.
    NamespaceLocking(NamespaceLocking),
    /// 0404h.
    DataRemoval(DataRemoval),
    /// 0405h.
    NamespaceGeometry(Geometry),
    /// 0407h.
    NamespaceShadowMbr(NamespaceShadowMbr),
    /// 040Ah.
    NamespaceKeyPerIo(NamespaceKeyPerIo),
    /// A descriptor of a vendor, or one whose layout is not public, or one without its first field.
    Raw(Vec<u8>),
}

impl Feature {
    /// The descriptor with this header at `offset`, of whose contents `contents` are there.
    pub(super) fn decode(header: [u8; DESCRIPTOR_HEADER], offset: usize, contents: &[u8]) -> Self {
        let [high, low, version, length] = header;
        let code = FeatureCode(u16::from_be_bytes([high, low]));
        let body = FeatureBody::decode(code, contents);
        let extra = match (&body, standard_length(code)) {
            (FeatureBody::Raw(_), _) | (_, None) => &[],
            (_, Some(standard)) => contents.get(usize::from(standard)..).unwrap_or_default(),
        };
        Self {
            code,
            version: version >> 4,
            minor: version & 0x0f,
            length,
            offset,
            missing: usize::from(length).saturating_sub(contents.len()),
            extra: extra.to_vec(),
            body,
        }
    }

    /// Bytes by which the descriptor is shorter than its standard says, be it that its own length
    /// says less or that the response ends before; 0 where no standard says anything.
    #[must_use]
    pub fn shortfall(&self) -> usize {
        let there = usize::from(self.length).saturating_sub(self.missing);
        standard_length(self.code).map_or(0, |length| usize::from(length).saturating_sub(there))
    }

    /// The release of the SSC that a descriptor of Opal 2.x stands for (\[Opal\] 3.1.1).
    #[must_use]
    pub const fn opal_release(&self) -> Option<&'static str> {
        match (&self.body, self.minor) {
            (FeatureBody::Opal2(_), 0) => Some("2.00"),
            (FeatureBody::Opal2(_), 1) => Some("2.01"),
            (FeatureBody::Opal2(_), 2) => Some("2.02"),
            (FeatureBody::Opal2(_), 3) => Some("2.30"),
            _ => None,
        }
    }
}

impl FeatureBody {
    fn decode(code: FeatureCode, contents: &[u8]) -> Self {
        Self::decode_known(code, Fields::new(contents))
            .unwrap_or_else(|| Self::Raw(contents.to_vec()))
    }

    fn decode_known(code: FeatureCode, fields: Fields<'_>) -> Option<Self> {
        match code {
            FeatureCode::TPER => Tper::decode(fields).map(Self::Tper),
            FeatureCode::LOCKING => Locking::decode(fields).map(Self::Locking),
            FeatureCode::GEOMETRY => Geometry::decode(fields).map(Self::Geometry),
            FeatureCode::SIIS => Siis::decode(fields).map(Self::Siis),
            FeatureCode::ENTERPRISE => EnterpriseSsc::decode(fields).map(Self::Enterprise),
            FeatureCode::OPAL_1 => EnterpriseSsc::decode(fields).map(Self::Opal1),
            FeatureCode::SINGLE_USER_MODE => {
                SingleUserMode::decode(fields).map(Self::SingleUserMode)
            }
            FeatureCode::DATA_STORE => DataStore::decode(fields).map(Self::DataStore),
            FeatureCode::OPAL_2 => OpalSsc::decode(fields).map(Self::Opal2),
            FeatureCode::OPALITE => PyriteSsc::decode(fields).map(Self::Opalite),
            FeatureCode::PYRITE_1 => PyriteSsc::decode(fields).map(Self::Pyrite1),
            FeatureCode::PYRITE_2 => PyriteSsc::decode(fields).map(Self::Pyrite2),
            FeatureCode::RUBY => OpalSsc::decode(fields).map(Self::Ruby),
            FeatureCode::KEY_PER_IO => KeyPerIoSsc::decode(fields).map(Self::KeyPerIo),
            FeatureCode::LBA_RANGES_CONTROL => Some(Self::LbaRangesControl),
            FeatureCode::BLOCK_SID => BlockSid::decode(fields).map(Self::BlockSid),
            FeatureCode::NAMESPACE_LOCKING => {
                NamespaceLocking::decode(fields).map(Self::NamespaceLocking)
            }
            FeatureCode::DATA_REMOVAL => DataRemoval::decode(fields).map(Self::DataRemoval),
            FeatureCode::NAMESPACE_GEOMETRY => {
                Geometry::decode(fields).map(Self::NamespaceGeometry)
            }
            FeatureCode::NAMESPACE_SHADOW_MBR => {
                NamespaceShadowMbr::decode(fields).map(Self::NamespaceShadowMbr)
            }
            FeatureCode::NAMESPACE_KEY_PER_IO => {
                NamespaceKeyPerIo::decode(fields).map(Self::NamespaceKeyPerIo)
            }
            _ => None,
        }
    }

    /// The first ComID of an SSC and how many follow it; `None` if this describes no SSC.
    #[must_use]
    pub const fn com_ids(&self) -> Option<(ComId, u16)> {
        match self {
            Self::Enterprise(ssc) | Self::Opal1(ssc) => {
                Some((ssc.base_com_id, ssc.number_of_com_ids))
            }
            Self::Opal2(ssc) | Self::Ruby(ssc) => Some((ssc.base_com_id, ssc.number_of_com_ids)),
            Self::Opalite(ssc) | Self::Pyrite1(ssc) | Self::Pyrite2(ssc) => {
                Some((ssc.base_com_id, ssc.number_of_com_ids))
            }
            Self::KeyPerIo(ssc) => Some((ssc.base_com_id, ssc.number_of_com_ids)),
            _ => None,
        }
    }
}

/// The length field that the standard gives a descriptor, where the layout is public.
const fn standard_length(code: FeatureCode) -> Option<u8> {
    match code {
        FeatureCode::TPER
        | FeatureCode::LOCKING
        | FeatureCode::SIIS
        | FeatureCode::SINGLE_USER_MODE
        | FeatureCode::DATA_STORE
        | FeatureCode::LBA_RANGES_CONTROL
        | FeatureCode::BLOCK_SID => Some(0x0c),
        FeatureCode::ENTERPRISE
        | FeatureCode::OPAL_1
        | FeatureCode::OPAL_2
        | FeatureCode::RUBY
        | FeatureCode::OPALITE
        | FeatureCode::PYRITE_1
        | FeatureCode::PYRITE_2
        | FeatureCode::NAMESPACE_LOCKING => Some(0x10),
        FeatureCode::GEOMETRY
        | FeatureCode::NAMESPACE_GEOMETRY
        | FeatureCode::NAMESPACE_KEY_PER_IO => Some(0x1c),
        FeatureCode::DATA_REMOVAL => Some(0x20),
        FeatureCode::KEY_PER_IO => Some(0x2c),
        _ => None,
    }
}
