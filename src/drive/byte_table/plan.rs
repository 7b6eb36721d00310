//! What a write to a table would call, for `--dry-run`.

use super::super::plan::Plan;
use super::super::{Authority, Drive, Error, PlannedCall};
use super::{Atomicity, TableName};
use crate::spec::uid;

impl Drive {
    /// What [`Drive::load_mbr`] would call, as far as Level 0 Discovery tells. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::load_mbr`] refuses before anything is sent.
    pub fn plan_load_mbr(
        &self,
        length: u64,
        atomicity: Atomicity,
        authority: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.plan_write(TableName::Mbr, 0, length, atomicity, authority)
    }

    /// What [`Drive::write_data_store`] would call, as far as Level 0 Discovery tells. Nothing is
    /// sent.
    ///
    /// # Errors
    /// What [`Drive::write_data_store`] refuses before anything is sent.
    pub fn plan_write_data_store(
        &self,
        number: u16,
        offset: u64,
        length: u64,
        authority: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        let table = TableName::DataStore(number);
        self.plan_write(table, offset, length, Atomicity::WholeIfPossible, authority)
    }

    fn plan_write(
        &self,
        table: TableName,
        offset: u64,
        length: u64,
        atomicity: Atomicity,
        authority: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_table(table)?;
        self.require_active_as(authority)?;
        let mut plan = Plan::default();
        plan.read(uid::SESSION_MANAGER, "Properties", "");
        plan.log_in(authority);
        let columns = "Rows to RecommendedAccessGranularity";
        plan.read(table.uid().table_descriptor(), "Get", columns);
        let last = offset.saturating_add(length).saturating_sub(1);
        let rows = format!("startRow = {offset}, endRow = {last}, in blocks");
        plan.read(table.uid(), "Get", rows.clone());
        let together = match atomicity {
            Atomicity::Blocks => "",
            _ => ", in one transaction",
        };
        let values = format!("Where = {offset}…{last}, in blocks, each that differs{together}");
        plan.change(table.uid(), "Set", values);
        plan.read(table.uid(), "Get", rows + ", what was written");
        Ok(plan.calls)
    }
}
