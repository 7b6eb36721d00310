//! Drives: what a person means by set up, unlock, lock, change a PIN, revert.
//!
//! A [`Drive`] is opened with one IF-RECV and knows from then on what the drive tells to anybody.
//! Every operation ends its sessions on every path, proves what it changed, and can be run again
//! after it was interrupted anywhere.
//!
//! In reading order: `mod` (opening, questions to anybody), `login` (sessions as somebody, the
//! budget of wrong PINs), `journal` (notes for the run after an interrupted one), `setup` with
//! `ownership` and `range`, `single_user`, `unlock` and `lock`, `passwd`, `identify` with `tally`,
//! `user` with `expression`, `erase` and `revert`; `byte_table` with `shadow_mbr`, `data_store`,
//! `table_sizes` and `boot`; `reset`, `data_removal` and
//! `facts` for what is asked for rarely, `raw` for everything else; `state`, `finding` and `plan` say
//! things without sending anything.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::secret::Secret;
use crate::session::{
    self, Discovery, Facts, Identity, IfCounts, Interrupt, Tper, TperOptions, Transport,
};
use crate::spec::{RangeNumber, Ssc, uid};

mod authority;
mod boot;
mod byte_table;
mod code;
mod consent;
mod data_removal;
mod data_store;
mod erase;
mod error;
mod expression;
mod facts;
mod finding;
mod firmware_prompt;
mod geometry;
mod identify;
mod journal;
mod lock;
mod login;
mod mismatch;
mod neighbours;
mod ownership;
mod passwd;
mod plan;
mod range;
mod raw;
mod reset;
mod revert;
mod setup;
mod shadow_mbr;
mod single_user;
mod state;
mod step;
mod table_sizes;
mod tally;
mod unlock;
mod user;

pub use authority::{Authority, Credential, ParseAuthorityError};
pub use boot::{
    BootFlaw, BootImage, Partition, Partitions, examine as examine_boot_image, partitions,
};
pub use byte_table::{
    Atomicity, ByteTable, Comparison, Contents, OnPiece, OnProgress, Phase, Piece, TableError,
    TableName, TableProgress, Verification, WriteReport, ZeroPadded,
};
pub use code::ErrorCode;
pub use consent::{ConsentError, EraseConsent};
pub use data_store::{DataStoreTable, DataStores};
pub use erase::{EraseMethod, EraseReport, EraseRequest, ErasedRange, Witness};
pub use error::{Cause, Error};
pub use facts::ProtocolInformation;
pub use finding::{Finding, NoTcg, Trouble};
pub use firmware_prompt::{FirmwarePrompt, PROMPT_MAX, PROMPTED, Prompt};
pub use geometry::{RangeError, RangeSpec};
pub use identify::{
    ASSUMED_LIMIT, Evidence, LimitSource, Limits, PinSearch, RESERVE, SearchEnd, SearchReport,
    Shown, TryBudget,
};
pub use journal::Journal;
pub use lock::{LockReport, LockRequest};
pub use mismatch::Mismatch;
pub use neighbours::{AtaSource, Neighbours};
pub use passwd::{PasswdReport, PinChange, Proof, Tries};
pub use plan::PlannedCall;
pub use range::{
    KeyChange, LockingRange, NewRange, Place, RangeChange, RangeChoice, RangeReport, RangeSettings,
};
pub use raw::{
    Dump, DumpOptions, DumpedContents, DumpedRow, DumpedTable, RawCall, RawSession, RawSetReport,
    RowSource,
};
pub use reset::{BlockReport, BlockRequest, ProgrammaticReset, TperResetReport};
pub use revert::{KeepReport, OtherRanges, ReleaseReport, Releasing, RevertReport};
pub use setup::{LockOnReset, SetupPlan, SetupReport};
pub use shadow_mbr::{LoadRequest, MbrChange, MbrControl, MbrReport, MbrStatus, MbrSurvey};
pub use single_user::{
    OwnerPin, OwnerReport, RangePolicy, ReactivateReport, Reactivation, SingleUserError,
    SingleUserMode, SingleUserPlan, SingleUserRanges, SingleUserReport, owner_of, range_of,
};
pub use state::{DriveState, LockingState, MbrState};
pub use step::Step;
pub use table_sizes::TableSizesError;
pub use tally::{Tally, TallyError};
pub use unlock::{Lock, MbrOutcome, RangeOutcome, UnlockReport, UnlockRequest};
pub use user::{Access, AccessChange, AccessError, EnableReport, Grant, Holder, Revocation, Right};

