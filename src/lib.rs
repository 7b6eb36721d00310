//! sedkit manages self-encrypting drives that speak TCG Storage: Opal 2 and its siblings.
//!
//! # The layers, in reading order
//!
//! - [`spec`]: what the standards say, as data; the documents and their short names;
//! - [`wire`]: bytes and values: tokens, packets, method calls, Level 0 Discovery;
//! - [`transport`]: how bytes reach a TPer: NVMe, SCSI, ATA, and wrappers that trace and disturb;
//! - [`sys`]: the safe layer over the kernel and libnvme, the only place with `unsafe`;
//! - [`session`]: the host side of the Core protocol;
//! - [`drive`]: what a person means: set up, unlock, lock, change a PIN, revert;
//! - [`secret`]: passphrases, PINs, and how one becomes the other;
//! - [`fleet`]: many drives at once;
//! - [`verify`]: evidence of what a drive did, by its blocks;
//! - [`vdrive`]: a virtual drive, with a TPer that was written independently of the host side;
//! - [`cli`]: the program.
//!
//! # Example
//!
//! A virtual drive is set up, locks itself when it loses power, and is unlocked again:
//!
//! ```
//! use sedkit::drive::{Authority, Credential, DriveOptions, SetupPlan, UnlockRequest};
//! use sedkit::secret::Secret;
//! use sedkit::vdrive::CreateOptions;
//! use sedkit::{Drive, VirtualDrive};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("drive.img");
//! let pin = Secret::from_slice(b"Correct7Horse5");
//!
//! let drive = VirtualDrive::create(&path, &CreateOptions::new(64 << 20))?;
//! let mut host = Drive::open(Box::new(drive), DriveOptions::default())?;
//! host.setup(&SetupPlan::default(), &pin)?;
//! drop(host);
//!
//! let mut drive = VirtualDrive::open(&path)?;
//! drive.power_cycle()?;
//! assert!(drive.read(0, 1).is_err());
//!
//! let mut host = Drive::open(Box::new(drive), DriveOptions::default())?;
//! let admin = Credential::new(Authority::Admin(1), pin);
//! host.unlock(&UnlockRequest::default(), &admin)?;
//! drop(host);
//! assert!(VirtualDrive::open(&path)?.read(0, 1).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cli;
pub mod drive;
pub mod fleet;
pub mod secret;
pub mod session;
pub mod spec;
pub mod sys;
pub mod transport;
pub mod vdrive;
pub mod verify;
pub mod wire;

pub use drive::Drive;
pub use transport::Transport;
pub use vdrive::VirtualDrive;
