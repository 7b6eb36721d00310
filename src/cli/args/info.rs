//! `sedkit info`.

use clap::Args;

use super::Device;

/// Show all that one drive says about itself, and what would be refused now
///
/// Needs no secret and changes nothing: identity, every Level 0 descriptor, TPer properties, and a
/// diagnosis with ways out.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit info /dev/nvme0\n  sedkit info --json vdrive:demo.img"
)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) device: Device,
}
