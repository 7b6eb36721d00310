//! Level 0 Discovery for people and for JSON: one list of fields per descriptor, shown both ways.

use serde_json::{Map, Value, json};

use crate::spec::DataRemovalMechanism;
use crate::wire::discovery::{
    DataRemoval, Discovery, Feature, FeatureBody, FieldValue, NamedField,
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
    let mut list: Vec<(String, Value)> = Vec::new();
    if let FeatureBody::Opal2(_) | FeatureBody::Ruby(_) = feature.body {
        let release = feature.opal_release();
        list.extend(release.map(|release| ("release".to_owned(), release.into())));
    }
    match &feature.body {
        FeatureBody::DataRemoval(body) => list.extend(data_removal(body)),
        FeatureBody::Raw(bytes) => list.push(("raw".to_owned(), hex::encode(bytes).into())),
        body => list.extend(body.fields().into_iter().filter_map(field)),
    }
    if !feature.extra.is_empty() {
        list.push(("extra".to_owned(), hex::encode(&feature.extra).into()));
    }
    list
}

fn field((name, value): NamedField) -> Option<(String, Value)> {
    let value = match value {
        FieldValue::Absent => return None,
        FieldValue::Flag(flag) => flag.into(),
        FieldValue::Number(number) => number.into(),
        FieldValue::ComId(com_id) => com_id.0.into(),
        FieldValue::Named(_, Some(name)) => name.into(),
        FieldValue::Named(number, None) => format!("{number:#x}").into(),
        FieldValue::Bytes(bytes) => hex::encode(&bytes).into(),
    };
    Some((name.to_owned(), value))
}

/// What the drive does about data: the mechanisms that it has, and the time that each takes.
fn data_removal(body: &DataRemoval) -> Vec<(String, Value)> {
    let supported = |mechanism: &DataRemovalMechanism| body.supports(*mechanism);
    let mechanisms = DataRemovalMechanism::ALL.into_iter().filter(supported);
    let names: Vec<Value> = mechanisms.map(|it| it.to_string().into()).collect();
    let mut list = vec![
        (
            "operation_processing".to_owned(),
            body.operation_processing.into(),
        ),
        (
            "operation_interrupted".to_owned(),
            body.operation_interrupted.into(),
        ),
        ("supported_mechanisms".to_owned(), names.into()),
    ];
    for mechanism in DataRemovalMechanism::ALL {
        let name = mechanism.to_string().replace(' ', "_");
        let seconds = body.seconds(mechanism);
        list.extend(seconds.map(|seconds| (format!("seconds_of_{name}"), seconds.into())));
    }
    list
}
