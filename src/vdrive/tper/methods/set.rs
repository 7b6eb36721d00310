//! Set (\[Core\] 5.3.3.7).

use std::collections::BTreeSet;

use super::{Invocation, Results};
use crate::spec::{MethodStatus, RangeNumber, Uid, column, uid};
use crate::vdrive::profile::Defects;
use crate::vdrive::tper::arguments::{Arguments, numbered};
use crate::vdrive::tper::cell::{Cell, Term};
use crate::vdrive::tper::tables::locking::{self, Span};
use crate::vdrive::tper::tables::{ByteTable, ace, schema};
use crate::wire::Value;

/// Optional parameters.
mod parameter {
    pub(super) const WHERE: u64 = 0;
    pub(super) const VALUES: u64 = 1;
}

type Checked<T> = Result<T, MethodStatus>;

/// The new cells of a row.
type Cells = Vec<(u64, Cell)>;

pub(super) fn set(invocation: &mut Invocation<'_>) -> Results {
    let call = invocation.call;
    let arguments = Arguments::parse(&call.arguments, 0, &[parameter::WHERE, parameter::VALUES])?;
    match invocation.view().sp().byte_table(call.invoking_id).cloned() {
        Some(table) => set_bytes(invocation, &table, &arguments)?,
        None => set_cells(invocation, &arguments)?,
    }
    Ok(Vec::new())
}

fn set_bytes(
    invocation: &mut Invocation<'_>,
    table: &ByteTable,
    arguments: &Arguments<'_>,
) -> Checked<()> {
    let start = arguments.optional_uint(parameter::WHERE)?.unwrap_or(0);
    let Some(bytes) = arguments.optional_bytes(parameter::VALUES)? else {
        return Ok(());
    };
    let granularity = invocation.tper.profile().locking.write_granularity;
    let length = u64::try_from(bytes.len()).map_err(|_| MethodStatus::INVALID_PARAMETER)?;
    let fits = start
        .checked_add(length)
        .is_some_and(|end| end <= table.rows);
    let is_granular = start.is_multiple_of(granularity) && length.is_multiple_of(granularity);
    if !fits || !is_granular {
        return Err(MethodStatus::INVALID_PARAMETER);
    }
    if bytes.is_empty() {
        return Ok(());
    }
    let Invocation { tper, session, .. } = invocation;
    tper.write_bytes(session, table, start, bytes)
}

fn set_cells(invocation: &mut Invocation<'_>, arguments: &Arguments<'_>) -> Checked<()> {
    let row = invocation.call.invoking_id;
    if arguments.optional(parameter::WHERE).is_some() {
        return Err(MethodStatus::INVALID_PARAMETER);
    }
    let Some(values) = arguments.optional(parameter::VALUES) else {
        return Ok(());
    };
    let values = values.as_list().ok_or(MethodStatus::INVALID_PARAMETER)?;
    let cells = read_cells(invocation, row, values)?;
    check_row(invocation, row, &cells)?;
    let cells = what_sticks(&invocation.tper.profile().defects, row, cells);
    write_cells(invocation, row, cells);
    Ok(())
}

/// The new cells: each column covered by an ACE, there once, and of its type.
fn read_cells(invocation: &Invocation<'_>, row: Uid, values: &[Value]) -> Checked<Cells> {
    let columns: Checked<Vec<_>> = values.iter().map(numbered).collect();
    let columns = columns?;
    if columns
        .iter()
        .any(|(column, _)| !invocation.grant.covers(*column))
    {
        return Err(MethodStatus::NOT_AUTHORIZED);
    }
    let mut seen = BTreeSet::new();
    if !columns.iter().all(|(column, _)| seen.insert(*column)) {
        return Err(MethodStatus::INVALID_PARAMETER);
    }
    let schema = schema(row.table()).ok_or(MethodStatus::INVALID_PARAMETER)?;
    let profile = invocation.tper.profile();
    let cell = |(column, value): (u64, &Value)| {
        let kind = schema
            .settable(column)
            .ok_or(MethodStatus::INVALID_PARAMETER)?;
        Ok((column, kind.cell(value, profile)?))
    };
    columns.into_iter().map(cell).collect()
}

