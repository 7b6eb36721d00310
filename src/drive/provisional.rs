//! Provisional: types that other branches bring. Replaced by `use` lines when those are merged.

/// Replaced by `crate::secret::Secret`.
pub struct Secret(Vec<u8>);

impl Secret {
    /// As in `crate::secret`.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// As in `crate::secret`.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Replaced by `crate::wire::discovery::Discovery`.
#[derive(Debug)]
pub struct Discovery {}

/// Replaced by `crate::transport::count::IfCounts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IfCounts {
    /// IF-SENDs.
    pub send: u64,
    /// IF-RECVs.
    pub recv: u64,
}
