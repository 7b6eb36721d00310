//! Level 0 Discovery: responses of real drives, the reference profiles, and what is left of both
//! after damage.

use sedkit::spec::{ComId, DataRemovalMechanism, FeatureCode, PinIndicator, Ssc};
use sedkit::wire::discovery::{Discovery, Feature, FeatureBody, OpalSsc};
use sedkit::wire::{DecodeError, DecodeErrorKind};
use serde_json::{Map, Value, json};

use crate::vectors;

/// The responses whose decoded fields `tests/vectors/drives` holds.
const CAPTURES: [&str; 6] = [
    "dta-222-intel-7600p",
    "dta-300-crucial-m550",
    "dta-340-crucial-mx500",
    "dta-392-seagate-sata-opal",
    "dta-64-crucial-mx200",
    "ken-yossy-nvmetool-win-2",
];

fn decode(name: &str) -> Discovery {
    Discovery::decode(&vectors::hex(name)).unwrap()
}

fn responses() -> Vec<(String, Vec<u8>)> {
    ["discovery0", "profiles"]
        .into_iter()
        .flat_map(|folder| {
            let names = vectors::names(folder, "hex");
            names
                .into_iter()
                .map(move |name| format!("{folder}/{name}.hex"))
        })
        .map(|name| (name.clone(), vectors::hex(&name)))
        .collect()
}

#[test]
fn captures_have_every_field_of_their_facts() {
    for slug in CAPTURES {
        let bytes = vectors::hex(&format!("discovery0/{slug}.hex"));
        let facts: Value =
            serde_json::from_str(&vectors::text(&format!("drives/{slug}.json"))).unwrap();
        let facts = facts["discovery0"].as_object().unwrap();
        let discovery = Discovery::decode(&bytes).unwrap();
        for (name, expected) in facts {
            if name != "features" {
                assert_eq!(
                    &header_field(&discovery, &bytes, name),
                    expected,
                    "{slug} {name}"
                );
            }
        }
        let features = facts["features"].as_array().unwrap();
        assert_eq!(discovery.features.len(), features.len(), "{slug}");
        for (feature, facts) in discovery.features.iter().zip(features) {
            compare_feature(slug, feature, facts.as_object().unwrap());
        }
    }
}

/// A fact about the response as a whole. A name that is not known here fails the test.
fn header_field(discovery: &Discovery, bytes: &[u8], name: &str) -> Value {
    let total = usize::try_from(discovery.length).unwrap() + 4;
    let codes: Vec<u16> = discovery
        .features
        .iter()
        .map(|feature| feature.code.0)
        .collect();
    let end = discovery
        .features
        .last()
        .map_or(48, |last| last.offset + 4 + usize::from(last.length));
    match name {
        "length_of_parameter_data" => json!(discovery.length),
        "total_length" => json!(total),
        "bytes_observed" => json!(bytes.len()),
        "truncated_by" => json!(discovery.missing),
        "trailing_zero_bytes" => json!(bytes.len().saturating_sub(total)),
        "data_structure_revision" => json!(format!("0x{:08x}", discovery.revision)),
        "reserved_8_15_zero" => json!(discovery.reserved == [0; 8]),
        "vendor_specific_all_zero" => json!(discovery.vendor == [0; 32]),
        "vendor_specific_nonzero_prefix" => json!(nonzero_prefix(&discovery.vendor)),
        "descriptors_end_at_total_length" => json!(end == total),
        "codes_ascending" => json!(codes.is_sorted()),
        _ => panic!("no comparison for header field {name}"),
    }
}

fn nonzero_prefix(bytes: &[u8]) -> String {
    let length = bytes
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |last| last + 1);
    bytes[..length]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn compare_feature(slug: &str, feature: &Feature, facts: &Map<String, Value>) {
    for (name, expected) in facts {
        let actual = match name.as_str() {
            "fields_missing" => json!(null_fields(facts)),
            _ => descriptor_field(feature, name).unwrap_or_else(|| body_field(feature, name)),
        };
        assert_eq!(&actual, expected, "{slug} {:?} {name}", feature.code);
    }
    let missing = facts.get("bytes_missing").unwrap_or(&Value::Null);
    assert_eq!(
        feature.missing,
        missing
            .as_u64()
            .map_or(0, |missing| usize::try_from(missing).unwrap()),
        "{slug}"
    );
    assert!(feature.extra.is_empty(), "{slug} {:?}", feature.code);
}

fn null_fields(facts: &Map<String, Value>) -> Vec<&str> {
    let null = facts.iter().filter(|(_, value)| value.is_null());
    null.map(|(name, _)| name.as_str()).collect()
}

