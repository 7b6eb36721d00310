//! Values as people write them: `COLUMN=VALUE`, and arguments of methods.
//!
//! Secrets are never written, but only whence they come; whoever asks for them is a [`Secrets`].

use super::target;
use crate::cli::error::CliError;
use crate::spec::column_type::{self, ColumnType};
use crate::spec::signature::{Signature, cell_block};
use crate::spec::{Uid, column};
use crate::wire::expression::Expression;
use crate::wire::{Value, hex};

/// Gives the bytes of a secret, by the text of its SOURCE.
pub(super) trait Secrets {
    /// The bytes as a value.
    fn secret(&mut self, source: &str) -> Result<Value, CliError>;
}

/// Stands for every secret where nothing is sent.
pub(super) struct NoSecrets;

impl Secrets for NoSecrets {
    fn secret(&mut self, source: &str) -> Result<Value, CliError> {
        crate::cli::secret::source(source).map(|_| Value::from("<PIN>"))
    }
}

/// What comes before the SOURCE of a secret among arguments.
const SECRET: &str = "secret:";

/// A column and its value: `COLUMN=VALUE`.
pub(super) fn assignment(
    object: Uid,
    sp: Uid,
    text: &str,
    secrets: &mut dyn Secrets,
) -> Result<(u64, Value), CliError> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| CliError::usage("a column and its value are COLUMN=VALUE"))?;
    let number = target::column(object.table(), name)?;
    let name = column::name(object.table(), number);
    let kind = name.map_or(ColumnType::Plain, column_type::of);
    let value = typed(kind, sp, value, secrets).map_err(|error| named(name, error))?;
    Ok((number, value))
}

/// Says of which column an error is.
fn named(column: Option<&str>, error: CliError) -> CliError {
    match column {
        Some(column) => CliError {
            message: format!("{column}: {}", error.message),
            ..error
        },
        None => error,
    }
}

/// A value of a type.
fn typed(
    kind: ColumnType,
    sp: Uid,
    text: &str,
    secrets: &mut dyn Secrets,
) -> Result<Value, CliError> {
    match kind {
        ColumnType::Secret => secrets.secret(text.strip_prefix(SECRET).unwrap_or(text)),
        ColumnType::Boolean => boolean(text).ok_or_else(|| expected("true or false")),
        ColumnType::Reference => target::object(text, Some(sp)).map(Value::from),
        ColumnType::Text => Ok(text_value(text)),
        ColumnType::Enumeration(names) => enumerated(names, text).map(Value::Uint),
        ColumnType::Set(names) => elements(text)
            .map(|element| enumerated(names, element).map(Value::Uint))
            .collect::<Result<Vec<_>, _>>()
            .map(Value::List),
        ColumnType::Columns => elements(text)
            .map(|element| target::number(element).map(Value::Uint))
            .collect::<Option<Vec<_>>>()
            .map(Value::List)
            .ok_or_else(|| expected("numbers of columns")),
        ColumnType::Expression => expression(text),
        ColumnType::References => elements(text)
            .map(|element| target::object(element, Some(sp)).map(Value::from))
            .collect::<Result<Vec<_>, _>>()
            .map(Value::List),
        ColumnType::Uinteger => {
            let number = target::number(text).map(Value::Uint);
            number.ok_or_else(|| expected("a number"))
        }
        _ => Parser::new(text, sp, Names::default(), secrets).whole(),
    }
}

fn expected(what: &str) -> CliError {
    CliError::usage(format!("{what} is expected"))
}

fn boolean(text: &str) -> Option<Value> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(Value::from(true)),
        "false" | "no" | "0" => Some(Value::from(false)),
        _ => None,
    }
}

/// `hex:…` is bytes; everything else is text as it stands.
fn text_value(text: &str) -> Value {
    let bytes = text.strip_prefix("hex:").and_then(bytes);
    bytes.map_or_else(|| Value::from(text), |bytes| Value::bytes(&bytes))
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    match digits {
        "" => Some(Vec::new()),
        digits => hex::decode(digits).ok(),
    }
}

fn enumerated(names: &[(u64, &str)], text: &str) -> Result<u64, CliError> {
    let number = column_type::number_of(names, text).or_else(|| target::number(text));
    number.ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
        expected(&format!("a number or one of {}", names.join(", ")))
    })
}

/// `{a, b}`, `[a, b]` or `a,b`; nothing for the empty set.
fn elements(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim();
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    let inner = inner.or_else(|| text.strip_prefix('[')?.strip_suffix(']'));
    let inner = inner.unwrap_or(text);
    let elements = inner.split(',').map(str::trim);
    elements.filter(|element| !element.is_empty() && !element.eq_ignore_ascii_case("none"))
}

fn expression(text: &str) -> Result<Value, CliError> {
    let expression: Result<Expression, _> = text.parse();
    expression
        .map(|expression| expression.encode())
        .map_err(|error| {
            CliError::usage(error.to_string()).with_hint("for example 'Admins OR User1'")
        })
}

