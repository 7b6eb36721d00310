//! What users of the peers asked for, one test for each row of the list of demands: `d24_…` is row
//! D24.

mod boot;
mod diagnosis;
mod kernel;
mod passwords;
mod ranges;
mod revert;
