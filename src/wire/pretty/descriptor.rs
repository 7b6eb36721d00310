//! Level 0 Discovery.

use super::Page;
use super::values::abbreviated;
use crate::wire::Discovery;
use crate::wire::discovery::{Feature, FieldValue};

/// Prints a response.
pub(super) fn print(page: &mut Page, data: &[u8]) {
    page.line(format_args!("Level 0 Discovery"));
    page.nested(|page| match Discovery::decode(data) {
        Ok(discovery) => print_discovery(page, &discovery),
        Err(error) => page.line(format_args!("error: {error}")),
    });
}

fn print_discovery(page: &mut Page, discovery: &Discovery) {
    page.line(format_args!("length = {}", discovery.length));
    page.line(format_args!("revision = {}", discovery.revision));
    if discovery.vendor != [0; 32] {
        page.line(format_args!("vendor = {}", abbreviated(&discovery.vendor)));
    }
    for feature in &discovery.features {
        print_feature(page, feature);
    }
    if discovery.missing > 0 {
        page.line(format_args!(
            "error: {} bytes are missing",
            discovery.missing
        ));
    }
}

fn print_feature(page: &mut Page, feature: &Feature) {
    let (code, name) = (feature.code.0, feature.code.name().unwrap_or("unknown"));
    let (version, minor) = (feature.version, feature.minor);
    let (length, offset) = (feature.length, feature.offset);
    page.line(format_args!(
        "{code:04x}h {name}, version {version}.{minor}, {length} bytes at byte {offset}"
    ));
    page.nested(|page| {
        for (name, value) in feature.body.fields() {
            page.line(format_args!("{name} = {}", text(&value)));
        }
        if !feature.extra.is_empty() {
            page.line(format_args!("extra = {}", abbreviated(&feature.extra)));
        }
    });
}

fn text(value: &FieldValue) -> String {
    match value {
        FieldValue::Absent => "absent".to_owned(),
        FieldValue::Flag(flag) => flag.to_string(),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::ComId(com_id) => com_id.to_string(),
        FieldValue::Named(number, Some(name)) => format!("{number} ({name})"),
        FieldValue::Named(number, None) => number.to_string(),
        FieldValue::Bytes(bytes) => abbreviated(bytes),
    }
}
