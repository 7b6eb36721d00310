//! What can go wrong with a virtual drive as a whole.

use super::{KeepError, LabelError, ProfileError, StoreError};

/// Why a virtual drive cannot be made, opened or reset.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What the file holds is not the state of a drive.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// There is no such model.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A text of the label does not fit.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The size is zero or no whole number of logical blocks.
    #[error("a drive of {size} bytes has no whole number of blocks of {block_size} bytes")]
    Size {
        /// Bytes that were asked for.
        size: u64,
        /// Bytes of a logical block.
        block_size: u32,
    },
    /// There cannot be so many namespaces, or the media has no whole number of blocks for each.
    #[error(
        "{blocks} blocks make no {count} namespaces of equal size; a drive has 1 to {max} of them",
        max = super::create::MAX_NAMESPACES
    )]
    Namespaces {
        /// Namespaces that were asked for.
        count: u32,
        /// Logical blocks of the drive.
        blocks: u64,
    },
    /// There are no random numbers.
    #[error("no random numbers")]
    Random(#[from] getrandom::Error),
}
