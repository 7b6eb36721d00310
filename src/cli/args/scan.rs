//! `sedkit scan`.

use std::ffi::OsString;

use clap::Args;

/// Show every drive, and whether it is an SED
///
/// Each drive gets one Level 0 Discovery, which needs no secret and changes nothing.
/// Two nodes of one drive are one drive.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit scan\n  sedkit scan --json /dev/nvme0 vdrive:demo.img"
)]
pub(crate) struct Scan {
    /// Only these: /dev/…, or vdrive:PATH [default: every drive of this machine]
    #[arg(value_name = "DEV")]
    pub(crate) devices: Vec<OsString>,
}