/// A fact that every descriptor has.
fn descriptor_field(feature: &Feature, name: &str) -> Option<Value> {
    Some(match name {
        "code" => json!(format!("0x{:04x}", feature.code.0)),
        "name" => json!(feature_name(feature.code)),
        "version" => json!(feature.version),
        "version_low_nibble" => json!(feature.minor),
        "length" => json!(feature.length),
        "offset" => json!(feature.offset),
        "bytes_missing" => json!(feature.missing),
        _ => return None,
    })
}

/// The facts' own name of a descriptor.
fn feature_name(code: FeatureCode) -> &'static str {
    match code {
        FeatureCode::DATA_STORE => "DataStore Tables",
        FeatureCode(0xc001) => "Seagate Logical Port (vendor)",
        _ => code.name().unwrap(),
    }
}

/// A fact about a descriptor's contents. A name that is not known here fails the test.
fn body_field(feature: &Feature, name: &str) -> Value {
    let value = match &feature.body {
        FeatureBody::Tper(_) => tper_field(feature, name),
        FeatureBody::Locking(_) => locking_field(feature, name),
        FeatureBody::Geometry(body) => match name {
            "align" => Some(json!(body.align)),
            "logical_block_size" => Some(json!(body.logical_block_size)),
            "alignment_granularity" => Some(json!(body.alignment_granularity)),
            "lowest_aligned_lba" => Some(json!(body.lowest_aligned_lba)),
            _ => None,
        },
        FeatureBody::SingleUserMode(body) => match name {
            "number_of_locking_objects" => Some(json!(body.number_of_locking_objects)),
            "flags_byte" => Some(flags(
                &[body.any, body.all, body.policy_admins].map(Option::unwrap),
            )),
            "any" => Some(json!(body.any)),
            "all" => Some(json!(body.all)),
            "policy_admins" => Some(json!(body.policy_admins)),
            _ => None,
        },
        FeatureBody::DataStore(body) => match name {
            "max_tables" => Some(json!(body.max_tables)),
            "max_total_size" => Some(json!(body.max_total_size)),
            "size_alignment" => Some(json!(body.size_alignment)),
            _ => None,
        },
        FeatureBody::Opal2(body) => opal_field(body, name),
        FeatureBody::BlockSid(body) => match name {
            "sid_pin_differs_from_msid" => Some(json!(body.sid_pin_differs_from_msid)),
            "sid_blocked" => Some(json!(body.sid_blocked)),
            "locking_sp_freeze_supported" => Some(json!(body.locking_sp_freeze_supported)),
            "locking_sp_frozen" => Some(json!(body.locking_sp_frozen)),
            "hardware_reset_clears_block" => Some(json!(body.hardware_reset_clears_block)),
            _ => None,
        },
        FeatureBody::Raw(bytes) => (name == "ports").then(|| ports(bytes)),
        _ => None,
    };
    value.unwrap_or_else(|| panic!("no comparison for {:?} field {name}", feature.code))
}

/// Flags from bit 0 on, as the byte that holds them.
fn flags(bits: &[bool]) -> Value {
    let byte = bits
        .iter()
        .rev()
        .fold(0_u8, |byte, &bit| byte << 1 | u8::from(bit));
    json!(format!("0x{byte:02x}"))
}

fn tper_field(feature: &Feature, name: &str) -> Option<Value> {
    let FeatureBody::Tper(tper) = &feature.body else {
        return None;
    };
    Some(match name {
        "features_byte" => flags(&[
            tper.sync_supported,
            tper.async_supported,
            tper.ack_nak_supported,
            tper.buffer_management_supported,
            tper.streaming_supported,
            false,
            tper.com_id_management_supported,
        ]),
        "sync_supported" => json!(tper.sync_supported),
        "async_supported" => json!(tper.async_supported),
        "ack_nak_supported" => json!(tper.ack_nak_supported),
        "buffer_management_supported" => json!(tper.buffer_management_supported),
        "streaming_supported" => json!(tper.streaming_supported),
        "comid_management_supported" => json!(tper.com_id_management_supported),
        _ => return None,
    })
}

fn locking_field(feature: &Feature, name: &str) -> Option<Value> {
    let FeatureBody::Locking(locking) = &feature.body else {
        return None;
    };
    Some(match name {
        "features_byte" => flags(&[
            locking.locking_supported,
            locking.locking_enabled,
            locking.locked,
            locking.media_encryption,
            locking.mbr_enabled,
            locking.mbr_done,
            locking.mbr_shadowing_not_supported,
            locking.hw_reset_for_lor_dor_supported,
        ]),
        "locking_supported" => json!(locking.locking_supported),
        "locking_enabled" => json!(locking.locking_enabled),
        "locked" => json!(locking.locked),
        "media_encryption" => json!(locking.media_encryption),
        "mbr_enabled" => json!(locking.mbr_enabled),
        "mbr_done" => json!(locking.mbr_done),
        "mbr_shadowing_not_supported" => json!(locking.mbr_shadowing_not_supported),
        "hw_reset_for_lor_dor_supported" => json!(locking.hw_reset_for_lor_dor_supported),
        _ => return None,
    })
}

