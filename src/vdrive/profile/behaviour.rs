//! Choices that the standards leave to the TPer, or on which public texts disagree.

use serde::{Deserialize, Serialize};

/// How a TPer behaves where it has the choice.
///
/// [`Behaviour::default`] is what most drives do and what certification tests accept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Behaviour {
    /// `MinTransfer` of the answer that the host's buffer is too small (\[Core\] 3.3.10.2).
    pub min_transfer: MinTransfer,
    /// Get of an object, some of whose cells the host may read and others not: the ones that it
    /// may not read are left out, or the method is refused (\[Core\] 5.3.3.6).
    pub unauthorised_cells: Unauthorised,
    /// Get of a byte table without the right to read it (\[Core\] 5.3.3.6).
    pub unauthorised_bytes: Unauthorised,
    /// Authenticate of an authority that is locked out (\[Core\] 5.3.4.1.14.1). StartSession always
    /// answers AUTHORITY_LOCKED_OUT.
    pub authenticate_lockout: LockoutReply,
    /// An unexpected token in the header of a method (\[Core\] 3.2.2.4.2): the method fails with
    /// NOT_AUTHORIZED, or the session is aborted.
    pub header_violation_aborts: bool,
    /// An unexpected token among the parameters (\[Core\] 3.2.2.4.2): the method fails with
    /// INVALID_PARAMETER, or the session is aborted.
    pub parameter_violation_aborts: bool,
    /// What the host finds after the TPer aborted a session (\[Core\] 3.2.2.4.2, 3.3.7.1.5).
    pub violation_reply: ViolationReply,
    /// Commands to a ComID that is not active (\[Opal\] 3.2.1).
    pub inactive_com_id: InactiveComId,
    /// StartSession accepts its parameter SessionTimeout; many drives do not.
    pub session_timeout_parameter: bool,
    /// `ACE_C_PIN_UserN_Set_PIN` takes no other expression than "Admins" and "Admins OR UserN"
    /// (\[Opal\] 4.3.1.7).
    pub c_pin_user_expressions_restricted: bool,
    /// Reads outside the shadow MBR of a locked range give zeros while the shadow is active,
    /// instead of a Data Protection Error (\[Core\] 5.7.3.6, table 230).
    pub locked_outside_shadow_reads_zero: bool,
    /// What is read where the media key was replaced (\[Core\] 5.7.3.3).
    pub removed_data: RemovedData,
    /// How many times an IF-RECV is answered with "response to come" before the response is there
    /// (\[Core\] 3.3.10.2). It models a TPer that needs time; hosts have to poll it.
    pub polls_before_response: u32,
    /// How many times an IF-RECV is answered with "response to come" while data are removed, during
    /// which Level 0 Discovery says Operation Processing, and a TCG reset breaks the removal off
    /// (\[Opal\] 3.1.1).
    pub removal_polls: u32,
    /// What becomes of parameter RangeStartRangeLengthPolicy (\[Single User Mode\]).
    pub single_user_policy: SingleUserPolicy,
    /// Which ranges Activate and Reactivate put into Single User Mode (\[Single User Mode\]).
    pub single_user_ranges: SingleUserRanges,
    /// Level 0 Discovery says that some ranges are in Single User Mode, where it says that all are.
    /// Crucial M550 and MX200 do not.
    pub single_user_any_bit: bool,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            min_transfer: MinTransfer::Required,
            unauthorised_cells: Unauthorised::LeaveOut,
            unauthorised_bytes: Unauthorised::Refuse,
            authenticate_lockout: LockoutReply::LockedOut,
            header_violation_aborts: false,
            parameter_violation_aborts: false,
            violation_reply: ViolationReply::Nothing,
            inactive_com_id: InactiveComId::Discard,
            session_timeout_parameter: true,
            c_pin_user_expressions_restricted: true,
            locked_outside_shadow_reads_zero: true,
            removed_data: RemovedData::Garbage,
            polls_before_response: 0,
            removal_polls: 0,
            single_user_policy: SingleUserPolicy::Honoured,
            single_user_ranges: SingleUserRanges::AsAsked,
            single_user_any_bit: true,
        }
    }
}

/// `MinTransfer` of the answer that the host's buffer is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MinTransfer {
    /// The bytes that the host must offer.
    Required,
    /// Zero.
    Zero,
}

/// What Get does with what the host may not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unauthorised {
    /// SUCCESS, without it.
    LeaveOut,
    /// NOT_AUTHORIZED.
    Refuse,
}

/// What Authenticate says of an authority that is locked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockoutReply {
    /// AUTHORITY_LOCKED_OUT.
    LockedOut,
    /// SUCCESS with the result False.
    False,
}

/// What the host finds after the TPer aborted a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ViolationReply {
    /// A ComPacket without Packets.
    Nothing,
    /// CloseSession.
    CloseSession,
}

/// What happens to commands for a ComID that is not active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InactiveComId {
    /// IF-SEND is swallowed; IF-RECV answers with the ComID's extension FFFFh.
    Discard,
    /// Both are aborted with Other Invalid Command Parameter.
    Abort,
}

/// What is read where the media key was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RemovedData {
    /// The old ciphertext, decrypted with the new key.
    Garbage,
    /// Zeros: the blocks are deallocated.
    Zeros,
}

/// What becomes of the policy that Activate and Reactivate ask for. Some drives do not honour it, so
/// that hosts have to read it back, and to try again without it (cryptsetup does).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SingleUserPolicy {
    /// It is as asked.
    Honoured,
    /// The parameter is accepted, and the User owns start and length all the same.
    Ignored,
    /// The parameter is not known: INVALID_PARAMETER.
    Refused,
}

/// Which ranges go into Single User Mode where a host lists some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SingleUserRanges {
    /// Those.
    AsAsked,
    /// All of them. Some drives do not honour the list (cryptsetup reads it back).
    All,
}
