//! Level 0 Discovery for people and for JSON: one list of fields per descriptor, shown both ways.

use serde_json::{Map, Value, json};

use crate::spec::{ComId, DataRemovalMechanism, PinIndicator};
use crate::wire::discovery::{
    BlockSid, DataRemoval, DataStore, Discovery, EnterpriseSsc, Feature, FeatureBody, Geometry,
    KeyPerIoSsc, Locking, NamespaceKeyPerIo, NamespaceLocking, OpalSsc, PyriteSsc, Siis,
    SingleUserMode, Tper,
};

use crate::wire::hex;

/// The response as JSON: header, SSCs and every descriptor in the drive's order.
pub(crate) fn json(discovery: &Discovery) -> Value {
    json!({
        "length": discovery.length,
        "revision": discovery.revision,
        "vendor_specific": hex::encode(&discovery.vendor),
        "missing": discovery.missing,
        "ssc": discovery.ssc().map(|ssc| ssc.name()),
        "sscs": discovery.sscs().map(|ssc| ssc.name()).collect::<Vec<_>>(),
        "base_com_id": discovery.base_com_id().map(|com_id| com_id.0),
        "number_of_com_ids": discovery.number_of_com_ids(),
        "features": discovery.features.iter().map(feature_json).collect::<Vec<_>>(),
    })
}

fn feature_json(feature: &Feature) -> Value {
    json!({
        "code": format!("{:04x}", feature.code.0),
        "name": feature.code.name(),
        "version": feature.version,
        "minor": feature.minor,
        "length": feature.length,
        "missing": feature.missing,
        "fields": fields(feature).into_iter().collect::<Map<_, _>>(),
    })
}

/// The response for people: a heading and indented fields per descriptor.
pub(crate) fn text(discovery: &Discovery) -> String {
    let mut text = format!("Level 0 Discovery, revision {}", discovery.revision);
    if discovery.missing > 0 {
        text += &format!(", cut short by {} bytes", discovery.missing);
    }
    text.push('\n');
    if discovery.vendor.iter().any(|&byte| byte != 0) {
        text += &format!("  vendor specific: {}\n", hex::encode(&discovery.vendor));
    }
    for feature in &discovery.features {
        text += &feature_text(feature);
    }
    text
}

fn feature_text(feature: &Feature) -> String {
    let name = feature.code.name().unwrap_or("unknown feature");
    let mut text = format!(
        "  {:04x} {name}, version {}",
        feature.code.0, feature.version
    );
    if feature.minor > 0 {
        text += &format!(".{}", feature.minor);
    }
    text.push('\n');
    for (name, value) in fields(feature) {
        text += &format!("    {}: {}\n", name.replace('_', " "), shown(&name, &value));
    }
    text
}

/// ComIDs are hexadecimal wherever people meet them.
fn shown(name: &str, value: &Value) -> String {
    match value.as_u64() {
        Some(number) if name.ends_with("com_id") => format!("{number:04x}h"),
        _ => plain(value),
    }
}

/// A JSON value as people read it.
fn plain(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Null => "not told".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(map) => map.values().map(plain).collect::<Vec<_>>().join(", "),
    }
}

/// The fields of a descriptor, in the order of its bytes. What the drive left out is left out.
fn fields(feature: &Feature) -> Vec<(String, Value)> {
    let mut list = List::default();
    match &feature.body {
        FeatureBody::Tper(body) => tper(&mut list, body),
        FeatureBody::Locking(body) => locking(&mut list, body),
        FeatureBody::Geometry(body) | FeatureBody::NamespaceGeometry(body) => {
            geometry(&mut list, body);
        }
        FeatureBody::Siis(body) => siis(&mut list, body),
        FeatureBody::Enterprise(body) | FeatureBody::Opal1(body) => enterprise(&mut list, body),
        FeatureBody::SingleUserMode(body) => single_user_mode(&mut list, body),
        FeatureBody::DataStore(body) => data_store(&mut list, body),
        FeatureBody::Opal2(body) | FeatureBody::Ruby(body) => {
            list.some("release", feature.opal_release());
            opal(&mut list, body);
        }
        FeatureBody::Opalite(body) | FeatureBody::Pyrite1(body) | FeatureBody::Pyrite2(body) => {
            pyrite(&mut list, body);
        }
        FeatureBody::KeyPerIo(body) => key_per_io(&mut list, body),
        FeatureBody::BlockSid(body) => block_sid(&mut list, body),
        FeatureBody::NamespaceLocking(body) => namespace_locking(&mut list, body),
        FeatureBody::DataRemoval(body) => data_removal(&mut list, body),
        FeatureBody::NamespaceShadowMbr(body) => {
            list.put("all_namespaces_supported", body.all_namespaces_supported);
        }
        FeatureBody::NamespaceKeyPerIo(body) => namespace_key_per_io(&mut list, body),
        FeatureBody::Raw(bytes) => list.put("raw", hex::encode(bytes)),
        _ => {}
    }
    if !feature.extra.is_empty() {
        list.put("extra", hex::encode(&feature.extra));
    }
    list.0
}

