//! The table of quirks.

use super::defects::{HostEcho, IntegerWidth, Trailing};
use super::discovery::Feature;
use super::quirk::{Change, Quirk};
use super::{
    InactiveComId, LockoutReply, MinTransfer, Profile, Property, RemovedData, SidPin,
    SingleUserPolicy, SingleUserRanges, Unauthorised, ViolationReply,
};

const fn switch(name: &'static str, about: &'static str, set: fn(&mut Profile)) -> Quirk {
    Quirk {
        name,
        about,
        change: Change::Switch(set),
    }
}

const fn number(
    name: &'static str,
    about: &'static str,
    default: u32,
    set: fn(&mut Profile, u32),
) -> Quirk {
    Quirk {
        name,
        about,
        change: Change::Number { default, set },
    }
}

/// Every quirk: packets and properties, Level 0 Discovery, timing, sessions, ranges, ownership, and
/// the choices that the standards leave.
pub(super) const QUIRKS: &[Quirk] = &[
    switch(
        "small-packets",
        "takes and sends ComPackets of 2048 bytes, the least that Opal allows",
        small_packets,
    ),
    switch(
        "one-property",
        "answers Properties with a single one, and says nothing of the host's",
        |p| {
            p.properties = vec![Property::MaxComPacketSize];
            p.defects.host_echo = HostEcho::Nothing;
        },
    ),
    switch(
        "no-host-properties",
        "answers Properties without the host's own",
        |p| p.defects.host_echo = HostEcho::Nothing,
    ),
    switch(
        "echo-host-properties",
        "repeats whatever the host said in Properties, understood or not",
        |p| p.defects.host_echo = HostEcho::Verbatim,
    ),
    number(
        "max-receive",
        "refuses an IF-RECV of more than so many bytes",
        65_536,
        |p, bytes| p.defects.max_receive = Some(bytes.max(2048)),
    ),
    switch(
        "empty-atoms",
        "fills up Subpackets with empty atoms (FFh) after the status list",
        |p| p.defects.trailing = Trailing::EmptyAtoms,
    ),
    switch(
        "trailing-zeros",
        "fills up Subpackets with zero bytes after the status list",
        |p| p.defects.trailing = Trailing::Zeros,
    ),
    switch(
        "wide-integers",
        "writes every integer as an atom of four bytes at least",
        |p| p.defects.integers = IntegerWidth::Four,
    ),
    switch(
        "medium-names",
        "writes the names of named values as medium atoms",
        |p| p.defects.medium_names = true,
    ),
    switch(
        "short-packet-length",
        "leaves the padding out of the Packet's length",
        |p| p.defects.packet_length_without_padding = true,
    ),
    switch(
        "unordered-descriptors",
        "shows the Level 0 descriptors in no order",
        |p| {
            let middle = p.discovery.descriptors.len().min(2);
            p.discovery.descriptors.rotate_left(middle);
        },
    ),
    switch(
        "vendor-descriptors",
        "shows Level 0 descriptors that no standard knows between the others",
        vendor_descriptors,
    ),
    switch(
        "padded-discovery",
        "sends zeros after the end of Level 0 Discovery",
        |p| p.discovery.trailing_zeros = 512,
    ),
    switch(
        "no-block-sid",
        "does not know Block SID Authentication, nor shows whether SID is MSID",
        |p| {
            let is_other = |shown: &super::Descriptor| shown.feature != Feature::BlockSid;
            p.discovery.descriptors.retain(is_other);
        },
    ),
    number(
        "slow",
        "says so many times that a response is still to come",
        3,
        |p, polls| p.behaviour.polls_before_response = polls,
    ),
    number(
        "empty-answers",
        "says so many times that there is no response at all before it comes",
        2,
        |p, polls| p.defects.empty_answers = polls,
    ),
    switch(
        "mute-until-reset",
        "swallows commands after power-up until the interface is reset",
        |p| p.defects.mute_until_reset = true,
    ),
    switch(
        "hang-after-stack-reset",
        "answers nothing any more after a stack reset until a power cycle",
        |p| p.defects.hangs_after_stack_reset = true,
    ),
    switch(
        "no-session-timeout",
        "refuses StartSession with a SessionTimeout",
        |p| p.behaviour.session_timeout_parameter = false,
    ),
    switch(
        "session-timeout-required",
        "refuses StartSession without a SessionTimeout",
        |p| p.defects.requires_session_timeout = true,
    ),
    switch(
        "one-session",
        "has one session at a time, and none that is read-only",
        |p| {
            p.sessions.max_sessions = 1;
            p.sessions.max_read_sessions = 0;
        },
    ),
    switch(
        "range-crossing",
        "refuses reads and writes that cross from one range into another",
        |p| p.locking.crossing_terminates = true,
    ),
    number(
        "alignment",
        "wants ranges aligned to so many blocks",
        2048,
        |p, blocks| {
            p.geometry.alignment_required = true;
            p.geometry.alignment_granularity = u64::from(blocks);
        },
    ),
    number(
        "lowest-aligned-lba",
        "counts the alignment of ranges from this block on",
        63,
        |p, lba| p.geometry.lowest_aligned_lba = u64::from(lba),
    ),
    number(
        "stale-block-size",
        "tells blocks of so many bytes, as they were before the drive was formatted",
        4096,
        |p, bytes| p.defects.told_block_size = Some(bytes),
    ),
    switch(
        "partial-lock-set",
        "leaves out ReadLockEnabled and WriteLockEnabled if a Set has other columns too",
        |p| p.defects.sets_lock_enables_alone = true,
    ),
    switch("no-mbr", "has no shadow MBR", |p| p.locking.mbr_size = 0),
    switch(
        "mbr-enable-stuck",
        "says that MBREnable was set and leaves it as it is",
        |p| p.defects.keeps_mbr_enable = true,
    ),
    switch(
        "global-key-lost",
        "replaces the global range's key also if RevertSP is to keep it",
        |p| p.defects.loses_global_range_key = true,
    ),
    switch(
        "keys-kept",
        "says that keys were replaced and keeps the old ones, so that all data stays",
        |p| p.defects.keeps_keys = true,
    ),
    switch(
        "revert-shuts-medium",
        "refuses reads and writes after a Revert until a power cycle",
        |p| p.defects.revert_shuts_medium = true,
    ),
    switch(
        "sum-policy-ignored",
        "lets Users place their ranges in Single User Mode, whatever policy was asked for",
        |p| p.behaviour.single_user_policy = SingleUserPolicy::Ignored,
    ),
    switch(
        "sum-policy-refused",
        "does not know the policy parameter of Single User Mode",
        |p| p.behaviour.single_user_policy = SingleUserPolicy::Refused,
    ),
    switch(
        "sum-all-ranges",
        "puts all ranges into Single User Mode, whichever were listed",
        |p| p.behaviour.single_user_ranges = SingleUserRanges::All,
    ),
    switch(
        "sum-all-without-any",
        "says that all ranges are in Single User Mode, and that none is",
        |p| p.behaviour.single_user_any_bit = false,
    ),
    switch("no-sum", "does not know Single User Mode", |p| {
        let is_other = |shown: &super::Descriptor| shown.feature != Feature::SingleUserMode;
        p.discovery.descriptors.retain(is_other);
    }),
    switch(
        "sid-not-msid",
        "has a vendor's PIN for SID, and says so; here it is the PSID",
        |p| p.initial_pin = SidPin::VendorUnique,
    ),
    switch(
        "sid-changed",
        "is delivered with another PIN for SID than the MSID that it promises",
        |p| p.defects.sid_changed_at_delivery = true,
    ),
    switch(
        "long-pin-swallowed",
        "answers nothing to a StartSession with a PIN of more than 32 bytes",
        |p| p.defects.swallows_long_pins = true,
    ),
    switch(
        "block-sid-at-power-up",
        "blocks SID after every power-up, as firmware does",
        |p| p.defects.blocks_sid_at_power_up = true,
    ),
    switch(
        "min-transfer-zero",
        "does not say how many bytes a larger IF-RECV needs",
        |p| p.behaviour.min_transfer = MinTransfer::Zero,
    ),
    switch(
        "refuse-partial-get",
        "refuses Get of a row of which a column may not be read",
        |p| p.behaviour.unauthorised_cells = Unauthorised::Refuse,
    ),
    switch(
        "empty-byte-get",
        "answers Get of a byte table that may not be read with nothing",
        |p| p.behaviour.unauthorised_bytes = Unauthorised::LeaveOut,
    ),
    switch(
        "lockout-as-false",
        "answers Authenticate of a locked-out authority with False",
        |p| p.behaviour.authenticate_lockout = LockoutReply::False,
    ),
    switch(
        "violation-aborts",
        "aborts the session where a token of a method is unexpected",
        |p| {
            p.behaviour.header_violation_aborts = true;
            p.behaviour.parameter_violation_aborts = true;
        },
    ),
    switch(
        "violation-closes",
        "says CloseSession where it aborts a session",
        |p| p.behaviour.violation_reply = ViolationReply::CloseSession,
    ),
    switch(
        "abort-inactive-com-id",
        "refuses commands to an inactive ComID instead of dropping them",
        |p| p.behaviour.inactive_com_id = InactiveComId::Abort,
    ),
    switch(
        "any-pin-expression",
        "takes any expression in the ACE of a User's PIN",
        |p| p.behaviour.c_pin_user_expressions_restricted = false,
    ),
    switch(
        "no-zeros-outside-shadow",
        "refuses locked blocks outside the shadow MBR instead of reading zeros",
        |p| p.behaviour.locked_outside_shadow_reads_zero = false,
    ),
    switch(
        "erased-reads-zeros",
        "reads zeros where the media key was replaced",
        |p| p.behaviour.removed_data = RemovedData::Zeros,
    ),
];

fn small_packets(profile: &mut Profile) {
    let sizes = &mut profile.communication;
    sizes.max_com_packet = 2048;
    sizes.max_response_com_packet = 2048;
    sizes.max_packet = 2028;
    sizes.max_ind_token = 1992;
}

/// Seagate's descriptor of logical ports, and a code that nobody has used yet.
fn vendor_descriptors(profile: &mut Profile) {
    let descriptors = &mut profile.discovery.descriptors;
    let ports = Feature::Other {
        code: 0xc001,
        data: [0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0].to_vec(),
    };
    let unknown = Feature::Other {
        code: 0x04fe,
        data: vec![0xa5; 8],
    };
    descriptors.insert(descriptors.len().min(2), ports.version(0x10));
    descriptors.insert(descriptors.len().saturating_sub(1), unknown.version(0x70));
}
