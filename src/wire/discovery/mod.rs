//! Level 0 Discovery: what a drive says of itself to anybody (\[Core\] 3.3.6, \[Opal\] 3.1.1).
//!
//! Real drives deviate, so the decoder takes descriptors in any order and of any length, skips
//! zeros between them, keeps what it doesn't know, and delivers every complete field of a response
//! that ends too early. It refuses only what can't be a response at all.
//!
//! ```
//! use sedkit::spec::{ComId, Ssc};
//! use sedkit::wire::discovery::Discovery;
//!
//! let mut response = vec![0; 100];
//! response[3] = 96; // Length of Parameter Data
//! response[7] = 1; // Data Structure Revision
//! response[48..53].copy_from_slice(&[0x00, 0x01, 0x10, 0x0c, 0x11]); // TPer
//! response[64..69].copy_from_slice(&[0x00, 0x02, 0x10, 0x0c, 0x09]); // Locking
//! response[80..88].copy_from_slice(&[0x02, 0x03, 0x10, 0x10, 0x07, 0xfe, 0x00, 0x01]); // Opal 2
//!
//! let discovery = Discovery::decode(&response)?;
//! assert_eq!(discovery.ssc(), Some(Ssc::Opal2));
//! assert_eq!(discovery.base_com_id(), Some(ComId(0x07fe)));
//! assert!(!discovery.locking().is_some_and(|locking| locking.locking_enabled));
//! # Ok::<(), sedkit::wire::DecodeError>(())
//! ```

mod accessors;
mod describe;
mod feature;
mod feature_set;
mod fields;
mod general;
mod ssc;

pub use describe::{FieldValue, NamedField};
pub use feature::{Feature, FeatureBody};
pub use feature_set::{
    BlockSid, DataRemoval, DataStore, NamespaceKeyPerIo, NamespaceLocking, NamespaceShadowMbr,
    SingleUserMode,
};
pub use general::{Geometry, Locking, Siis, Tper};
pub use ssc::{
    EnterpriseSsc, KeyPerIoSsc, KeyPerIoState, KeyWrapping, OpalSsc, PyriteSsc, RsaWrappingKeys,
};

use super::{DecodeError, DecodeErrorKind, Reader};
use fields::DESCRIPTOR_HEADER;

/// Bytes of the header.
pub const HEADER: usize = 48;

/// Bytes of Length of Parameter Data, which doesn't count itself.
const LENGTH_FIELD: usize = 4;

/// A response to Level 0 Discovery.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Discovery {
    /// Bytes 0 to 3, Length of Parameter Data: how many bytes follow it.
    pub length: u32,
    /// Bytes 4 to 7, Data Structure Revision: 1 so far.
    pub revision: u32,
    /// Bytes 8 to 15, reserved.
    pub reserved: [u8; 8],
    /// Bytes 16 to 47, vendor specific.
    pub vendor: [u8; 32],
    /// The descriptors in the drive's order.
    pub features: Vec<Feature>,
    /// Bytes that `length` promises and that were not there: ask again with a larger buffer.
    pub missing: usize,
}

impl Discovery {
    /// Decodes a response; what follows its length is padding of the transport.
    ///
    /// The end of the data, or of what the length covers, may cut a descriptor: its complete fields
    /// are delivered, [`Feature::missing`] counts the rest.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Truncated`] if the header is incomplete; [`DecodeErrorKind::Length`] if
    /// the length doesn't even cover the header, as in the zeros of a device without a TPer.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let length = reader.u32()?;
        let (revision, reserved, vendor) = (reader.u32()?, reader.array()?, reader.array()?);
        let total = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .saturating_add(LENGTH_FIELD);
        let Some(promised) = total.checked_sub(HEADER) else {
            return Err(too_short(total, bytes.len()));
        };
        let there = promised.min(reader.remaining());
        Ok(Self {
            length,
            revision,
            reserved,
            vendor,
            features: decode_features(reader.take(there)?),
            missing: promised - there,
        })
    }
}

/// The error of a length that doesn't cover the header.
fn too_short(total: usize, holds: usize) -> DecodeError {
    let kind = DecodeErrorKind::Length {
        what: "Level 0 Discovery",
        says: total,
        holds,
    };
    DecodeError::new(0, kind)
}