use error::At;

#[cfg(test)]
mod tests;

/// How a drive is talked to.
#[derive(Clone, Debug)]
pub struct DriveOptions {
    /// Limit for one method, and for waiting while another session keeps the drive busy.
    pub timeout: Duration,
    /// Asks to stop.
    pub interrupt: Interrupt,
    /// Refused PINs per authority after which no further attempt is made.
    pub tries: u32,
    /// Where a run notes which PINs it is about to change, so that the next one can go on.
    pub journal: Option<Journal>,
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            interrupt: Interrupt::new(),
            tries: 1,
            journal: None,
        }
    }
}

/// Communication properties of the TPer, and what was agreed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Properties {
    /// The TPer's properties in its own order; names are sanitised.
    pub tper: Vec<(String, u64)>,
    /// The host's properties as the TPer understood them; empty if it does not tell.
    pub host: Vec<(String, u64)>,
    /// Largest ComPacket that will be sent, in bytes.
    pub send_limit: usize,
    /// Largest ComPacket that can be received, in bytes.
    pub receive_limit: usize,
}

/// A drive that is being talked to.
///
/// ```
/// use sedkit::drive::{Authority, Credential, Drive, DriveOptions, SetupPlan, UnlockRequest};
/// use sedkit::secret::Secret;
/// use sedkit::vdrive::{CreateOptions, VirtualDrive};
///
/// let vdrive = VirtualDrive::in_memory(&CreateOptions::new(4 << 20))?;
/// let mut drive = Drive::open(Box::new(vdrive), DriveOptions::default())?;
/// assert_eq!(drive.state().word(), "factory");
///
/// let pin = Secret::from_slice(b"correct-horse");
/// let report = drive.setup(&SetupPlan::default(), &pin)?;
/// assert!(report.owned && report.activated);
///
/// let admin = Credential::new(Authority::Admin(1), pin);
/// let report = drive.unlock(&UnlockRequest::default(), &admin)?;
/// assert!(!report.changed, "a drive is unlocked after setup");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Drive {
    tper: Tper,
    discovery: Discovery,
    ssc: Ssc,
    tries: u32,
    refused: BTreeMap<Authority, u32>,
    journal: Option<Journal>,
    neighbours: Option<Neighbours>,
    msid: MsidMemory,
}

/// What is known of the default PIN, which is no secret.
#[derive(Default)]
struct MsidMemory {
    /// What the drive showed.
    shown: Option<Secret>,
    /// Whether SID was refused with it.
    was_refused: bool,
}

impl Drive {
    /// Opens a drive: exactly one IF-RECV, Level 0 Discovery.
    ///
    /// # Errors
    /// [`ErrorCode::NotSupported`] if it is no self-encrypting drive; otherwise any [`Error`].
    pub fn open(transport: Box<dyn Transport>, options: DriveOptions) -> Result<Self, Error> {
        let (tries, journal) = (options.tries, options.journal);
        let options = TperOptions {
            timeout: options.timeout,
            interrupt: options.interrupt,
            ..TperOptions::default()
        };
        let drive = Self::with_tper(Tper::new(transport, options), tries)?;
        Ok(drive.with_journal(journal))
    }

    /// Opens a drive behind a TPer, which may have a clock of its own.
    ///
    /// # Errors
    /// As [`Drive::open`].
    pub fn with_tper(mut tper: Tper, tries: u32) -> Result<Self, Error> {
        let discovery = tper.discover();
        let discovery = discovery.map_err(|error| Error::at(Step::Discover, not_sed(error)))?;
        let ssc = discovery.ssc().zip(discovery.base_com_id());
        let (ssc, com_id) = ssc.ok_or_else(|| Error::at(Step::Discover, Cause::NoSsc))?;
        tper.select(com_id, ssc);
        Ok(Self {
            tper,
            discovery,
            ssc,
            tries,
            refused: BTreeMap::new(),
            journal: None,
            neighbours: None,
            msid: MsidMemory::default(),
        })
    }

