//! Table `TPerInfo` (\[Core\] 5.4.2.1, \[Opal\] 4.2.3.1).

use super::{Plan, Row, Schema, Type};
use crate::spec::{column, uid};
use crate::vdrive::profile::Feature;
use crate::vdrive::tper::cell::{Cell, Octets};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::TPER_INFO_TABLE,
    name: "TPerInfo",
    last_column: column::tper_info::PROGRAMMATIC_RESET_ENABLE,
    settable: &[(column::tper_info::PROGRAMMATIC_RESET_ENABLE, Type::Boolean)],
};

const PROTOCOL_VERSION: u64 = 1;

/// No SP can be issued.
const NO_SPACE: u64 = 0;

pub(super) fn rows(plan: &Plan<'_>) -> Vec<Row> {
    vec![
        Row::new(uid::TPER_INFO)
            .with(column::tper_info::GUDID, Cell::bytes(&plan.label.gudid()))
            .with(
                column::tper_info::FIRMWARE_VERSION,
                plan.label.firmware_version(),
            )
            .with(column::tper_info::PROTOCOL_VERSION, PROTOCOL_VERSION)
            .with(column::tper_info::SPACE_FOR_ISSUANCE, NO_SPACE)
            .with(column::tper_info::SSC, sscs(plan))
            .with(column::tper_info::PROGRAMMATIC_RESET_ENABLE, false),
    ]
}

/// The SSCs that Level 0 Discovery shows.
fn sscs(plan: &Plan<'_>) -> Cell {
    let known = [(Feature::Opal2, &b"Opal"[..]), (Feature::Ruby, b"Ruby")];
    let shown = known
        .into_iter()
        .filter(|(feature, _)| plan.profile.discovery.has(feature));
    Cell::Strings(shown.map(|(_, name)| Octets::new(name)).collect())
}
