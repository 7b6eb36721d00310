//! Values: on one line where they fit, nested where they don't, masked where they may be secret.

use super::labels::{MAX_NUMBER, Meaning, Names, SESSION_NUMBERS, known_string, known_uid_text};
use super::{Masking, Page, Printer};
use crate::spec::{LifeCycle, Uid, column};
use crate::wire::{Value, hex};

/// Most elements of a list on one line.
const MAX_INLINE: usize = 8;
/// Most bytes of a byte string in full.
const MAX_BYTES: usize = 64;
/// Bytes that are left of a longer one.
const ABBREVIATED: usize = 16;

/// A value with what is known about it.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    /// Its name; empty for an element of a list.
    pub(super) label: &'a str,
    /// The value.
    pub(super) value: &'a Value,
    /// What names inside it name.
    pub(super) names: Names,
    /// What byte strings inside it may be.
    pub(super) meaning: Meaning,
}

impl Printer {
    /// Prints a value under its label.
    pub(super) fn print_item(&self, page: &mut Page, item: Item<'_>, table: Option<Uid>) {
        let label = item.label;
        let separator = if label.is_empty() { "" } else { " = " };
        if let Some(text) = self.inline(item) {
            page.line(format_args!("{label}{separator}{text}"));
            return;
        }
        page.line(format_args!(
            "{}",
            if label.is_empty() { "list" } else { label }
        ));
        page.nested(|page| {
            let elements = item
                .value
                .as_list()
                .unwrap_or(std::slice::from_ref(item.value));
            for element in elements {
                self.print_element(
                    page,
                    Item {
                        value: element,
                        ..item
                    },
                    table,
                );
            }
        });
    }

    /// Prints an element of a list, which is often a named value.
    pub(super) fn print_element(&self, page: &mut Page, item: Item<'_>, table: Option<Uid>) {
        let Some((name, value)) = item.value.as_named() else {
            self.print_item(page, Item { label: "", ..item }, table);
            return;
        };
        let label = item.names.label(name);
        let meaning = match item.meaning {
            Meaning::Unknown => item.names.meaning(name, label),
            known => known,
        };
        let text = label.map_or_else(|| self.unknown_label(item.names, name), str::to_owned);
        let named = Item {
            label: &text,
            value,
            names: item.names.inside(&text, table),
            meaning,
        };
        match column_name(item.names, &text, value) {
            Some(column) => page.line(format_args!("{text} = {column}")),
            None => self.print_item(page, named, table),
        }
    }

    /// The name of a named value that has none in the standard.
    fn unknown_label(&self, names: Names, name: &Value) -> String {
        match (names, name) {
            (Names::Properties, Value::Bytes(bytes)) if is_word(bytes) => text(bytes),
            (_, Value::Bytes(bytes)) => self.bytes(bytes, Meaning::Secret),
            (_, Value::Uint(number)) if *number <= MAX_NUMBER => column_number(*number),
            _ => "<name masked>".to_owned(),
        }
    }

    /// The value on one line; `None` if it doesn't fit or has names inside.
    fn inline(&self, item: Item<'_>) -> Option<String> {
        let is_masked = item.meaning == Meaning::Secret && self.masking == Masking::On;
        match item.value {
            Value::Bytes(bytes) => Some(self.bytes(bytes, item.meaning)),
            Value::List(values) if values.is_empty() => Some("[]".to_owned()),
            _ if is_masked => Some("<masked>".to_owned()),
            Value::Uint(number) => Some(number_text(item.label, *number)),
            Value::Int(number) => Some(format!("{number:+}")),
            Value::List(values) if values.len() <= MAX_INLINE => self.inline_list(item, values),
            Value::List(_) | Value::Named(..) => None,
        }
    }

    fn inline_list(&self, item: Item<'_>, values: &[Value]) -> Option<String> {
        let elements = values.iter().map(|value| match value {
            Value::List(_) | Value::Named(..) => None,
            value => self.inline(Item {
                label: "",
                value,
                ..item
            }),
        });
        let elements: Option<Vec<String>> = elements.collect();
        Some(format!("[{}]", elements?.join(", ")))
    }

    /// A byte string, or its length.
    pub(super) fn bytes(&self, bytes: &[u8], meaning: Meaning) -> String {
        let uid = <[u8; 8]>::try_from(bytes).ok().map(Uid::from_bytes);
        let uid = uid
            .filter(|_| meaning != Meaning::Secret)
            .and_then(known_uid_text);
        match (meaning, self.masking, uid) {
            (Meaning::Bulk, ..) => abbreviated(bytes),
            (Meaning::Text, ..) | (_, Masking::Off, _) if is_printable(bytes) => {
                format!("{:?}", text(bytes))
            }
            (_, _, Some(uid)) => uid,
            (_, Masking::On, None) => format!("<{} bytes masked>", bytes.len()),
            (_, Masking::Off, None) => shortened(bytes, MAX_BYTES),
        }
    }
}

/// The column that an entry of a cell block names, with its number.
fn column_name(names: Names, label: &str, value: &Value) -> Option<String> {
    let Names::CellBlock(table) = names else {
        return None;
    };
    match (label, value) {
        ("startColumn" | "endColumn", Value::Uint(number)) => {
            let name = column::name(table?, *number)?;
            Some(format!("{} ({name})", column_number(*number)))
        }
        ("startColumn" | "endColumn", Value::Bytes(bytes)) => {
            known_string(bytes).map(|name| format!("{name:?}"))
        }
        _ => None,
    }
}

/// A number as its label wants it.
fn number_text(label: &str, number: u64) -> String {
    let state = || {
        u8::try_from(number)
            .ok()
            .and_then(|state| LifeCycle(state).name())
    };
    match label {
        "LifeCycleState" => state().map_or(number.to_string(), |name| format!("{number} ({name})")),
        _ if SESSION_NUMBERS.contains(&label) => format!("{number:#x}"),
        _ => number.to_string(),
    }
}

/// The number of a column or parameter; the large ones of feature sets are known in hex.
fn column_number(number: u64) -> String {
    match number {
        ..0x1_0000 => number.to_string(),
        _ => format!("{number:#08x}"),
    }
}

/// Bytes in hex, only the first of many.
pub(super) fn abbreviated(bytes: &[u8]) -> String {
    shortened(bytes, MAX_BYTES / 2)
}

/// Bytes in hex, only the first of more than `limit`.
fn shortened(bytes: &[u8], limit: usize) -> String {
    if bytes.len() <= limit {
        return hex::encode(bytes);
    }
    let (first, _) = bytes.split_at_checked(ABBREVIATED).unwrap_or((bytes, &[]));
    format!("{}… ({} bytes)", hex::encode(first), bytes.len())
}

/// True for text that may stand in a trace as it is.
fn is_printable(bytes: &[u8]) -> bool {
    bytes.len() <= MAX_BYTES && bytes.iter().all(|byte| matches!(byte, 0x20..=0x7e))
}

fn is_word(bytes: &[u8]) -> bool {
    bytes.len() <= MAX_BYTES && bytes.iter().all(u8::is_ascii_alphanumeric)
}

/// Printable ASCII as text.
fn text(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}