    /// Who the drive says it is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        self.tper.transport().identity()
    }

    /// What the interface said of the drive when it was opened.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.tper.transport().facts()
    }

    /// What Level 0 Discovery told last.
    #[must_use]
    pub const fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// The SSC by which the drive is talked to.
    #[must_use]
    pub const fn ssc(&self) -> Ssc {
        self.ssc
    }

    /// Asks Level 0 Discovery again: one IF-RECV.
    ///
    /// # Errors
    /// [`Error`] at step [`Step::Discover`].
    pub fn rediscover(&mut self) -> Result<&Discovery, Error> {
        self.discover_at(Step::Discover)?;
        Ok(&self.discovery)
    }

    fn discover_at(&mut self, step: Step) -> Result<(), Error> {
        self.discovery = self.tper.discover().at(step)?;
        Ok(())
    }

    /// How many interface commands were sent to the drive since it was opened, that one included.
    #[must_use]
    pub const fn if_counts(&self) -> IfCounts {
        self.tper.if_counts()
    }

    /// Exchanges communication properties.
    ///
    /// # Errors
    /// [`Error`] at step [`Step::ExchangeProperties`].
    pub fn properties(&mut self) -> Result<Properties, Error> {
        let properties = self.tper.exchange_properties();
        let session::Properties { tper, host } = properties.at(Step::ExchangeProperties)?;
        Ok(Properties {
            tper,
            host,
            send_limit: self.tper.limits().com_packet,
            receive_limit: self.tper.receive_limit(),
        })
    }

    /// Resets the protocol stack of the ComID: ends every session, also those of other programs.
    ///
    /// # Errors
    /// [`Error`] at step [`Step::StackReset`].
    pub fn stack_reset(&mut self) -> Result<(), Error> {
        self.tper.stack_reset().at(Step::StackReset)
    }

    /// Refuses SSCs whose methods are others, and answers without the Locking descriptor, which every
    /// SSC of the family has: nothing could be said of the locks (\[Opal\] 3.1.1).
    fn require_opal_family(&self) -> Result<(), Error> {
        match self.ssc {
            Ssc::Enterprise | Ssc::KeyPerIo => Err(Error::before(Cause::Ssc(self.ssc))),
            _ if self.discovery.locking().is_none() => Err(Error::before(Cause::NoLocking)),
            _ => Ok(()),
        }
    }

    /// The ranges that were named, or the only one that the SSC has; empty for all others.
    fn named_ranges(&self, ranges: &[RangeNumber]) -> Vec<RangeNumber> {
        match self.ssc {
            Ssc::Opalite | Ssc::Pyrite1 | Ssc::Pyrite2 if ranges.is_empty() => {
                vec![RangeNumber::GLOBAL]
            }
            _ => ranges.to_vec(),
        }
    }

    /// Refuses drives that cannot lock anything.
    fn require_locking(&self) -> Result<(), Error> {
        match self.state().locking {
            LockingState::NotSupported => Err(Error::before(Cause::NoLocking)),
            _ => Ok(()),
        }
    }

    /// Refuses drives whose Locking SP is not activated, and authorities that it does not have.
    fn require_active_as(&self, acting: Authority) -> Result<(), Error> {
        self.require_active()?;
        if acting.sp() == uid::LOCKING_SP {
            self.require_sp_of(acting)
        } else {
            Err(Error::before(Cause::WrongAuthority(acting)))
        }
    }

    /// Refuses drives whose Locking SP is not activated.
    fn require_active(&self) -> Result<(), Error> {
        if self.is_active() {
            Ok(())
        } else {
            Err(Error::before(Cause::NotActivated))
        }
    }
}

impl fmt::Debug for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drive")
            .field("serial", &self.identity().serial_text())
            .field("ssc", &self.ssc)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

/// Tells a drive without Level 0 Discovery from one that could not be asked.
fn not_sed(error: session::Error) -> Cause {
    match error {
        session::Error::NoAnswer => Cause::NotSed(None),
        error if error.is_unknown_command() => Cause::NotSed(Some(error)),
        error => error.into(),
    }
}
