//! Rows: what Get returns of an object.

use super::{Error, Malformed, MalformedKind};
use crate::spec::Uid;
use crate::wire::Value;

/// The columns of an object that the authority may see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    columns: Vec<(u64, Value)>,
}

impl Row {
    /// Reads the results of Get: one list of named values.
    ///
    /// A TPer leaves out the columns that the authority may not see, so the list may be empty, and
    /// some leave out the list.
    pub(crate) fn from_results(results: &[Value]) -> Result<Self, Error> {
        let values = match results {
            [] => return Ok(Self::default()),
            [Value::List(values)] => values,
            _ => return Err(malformed("row")),
        };
        let columns = values.iter().map(column).collect::<Option<_>>();
        let columns = columns.ok_or_else(|| malformed("column"))?;
        Ok(Self { columns })
    }

    /// Numbers and values of the columns, in the TPer's order.
    pub fn columns(&self) -> impl Iterator<Item = (u64, &Value)> {
        self.columns.iter().map(|(number, value)| (*number, value))
    }

    /// The value of a column, if it is there.
    #[must_use]
    pub fn value(&self, column: u64) -> Option<&Value> {
        let found = self.columns.iter().find(|(number, _)| *number == column);
        found.map(|(_, value)| value)
    }

    /// An unsigned integer.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the column has another type.
    pub fn uint(&self, column: u64) -> Result<Option<u64>, Error> {
        self.typed(column, "unsigned integer", Value::as_uint)
    }

    /// A Boolean.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the column has another type or value.
    pub fn boolean(&self, column: u64) -> Result<Option<bool>, Error> {
        self.typed(column, "Boolean", Value::as_bool)
    }

    /// A reference.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the column has another type.
    pub fn uid(&self, column: u64) -> Result<Option<Uid>, Error> {
        self.typed(column, "reference", Value::as_uid)
    }

    /// A byte string.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the column has another type.
    pub fn bytes(&self, column: u64) -> Result<Option<&[u8]>, Error> {
        let Some(value) = self.value(column) else {
            return Ok(None);
        };
        let bytes = value.as_bytes();
        bytes.map(Some).ok_or_else(|| malformed("byte string"))
    }

    /// A byte string that must be there.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the column is missing or has another type.
    pub fn required_bytes(&self, column: u64) -> Result<&[u8], Error> {
        self.bytes(column)?.ok_or_else(|| malformed("byte string"))
    }

    /// A set of small numbers, such as reset types.
    ///
    /// # Errors
    /// [`Error::Malformed`] if the column has another type, or an element beyond eight bits.
    pub fn set(&self, column: u64) -> Result<Option<Vec<u8>>, Error> {
        self.typed(column, "set", |value| {
            let elements = value.as_list()?.iter();
            elements
                .map(|element| u8::try_from(element.as_uint()?).ok())
                .collect()
        })
    }

    fn typed<T>(
        &self,
        column: u64,
        kind: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.value(column) else {
            return Ok(None);
        };
        read(value).map(Some).ok_or_else(|| malformed(kind))
    }
}

fn column(value: &Value) -> Option<(u64, Value)> {
    let (name, value) = value.as_named()?;
    Some((name.as_uint()?, value.clone()))
}

pub(crate) fn malformed(expected: &'static str) -> Error {
    Malformed::new(MalformedKind::Result(expected), &[]).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{RangeNumber, column, uid};
    use crate::wire::MethodResponse;

    /// The tokens of tcg.md frame 7.20: Range1, start 2048, length 100000h, enabled, not locked.
    const RANGE_1: [u8; 0x39] = [
        0xf0, 0xf0, 0xf2, 0x03, 0x82, 0x08, 0x00, 0xf3, 0xf2, 0x04, 0x83, 0x10, 0x00, 0x00, 0xf3,
        0xf2, 0x05, 0x01, 0xf3, 0xf2, 0x06, 0x01, 0xf3, 0xf2, 0x07, 0x00, 0xf3, 0xf2, 0x08, 0x00,
        0xf3, 0xf2, 0x09, 0xf0, 0x00, 0xf1, 0xf3, 0xf2, 0x0a, 0xa8, 0x00, 0x00, 0x08, 0x06, 0x00,
        0x03, 0x00, 0x01, 0xf3, 0xf1, 0xf1, 0xf9, 0xf0, 0x00, 0x00, 0x00, 0xf1,
    ];

    #[test]
    fn columns_have_their_types() {
        let results = MethodResponse::decode(&RANGE_1).unwrap().results;
        let row = Row::from_results(&results).unwrap();
        assert_eq!(row.uint(column::locking::RANGE_START).unwrap(), Some(2048));
        assert_eq!(
            row.boolean(column::locking::READ_LOCK_ENABLED).unwrap(),
            Some(true)
        );
        assert_eq!(
            row.set(column::locking::LOCK_ON_RESET).unwrap(),
            Some(vec![0])
        );
        assert_eq!(
            row.uid(column::locking::ACTIVE_KEY).unwrap(),
            Some(uid::k_aes_256(RangeNumber(1)))
        );
        assert_eq!(row.uint(column::locking::NEXT_KEY).unwrap(), None);
        assert!(row.boolean(column::locking::RANGE_START).is_err());
        assert!(row.bytes(column::locking::RANGE_START).is_err());
    }

    #[test]
    fn an_empty_row_is_a_row() {
        assert_eq!(
            Row::from_results(&[Value::List(Vec::new())]).unwrap(),
            Row::default()
        );
        assert_eq!(Row::from_results(&[]).unwrap(), Row::default());
        assert!(Row::from_results(&[Value::Uint(1)]).is_err());
        assert!(Row::from_results(&[Value::list([Value::Uint(1)])]).is_err());
    }
}
