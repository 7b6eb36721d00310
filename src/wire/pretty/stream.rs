//! Token streams: calls, answers, sessions, transactions, and what can't be read as any of them.

use super::labels::{Meaning, Names, is_byte_table, uid_text};
use super::values::Item;
use super::{LastCall, Masking, Page, Printer};
use crate::spec::signature::Signature;
use crate::spec::{Uid, method};
use crate::wire::atom::Atom;
use crate::wire::{DecodeError, MethodCall, MethodResponse, Reader, Token, Value};

/// Depth to which damaged tokens are indented.
const MAX_RAW_DEPTH: usize = 32;

impl Printer {
    /// Prints a token stream.
    pub(super) fn print_stream(&mut self, page: &mut Page, tokens: &[u8]) {
        let mut reader = Reader::new(tokens);
        while let Some(result) = self.print_next(page, &mut reader) {
            if let Err(error) = result {
                page.line(format_args!("error: {error} of the tokens"));
                self.print_raw(page, &mut reader);
                return;
            }
        }
    }

    /// Prints what begins at the reader; `None` at the end. After an error the reader stands before
    /// what could not be read.
    fn print_next(
        &mut self,
        page: &mut Page,
        reader: &mut Reader<'_>,
    ) -> Option<Result<(), DecodeError>> {
        let mut ahead = reader.clone();
        let token = match Token::peek(&mut ahead) {
            Ok(token) => token?,
            Err(error) => return Some(Err(error)),
        };
        let result = match token {
            Token::Call => MethodCall::read(&mut ahead).map(|call| self.print_call(page, &call)),
            Token::StartList => {
                MethodResponse::read(&mut ahead).map(|answer| self.print_answer(page, &answer))
            }
            Token::EndOfSession => print_end_of_session(page, &mut ahead),
            Token::StartTransaction => print_transaction(page, &mut ahead, "Start Transaction"),
            Token::EndTransaction => print_transaction(page, &mut ahead, "End Transaction"),
            _ => {
                self.print_raw(page, &mut ahead);
                Ok(())
            }
        };
        if result.is_ok() {
            *reader = ahead;
        }
        Some(result)
    }

    fn print_call(&mut self, page: &mut Page, call: &MethodCall) {
        let (object, method_id) = (call.invoking_id, call.method_id);
        page.line(format_args!(
            "Call {}.{}",
            uid_text(object),
            uid_text(method_id)
        ));
        let signature = Signature::of(method_id);
        page.nested(|page| {
            for (index, argument) in call.arguments.iter().enumerate() {
                self.print_argument(page, call, signature, index, argument);
            }
            // A request's status says nothing unless it asks for an abort.
            if method_id == method::SYNC_SESSION || !call.status.is_success() {
                page.line(format_args!("status {}", call.status));
            }
        });
        self.last_call = Some(LastCall {
            invoking_id: object,
            method_id,
        });
    }

    fn print_argument(
        &self,
        page: &mut Page,
        call: &MethodCall,
        signature: Signature,
        index: usize,
        value: &Value,
    ) {
        let table = Some(call.invoking_id.table());
        let names = Names::Parameters(signature);
        let meaning = Self::argument_meaning(call, value, index);
        let item = |label, names| Item {
            label,
            value,
            names,
            meaning,
        };
        if value.as_named().is_some() {
            self.print_element(page, item("", names), table);
            return;
        }
        let label = match (call.method_id, signature.required.get(index)) {
            (method::PROPERTIES, None) if index == 0 => "TPerProperties",
            (_, label) => label.copied().unwrap_or("argument"),
        };
        self.print_item(page, item(label, names.inside(label, table)), table);
    }

    /// Only the values of a Set on a byte table are more than unknown.
    fn argument_meaning(call: &MethodCall, value: &Value, index: usize) -> Meaning {
        let is_values = match call.method_id {
            method::SET => value.as_named().and_then(|(name, _)| name.as_uint()) == Some(1),
            method::ENTERPRISE_SET => index == 1,
            _ => false,
        };
        bulk_if(is_values && is_byte_table(call.invoking_id))
    }

    fn print_answer(&mut self, page: &mut Page, answer: &MethodResponse) {
        let last = self.last_call.take();
        match last {
            Some(call) => {
                let (object, method) = (uid_text(call.invoking_id), uid_text(call.method_id));
                page.line(format_args!("Answer to {object}.{method}"));
            }
            None => page.line(format_args!("Answer")),
        }
        let get = last.filter(|call| is_get(call.method_id));
        let table = get.map(|call| call.invoking_id.table());
        let is_bulk = get.is_some_and(|call| is_byte_table(call.invoking_id));
        page.nested(|page| {
            for value in &answer.results {
                let is_contents = is_bulk && value.as_bytes().is_some();
                let item = Item {
                    label: "result",
                    value,
                    names: Names::Columns(table),
                    meaning: bulk_if(is_contents),
                };
                self.print_item(page, item, table);
            }
            page.line(format_args!("status {}", answer.status));
        });
    }

    /// Prints token by token up to the end or the first damaged one.
    fn print_raw(&self, page: &mut Page, reader: &mut Reader<'_>) {
        let mut depth = 0_usize;
        loop {
            match Token::next(reader) {
                Ok(Some(token)) => {
                    if matches!(token, Token::EndList | Token::EndName) {
                        depth = depth.saturating_sub(1);
                    }
                    self.print_token(page, &token, depth.min(MAX_RAW_DEPTH));
                    if matches!(token, Token::StartList | Token::StartName) {
                        depth += 1;
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    page.line(format_args!("error: {error} of the tokens"));
                    return;
                }
            }
        }
    }

    /// Prints a token that belongs to nothing known, so even an integer may be a piece of a PIN.
    fn print_token(&self, page: &mut Page, token: &Token<'_>, depth: usize) {
        let name = token.name();
        let text = match (token, self.masking) {
            (Token::Atom(Atom::Bytes(bytes)), _) => self.bytes(bytes, Meaning::Unknown),
            (Token::Atom(Atom::Uint(number)), Masking::Off) => number.to_string(),
            (Token::Atom(Atom::Int(number)), Masking::Off) => format!("{number:+}"),
            (Token::Atom(_), _) => format!("<{name} masked>"),
            _ => name.to_owned(),
        };
        let width = 2 * depth;
        page.line(format_args!("{:width$}{text}", ""));
    }
}

const fn bulk_if(is_contents: bool) -> Meaning {
    if is_contents {
        Meaning::Bulk
    } else {
        Meaning::Unknown
    }
}

fn is_get(method_id: Uid) -> bool {
    matches!(method_id, method::GET | method::ENTERPRISE_GET)
}

/// Some hosts send the end of a method after End of Session; a TPer ignores it.
fn print_end_of_session(page: &mut Page, reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    Token::next(reader)?;
    match reader.rest().len() {
        0 => page.line(format_args!("End of Session")),
        more => page.line(format_args!(
            "End of Session, and {more} bytes that mean nothing"
        )),
    }
    Ok(())
}

fn print_transaction(
    page: &mut Page,
    reader: &mut Reader<'_>,
    name: &str,
) -> Result<(), DecodeError> {
    Token::next(reader)?;
    let status = Value::decode(reader)?.as_uint();
    match status.and_then(|status| u8::try_from(status).ok()) {
        Some(status) => page.line(format_args!("{name}, status {status}")),
        None => page.line(format_args!("{name}, no valid status")),
    }
    Ok(())
}
