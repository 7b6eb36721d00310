//! Bytes as lower-case hex.

/// Two digits per byte, nothing between them.
pub(crate) fn text(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