#[derive(Default)]
struct List(Vec<(String, Value)>);

impl List {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.push((name.to_owned(), value.into()));
    }

    fn some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    fn com_ids(&mut self, base: ComId, number: u16) {
        self.put("base_com_id", base.0);
        self.put("number_of_com_ids", number);
    }

    fn pin_indicators(&mut self, initial: Option<PinIndicator>, revert: Option<PinIndicator>) {
        self.some(
            "initial_pin_indicator",
            initial.map(|indicator| indicator.to_string()),
        );
        self.some(
            "pin_behaviour_on_revert",
            revert.map(|indicator| indicator.to_string()),
        );
    }
}

fn tper(list: &mut List, body: &Tper) {
    list.put("sync_supported", body.sync_supported);
    list.put("async_supported", body.async_supported);
    list.put("ack_nak_supported", body.ack_nak_supported);
    list.put(
        "buffer_management_supported",
        body.buffer_management_supported,
    );
    list.put("streaming_supported", body.streaming_supported);
    list.put(
        "com_id_management_supported",
        body.com_id_management_supported,
    );
}

fn locking(list: &mut List, body: &Locking) {
    list.put("locking_supported", body.locking_supported);
    list.put("locking_enabled", body.locking_enabled);
    list.put("locked", body.locked);
    list.put("media_encryption", body.media_encryption);
    list.put("mbr_enabled", body.mbr_enabled);
    list.put("mbr_done", body.mbr_done);
    list.put(
        "mbr_shadowing_not_supported",
        body.mbr_shadowing_not_supported,
    );
    list.put(
        "hw_reset_for_lor_dor_supported",
        body.hw_reset_for_lor_dor_supported,
    );
}

fn geometry(list: &mut List, body: &Geometry) {
    list.put("align", body.align);
    list.some("logical_block_size", body.logical_block_size);
    list.some("alignment_granularity", body.alignment_granularity);
    list.some("lowest_aligned_lba", body.lowest_aligned_lba);
}

fn siis(list: &mut List, body: &Siis) {
    list.put("revision_number", body.revision_number);
    list.some(
        "identifier_usage_scope",
        body.identifier_usage_scope.map(|it| it.to_string()),
    );
    list.some("key_change_zone_behavior", body.key_change_zone_behavior);
}

fn enterprise(list: &mut List, body: &EnterpriseSsc) {
    list.com_ids(body.base_com_id, body.number_of_com_ids);
    list.some("range_crossing_terminated", body.range_crossing_terminated);
}

fn opal(list: &mut List, body: &OpalSsc) {
    list.com_ids(body.base_com_id, body.number_of_com_ids);
    list.some("range_crossing_terminated", body.range_crossing_terminated);
    list.some("locking_sp_admins", body.locking_sp_admins);
    list.some("locking_sp_users", body.locking_sp_users);
    list.pin_indicators(body.initial_pin_indicator, body.pin_behaviour_on_revert);
}

fn pyrite(list: &mut List, body: &PyriteSsc) {
    list.com_ids(body.base_com_id, body.number_of_com_ids);
    list.pin_indicators(body.initial_pin_indicator, body.pin_behaviour_on_revert);
}

fn single_user_mode(list: &mut List, body: &SingleUserMode) {
    list.put("number_of_locking_objects", body.number_of_locking_objects);
    list.some("any", body.any);
    list.some("all", body.all);
    list.some("policy_admins", body.policy_admins);
}

fn data_store(list: &mut List, body: &DataStore) {
    list.put("max_tables", body.max_tables);
    list.some("max_total_size", body.max_total_size);
    list.some("size_alignment", body.size_alignment);
}