/// An argument of a method.
pub(super) fn argument(
    object: Uid,
    method: Uid,
    sp: Uid,
    text: &str,
    secrets: &mut dyn Secrets,
) -> Result<Value, CliError> {
    let names = Names {
        signature: Some(Signature::of(method)),
        table: object.table(),
    };
    Parser::new(text, sp, names, secrets).whole()
}

/// What names before `=` may name.
#[derive(Clone, Copy)]
struct Names {
    signature: Option<Signature>,
    table: Uid,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            signature: None,
            table: Uid::NULL,
        }
    }
}

impl Names {
    /// The number of a parameter, of an entry of a cell block or of a column. Inside the parameter
    /// `Values`, columns come first.
    fn number(&self, name: &str, depth: usize, is_in_values: bool) -> Option<u64> {
        let is_name = |known: &str| known.eq_ignore_ascii_case(name);
        let parameter = || {
            let optional = self.signature?.optional.iter();
            optional
                .filter(|(_, known)| is_name(known))
                .map(|(number, _)| *number)
                .next()
        };
        let entry = || (0..=4).find(|entry| cell_block::name(*entry).is_some_and(is_name));
        let column = || column::number(self.table, name);
        let named = match (depth, is_in_values) {
            (0, _) => parameter(),
            (_, true) => column().or_else(entry),
            (_, false) => entry().or_else(column),
        };
        target::number(name).or(named)
    }
}

/// The deepest list.
const MAX_DEPTH: usize = 16;