/// The descriptors in `bytes`, which follow the header.
fn decode_features(bytes: &[u8]) -> Vec<Feature> {
    let mut reader = Reader::new(bytes);
    let mut features = Vec::new();
    loop {
        let offset = HEADER + reader.offset();
        // Fewer bytes than a header has can only be the beginning of a descriptor that was cut.
        let Ok(header @ [.., length]) = reader.array::<DESCRIPTOR_HEADER>() else {
            return features;
        };
        if header == [0; DESCRIPTOR_HEADER] {
            continue;
        }
        let there = usize::from(length).min(reader.remaining());
        let contents = reader.take(there).unwrap_or_default();
        features.push(Feature::decode(header, offset, contents));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec::{ComId, FeatureCode, PinIndicator, Ssc};

    /// A response with these bytes after the header and a length that fits.
    fn response(descriptors: &[u8]) -> Vec<u8> {
        let length = u32::try_from(HEADER - LENGTH_FIELD + descriptors.len()).unwrap();
        let mut bytes = length.to_be_bytes().to_vec();
        bytes.extend([0, 0, 0, 1]);
        bytes.resize(HEADER, 0);
        bytes.extend(descriptors);
        bytes
    }

    fn decode(descriptors: &[u8]) -> Discovery {
        Discovery::decode(&response(descriptors)).unwrap()
    }

    #[test]
    fn an_incomplete_header_is_an_error() {
        let bytes = response(&[]);
        assert!(Discovery::decode(&bytes).unwrap().features.is_empty());
        for length in 0..HEADER {
            let error = Discovery::decode(&bytes[..length]).unwrap_err();
            assert!(matches!(error.kind, DecodeErrorKind::Truncated { .. }));
        }
    }

    #[test]
    fn a_length_that_does_not_cover_the_header_is_an_error() {
        let kind = DecodeErrorKind::Length {
            what: "Level 0 Discovery",
            says: 4,
            holds: 512,
        };
        assert_eq!(Discovery::decode(&[0; 512]), Err(DecodeError::new(0, kind)));
        let mut bytes = response(&[]);
        bytes[3] = 43;
        assert!(Discovery::decode(&bytes).is_err());
    }

    #[test]
    fn a_hostile_length_only_counts_as_missing() {
        let mut bytes = response(&[]);
        bytes[..4].copy_from_slice(&[0xff; 4]);
        let missing = Discovery::decode(&bytes).unwrap().missing;
        assert_eq!(missing, 0xffff_ffff_usize.saturating_add(4) - HEADER);
    }

    #[test]
    fn what_follows_the_length_is_not_read() {
        let mut bytes = response(&[]);
        bytes.extend([0x00, 0x01, 0x10, 0x01, 0x11]);
        let discovery = Discovery::decode(&bytes).unwrap();
        assert_eq!((discovery.features.len(), discovery.missing), (0, 0));
    }

    #[test]
    fn zeros_between_descriptors_are_skipped() {
        let discovery = decode(&[
            0, 0, 0, 0, 0x00, 0x02, 0x30, 0x04, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]);
        assert_eq!(discovery.features.len(), 1);
        assert_eq!(discovery.features[0].offset, 52);
        assert!(discovery.locking().unwrap().locking_supported);
    }

    #[test]
    fn a_short_descriptor_lacks_its_later_fields() {
        // Configurable Namespace Locking in the form without the last field.
        let discovery = decode(&[
            0x04, 0x03, 0x10, 0x0c, 0x80, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 8,
        ]);
        let feature = &discovery.features[0];
        assert_eq!((feature.shortfall(), feature.missing), (4, 0));
        let body = discovery.namespace_locking().unwrap();
        assert_eq!(body.unused_key_count, Some(8));
        assert_eq!(body.maximum_ranges_per_namespace, None);
    }

    #[test]
    fn a_descriptor_without_its_first_field_is_raw() {
        let discovery = decode(&[0x02, 0x03, 0x10, 0x02, 0x07, 0xfe]);
        assert_eq!(
            discovery.features[0].body,
            FeatureBody::Raw(vec![0x07, 0xfe])
        );
        assert_eq!(discovery.features[0].shortfall(), 14);
        assert_eq!((discovery.ssc(), discovery.base_com_id()), (None, None));
    }

    #[test]
    fn a_long_descriptor_keeps_its_extra_bytes() {
        let mut bytes = vec![0x00, 0x01, 0x20, 0x10, 0x11];
        bytes.extend([0; 11]);
        bytes.extend([0xde, 0xad, 0xbe, 0xef]);
        let discovery = decode(&bytes);
        assert_eq!(discovery.features[0].extra, [0xde, 0xad, 0xbe, 0xef]);
        assert!(discovery.tper().unwrap().sync_supported);
    }

    #[test]
    fn a_descriptor_that_runs_beyond_the_end_is_cut() {
        let discovery = decode(&[0x00, 0x03, 0x10, 0xff, 0x01, 0, 0, 0]);
        let geometry = discovery.geometry().unwrap();
        assert!(geometry.align);
        assert_eq!(geometry.logical_block_size, None);
        assert_eq!(discovery.features[0].missing, 0xff - 4);
    }

    #[test]
    fn unknown_descriptors_are_kept() {
        let discovery = decode(&[0xc0, 0x01, 0x15, 0x02, 0xaa, 0xbb, 0x00, 0x04, 0x10, 0x00]);
        let vendor = &discovery.features[0];
        assert!(vendor.code.is_vendor_unique());
        assert_eq!(
            (vendor.version, vendor.minor, vendor.shortfall()),
            (1, 5, 0)
        );
        assert_eq!(vendor.body, FeatureBody::Raw(vec![0xaa, 0xbb]));
        let secure = discovery.feature(FeatureCode::SECURE_MESSAGING).unwrap();
        assert_eq!(secure.body, FeatureBody::Raw(Vec::new()));
    }

    #[test]
    fn the_preferred_ssc_is_chosen_in_any_order() {
        let discovery = decode(&[
            0x03, 0x02, 0x10, 0x04, 0x10, 0x00, 0, 1, // Pyrite 1
            0x02, 0x00, 0x10, 0x04, 0x00, 0x10, 0, 2, // Opal 1 with a low ComID
            0x01, 0x00, 0x10, 0x04, 0x07, 0xfe, 0, 2, // Enterprise
        ]);
        assert_eq!(discovery.ssc(), Some(Ssc::Opal1));
        assert_eq!(discovery.base_com_id(), Some(ComId(0x0010)));
        assert_eq!(discovery.number_of_com_ids(), 2);
    }

    #[test]
    fn siis_reads_its_bit_fields() {
        let discovery = decode(&[0x00, 0x05, 0x10, 0x04, 0x0b, 0b101, 0, 0]);
        let siis = discovery.siis().unwrap();
        assert_eq!(siis.revision_number, 0x0b);
        assert_eq!(siis.identifier_usage_scope.unwrap().name(), Some("used"));
        assert_eq!(siis.key_change_zone_behavior, Some(true));
    }

    #[test]
    fn key_per_io_reads_every_field() {
        let mut bytes = vec![0x03, 0x05, 0x10, 0x2c, 0x10, 0x00, 0, 1, 0x10, 0x01, 0, 2];
        bytes.extend([
            0xff, 0x00, 0, 1, 0b10_1001, 0, 64, 1, 0, 0b101, 0, 1, 0, 0b10, 0, 0b01,
        ]);
        bytes.extend([0; 4]);
        bytes.extend([0, 0, 0, 3, 0, 0, 1, 0, 0, 16, 32, 0, 0, 0, 0, 0]);
        let discovery = decode(&bytes);
        let expected = KeyPerIoSsc {
            base_com_id: ComId(0x1000),
            number_of_com_ids: 1,
            protocol_3_base_com_id: Some(ComId(0x1001)),
            protocol_3_number_of_com_ids: Some(2),
            initial_pin_indicator: Some(PinIndicator::VENDOR_UNIQUE),
            pin_behaviour_on_revert: Some(PinIndicator::MSID),
            key_per_io_sp_admins: Some(1),
            state: Some(KeyPerIoState {
                key_per_io_enabled: true,
                key_per_io_scope: false,
                shared_tweak_key_required: false,
                incorrect_key_detection_supported: true,
                replay_protection_supported: false,
                replay_protection_enabled: true,
            }),
            maximum_key_uid_length: Some(64),
            kmip_formatted_key_injection: Some(true),
            key_wrapping: Some(KeyWrapping {
                aes_kw: true,
                aes_gcm: false,
                rsa_oaep: true,
            }),
            aes_256_wrapping_key: Some(true),
            rsa_wrapping_keys: Some(RsaWrappingKeys {
                rsa_2048: false,
                rsa_3072: true,
                rsa_4096: false,
            }),
            pki_kek_transport: Some(false),
            plaintext_kek_provisioning: Some(true),
            number_of_keks: Some(3),
            total_number_of_key_tags: Some(256),
            maximum_key_tags_per_namespace: Some(16),
            get_nonce_length: Some(32),
        };
        assert_eq!(discovery.key_per_io(), Some(&expected));
        assert_eq!(discovery.features[0].shortfall(), 0);
        assert_eq!(discovery.ssc(), Some(Ssc::KeyPerIo));
    }

    #[test]
    fn namespace_descriptors_are_typed() {
        let mut bytes = vec![
            0x04, 0x05, 0x10, 0x1c, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0,
        ];
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
        bytes.extend([0x04, 0x07, 0x10, 0x04, 0x01, 0, 0, 0]);
        bytes.extend([0x04, 0x0a, 0x10, 0x04, 0x01, 0x01, 0x02, 0]);
        bytes.extend([0x04, 0x01, 0x10, 0x00]);
        let discovery = decode(&bytes);
        let geometry = discovery.namespace_geometry().unwrap();
        assert_eq!(geometry.logical_block_size, Some(4096));
        assert_eq!(geometry.alignment_granularity, Some(2));
        assert_eq!(geometry.lowest_aligned_lba, Some(1));
        assert!(
            discovery
                .namespace_shadow_mbr()
                .unwrap()
                .all_namespaces_supported
        );
        let keys = discovery.namespace_key_per_io().unwrap();
        assert_eq!(
            (keys.managed, keys.allocated_key_tags),
            (true, Some(0x0102))
        );
        assert_eq!(discovery.features[3].body, FeatureBody::LbaRangesControl);
        assert_eq!(discovery.geometry(), None);
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_fail_cleanly(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Discovery::decode(&bytes);
            let _ = decode(&bytes);
        }
    }
}
