//! Every field of a descriptor by name, for whoever shows all of them.

use super::{
    BlockSid, DataRemoval, DataStore, EnterpriseSsc, FeatureBody, Geometry, KeyPerIoSsc,
    KeyPerIoState, KeyWrapping, Locking, NamespaceKeyPerIo, NamespaceLocking, NamespaceShadowMbr,
    OpalSsc, PyriteSsc, RsaWrappingKeys, Siis, SingleUserMode, Tper,
};
use crate::spec::{ComId, DataRemovalMechanism, IdentifierUsageScope, PinIndicator};

/// A field's name, as the field of the struct is called, and its value.
pub type NamedField = (&'static str, FieldValue);

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldValue {
    /// The descriptor is too short for the field.
    Absent,
    /// A bit.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A ComID.
    ComId(ComId),
    /// A number of an enumeration, and the standard's name where it has one.
    Named(u64, Option<&'static str>),
    /// Bytes without known meaning.
    Bytes(Vec<u8>),
}

impl FeatureBody {
    /// Every field, in the order of the descriptor.
    #[must_use]
    pub fn fields(&self) -> Vec<NamedField> {
        match self {
            Self::Tper(body) => tper(body),
            Self::Locking(body) => locking(body),
            Self::Geometry(body) | Self::NamespaceGeometry(body) => geometry(body),
            Self::Siis(body) => siis(body),
            Self::Enterprise(body) | Self::Opal1(body) => enterprise(body),
            Self::SingleUserMode(body) => single_user_mode(body),
            Self::DataStore(body) => data_store(body),
            Self::Opal2(body) | Self::Ruby(body) => opal(body),
            Self::Opalite(body) | Self::Pyrite1(body) | Self::Pyrite2(body) => pyrite(body),
            Self::KeyPerIo(body) => key_per_io(body),
            Self::LbaRangesControl => Vec::new(),
            Self::BlockSid(body) => block_sid(body),
            Self::NamespaceLocking(body) => namespace_locking(body),
            Self::DataRemoval(body) => data_removal(body),
            Self::NamespaceShadowMbr(body) => namespace_shadow_mbr(body),
            Self::NamespaceKeyPerIo(body) => namespace_key_per_io(body),
            Self::Raw(bytes) => vec![("bytes", FieldValue::Bytes(bytes.clone()))],
        }
    }
}

fn tper(body: &Tper) -> Vec<NamedField> {
    vec![
        ("sync_supported", body.sync_supported.into()),
        ("async_supported", body.async_supported.into()),
        ("ack_nak_supported", body.ack_nak_supported.into()),
        (
            "buffer_management_supported",
            body.buffer_management_supported.into(),
        ),
        ("streaming_supported", body.streaming_supported.into()),
        (
            "com_id_management_supported",
            body.com_id_management_supported.into(),
        ),
    ]
}

fn locking(body: &Locking) -> Vec<NamedField> {
    vec![
        ("locking_supported", body.locking_supported.into()),
        ("locking_enabled", body.locking_enabled.into()),
        ("locked", body.locked.into()),
        ("media_encryption", body.media_encryption.into()),
        ("mbr_enabled", body.mbr_enabled.into()),
        ("mbr_done", body.mbr_done.into()),
        (
            "mbr_shadowing_not_supported",
            body.mbr_shadowing_not_supported.into(),
        ),
        (
            "hw_reset_for_lor_dor_supported",
            body.hw_reset_for_lor_dor_supported.into(),
        ),
    ]
}

fn geometry(body: &Geometry) -> Vec<NamedField> {
    vec![
        ("align", body.align.into()),
        ("logical_block_size", body.logical_block_size.into()),
        ("alignment_granularity", body.alignment_granularity.into()),
        ("lowest_aligned_lba", body.lowest_aligned_lba.into()),
    ]
}

fn siis(body: &Siis) -> Vec<NamedField> {
    vec![
        ("revision_number", body.revision_number.into()),
        ("identifier_usage_scope", body.identifier_usage_scope.into()),
        (
            "key_change_zone_behavior",
            body.key_change_zone_behavior.into(),
        ),
    ]
}

fn enterprise(body: &EnterpriseSsc) -> Vec<NamedField> {
    vec![
        ("base_com_id", body.base_com_id.into()),
        ("number_of_com_ids", body.number_of_com_ids.into()),
        (
            "range_crossing_terminated",
            body.range_crossing_terminated.into(),
        ),
    ]
}

fn single_user_mode(body: &SingleUserMode) -> Vec<NamedField> {
    vec![
        (
            "number_of_locking_objects",
            body.number_of_locking_objects.into(),
        ),
        ("any", body.any.into()),
        ("all", body.all.into()),
        ("policy_admins", body.policy_admins.into()),
    ]
}

fn data_store(body: &DataStore) -> Vec<NamedField> {
    vec![
        ("max_tables", body.max_tables.into()),
        ("max_total_size", body.max_total_size.into()),
        ("size_alignment", body.size_alignment.into()),
    ]
}

fn opal(body: &OpalSsc) -> Vec<NamedField> {
    vec![
        ("base_com_id", body.base_com_id.into()),
        ("number_of_com_ids", body.number_of_com_ids.into()),
        (
            "range_crossing_terminated",
            body.range_crossing_terminated.into(),
        ),
        ("locking_sp_admins", body.locking_sp_admins.into()),
        ("locking_sp_users", body.locking_sp_users.into()),
        ("initial_pin_indicator", body.initial_pin_indicator.into()),
        (
            "pin_behaviour_on_revert",
            body.pin_behaviour_on_revert.into(),
        ),
    ]
}

fn pyrite(body: &PyriteSsc) -> Vec<NamedField> {
    vec![
        ("base_com_id", body.base_com_id.into()),
        ("number_of_com_ids", body.number_of_com_ids.into()),
        ("initial_pin_indicator", body.initial_pin_indicator.into()),
        (
            "pin_behaviour_on_revert",
            body.pin_behaviour_on_revert.into(),
        ),
    ]
}

fn key_per_io(body: &KeyPerIoSsc) -> Vec<NamedField> {
    let mut fields = vec![
        ("base_com_id", body.base_com_id.into()),
        ("number_of_com_ids", body.number_of_com_ids.into()),
        ("protocol_3_base_com_id", body.protocol_3_base_com_id.into()),
        (
            "protocol_3_number_of_com_ids",
            body.protocol_3_number_of_com_ids.into(),
        ),
        ("initial_pin_indicator", body.initial_pin_indicator.into()),
        (
            "pin_behaviour_on_revert",
            body.pin_behaviour_on_revert.into(),
        ),
        ("key_per_io_sp_admins", body.key_per_io_sp_admins.into()),
    ];
    fields.extend(body.state.iter().flat_map(key_per_io_state));
    fields.extend([
        ("maximum_key_uid_length", body.maximum_key_uid_length.into()),
        (
            "kmip_formatted_key_injection",
            body.kmip_formatted_key_injection.into(),
        ),
    ]);
    fields.extend(body.key_wrapping.iter().flat_map(key_wrapping));
    fields.extend([("aes_256_wrapping_key", body.aes_256_wrapping_key.into())]);
    fields.extend(body.rsa_wrapping_keys.iter().flat_map(rsa_wrapping_keys));
    fields.extend([
        ("pki_kek_transport", body.pki_kek_transport.into()),
        (
            "plaintext_kek_provisioning",
            body.plaintext_kek_provisioning.into(),
        ),
        ("number_of_keks", body.number_of_keks.into()),
        (
            "total_number_of_key_tags",
            body.total_number_of_key_tags.into(),
        ),
        (
            "maximum_key_tags_per_namespace",
            body.maximum_key_tags_per_namespace.into(),
        ),
        ("get_nonce_length", body.get_nonce_length.into()),
    ]);
    fields
}

fn key_per_io_state(body: &KeyPerIoState) -> Vec<NamedField> {
    vec![
        ("key_per_io_enabled", body.key_per_io_enabled.into()),
        ("key_per_io_scope", body.key_per_io_scope.into()),
        (
            "shared_tweak_key_required",
            body.shared_tweak_key_required.into(),
        ),
        (
            "incorrect_key_detection_supported",
            body.incorrect_key_detection_supported.into(),
        ),
        (
            "replay_protection_supported",
            body.replay_protection_supported.into(),
        ),
        (
            "replay_protection_enabled",
            body.replay_protection_enabled.into(),
        ),
    ]
}

fn key_wrapping(body: &KeyWrapping) -> Vec<NamedField> {
    vec![
        ("aes_kw", body.aes_kw.into()),
        ("aes_gcm", body.aes_gcm.into()),
        ("rsa_oaep", body.rsa_oaep.into()),
    ]
}

fn rsa_wrapping_keys(body: &RsaWrappingKeys) -> Vec<NamedField> {
    vec![
        ("rsa_2048", body.rsa_2048.into()),
        ("rsa_3072", body.rsa_3072.into()),
        ("rsa_4096", body.rsa_4096.into()),
    ]
}

fn block_sid(body: &BlockSid) -> Vec<NamedField> {
    vec![
        (
            "sid_pin_differs_from_msid",
            body.sid_pin_differs_from_msid.into(),
        ),
        ("sid_blocked", body.sid_blocked.into()),
        (
            "locking_sp_freeze_supported",
            body.locking_sp_freeze_supported.into(),
        ),
        ("locking_sp_frozen", body.locking_sp_frozen.into()),
        (
            "hardware_reset_clears_block",
            body.hardware_reset_clears_block.into(),
        ),
    ]
}

fn namespace_locking(body: &NamespaceLocking) -> Vec<NamedField> {
    vec![
        ("ranges_supported", body.ranges_supported.into()),
        ("ranges_present", body.ranges_present.into()),
        (
            "single_user_mode_supported",
            body.single_user_mode_supported.into(),
        ),
        ("maximum_key_count", body.maximum_key_count.into()),
        ("unused_key_count", body.unused_key_count.into()),
        (
            "maximum_ranges_per_namespace",
            body.maximum_ranges_per_namespace.into(),
        ),
    ]
}

fn namespace_shadow_mbr(body: &NamespaceShadowMbr) -> Vec<NamedField> {
    vec![(
        "all_namespaces_supported",
        body.all_namespaces_supported.into(),
    )]
}

fn namespace_key_per_io(body: &NamespaceKeyPerIo) -> Vec<NamedField> {
    vec![
        ("managed", body.managed.into()),
        ("allocated_key_tags", body.allocated_key_tags.into()),
    ]
}

fn data_removal(body: &DataRemoval) -> Vec<NamedField> {
    let mut fields = vec![
        ("operation_processing", body.operation_processing.into()),
        ("operation_interrupted", body.operation_interrupted.into()),
    ];
    fields.extend(DataRemovalMechanism::ALL.into_iter().flat_map(|mechanism| {
        let (supported, seconds) = mechanism_names(mechanism);
        [
            (supported, body.supports(mechanism).into()),
            (seconds, body.seconds(mechanism).into()),
        ]
    }));
    fields
}

/// Names of the two fields of a mechanism: that it is supported, and how long it takes.
const fn mechanism_names(mechanism: DataRemovalMechanism) -> (&'static str, &'static str) {
    match mechanism {
        DataRemovalMechanism::OVERWRITE => ("overwrite", "overwrite_seconds"),
        DataRemovalMechanism::BLOCK_ERASE => ("block_erase", "block_erase_seconds"),
        DataRemovalMechanism::CRYPTOGRAPHIC_ERASE => {
            ("cryptographic_erase", "cryptographic_erase_seconds")
        }
        DataRemovalMechanism::UNMAP => ("unmap", "unmap_seconds"),
        DataRemovalMechanism::RESET_WRITE_POINTERS => {
            ("reset_write_pointers", "reset_write_pointers_seconds")
        }
        _ => ("vendor_specific", "vendor_specific_seconds"),
    }
}

impl From<bool> for FieldValue {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<u8> for FieldValue {
    fn from(value: u8) -> Self {
        Self::Number(value.into())
    }
}

impl From<u16> for FieldValue {
    fn from(value: u16) -> Self {
        Self::Number(value.into())
    }
}

impl From<u32> for FieldValue {
    fn from(value: u32) -> Self {
        Self::Number(value.into())
    }
}

impl From<u64> for FieldValue {
    fn from(value: u64) -> Self {
        Self::Number(value)
    }
}

impl From<ComId> for FieldValue {
    fn from(value: ComId) -> Self {
        Self::ComId(value)
    }
}

impl From<PinIndicator> for FieldValue {
    fn from(value: PinIndicator) -> Self {
        Self::Named(value.0.into(), value.name())
    }
}

impl From<IdentifierUsageScope> for FieldValue {
    fn from(value: IdentifierUsageScope) -> Self {
        Self::Named(value.0.into(), value.name())
    }
}

impl<T: Into<Self>> From<Option<T>> for FieldValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::Fields;
    use super::*;

    #[test]
    fn names_are_those_of_the_structs() {
        let locking = Locking::decode(Fields::new(&[0x09])).unwrap();
        let text = format!("{locking:?}");
        let fields = FeatureBody::Locking(locking).fields();
        assert_eq!(fields.len(), 8);
        for (name, value) in fields {
            let FieldValue::Flag(value) = value else {
                panic!("{name} is no flag");
            };
            assert!(text.contains(&format!("{name}: {value}")), "{name}");
        }
    }

    #[test]
    fn absent_fields_are_listed() {
        let geometry = Geometry::decode(Fields::new(&[1])).unwrap();
        let fields = FeatureBody::Geometry(geometry).fields();
        assert_eq!(fields[0], ("align", FieldValue::Flag(true)));
        assert_eq!(fields[3], ("lowest_aligned_lba", FieldValue::Absent));
    }

    #[test]
    fn key_per_io_lists_the_bits_of_its_bytes() {
        let whole = KeyPerIoSsc::decode(Fields::new(&[0; 0x2c])).unwrap();
        let cut = KeyPerIoSsc::decode(Fields::new(&[0; 4])).unwrap();
        assert_eq!(FeatureBody::KeyPerIo(whole).fields().len(), 28);
        assert_eq!(FeatureBody::KeyPerIo(cut).fields().len(), 16);
    }
}
