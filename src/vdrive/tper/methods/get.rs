//! Get (\[Core\] 5.3.3.6).

use std::ops::RangeInclusive;

use super::{Invocation, Results};
use crate::spec::{MethodStatus, Uid, column};
use crate::vdrive::profile::Unauthorised;
use crate::vdrive::tper::arguments::{Arguments, numbered};
use crate::vdrive::tper::tables::{ByteTable, schema};
use crate::wire::{Value, atom};

/// Components of a `cell_block`.
mod component {
    pub(super) const TABLE: u64 = 0;
    pub(super) const START_ROW: u64 = 1;
    pub(super) const END_ROW: u64 = 2;
    pub(super) const START_COLUMN: u64 = 3;
    pub(super) const END_COLUMN: u64 = 4;
}

/// A `cell_block`: which cells, or which bytes.
#[derive(Default)]
struct CellBlock<'a>([Option<&'a Value>; 5]);

pub(super) fn get(invocation: &Invocation<'_>) -> Results {
    let arguments = Arguments::parse(&invocation.call.arguments, 1, &[])?;
    let block = CellBlock::read(arguments.list(0)?)?;
    match invocation
        .view()
        .sp()
        .byte_table(invocation.call.invoking_id)
    {
        Some(table) => get_bytes(invocation, table, &block),
        None => get_cells(invocation, &block),
    }
}

impl<'a> CellBlock<'a> {
    fn read(list: &'a [Value]) -> Result<Self, MethodStatus> {
        let mut block = Self::default();
        for value in list {
            let (number, value) = numbered(value)?;
            let place = usize::try_from(number)
                .ok()
                .and_then(|number| block.0.get_mut(number))
                .filter(|place| place.is_none())
                .ok_or(MethodStatus::INVALID_PARAMETER)?;
            *place = Some(value);
        }
        Ok(block)
    }

    fn component(&self, number: u64) -> Option<&'a Value> {
        let index = usize::try_from(number).ok()?;
        self.0.get(index).copied().flatten()
    }

    /// An integer component.
    fn uint(&self, number: u64) -> Result<Option<u64>, MethodStatus> {
        let Some(value) = self.component(number) else {
            return Ok(None);
        };
        let number = value.as_uint().ok_or(MethodStatus::INVALID_PARAMETER)?;
        Ok(Some(number))
    }

    /// Fails if one of the components is there.
    fn without(&self, numbers: &[u64]) -> Result<(), MethodStatus> {
        if numbers
            .iter()
            .any(|number| self.component(*number).is_some())
        {
            return Err(MethodStatus::INVALID_PARAMETER);
        }
        Ok(())
    }

    /// Two integer components that enclose a range which must lie in `0..=last`.
    fn range(&self, start: u64, end: u64, last: u64) -> Result<RangeInclusive<u64>, MethodStatus> {
        let start = self.uint(start)?.unwrap_or(0);
        let end = self.uint(end)?.unwrap_or(last);
        if start > end || end > last {
            return Err(MethodStatus::INVALID_PARAMETER);
        }
        Ok(start..=end)
    }
}

fn get_cells(invocation: &Invocation<'_>, block: &CellBlock<'_>) -> Results {
    let row = invocation.call.invoking_id;
    let schema = schema(row.table()).ok_or(MethodStatus::INVALID_PARAMETER)?;
    block.without(&[component::TABLE, component::END_ROW])?;
    check_start_row(block, row)?;
    let columns = schema.columns(invocation.tper.profile());
    let last = columns.last().copied().unwrap_or(column::UID);
    let asked = block.range(component::START_COLUMN, component::END_COLUMN, last)?;
    let view = invocation.view();
    let mut cells = Vec::new();
    for column in columns.into_iter().filter(|column| asked.contains(column)) {
        let Some(cell) = view.cell(row, column) else {
            continue;
        };
        if invocation.grant.covers(column) {
            cells.push(Value::named(column, cell.to_value()));
        } else if invocation.tper.profile().behaviour.unauthorised_cells == Unauthorised::Refuse {
            return Err(MethodStatus::NOT_AUTHORIZED);
        }
    }
    Ok(vec![Value::List(cells)])
}

/// `startRow` of an object can only be the object itself.
fn check_start_row(block: &CellBlock<'_>, row: Uid) -> Result<(), MethodStatus> {
    match block.component(component::START_ROW) {
        Some(value) if value.as_uid() != Some(row) => Err(MethodStatus::INVALID_PARAMETER),
        _ => Ok(()),
    }
}

fn get_bytes(invocation: &Invocation<'_>, table: &ByteTable, block: &CellBlock<'_>) -> Results {
    block.without(&[
        component::TABLE,
        component::START_COLUMN,
        component::END_COLUMN,
    ])?;
    let last = table.rows.saturating_sub(1);
    let rows = block.range(component::START_ROW, component::END_ROW, last)?;
    let count = rows.end().saturating_sub(*rows.start()).saturating_add(1);
    let overflow = MethodStatus::RESPONSE_OVERFLOW;
    let length = usize::try_from(count).map_err(|_| overflow)?;
    let encoded = u64::try_from(atom::encoded_bytes_len(length)).map_err(|_| overflow)?;
    if encoded > invocation.room {
        return Err(overflow);
    }
    let transaction = invocation.session.transaction.as_ref();
    let bytes = invocation
        .tper
        .read_bytes(transaction, table, *rows.start(), length)?;
    Ok(vec![Value::bytes(&bytes)])
}
