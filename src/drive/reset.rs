//! Resets and blocks that need no session: TPER_RESET and Block SID Authentication (\[Opal\] 3.2.3,
//! \[Block SID\] 4.3), and the switch of the first one.

use super::error::At;
use super::{Cause, Credential, Drive, DriveState, Error, Mismatch, PlannedCall, Step};
use crate::session::{self, BlockSidRequest};
use crate::spec::column::tper_info;
use crate::spec::{FeatureCode, uid};
use crate::wire::Value;

/// How SID shall be blocked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockRequest {
    /// Whether a hardware reset shall end the block, and not only a power cycle. If not, a block that
    /// is there already is left as it is, whatever ends it.
    pub hardware_reset_clears: bool,
    /// Whether the Locking SP shall be frozen, too.
    pub freeze: bool,
}

/// What blocking found and did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockReport {
    /// Whether anything was sent: false if all was as asked, or nothing was to be blocked.
    pub changed: bool,
    /// The state afterwards. SID is not blocked where it has a PIN of its own: then nothing but the
    /// PIN opens it.
    pub state: DriveState,
}

/// Whether the drive takes TPER_RESET (`TPerInfo.ProgrammaticResetEnable`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgrammaticReset {
    /// It does: whoever can send commands can reset the TPer.
    Enabled,
    /// It does not.
    Disabled,
}

/// What a reset of the TPer changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TperResetReport {
    /// The state before.
    pub before: DriveState,
    /// The state afterwards.
    pub after: DriveState,
}

impl Drive {
    /// Blocks SID until a clear event, as firmware does at boot, and proves it by Level 0 Discovery.
    ///
    /// A block has an effect only as long as SID has the default PIN; nothing is sent where it has
    /// another one and nothing is to be frozen.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn block_sid(&mut self, request: BlockRequest) -> Result<BlockReport, Error> {
        let needed = self.needs_block(request)?;
        if needed {
            let sent = self.tper.block_sid(BlockSidRequest {
                hardware_reset_clears_block: request.hardware_reset_clears,
                freeze_locking_sp: request.freeze,
            });
            sent.at(Step::BlockSid)?;
            self.discover_at(Step::CheckState)?;
            self.check_block(request)?;
        }
        Ok(BlockReport {
            changed: needed,
            state: self.state(),
        })
    }

    /// What [`Drive::block_sid`] would send. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::block_sid`] refuses before anything is sent.
    pub fn plan_block_sid(&self, request: BlockRequest) -> Result<Vec<PlannedCall>, Error> {
        let arguments = format!(
            "HardwareReset = {}, Freeze Locking SP = {}",
            u8::from(request.hardware_reset_clears),
            u8::from(request.freeze)
        );
        let needed = self.needs_block(request)?;
        let command = PlannedCall::without_session("Block SID Authentication", arguments);
        Ok(needed.then_some(command).into_iter().collect())
    }

    /// Whether a block must be sent. Once there is one, the TPer refuses every other, so that what it
    /// lacks cannot be added.
    fn needs_block(&self, request: BlockRequest) -> Result<bool, Error> {
        let feature = self.discovery.block_sid();
        let feature = feature.ok_or(Error::before(Cause::NoFeature(FeatureCode::BLOCK_SID)))?;
        if request.freeze && !feature.locking_sp_freeze_supported {
            return Err(Error::before(Cause::NoFreeze));
        }
        if request.freeze && !self.is_active() {
            return Err(Error::before(Cause::NotActivated));
        }
        let clears = feature.hardware_reset_clears_block.unwrap_or_default();
        let is_blocked = feature.sid_blocked || feature.locking_sp_frozen;
        let is_as_asked = (feature.locking_sp_frozen || !request.freeze)
            && (clears || !request.hardware_reset_clears);
        match is_blocked {
            true if is_as_asked => Ok(false),
            true => Err(Error::before(Cause::BlockedOtherwise)),
            false => Ok(request.freeze || !feature.sid_pin_differs_from_msid),
        }
    }

    fn check_block(&self, request: BlockRequest) -> Result<(), Error> {
        let mismatch = |mismatch| Err(Error::at(Step::CheckState, Cause::NotAsAsked(mismatch)));
        let Some(feature) = self.discovery.block_sid() else {
            return mismatch(Mismatch::NotBlocked);
        };
        let clears = feature.hardware_reset_clears_block;
        if !feature.sid_blocked && !feature.sid_pin_differs_from_msid {
            mismatch(Mismatch::NotBlocked)
        } else if request.freeze && !feature.locking_sp_frozen {
            mismatch(Mismatch::NotFrozen)
        } else if clears.is_some_and(|clears| clears != request.hardware_reset_clears) {
            mismatch(Mismatch::ClearEvent)
        } else {
            Ok(())
        }
    }

    /// Whether the drive takes TPER_RESET, which it tells to anybody; `None` if it does not tell.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn programmatic_reset(&mut self) -> Result<Option<ProgrammaticReset>, Error> {
        self.require_core_2()?;
        let mut session = self.open_as_anybody(uid::ADMIN_SP)?;
        let column = tper_info::PROGRAMMATIC_RESET_ENABLE;
        let row = session.get(uid::TPER_INFO, column..=column);
        let row = row.at(Step::ReadTperInfo)?;
        let enabled = row.boolean(column).at(Step::ReadTperInfo)?;
        session.end().at(Step::EndSession)?;
        Ok(enabled.map(|enabled| match enabled {
            true => ProgrammaticReset::Enabled,
            false => ProgrammaticReset::Disabled,
        }))
    }

    /// Says whether the drive shall take TPER_RESET, and reads it back. SID may do it.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn set_programmatic_reset(
        &mut self,
        reset: ProgrammaticReset,
        credential: &Credential,
    ) -> Result<(), Error> {
        self.require_core_2()?;
        let enabled = Value::from(reset == ProgrammaticReset::Enabled);
        let columns = [(tper_info::PROGRAMMATIC_RESET_ENABLE, enabled)];
        self.set_and_read_back(uid::TPER_INFO, &columns, credential, Step::SetTperInfo)
    }

    /// Resets the TPer: ends every session of every ComID, and locks the ranges and shows the shadow
    /// MBR that a programmatic reset locks and shows.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn tper_reset(&mut self) -> Result<TperResetReport, Error> {
        if self.programmatic_reset()? == Some(ProgrammaticReset::Disabled) {
            return Err(Error::before(Cause::ProgrammaticResetDisabled));
        }
        let before = self.state();
        self.tper.tper_reset().map_err(refused_reset)?;
        self.discover_at(Step::CheckState)?;
        Ok(TperResetReport {
            before,
            after: self.state(),
        })
    }
}

/// What else a drive may mean by refusing the parameters: that it does not take the command now.
fn refused_reset(error: session::Error) -> Error {
    match error.is_unknown_command() {
        true => Error::at(Step::TperReset, Cause::ProgrammaticResetDisabled),
        false => Error::at(Step::TperReset, error),
    }
}

impl PlannedCall {
    /// An interface command that belongs to no session.
    pub(super) fn without_session(command: &str, arguments: String) -> Self {
        Self {
            session: "no session".to_owned(),
            object: "TPer".to_owned(),
            method: command.to_owned(),
            arguments,
            changes: true,
        }
    }
}

impl ProgrammaticReset {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
        }
    }
}

impl Drive {
    /// What [`Drive::tper_reset`] would send.
    #[must_use]
    pub fn plan_tper_reset(&self) -> Vec<PlannedCall> {
        vec![PlannedCall::without_session("TPER_RESET", String::new())]
    }
}