fn block_sid(list: &mut List, body: &BlockSid) {
    list.put("sid_pin_differs_from_msid", body.sid_pin_differs_from_msid);
    list.put("sid_blocked", body.sid_blocked);
    list.put(
        "locking_sp_freeze_supported",
        body.locking_sp_freeze_supported,
    );
    list.put("locking_sp_frozen", body.locking_sp_frozen);
    list.some(
        "hardware_reset_clears_block",
        body.hardware_reset_clears_block,
    );
}

fn namespace_locking(list: &mut List, body: &NamespaceLocking) {
    list.put("ranges_supported", body.ranges_supported);
    list.put("ranges_present", body.ranges_present);
    list.put(
        "single_user_mode_supported",
        body.single_user_mode_supported,
    );
    list.some("maximum_key_count", body.maximum_key_count);
    list.some("unused_key_count", body.unused_key_count);
    list.some(
        "maximum_ranges_per_namespace",
        body.maximum_ranges_per_namespace,
    );
}

fn data_removal(list: &mut List, body: &DataRemoval) {
    list.put("operation_processing", body.operation_processing);
    list.put("operation_interrupted", body.operation_interrupted);
    let mechanisms: Vec<Value> = DataRemovalMechanism::ALL
        .into_iter()
        .filter(|&mechanism| body.supports(mechanism))
        .map(|mechanism| mechanism.to_string().into())
        .collect();
    list.put("supported_mechanisms", mechanisms);
    for mechanism in DataRemovalMechanism::ALL {
        let name = format!("seconds_of_{}", mechanism.to_string().replace(' ', "_"));
        list.some(&name, body.seconds(mechanism));
    }
}

fn namespace_key_per_io(list: &mut List, body: &NamespaceKeyPerIo) {
    list.put("managed", body.managed);
    list.some("allocated_key_tags", body.allocated_key_tags);
}

fn key_per_io(list: &mut List, body: &KeyPerIoSsc) {
    list.com_ids(body.base_com_id, body.number_of_com_ids);
    list.some(
        "protocol_3_base_com_id",
        body.protocol_3_base_com_id.map(|com_id| com_id.0),
    );
    list.some(
        "protocol_3_number_of_com_ids",
        body.protocol_3_number_of_com_ids,
    );
    list.pin_indicators(body.initial_pin_indicator, body.pin_behaviour_on_revert);
    list.some("key_per_io_sp_admins", body.key_per_io_sp_admins);
    key_per_io_state(list, body);
    list.some("maximum_key_uid_length", body.maximum_key_uid_length);
    list.some(
        "kmip_formatted_key_injection",
        body.kmip_formatted_key_injection,
    );
    wrapping(list, body);
    list.some("pki_kek_transport", body.pki_kek_transport);
    list.some(
        "plaintext_kek_provisioning",
        body.plaintext_kek_provisioning,
    );
    list.some("number_of_keks", body.number_of_keks);
    list.some("total_number_of_key_tags", body.total_number_of_key_tags);
    list.some(
        "maximum_key_tags_per_namespace",
        body.maximum_key_tags_per_namespace,
    );
    list.some("get_nonce_length", body.get_nonce_length);
}

fn key_per_io_state(list: &mut List, body: &KeyPerIoSsc) {
    let Some(state) = &body.state else { return };
    list.put("key_per_io_enabled", state.key_per_io_enabled);
    list.put("key_per_io_scope", state.key_per_io_scope);
    list.put("shared_tweak_key_required", state.shared_tweak_key_required);
    list.put(
        "incorrect_key_detection_supported",
        state.incorrect_key_detection_supported,
    );
    list.put(
        "replay_protection_supported",
        state.replay_protection_supported,
    );
    list.put("replay_protection_enabled", state.replay_protection_enabled);
}

fn wrapping(list: &mut List, body: &KeyPerIoSsc) {
    if let Some(wrapping) = &body.key_wrapping {
        list.put("aes_kw", wrapping.aes_kw);
        list.put("aes_gcm", wrapping.aes_gcm);
        list.put("rsa_oaep", wrapping.rsa_oaep);
    }
    list.some("aes_256_wrapping_key", body.aes_256_wrapping_key);
    if let Some(keys) = &body.rsa_wrapping_keys {
        list.put("rsa_2048", keys.rsa_2048);
        list.put("rsa_3072", keys.rsa_3072);
        list.put("rsa_4096", keys.rsa_4096);
    }
}
