//! Methods with their parameters and results (\[Core\] 5.3.3, \[Opal\] 4, 5).

use std::ops::{Range, RangeInclusive};

use super::row::{Row, malformed};
use super::{Error, Session, capacity};
use crate::secret::Secret;
use crate::spec::method::{self, parameter};
use crate::spec::{Uid, uid};
use crate::wire::{MethodCall, Value};

/// Names in a cell block.
mod cell_block {
    pub(super) const START_ROW: u64 = 1;
    pub(super) const END_ROW: u64 = 2;
    pub(super) const START_COLUMN: u64 = 3;
    pub(super) const END_COLUMN: u64 = 4;
}

/// Optional parameters of Set and Next.
const WHERE: u64 = 0;
const VALUES: u64 = 1;
const COUNT: u64 = 1;
/// Optional parameter of Authenticate.
const PROOF: u64 = 0;

/// What RevertSP does with the media encryption key of the Global range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalRangeKey {
    /// Replaces it: all data are lost.
    Replace,
    /// Keeps it, where the drive does as it is told.
    Keep,
}

impl Session<'_> {
    /// Get: columns of an object. Columns that the authority may not see are left out.
    ///
    /// # Errors
    /// As [`Session::call`]; [`Error::Malformed`] if the result is no row.
    pub fn get(&mut self, object: Uid, columns: RangeInclusive<u64>) -> Result<Row, Error> {
        let block = Value::list([
            Value::named(cell_block::START_COLUMN, *columns.start()),
            Value::named(cell_block::END_COLUMN, *columns.end()),
        ]);
        let call = MethodCall::new(object, method::GET).argument(block);
        Row::from_results(&self.call(&call)?)
    }

    /// Get: every column of an object that the authority may see.
    ///
    /// # Errors
    /// As [`Session::get`].
    pub fn get_all(&mut self, object: Uid) -> Result<Row, Error> {
        let everything = Value::list([]);
        let call = MethodCall::new(object, method::GET).argument(everything);
        Row::from_results(&self.call(&call)?)
    }

    /// Get: bytes of a byte table.
    ///
    /// # Errors
    /// As [`Session::call`]; [`Error::Malformed`] if the result is no byte string.
    pub fn get_bytes(&mut self, table: Uid, range: Range<u64>) -> Result<Vec<u8>, Error> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let block = Value::list([
            Value::named(cell_block::START_ROW, range.start),
            Value::named(cell_block::END_ROW, range.end - 1),
        ]);
        let results = self.call(&MethodCall::new(table, method::GET).argument(block))?;
        match results.as_slice() {
            [] => Ok(Vec::new()),
            [Value::Bytes(bytes)] => Ok(bytes.to_vec()),
            _ => Err(malformed("byte string")),
        }
    }

    /// Set: columns of an object, all or none.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub fn set(
        &mut self,
        object: Uid,
        columns: impl IntoIterator<Item = (u64, Value)>,
    ) -> Result<(), Error> {
        let values = columns
            .into_iter()
            .map(|(column, value)| Value::named(column, value));
        let call = MethodCall::new(object, method::SET).optional(VALUES, Value::list(values));
        self.call(&call).map(|_| ())
    }

    /// Set: bytes of a byte table from an offset on.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub fn set_bytes(&mut self, table: Uid, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        self.call(&capacity::set(table, offset, bytes)).map(|_| ())
    }

    /// Next: rows of an object table, after a row, at most so many.
    ///
    /// # Errors
    /// As [`Session::call`]; [`Error::Malformed`] if the result is no list of rows.
    pub fn next(
        &mut self,
        table: Uid,
        after: Option<Uid>,
        count: Option<u64>,
    ) -> Result<Vec<Uid>, Error> {
        let mut call = MethodCall::new(table, method::NEXT);
        if let Some(after) = after {
            call = call.optional(WHERE, after);
        }
        if let Some(count) = count {
            call = call.optional(COUNT, count);
        }
        uids(&self.call(&call)?)
    }

    /// Authenticate: whether the TPer takes the PIN. It counts a wrong one.
    ///
    /// # Errors
    /// As [`Session::call`]; [`Error::Malformed`] if the result is no Boolean.
    pub fn authenticate(&mut self, authority: Uid, pin: &Secret) -> Result<bool, Error> {
        let call = MethodCall::new(uid::THIS_SP, method::AUTHENTICATE)
            .argument(authority)
            .optional(PROOF, pin.expose());
        let results = self.call(&call)?;
        let result = results.first().and_then(Value::as_bool);
        result.ok_or_else(|| malformed("Boolean"))
    }

    /// GenKey: replaces a media encryption key.
    ///
    /// # Warning
    /// The data of its range are lost.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub fn gen_key(&mut self, key: Uid) -> Result<(), Error> {
        self.call(&MethodCall::new(key, method::GEN_KEY))
            .map(|_| ())
    }

    /// Erase: replaces the key of a range that is in single user mode, switches its locks off, and
    /// empties its User's PIN.
    ///
    /// # Warning
    /// The data of the range are lost.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub fn erase(&mut self, range: Uid) -> Result<(), Error> {
        self.call(&MethodCall::new(range, method::ERASE))
            .map(|_| ())
    }

    /// Revert: an SP back to its original factory state. The TPer ends the session if it is the
    /// Admin SP.
    ///
    /// # Warning
    /// All data are lost, unless the Locking SP is inactive.
    ///
    /// # Errors
    /// As [`Session::call`].
    pub fn revert(&mut self, sp: Uid) -> Result<(), Error> {
        self.call(&MethodCall::new(sp, method::REVERT)).map(|_| ())
    }

    /// RevertSP: the SP of this session back to its original factory state; the TPer ends the
    /// session.
    ///
    /// # Warning
    /// All data are lost, or all but those of the Global range.
    ///
    /// # Errors
    /// As [`Session::call`]; the session is still open then.
    pub fn revert_sp(&mut self, key: GlobalRangeKey) -> Result<(), Error> {
        let mut call = MethodCall::new(uid::THIS_SP, method::REVERT_SP);
        if key == GlobalRangeKey::Keep {
            call = call.optional(parameter::KEEP_GLOBAL_RANGE_KEY, true);
        }
        self.call(&call).map(|_| ())
    }

    /// Random: bytes of the TPer's generator. Every TPer gives 32.
    ///
    /// # Errors
    /// As [`Session::call`]; [`Error::Malformed`] if the result is no byte string.
    pub fn random(&mut self, count: u64) -> Result<Vec<u8>, Error> {
        let call = MethodCall::new(uid::THIS_SP, method::RANDOM).argument(count);
        let results = self.call(&call)?;
        let bytes = results.first().and_then(Value::as_bytes);
        bytes
            .map(<[u8]>::to_vec)
            .ok_or_else(|| malformed("byte string"))
    }

    /// GetACL: the ACEs that say who may invoke a method on an object.
    ///
    /// # Errors
    /// As [`Session::call`]; [`Error::Malformed`] if the result is no list of ACEs.
    pub fn get_acl(&mut self, object: Uid, method: Uid) -> Result<Vec<Uid>, Error> {
        let call = MethodCall::new(uid::ACCESS_CONTROL, method::GET_ACL)
            .argument(object)
            .argument(method);
        uids(&self.call(&call)?)
    }
}

fn uids(results: &[Value]) -> Result<Vec<Uid>, Error> {
    let values = results.first().and_then(Value::as_list);
    let uids = values.and_then(|values| values.iter().map(Value::as_uid).collect());
    uids.ok_or_else(|| malformed("list of references"))
}
