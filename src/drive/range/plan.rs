//! What making, changing and giving up ranges would call, for `--dry-run`.

use super::{NewRange, RangeChange, RangeChoice};
use crate::drive::plan::{Plan, PlannedCall, RANGE_COLUMNS};
use crate::drive::{Authority, Drive, Error};
use crate::spec::column::{self, locking};
use crate::spec::{RangeNumber, uid};
use crate::wire::Value;

impl Drive {
    /// What [`Drive::create_range`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::create_range`] refuses before anything is sent, but for the consent.
    pub fn plan_create_range(
        &self,
        new: &NewRange,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_new_range(new, acting)?;
        let mut plan = Plan::default();
        plan.log_in(acting);
        let (columns, _) = new.columns(self.ssc());
        let columns = arguments(&columns);
        match new.choice {
            RangeChoice::FirstFree => {
                plan.read(uid::LOCKING, "Next", "");
                plan.read(
                    uid::LOCKING,
                    "Get",
                    format!("{RANGE_COLUMNS}, of each range"),
                );
                plan.change(uid::K_AES_256, "GenKey", "of the first free range");
                let columns = format!("{columns}, of the first free range");
                plan.change(uid::LOCKING, "Set", columns);
                plan.read(
                    uid::LOCKING,
                    "Get",
                    format!("{RANGE_COLUMNS}, of that range"),
                );
            }
            RangeChoice::Free(number) => {
                plan.read(uid::locking_range(number), "Get", RANGE_COLUMNS);
                plan.change(uid::k_aes_256(number), "GenKey", "");
                plan.set_range(number, &columns);
            }
            RangeChoice::AssumedFree(number) => plan.set_range(number, &columns),
        }
        Ok(plan.calls)
    }

    /// What [`Drive::set_range`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::set_range`] refuses before anything is sent, but for the consent.
    pub fn plan_set_range(
        &self,
        number: RangeNumber,
        change: &RangeChange,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_range_change(number, change, acting)?;
        let mut plan = Plan::default();
        plan.log_in(acting);
        plan.read(uid::locking_range(number), "Get", RANGE_COLUMNS);
        plan.set_range(number, &arguments(&change.settings.columns(change.place)));
        Ok(plan.calls)
    }

    /// What [`Drive::delete_ranges`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::delete_ranges`] refuses before anything is sent, but for the consent.
    pub fn plan_delete_ranges(
        &self,
        numbers: &[RangeNumber],
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_deletion(numbers, acting)?;
        let mut plan = Plan::default();
        plan.log_in(acting);
        for &number in numbers {
            plan.read(uid::locking_range(number), "Get", RANGE_COLUMNS);
            plan.set_range(number, &arguments(&super::work::nothing()));
        }
        Ok(plan.calls)
    }
}

impl Plan {
    /// Setting columns of a range, and reading them back.
    fn set_range(&mut self, number: RangeNumber, columns: &str) {
        self.change(uid::locking_range(number), "Set", columns);
        self.read(uid::locking_range(number), "Get", RANGE_COLUMNS);
    }
}

/// `RangeStart = 0, RangeLength = 8`.
fn arguments(columns: &super::Columns) -> String {
    let text = |(number, value): &(u64, Value)| {
        let name = column::name(uid::LOCKING, *number).unwrap_or("a column");
        format!("{name} = {}", shown(*number, value))
    };
    let texts: Vec<String> = columns.iter().map(text).collect();
    texts.join(", ")
}

fn shown(column: u64, value: &Value) -> String {
    match value {
        Value::Uint(number) => number.to_string(),
        Value::List(elements) => {
            let elements = elements.iter().filter_map(Value::as_uint);
            let elements: Vec<String> = elements.map(|it| it.to_string()).collect();
            format!("{{{}}}", elements.join(", "))
        }
        Value::Bytes(bytes) if column == locking::COMMON_NAME => {
            format!("{:?}", String::from_utf8_lossy(bytes))
        }
        _ => "…".to_owned(),
    }
}
