//! The parameter list of a method: required parameters, then named optional ones (\[Core\] 3.2.4.1).

use crate::spec::{MethodStatus, Uid};
use crate::wire::Value;

/// A parameter list that has the right shape.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    required: &'a [Value],
    optional: Vec<(u64, &'a Value)>,
}

type Result<T> = std::result::Result<T, MethodStatus>;

impl<'a> Arguments<'a> {
    /// Splits a list that must have `required` parameters, and may have those of `optional`, each
    /// at most once and in that order.
    ///
    /// # Errors
    /// INVALID_PARAMETER if it has another shape.
    pub(crate) fn parse(list: &'a [Value], required: usize, optional: &[u64]) -> Result<Self> {
        let (required, rest) = list
            .split_at_checked(required)
            .ok_or(MethodStatus::INVALID_PARAMETER)?;
        let mut allowed = optional.iter();
        let mut arguments = Self {
            required,
            optional: Vec::new(),
        };
        for value in rest {
            let (number, value) = numbered(value)?;
            if !allowed.any(|allowed| *allowed == number) {
                return Err(MethodStatus::INVALID_PARAMETER);
            }
            arguments.optional.push((number, value));
        }
        Ok(arguments)
    }

    /// An optional parameter.
    pub(crate) fn optional(&self, number: u64) -> Option<&'a Value> {
        let found = self.optional.iter().find(|(found, _)| *found == number);
        found.map(|(_, value)| *value)
    }

    /// An optional parameter that is an unsigned integer.
    pub(crate) fn optional_uint(&self, number: u64) -> Result<Option<u64>> {
        self.optional_as(number, Value::as_uint)
    }

    /// An optional parameter that is a Boolean.
    pub(crate) fn optional_bool(&self, number: u64) -> Result<Option<bool>> {
        self.optional_as(number, Value::as_bool)
    }

    /// An optional parameter that is a byte string.
    pub(crate) fn optional_bytes(&self, number: u64) -> Result<Option<&'a [u8]>> {
        self.optional_as(number, Value::as_bytes)
    }

    /// An optional parameter that is a UID.
    pub(crate) fn optional_uid(&self, number: u64) -> Result<Option<Uid>> {
        self.optional_as(number, Value::as_uid)
    }

    fn optional_as<T>(
        &self,
        number: u64,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.optional(number) else {
            return Ok(None);
        };
        let converted = convert(value).ok_or(MethodStatus::INVALID_PARAMETER)?;
        Ok(Some(converted))
    }

    /// A required parameter that is an unsigned integer.
    pub(crate) fn uint(&self, index: usize) -> Result<u64> {
        self.required_as(index, Value::as_uint)
    }

    /// A required parameter that is a Boolean.
    pub(crate) fn bool(&self, index: usize) -> Result<bool> {
        self.required_as(index, Value::as_bool)
    }

    /// A required parameter that is a UID.
    pub(crate) fn uid(&self, index: usize) -> Result<Uid> {
        self.required_as(index, Value::as_uid)
    }

    /// A required parameter that is a list.
    pub(crate) fn list(&self, index: usize) -> Result<&'a [Value]> {
        self.required_as(index, Value::as_list)
    }

    fn required_as<T>(
        &self,
        index: usize,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<T> {
        self.required
            .get(index)
            .and_then(convert)
            .ok_or(MethodStatus::INVALID_PARAMETER)
    }
}

/// A named value whose name is a number.
///
/// # Errors
/// INVALID_PARAMETER if it is none.
pub(crate) fn numbered(value: &Value) -> Result<(u64, &Value)> {
    value
        .as_named()
        .and_then(|(name, value)| Some((name.as_uint()?, value)))
        .ok_or(MethodStatus::INVALID_PARAMETER)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: MethodStatus = MethodStatus::INVALID_PARAMETER;

    fn named(number: u64) -> Value {
        Value::named(number, 1_u64)
    }

    #[test]
    fn optional_parameters_stand_in_order_and_once() {
        // Reference 2.3.
        let parse = |list: &[Value]| Arguments::parse(list, 1, &[0, 3, 5]).err();
        assert_eq!(parse(&[Value::Uint(1)]), None);
        assert_eq!(parse(&[Value::Uint(1), named(0), named(5)]), None);
        assert_eq!(parse(&[Value::Uint(1), named(5), named(3)]), Some(REFUSED));
        assert_eq!(parse(&[Value::Uint(1), named(3), named(3)]), Some(REFUSED));
        assert_eq!(parse(&[Value::Uint(1), named(4)]), Some(REFUSED));
        assert_eq!(parse(&[Value::Uint(1), Value::Uint(2)]), Some(REFUSED));
        assert_eq!(parse(&[]), Some(REFUSED));
    }

    #[test]
    fn wrong_types_are_refused() {
        let list = [Value::Uint(2), Value::named(0_u64, "text")];
        let arguments = Arguments::parse(&list, 1, &[0]).unwrap();
        assert_eq!(arguments.uint(0), Ok(2));
        assert_eq!(arguments.bool(0), Err(REFUSED));
        assert_eq!(arguments.uid(0), Err(REFUSED));
        assert_eq!(arguments.optional_uint(0), Err(REFUSED));
        assert_eq!(arguments.optional_bytes(0), Ok(Some(&b"text"[..])));
        assert_eq!(arguments.optional_uint(1), Ok(None));
    }
}
