//! Values of columns and results of methods, for people and for JSON.

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::session::Row;
use crate::spec::column_type::{self, ColumnType, name_of};
use crate::spec::{Uid, column, uid};
use crate::transport::sanitise;
use crate::wire::expression::Expression;
use crate::wire::{Value, hex};

/// Whether PINs and keys are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Masking {
    /// Those that everybody can read are: the MSID.
    On,
    /// All that the drive gives out are.
    Off,
}

impl Masking {
    /// As an option asks.
    pub(super) const fn unless(show_secrets: bool) -> Self {
        match show_secrets {
            true => Self::Off,
            false => Self::On,
        }
    }
}

/// A column in JSON.
#[derive(Debug, Serialize)]
pub(super) struct ColumnFields {
    number: u64,
    name: Option<&'static str>,
    value: Json,
    text: String,
}

/// An object with its columns in JSON.
#[derive(Debug, Serialize)]
pub(super) struct ObjectFields {
    uid: String,
    name: Option<String>,
    columns: Vec<ColumnFields>,
}

impl ObjectFields {
    /// The columns that `keep` wants.
    pub(super) fn new(
        object: Uid,
        row: &Row,
        keep: impl Fn(u64) -> bool,
        masking: Masking,
    ) -> Self {
        let columns = row.columns().filter(|(number, _)| keep(*number));
        let columns =
            columns.map(|(number, value)| ColumnFields::new(object, number, value, masking));
        Self {
            uid: object.to_string(),
            name: uid::name(object),
            columns: columns.collect(),
        }
    }

    /// Its name, or its UID.
    pub(super) fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.uid)
    }

    /// The text of a column, if it is shown.
    pub(super) fn text_of(&self, name: &str) -> Option<&str> {
        let found = self.columns.iter().find(|column| column.name == Some(name));
        found.map(|column| column.text.as_str())
    }

    /// `Column = value`, but for the column UID.
    pub(super) fn lines(&self) -> Vec<String> {
        let columns = self.columns.iter();
        columns
            .filter(|column| column.number != column::UID)
            .map(|column| format!("{} = {}", column.label(), column.text))
            .collect()
    }
}

impl ColumnFields {
    fn new(object: Uid, number: u64, value: &Value, masking: Masking) -> Self {
        let name = column::name(object.table(), number);
        let kind = name.map_or(ColumnType::Plain, column_type::of);
        let is_public = object == uid::C_PIN_MSID || masking == Masking::Off;
        let is_masked = kind == ColumnType::Secret && !is_public;
        let (value, text) = match is_masked {
            true => (Json::Null, masked(value)),
            false => (json_of(kind, value), text_of(kind, value)),
        };
        Self {
            number,
            name,
            value,
            text,
        }
    }

    fn label(&self) -> String {
        match self.name {
            Some(name) => name.to_owned(),
            None if self.number < 0x1_0000 => format!("column {}", self.number),
            None => format!("column {:#08x}", self.number),
        }
    }
}

fn masked(value: &Value) -> String {
    match value {
        Value::Bytes(bytes) => format!("<{} bytes masked>", bytes.len()),
        _ => "<masked>".to_owned(),
    }
}

/// The text of a value of a type; one of another type is shown as it is.
pub(super) fn text_of(kind: ColumnType, value: &Value) -> String {
    match (kind, value) {
        (ColumnType::Boolean, Value::Uint(0)) => "false".to_owned(),
        (ColumnType::Boolean, Value::Uint(1)) => "true".to_owned(),
        (ColumnType::Enumeration(names), Value::Uint(number)) => match name_of(names, *number) {
            Some(name) => format!("{number} ({name})"),
            None => number.to_string(),
        },
        (ColumnType::Set(names), Value::List(values)) => set(values, |number| {
            name_of(names, number).map_or(number.to_string(), str::to_owned)
        })
        .unwrap_or_else(|| plain(value)),
        (ColumnType::Columns, Value::List(values)) if values.is_empty() => "all".to_owned(),
        (ColumnType::Columns, Value::List(values)) => {
            set(values, |number| number.to_string()).unwrap_or_else(|| plain(value))
        }
        (ColumnType::Expression, value) => match Expression::decode(value) {
            Some(expression) => expression.to_string(),
            None => plain(value),
        },
        (ColumnType::Text, Value::Bytes(bytes)) => quoted(bytes),
        (ColumnType::Texts, Value::List(values)) => {
            let texts = values.iter().map(|value| text_of(ColumnType::Text, value));
            texts.collect::<Vec<_>>().join(", ")
        }
        (ColumnType::Secret, Value::Bytes(bytes)) if is_printable(bytes) => quoted(bytes),
        (_, value) => plain(value),
    }
}

