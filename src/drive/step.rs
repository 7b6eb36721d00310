//! Steps: where in an operation something happened.

use std::fmt;

/// A step of an operation, for messages and for `--json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// Level 0 Discovery.
    Discover,
    /// The exchange of communication properties.
    ExchangeProperties,
    /// StartSession, with the authentication in it.
    StartSession,
    /// Reading the default PIN.
    GetMsid,
    /// Setting a PIN.
    SetPin,
    /// Authenticating with the new PIN.
    ProvePin,
    /// Activating the Locking SP.
    Activate,
    /// Other ranges are put into single user mode.
    Reactivate,
    /// Which ranges are in single user mode is read.
    ReadMode,
    /// Listing the Locking ranges.
    ListRanges,
    /// Reading a Locking range.
    ReadRange,
    /// Setting a Locking range.
    SetRange,
    /// Reading an authority.
    ReadAuthority,
    /// Enabling or disabling an authority.
    SetEnabled,
    /// Reading who has a right.
    ReadRights,
    /// Setting who has a right.
    SetRights,
    /// Replacing a media encryption key.
    GenKey,
    /// Erasing a range in single user mode.
    Erase,
    /// Setting the control of the shadow MBR.
    SetMbrControl,
    /// Reading the control of the shadow MBR.
    ReadMbrControl,
    /// Reading how large a byte table is.
    DescribeTable,
    /// Reading bytes of a byte table.
    ReadTable,
    /// Writing bytes of a byte table.
    WriteTable,
    /// Starting a transaction.
    StartTransaction,
    /// Making everything in a transaction take effect.
    Commit,
    /// Reading a `C_PIN` row.
    ReadTries,
    /// Reading back what was set.
    ReadBack,
    /// Returning the TPer to its original factory state.
    Revert,
    /// Checking the state by Level 0 Discovery at the end.
    CheckState,
    /// Ending a session.
    EndSession,
    /// Resetting the protocol stack of the ComID.
    StackReset,
    /// Reading an object.
    ReadObject,
    /// Setting columns of an object.
    SetObject,
    /// Calling any method.
    CallMethod,
    /// Listing the rows of a table.
    ListRows,
    /// Block SID Authentication.
    BlockSid,
    /// Reading `TPerInfo`.
    ReadTperInfo,
    /// Setting `TPerInfo`.
    SetTperInfo,
    /// Resetting the TPer.
    TperReset,
    /// Reading `DataRemovalMechanism`.
    ReadDataRemoval,
    /// Setting `DataRemovalMechanism`.
    SetDataRemoval,
    /// Asking for the state of the ComID.
    VerifyComId,
    /// Reading security protocol information.
    ReadProtocols,
    /// Asking for random bytes.
    Random,
}

impl Step {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Discover => "discover",
            Self::ExchangeProperties => "exchange_properties",
            Self::StartSession => "start_session",
            Self::GetMsid => "get_msid",
            Self::SetPin => "set_pin",
            Self::ProvePin => "prove_pin",
            Self::Activate => "activate",
            Self::Reactivate => "reactivate",
            Self::ReadMode => "read_single_user_mode",
            Self::ListRanges => "list_ranges",
            Self::ReadRange => "read_range",
            Self::SetRange => "set_range",
            Self::ReadAuthority => "read_authority",
            Self::SetEnabled => "set_enabled",
            Self::ReadRights => "read_rights",
            Self::SetRights => "set_rights",
            Self::GenKey => "gen_key",
            Self::Erase => "erase",
            Self::SetMbrControl => "set_mbr_control",
            Self::ReadMbrControl => "read_mbr_control",
            Self::DescribeTable => "describe_table",
            Self::ReadTable => "read_table",
            Self::WriteTable => "write_table",
            Self::StartTransaction => "start_transaction",
            Self::Commit => "commit",
            Self::ReadTries => "read_tries",
            Self::ReadBack => "read_back",
            Self::Revert => "revert",
            Self::CheckState => "check_state",
            Self::EndSession => "end_session",
            Self::StackReset => "stack_reset",
            Self::ReadObject => "read_object",
            Self::SetObject => "set_object",
            Self::CallMethod => "call_method",
            Self::ListRows => "list_rows",
            Self::BlockSid => "block_sid",
            Self::ReadTperInfo => "read_tper_info",
            Self::SetTperInfo => "set_tper_info",
            Self::TperReset => "tper_reset",
            Self::ReadDataRemoval => "read_data_removal",
            Self::SetDataRemoval => "set_data_removal",
            Self::VerifyComId => "verify_com_id",
            Self::ReadProtocols => "read_protocols",
            Self::Random => "random",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
