//! Provisional: types that other branches bring. Replaced by `use` lines when those are merged.

pub use crate::secret::Secret;
pub use crate::wire::discovery::Discovery;

/// Replaced by `crate::transport::count::IfCounts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IfCounts {
    /// IF-SENDs.
    pub send: u64,
    /// IF-RECVs.
    pub recv: u64,
}