fn opal_field(opal: &OpalSsc, name: &str) -> Option<Value> {
    Some(match name {
        "base_comid" => json!(format!("0x{:04x}", opal.base_com_id.0)),
        "number_of_comids" => json!(opal.number_of_com_ids),
        "range_crossing_terminated" => json!(opal.range_crossing_terminated),
        "locking_sp_admins" => json!(opal.locking_sp_admins),
        "locking_sp_users" => json!(opal.locking_sp_users),
        "initial_pin_indicator" => json!(opal.initial_pin_indicator.map(|pin| pin.0)),
        "pin_behaviour_on_revert" => json!(opal.pin_behaviour_on_revert.map(|pin| pin.0)),
        _ => return None,
    })
}

/// The ports of Seagate's descriptor: four bytes of number, one of state, three reserved.
fn ports(bytes: &[u8]) -> Value {
    let ports = bytes.chunks_exact(8).map(|port| {
        let id = u32::from_be_bytes(port[..4].try_into().unwrap());
        json!({ "port_id": format!("0x{id:08x}"), "locked": port[4] == 1 })
    });
    ports.collect()
}

#[test]
fn a_samsung_970_evo_plus_decodes() {
    let discovery = decode("discovery0/samsung-970-evo-plus.hex");
    assert_eq!((discovery.length, discovery.missing), (0xb4, 0));
    assert_eq!(discovery.ssc(), Some(Ssc::Opal2));
    assert_eq!(discovery.base_com_id(), Some(ComId(0x1004)));
    assert_eq!(discovery.number_of_com_ids(), 1);
    let tper = discovery.tper().unwrap();
    assert!(tper.sync_supported && tper.streaming_supported && !tper.com_id_management_supported);
    let locking = discovery.locking().unwrap();
    assert!(locking.locking_supported && locking.media_encryption && !locking.locking_enabled);
    let geometry = discovery.geometry().unwrap();
    assert!(geometry.align);
    assert_eq!(geometry.logical_block_size, Some(512));
    assert_eq!(geometry.alignment_granularity, Some(8));
    assert_eq!(geometry.lowest_aligned_lba, Some(0));
    assert_eq!(discovery.features.len(), 7);
}

#[test]
fn a_samsung_970_evo_plus_has_its_feature_sets() {
    let discovery = decode("discovery0/samsung-970-evo-plus.hex");
    let data_store = discovery.data_store().unwrap();
    assert_eq!(data_store.max_tables, 9);
    assert_eq!(data_store.max_total_size, Some(0x00a0_0000));
    assert_eq!(data_store.size_alignment, Some(1));
    let opal = discovery.opal2().unwrap();
    assert_eq!(
        (opal.locking_sp_admins, opal.locking_sp_users),
        (Some(4), Some(9))
    );
    assert_eq!(opal.initial_pin_indicator, Some(PinIndicator::MSID));
    assert!(!discovery.block_sid().unwrap().sid_pin_differs_from_msid);
    let namespaces = discovery.namespace_locking().unwrap();
    assert!(namespaces.ranges_supported);
    assert!(!namespaces.ranges_present && !namespaces.single_user_mode_supported);
    assert_eq!(namespaces.maximum_key_count, Some(9));
    assert_eq!(namespaces.unused_key_count, Some(8));
    assert_eq!(namespaces.maximum_ranges_per_namespace, Some(8));
}

#[test]
fn profile_of_opal_2_30() {
    let factory = decode("profiles/A.1.hex");
    assert_eq!(factory.base_com_id(), Some(ComId(0x1000)));
    let opal = factory.feature(FeatureCode::OPAL_2).unwrap();
    assert_eq!((opal.version, opal.opal_release()), (2, Some("2.30")));
    assert_eq!(factory.feature(FeatureCode::LOCKING).unwrap().version, 3);
    let data_store = factory.feature(FeatureCode::DATA_STORE).unwrap();
    assert_eq!((data_store.version, data_store.minor), (2, 1));
    let locking = factory.locking().unwrap();
    assert!(locking.hw_reset_for_lor_dor_supported && !locking.locking_enabled && !locking.locked);
    assert!(factory.block_sid().unwrap().locking_sp_freeze_supported);
    let removal = factory.data_removal().unwrap();
    assert!(removal.supports(DataRemovalMechanism::CRYPTOGRAPHIC_ERASE));
    assert!(!removal.supports(DataRemovalMechanism::OVERWRITE));
    assert_eq!(
        removal.seconds(DataRemovalMechanism::CRYPTOGRAPHIC_ERASE),
        Some(2)
    );
    assert!(factory.single_user_mode().is_none());

    let active = decode("profiles/A.2.hex");
    let locking = active.locking().unwrap();
    assert!(locking.locking_enabled && locking.locked && locking.mbr_enabled && !locking.mbr_done);
    assert!(active.block_sid().unwrap().sid_pin_differs_from_msid);
}

