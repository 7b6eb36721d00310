//! Who a drive says it is, for people and for JSON.

use serde::Serialize;

use crate::secret::{SaltInput, SaltRule};
use crate::transport::linux::Node;
use crate::transport::{Identity, sanitise};
use crate::wire::hex;

/// Identity data in JSON, beside `serial` and `model`.
#[derive(Debug, Serialize)]
pub(crate) struct IdentityFields {
    /// The bus.
    pub(crate) bus: &'static str,
    /// Firmware revision.
    pub(crate) firmware: String,
    vendor: Option<String>,
    wwn: Option<String>,
    /// Where the serial number comes from.
    serial_source: Option<&'static str>,
    /// The 20 bytes with which sedutil salts here: they differ where two systems disagree.
    salt: Option<String>,
}

impl From<&Identity> for IdentityFields {
    fn from(identity: &Identity) -> Self {
        Self {
            bus: identity.bus.name(),
            firmware: identity.firmware_text(),
            vendor: identity.vendor.as_deref().map(sanitise),
            wwn: identity.wwn.clone(),
            serial_source: Some(identity.serial_source.name()),
            salt: salt(identity),
        }
    }
}

impl From<&Node> for IdentityFields {
    /// What the kernel knows of a drive that could not be opened. It has trimmed the serial number,
    /// so there is no telling the salt.
    fn from(node: &Node) -> Self {
        Self {
            bus: node.bus.name(),
            firmware: node.firmware.clone(),
            vendor: None,
            wwn: node.wwn.clone(),
            serial_source: None,
            salt: None,
        }
    }
}

fn salt(identity: &Identity) -> Option<String> {
    let input = SaltInput {
        serial: &identity.serial,
        vendor: identity.vendor.as_deref(),
        model: Some(&identity.model),
    };
    SaltRule::Serial
        .salt(&input)
        .ok()
        .map(|salt| hex::encode(&salt))
}

/// Identity data for people, one line each.
pub(crate) fn text(identity: &Identity) -> String {
    let fields = IdentityFields::from(identity);
    let lines = [
        ("model", Some(identity.model_text())),
        ("serial number", Some(identity.serial_text())),
        (
            "serial number from",
            Some(identity.serial_source.text().to_owned()),
        ),
        ("salt of sedutil schemes", fields.salt),
        ("firmware", Some(fields.firmware)),
        ("vendor", fields.vendor),
        ("world-wide name", fields.wwn),
        ("bus", Some(fields.bus.to_owned())),
    ];
    lines
        .into_iter()
        .filter_map(|(name, value)| Some(format!("  {name}: {}\n", value?)))
        .collect()
}