/// What must hold beyond the type of each cell.
fn check_row(invocation: &Invocation<'_>, row: Uid, cells: &Cells) -> Checked<()> {
    let holds = match row.table() {
        uid::ACE => cells
            .iter()
            .all(|(_, cell)| expression_is_valid(invocation, row, cell)),
        uid::LOCKING => range_is_valid(invocation, row, cells),
        _ => true,
    };
    if holds {
        Ok(())
    } else {
        Err(MethodStatus::INVALID_PARAMETER)
    }
}

/// Every authority exists in this SP, and the TPer supports the expression in this ACE.
fn expression_is_valid(invocation: &Invocation<'_>, row: Uid, cell: &Cell) -> bool {
    let sp = invocation.view().sp();
    let exists = |term: &Term| match term {
        Term::Authority(authority) => {
            authority.table() == uid::AUTHORITY && sp.row(*authority).is_some()
        }
        Term::And | Term::Or | Term::Not => true,
    };
    let restricted = invocation
        .tper
        .profile()
        .behaviour
        .c_pin_user_expressions_restricted;
    cell.as_expression()
        .is_none_or(|terms| terms.iter().all(exists) && (!restricted || ace::supports(row, terms)))
}

/// The range lies where a range may lie, as it will be after all cells are set.
///
/// A range has no word for the namespace that it lies in. So with several of them, and without
/// Configurable Namespace Locking, only the Global Range is of use, as on the drives that are known
/// (Samsung PM9A3): start and length of the others cannot be set, not even to what they are. The
/// other columns can, which changes nothing while a range is empty.
fn range_is_valid(invocation: &Invocation<'_>, row: Uid, cells: &Cells) -> bool {
    let new = |column| {
        let found = cells.iter().find(|(number, _)| *number == column);
        found.and_then(|(_, cell)| cell.as_uint())
    };
    let start = new(column::locking::RANGE_START);
    let length = new(column::locking::RANGE_LENGTH);
    if start.is_none() && length.is_none() {
        return true;
    }
    let Some(range) = locking::range_of(row) else {
        return false;
    };
    let (view, tper) = (invocation.view(), &invocation.tper);
    if tper.state().namespaces > 1 {
        return false;
    }
    let before = view.span(range);
    let span = Span {
        start: start.unwrap_or(before.start),
        length: length.unwrap_or(before.length),
    };
    let others: Vec<Span> = locking::ranges(tper.profile())
        .filter(|other| *other != range && *other != RangeNumber::GLOBAL)
        .map(|other| view.span(other))
        .collect();
    span.is_valid(&tper.profile().geometry, tper.state().blocks, &others)
}

/// The cells that are set in fact: all of them, but on drives that forget some.
fn what_sticks(defects: &Defects, row: Uid, mut cells: Cells) -> Cells {
    const ENABLES: [u64; 2] = [
        column::locking::READ_LOCK_ENABLED,
        column::locking::WRITE_LOCK_ENABLED,
    ];
    if defects.keeps_mbr_enable && row == uid::MBR_CONTROL {
        cells.retain(|(column, _)| *column != column::mbr_control::ENABLE);
    }
    let is_mixed = cells.iter().any(|(column, _)| !ENABLES.contains(column));
    if defects.sets_lock_enables_alone && row.table() == uid::LOCKING && is_mixed {
        cells.retain(|(column, _)| !ENABLES.contains(column));
    }
    cells
}

fn write_cells(invocation: &mut Invocation<'_>, row: Uid, cells: Cells) {
    let Invocation { tper, session, .. } = invocation;
    let is_pin = row.table() == uid::C_PIN && !cells.is_empty();
    let contents = match &mut session.transaction {
        Some(transaction) => {
            transaction.pins.extend(is_pin.then_some(row.0));
            &mut transaction.contents
        }
        None => tper.edit().contents_mut(session.sp),
    };
    for (column, cell) in cells {
        contents.set(row, column, cell);
    }
    if is_pin && session.transaction.is_none() {
        tper.forget_tries(row);
    }
}