fn json_of(kind: ColumnType, value: &Value) -> Json {
    match (kind, value) {
        (ColumnType::Boolean, Value::Uint(number @ (0 | 1))) => json!(*number == 1),
        (ColumnType::Text, Value::Bytes(bytes)) => json!(sanitise(bytes)),
        (ColumnType::Texts, Value::List(values)) => values
            .iter()
            .map(|value| json_of(ColumnType::Text, value))
            .collect(),
        (_, value) => plain_json(value),
    }
}

/// Integers are numbers, byte strings hexadecimal, lists arrays, named values objects.
pub(super) fn plain_json(value: &Value) -> Json {
    match value {
        Value::Uint(number) => json!(number),
        Value::Int(number) => json!(number),
        Value::Bytes(bytes) => json!(hex::encode(bytes)),
        Value::List(values) => values.iter().map(plain_json).collect(),
        Value::Named(name, value) => {
            json!({"name": plain_json(name), "value": plain_json(value)})
        }
    }
}

/// A value of which nothing is known: objects by name, other bytes as text or hexadecimal.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Uint(number) => number.to_string(),
        Value::Int(number) => format!("{number:+}"),
        Value::Bytes(bytes) => plain_bytes(bytes),
        Value::List(values) => {
            let values: Vec<String> = values.iter().map(plain).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Named(name, value) => format!("{} = {}", plain(name), plain(value)),
    }
}

fn plain_bytes(bytes: &[u8]) -> String {
    let uid = <[u8; 8]>::try_from(bytes).ok().map(Uid::from_bytes);
    match uid.and_then(|uid| uid::name(uid).or_else(|| row(uid))) {
        Some(name) => name,
        None if bytes.is_empty() => "\"\"".to_owned(),
        None if is_printable(bytes) => quoted(bytes),
        None => hex::encode(bytes),
    }
}

/// An object of which the table is known, but no name.
fn row(uid: Uid) -> Option<String> {
    let table = uid::name(uid.table()).filter(|_| uid.high() != 0)?;
    Some(format!("{table}.{:08x}", uid.low()))
}

fn set(values: &[Value], name: impl Fn(u64) -> String) -> Option<String> {
    let names: Option<Vec<String>> = values
        .iter()
        .map(|value| value.as_uint().map(&name))
        .collect();
    Some(format!("{{{}}}", names?.join(", ")))
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", sanitise(bytes))
}

fn is_printable(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| matches!(byte, 0x20..=0x7e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::column::{c_pin, locking};

    fn text(column: &str, value: impl Into<Value>) -> String {
        text_of(column_type::of(column), &value.into())
    }

    #[test]
    fn values_are_shown_by_the_type_of_their_column() {
        let set = Value::list([Value::Uint(0), Value::Uint(3), Value::Uint(17)]);
        assert_eq!(
            text("LockOnReset", set.clone()),
            "{power_cycle, programmatic, 17}"
        );
        assert_eq!(text("Columns", set), "{0, 3, 17}");
        assert_eq!(text("Columns", Value::list([])), "all");
        assert_eq!(text("LifeCycleState", Value::Uint(9)), "9 (manufactured)");
        assert_eq!(text("Enabled", Value::Uint(1)), "true");
        assert_eq!(text("Enabled", Value::Uint(2)), "2");
        assert_eq!(
            text("CommonName", Value::from("my\u{1b}disk")),
            "\"my?disk\""
        );
        assert_eq!(
            text("ActiveKey", uid::K_AES_256.row(1)),
            "K_AES_256_GlobalRange_Key"
        );
        assert_eq!(text("BooleanExpr", Value::list([])), "nobody");
        assert_eq!(text("BooleanExpr", Value::Uint(7)), "7");
        assert_eq!(text("SSC", Value::list(["Opal".into()])), "\"Opal\"");
        assert_eq!(plain(&uid::ACE.row(0x7_0001).into()), "ACE.00070001");
        assert_eq!(plain(&Value::bytes(&[0, 1, 2])), "000102");
    }

    #[test]
    fn pins_are_masked_but_for_the_msid() {
        let pin = Value::from("secret-pin");
        let shown = |object, masking| {
            let fields = ColumnFields::new(object, c_pin::PIN, &pin, masking);
            serde_json::to_string(&fields).unwrap()
        };
        assert!(!shown(uid::C_PIN_SID, Masking::On).contains("secret"));
        assert!(shown(uid::C_PIN_SID, Masking::On).contains("<10 bytes masked>"));
        assert!(shown(uid::C_PIN_SID, Masking::Off).contains("secret-pin"));
        assert!(shown(uid::C_PIN_MSID, Masking::On).contains("secret-pin"));
    }

    #[test]
    fn columns_without_a_name_have_their_number() {
        let value = Value::Uint(1);
        let label = |number| ColumnFields::new(uid::C_PIN_SID, number, &value, Masking::On).label();
        assert_eq!(label(locking::GENERAL_STATUS), "column 19");
        assert_eq!(label(0xffff_0001), "column 0xffff0001");
    }
}
