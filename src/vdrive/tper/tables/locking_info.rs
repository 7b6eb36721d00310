//! Table `LockingInfo` (\[Core\] 5.7.2.1, \[Opal\] 4.3.5.1, \[Single User Mode\]).

use super::{Plan, Row, Schema};
use crate::spec::{column, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::LOCKING_INFO_TABLE,
    name: "LockingInfo",
    last_column: column::locking_info::LOWEST_ALIGNED_LBA,
    settable: &[],
};

/// What Single User Mode adds, far behind the others.
pub(super) const SINGLE_USER_MODE: &[u64] = &[
    column::locking_info::SINGLE_USER_MODE_RANGES,
    column::locking_info::RANGE_START_RANGE_LENGTH_POLICY,
];

const MEDIA_ENCRYPTION: u64 = 1;

pub(super) fn rows(plan: &Plan<'_>) -> Vec<Row> {
    let row = opal_row(plan);
    if !plan.profile.has_single_user_mode() {
        return vec![row];
    }
    let policy = u64::from(plan.single_user.policy().0);
    vec![
        row.with(
            column::locking_info::SINGLE_USER_MODE_RANGES,
            plan.single_user.cell(),
        )
        .with(
            column::locking_info::RANGE_START_RANGE_LENGTH_POLICY,
            policy,
        ),
    ]
}

fn opal_row(plan: &Plan<'_>) -> Row {
    let geometry = &plan.profile.geometry;
    Row::new(uid::LOCKING_INFO)
        .with(column::locking_info::NAME, "Locking")
        .with(column::locking_info::VERSION, 1)
        .with(column::locking_info::ENCRYPT_SUPPORT, MEDIA_ENCRYPTION)
        .with(
            column::locking_info::MAX_RANGES,
            u64::from(plan.profile.locking.ranges),
        )
        .with(column::locking_info::MAX_RE_ENCRYPTIONS, 0)
        .with(column::locking_info::KEYS_AVAILABLE_CFG, 0)
        .with(
            column::locking_info::ALIGNMENT_REQUIRED,
            geometry.alignment_required,
        )
        .with(
            column::locking_info::LOGICAL_BLOCK_SIZE,
            u64::from(plan.profile.told_block_size()),
        )
        .with(
            column::locking_info::ALIGNMENT_GRANULARITY,
            geometry.alignment_granularity,
        )
        .with(
            column::locking_info::LOWEST_ALIGNED_LBA,
            geometry.lowest_aligned_lba,
        )
}
