//! Lets the kernel look at the partitions of drives that were unlocked.

use std::io::ErrorKind;

use super::Context;
use super::device::Named;
use super::drives::Slot;
use super::report::DriveReport;
use crate::transport::linux::{SystemRoot, reread_partition_table, send_add_events};

/// Re-reads the partition tables of the drives that were unlocked in this run.
///
/// The drives stay unlocked if that fails, so it is no failure: it is said on standard error.
pub(crate) fn after_unlock(slots: &[Slot], reports: &mut [DriveReport], context: &Context) {
    for (slot, report) in slots.iter().zip(reports) {
        if report.fields.get("changed") != Some(&true.into()) {
            continue;
        }
        let names = drive(&slot.named, context);
        report.fields.insert("rescanned".to_owned(), names.into());
    }
}

/// Re-reads the partition tables of one drive; the names of its block nodes.
pub(crate) fn drive(named: &Named, context: &Context) -> Vec<String> {
    let names = named.block_names();
    for name in &names {
        if let Err(error) = rescan(name) {
            context
                .output
                .warning(&format!("{name} could not be rescanned: {error}"));
        }
    }
    names.into_iter().map(str::to_owned).collect()
}

/// Partitions that somebody uses already are known to the kernel: there is nothing to re-read.
fn rescan(name: &str) -> std::io::Result<()> {
    let root = SystemRoot::default();
    match reread_partition_table(&root, name) {
        Err(error) if error.kind() != ErrorKind::ResourceBusy => return Err(error),
        _ => {}
    }
    send_add_events(&root, name)
}