/// Reads one value after the other.
struct Parser<'a> {
    rest: &'a str,
    sp: Uid,
    names: Names,
    secrets: &'a mut dyn Secrets,
    is_in_values: bool,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, sp: Uid, names: Names, secrets: &'a mut dyn Secrets) -> Self {
        Self {
            rest: text.trim(),
            sp,
            names,
            secrets,
            is_in_values: false,
        }
    }

    /// The value that is the whole text.
    fn whole(mut self) -> Result<Value, CliError> {
        let value = self.element(0)?;
        self.skip_blanks();
        match self.rest {
            "" => Ok(value),
            _ => Err(CliError::usage("there is more after the end of the value")),
        }
    }

    /// A value, or a named one.
    fn element(&mut self, depth: usize) -> Result<Value, CliError> {
        self.skip_blanks();
        let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
        let end = self.rest.find(|character| !is_word(character));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let Some(value) = rest.strip_prefix('=').filter(|_| !word.is_empty()) else {
            return self.value(depth);
        };
        let number = self.names.number(word, depth, self.is_in_values);
        let number = number.ok_or_else(|| {
            CliError::usage(format!("{word:?} names no parameter and no column here"))
        })?;
        self.rest = value;
        let was_in_values = self.is_in_values;
        self.is_in_values |= word.eq_ignore_ascii_case("Values");
        let value = self.value(depth);
        self.is_in_values = was_in_values;
        Ok(Value::named(number, value?))
    }

    fn value(&mut self, depth: usize) -> Result<Value, CliError> {
        self.skip_blanks();
        match self.rest.chars().next() {
            Some('[') => self.list(depth),
            Some('"') => self.quoted(),
            Some(_) => {
                let word = self.word(depth);
                self.atom(word)
            }
            None => Err(CliError::usage("a value is missing")),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, CliError> {
        if depth >= MAX_DEPTH {
            return Err(CliError::usage("lists are nested too deeply"));
        }
        self.take("[");
        let mut values = Vec::new();
        self.skip_blanks();
        while !self.take("]") {
            values.push(self.element(depth + 1)?);
            self.skip_blanks();
            if !self.take(",") && !self.rest.starts_with(']') {
                return Err(CliError::usage("a list is [value, value, …]"));
            }
            self.skip_blanks();
        }
        Ok(Value::List(values))
    }

    fn quoted(&mut self) -> Result<Value, CliError> {
        self.take("\"");
        let (text, rest) = self
            .rest
            .split_once('"')
            .ok_or_else(|| CliError::usage("the quotation mark at the end of a text is missing"))?;
        self.rest = rest;
        Ok(Value::from(text))
    }

    /// What is no list and no text: to the end, or in a list to the next comma or bracket.
    fn word(&mut self, depth: usize) -> &'a str {
        let is_end = |character| depth > 0 && matches!(character, ',' | ']');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.trim()
    }

    fn atom(&mut self, word: &str) -> Result<Value, CliError> {
        if let Some(source) = word.strip_prefix(SECRET) {
            return self.secrets.secret(source);
        }
        if let Some(digits) = word.strip_prefix("hex:") {
            let bytes = bytes(digits).map(|bytes| Value::bytes(&bytes));
            return bytes.ok_or_else(|| expected("pairs of hexadecimal digits after hex:"));
        }
        match word {
            "true" => Ok(Value::from(true)),
            "false" => Ok(Value::from(false)),
            _ => number(word).map_or_else(|| self.reference(word), Ok),
        }
    }

    fn reference(&self, word: &str) -> Result<Value, CliError> {
        let found = target::object(word, Some(self.sp));
        found.map(Value::from).map_err(|error| {
            error.with_hint(
                "values are numbers, true, false, \"text\", hex:00ff, names or UIDs of objects, \
                 secret:SOURCE, [lists] and NAME=VALUE",
            )
        })
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

/// An integer. Sixteen digits without `0x` are a UID.
fn number(word: &str) -> Option<Value> {
    if Uid::parse(word).is_some() {
        return None;
    }
    if word.starts_with('-') {
        return word.parse().ok().map(Value::Int);
    }
    target::number(word).map(Value::Uint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{method, uid};

    /// The secret of every source is its own name.
    struct Echo;

    impl Secrets for Echo {
        fn secret(&mut self, source: &str) -> Result<Value, CliError> {
            Ok(Value::from(source))
        }
    }

    fn set(object: Uid, text: &str) -> Result<(u64, Value), CliError> {
        assignment(object, uid::LOCKING_SP, text, &mut Echo)
    }

    fn call(method: Uid, text: &str) -> Result<Value, CliError> {
        argument(
            uid::LOCKING_GLOBAL_RANGE,
            method,
            uid::LOCKING_SP,
            text,
            &mut Echo,
        )
    }

    #[test]
    fn columns_take_what_their_type_is() {
        let range = uid::LOCKING_GLOBAL_RANGE;
        let numbers = |numbers: &[u64]| Value::list(numbers.iter().copied().map(Value::Uint));
        for (text, column, value) in [
            ("RangeStart=0x800", 3, Value::Uint(2048)),
            ("5=true", 5, Value::Uint(1)),
            ("WriteLocked=no", 8, Value::Uint(0)),
            ("LockOnReset=power_cycle,programmatic", 9, numbers(&[0, 3])),
            ("LockOnReset={0, Hot-Plug}", 9, numbers(&[0, 2])),
            ("LockOnReset={}", 9, numbers(&[])),
            ("CommonName=my = disk", 2, Value::from("my = disk")),
            ("CommonName=hex:00ff", 2, Value::bytes(&[0, 0xff])),
            (
                "ActiveKey=K_AES_256_Range1_Key",
                10,
                uid::K_AES_256.row(0x3_0001).into(),
            ),
        ] {
            assert_eq!(set(range, text).unwrap(), (column, value), "{text}");
        }
        let (_, expression) = set(uid::ACE.row(0x3_e001), "BooleanExpr=Admins OR User1").unwrap();
        assert_eq!(
            expression,
            "Admins OR User1".parse::<Expression>().unwrap().encode()
        );
        let (_, pin) = set(uid::C_PIN_SID, "PIN=file:new").unwrap();
        assert_eq!(pin, Value::from("file:new"));
        let mechanism = set(
            uid::DATA_REMOVAL_MECHANISM,
            "ActiveDataRemovalMechanism=block erase",
        );
        assert_eq!(mechanism.unwrap(), (1, Value::Uint(1)));
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let range = uid::LOCKING_GLOBAL_RANGE;
        for text in [
            "RangeStart",
            "RangeStart=-1",
            "RangeStart=",
            "ReadLocked=maybe",
            "Nothing=1",
            "LockOnReset=sunset",
            "ActiveKey=nothing",
            "RangeStart=+1",
        ] {
            assert!(set(range, text).is_err(), "{text}");
        }
        for text in [
            "[1", "[1 2]", "\"open", "", "hex:0", "Nobody=1", "1]", "[,]",
        ] {
            assert!(call(method::SET, text).is_err(), "{text}");
        }
        assert!(call(method::SET, &"[".repeat(100)).is_err());
    }

    #[test]
    fn arguments_are_a_small_language() {
        assert_eq!(call(method::RANDOM, "32").unwrap(), Value::Uint(32));
        assert_eq!(call(method::RANDOM, "-1").unwrap(), Value::Int(-1));
        assert_eq!(
            call(method::GET_ACL, "Set").unwrap(),
            Value::from(method::SET)
        );
        assert_eq!(
            call(method::GET_ACL, "0000000900000006").unwrap(),
            Value::from(uid::SID)
        );
        let block = Value::list([Value::named(3_u64, 3_u64), Value::named(4_u64, 0x0a_u64)]);
        assert_eq!(call(method::GET, "[startColumn=3, 4=0x0a]").unwrap(), block);
        let values = Value::list([Value::named(7_u64, 0_u64), Value::named(2_u64, "x")]);
        let values = Value::named(1_u64, values);
        assert_eq!(
            call(method::SET, "Values=[ReadLocked=0,CommonName=\"x\"]").unwrap(),
            values
        );
        let proof = Value::named(0_u64, "file:a=b,c");
        assert_eq!(
            call(method::AUTHENTICATE, "Proof=secret:file:a=b,c").unwrap(),
            proof
        );
        assert_eq!(call(method::GET, "[]").unwrap(), Value::list([]));
        assert_eq!(call(method::GET, "hex:").unwrap(), Value::bytes(&[]));
    }
}
