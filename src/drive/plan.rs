//! Plans: the methods that an operation would send, for `--dry-run`.

/// A method that would be called.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedCall {
    /// In which session, e.g. `Admin SP as SID`.
    pub session: String,
    /// On which object, e.g. `C_PIN_SID`.
    pub object: String,
    /// Which method, e.g. `Set`.
    pub method: String,
    /// Its arguments; PINs are masked.
    pub arguments: String,
    /// Whether it changes anything on the drive.
    pub changes: bool,
}