#[test]
fn profiles_of_other_classes() {
    let opal_2_01 = decode("profiles/A.3.hex");
    let opal = opal_2_01.feature(FeatureCode::OPAL_2).unwrap();
    assert_eq!(opal.opal_release(), Some("2.01"));
    assert_eq!(opal_2_01.opal2().unwrap().locking_sp_users, Some(8));

    let pyrite = decode("profiles/A.4.hex");
    assert_eq!(
        (pyrite.ssc(), pyrite.base_com_id()),
        (Some(Ssc::Pyrite2), Some(ComId(0x07fe)))
    );
    let locking = pyrite.locking().unwrap();
    assert!(locking.mbr_shadowing_not_supported && !locking.media_encryption);
    let removal = pyrite.data_removal().unwrap();
    assert_eq!(removal.seconds(DataRemovalMechanism::OVERWRITE), Some(3600));

    assert_eq!(decode("profiles/A.5.hex").ssc(), Some(Ssc::Opalite));

    let enterprise = decode("profiles/A.6.hex");
    assert_eq!(
        (enterprise.ssc(), enterprise.number_of_com_ids()),
        (Some(Ssc::Enterprise), 2)
    );
    assert_eq!(
        enterprise.enterprise().unwrap().range_crossing_terminated,
        Some(false)
    );

    let ruby = decode("profiles/A.7.hex");
    assert_eq!(ruby.sscs().collect::<Vec<_>>(), [Ssc::Opal2, Ssc::Ruby]);
    assert_eq!(ruby.opal2(), ruby.ruby());
    assert_eq!(ruby.base_com_id(), Some(ComId(0x2000)));
    assert_eq!(
        ruby.single_user_mode().unwrap().number_of_locking_objects,
        192
    );
    assert_eq!(ruby.geometry().unwrap().logical_block_size, Some(4096));
    assert_eq!(
        ruby.namespace_locking()
            .unwrap()
            .maximum_ranges_per_namespace,
        Some(128)
    );
}

#[test]
fn profiles_are_complete() {
    for name in vectors::names("profiles", "hex") {
        let discovery = decode(&format!("profiles/{name}.hex"));
        assert_eq!(discovery.missing, 0, "{name}");
        for feature in &discovery.features {
            let remains = (feature.shortfall(), feature.missing, feature.extra.len());
            assert_eq!(remains, (0, 0, 0), "{name} {:?}", feature.code);
        }
    }
}

#[test]
fn a_cut_response_still_delivers_what_is_complete() {
    for (name, bytes) in responses() {
        let whole = Discovery::decode(&bytes).unwrap();
        for length in 0..bytes.len() {
            let cut = Discovery::decode(&bytes[..length]);
            if length < 48 {
                let error = cut.unwrap_err();
                assert!(
                    matches!(error.kind, DecodeErrorKind::Truncated { .. }),
                    "{name} {length}"
                );
                continue;
            }
            let cut = cut.unwrap();
            assert_eq!(
                cut.missing,
                whole.missing + bytes.len() - length,
                "{name} {length}"
            );
            let complete = cut.features.iter().filter(|feature| feature.missing == 0);
            for feature in complete {
                assert!(whole.features.contains(feature), "{name} {length}");
            }
        }
    }
}

#[test]
fn no_damaged_byte_panics() {
    for (name, mut bytes) in responses() {
        for index in 0..bytes.len() {
            let original = bytes[index];
            for flip in 1..=u8::MAX {
                bytes[index] = original ^ flip;
                check_damaged(&name, index, Discovery::decode(&bytes));
            }
            bytes[index] = original;
        }
    }
}

/// Only the length can make a response of 48 bytes unreadable.
fn check_damaged(name: &str, index: usize, result: Result<Discovery, DecodeError>) {
    match result {
        Ok(discovery) => {
            let _ = (
                discovery.ssc(),
                discovery.base_com_id(),
                discovery.data_removal(),
            );
            assert!(discovery.features.len() < 64, "{name} {index}");
        }
        Err(error) => {
            assert!(index < 4, "{name} {index}: {error}");
            assert!(
                matches!(error.kind, DecodeErrorKind::Length { .. }),
                "{name} {index}: {error}"
            );
        }
    }
}
