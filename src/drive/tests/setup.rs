use super::super::{
    Authority, Cause, ErrorCode, LockOnReset, Mismatch, RangeError, RangeSpec, SetupPlan,
    SetupReport, Step,
};
use super::dialogue::*;
use crate::session::testing::{Line, recv, recv_bytes, send};
use crate::spec::{MethodStatus, RangeNumber, uid};
use crate::wire::{MethodCall, MethodResponse, Value};

const SUCCESS: MethodStatus = MethodStatus::SUCCESS;
const REFUSED: MethodStatus = MethodStatus::NOT_AUTHORIZED;
const GLOBAL: crate::spec::Uid = uid::LOCKING_GLOBAL_RANGE;

fn setup(
    lines: Vec<Vec<Line>>,
    plan: &SetupPlan,
) -> (Result<SetupReport, super::super::Error>, u64) {
    run(lines, |drive| drive.setup(plan, &secret(NEW)))
}

fn sid(pin: &[u8]) -> Vec<Line> {
    start(uid::ADMIN_SP, uid::SID, pin)
}

fn admin1(pin: &[u8]) -> Vec<Line> {
    start(uid::LOCKING_SP, uid::ADMIN1, pin)
}

fn sid_refused(pin: &[u8]) -> Vec<Line> {
    start_refused(uid::ADMIN_SP, uid::SID, pin, REFUSED)
}

fn admin1_refused(pin: &[u8]) -> Vec<Line> {
    start_refused(uid::LOCKING_SP, uid::ADMIN1, pin, REFUSED)
}

fn set_sid() -> Vec<Line> {
    vec![send("7.12"), recv("7.14")]
}

fn activate() -> Vec<Line> {
    vec![send("7.13"), recv("7.14")]
}

fn configure_fresh() -> Vec<Line> {
    let mut lines = admin1(NEW);
    lines.extend(set(GLOBAL, set_up(), SUCCESS));
    lines.extend(get(GLOBAL, 3, 10, global_shown()));
    lines.extend(end());
    lines
}

fn found_set_up() -> Vec<Line> {
    let mut lines = admin1(NEW);
    lines.extend(get(GLOBAL, 3, 10, global_shown()));
    lines.extend(end());
    lines
}

#[test]
fn a_new_drive_is_set_up_in_25_if_commands() {
    let (report, commands) = setup(
        vec![
            vec![discovery(INACTIVE, SID_IS_MSID)],
            read_msid(),
            sid(MSID),
            set_sid(),
            activate(),
            end(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
            configure_fresh(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
        ],
        &SetupPlan::default(),
    );
    let report = report.unwrap();
    assert!(report.changed && report.owned && report.activated);
    assert!(!report.mbr_disabled);
    let [range] = report.ranges.as_slice() else {
        panic!("{report:?}");
    };
    assert_eq!(range.number, RangeNumber::GLOBAL);
    assert_eq!(range.is_lock_enabled(), Some(true));
    assert_eq!(range.is_locked(), Some(false));
    assert_eq!(range.lock_on_reset, Some(vec![0]));
    assert_eq!(commands, 25);
}

#[test]
fn a_drive_that_is_set_up_is_only_read() {
    let (report, commands) = setup(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            found_set_up(),
            sid(NEW),
            end(),
        ],
        &SetupPlan::default(),
    );
    let report = report.unwrap();
    assert!(!report.changed && !report.owned && !report.activated);
    assert_eq!(commands, 11);
}

#[test]
fn a_setup_that_was_interrupted_before_activation_goes_on_without_a_wrong_pin() {
    let (report, _) = setup(
        vec![
            vec![discovery(INACTIVE, SID_DIFFERS)],
            sid(NEW),
            activate(),
            end(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
            configure_fresh(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
        ],
        &SetupPlan::default(),
    );
    let report = report.unwrap();
    assert!(report.activated && !report.owned);
}

#[test]
fn without_block_sid_the_default_pin_is_tried_and_the_new_one_if_a_second_try_is_allowed() {
    let begin = || {
        vec![
            vec![discovery_without_block_sid(INACTIVE)],
            read_msid(),
            sid_refused(MSID),
        ]
    };
    let (report, _) = setup(begin(), &SetupPlan::default());
    let error = report.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotAuthorized);
    assert!(error.to_string().contains("--tries 2"), "{error}");

    let mut lines = begin();
    lines.push(sid(NEW));
    lines.extend(activated_without_block_sid());
    let (report, _) = run_with(tries(2), lines, |drive| {
        drive.setup(&SetupPlan::default(), &secret(NEW))
    });
    assert!(!report.unwrap().owned);
}

fn activated_without_block_sid() -> Vec<Vec<Line>> {
    vec![
        activate(),
        end(),
        vec![discovery_without_block_sid(ACTIVE)],
        configure_fresh(),
        vec![discovery_without_block_sid(ACTIVE)],
    ]
}

#[test]
fn where_the_journal_has_a_note_the_new_pin_comes_first() {
    for is_set in [true, false] {
        let (folder, options) = noted(&[Authority::Sid]);
        let mut lines = vec![vec![discovery_without_block_sid(INACTIVE)], read_msid()];
        if is_set {
            lines.push(sid(NEW));
        } else {
            lines.extend([sid_refused(NEW), sid(MSID), set_sid()]);
        }
        lines.extend(activated_without_block_sid());
        let (report, _) = run_with(options, lines, |drive| {
            drive.setup(&SetupPlan::default(), &secret(NEW))
        });
        assert_eq!(report.unwrap().owned, !is_set);
        assert!(notes(&folder).is_empty());
    }
}

#[test]
fn the_note_stays_until_setup_is_done() {
    let (folder, options) = noted(&[]);
    let lines = vec![
        vec![discovery(INACTIVE, SID_IS_MSID)],
        read_msid(),
        sid(MSID),
        set_sid(),
        activate(),
        end(),
        vec![discovery(INACTIVE, SID_DIFFERS)],
    ];
    let (report, _) = run_with(options, lines, |drive| {
        drive.setup(&SetupPlan::default(), &secret(NEW))
    });
    assert!(report.is_err());
    assert_eq!(notes(&folder), ["SERIAL0001.SID"]);
}

#[test]
fn a_drive_of_somebody_else_costs_one_attempt() {
    let (report, _) = setup(
        vec![vec![discovery(INACTIVE, SID_DIFFERS)], sid_refused(NEW)],
        &SetupPlan::default(),
    );
    let error = report.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotAuthorized);
    assert_eq!(error.step(), Some(Step::StartSession));
    assert_eq!(error.status(), Some(REFUSED));

    let (report, _) = setup(
        vec![vec![discovery(ACTIVE, SID_DIFFERS)], admin1_refused(NEW)],
        &SetupPlan::default(),
    );
    assert_eq!(report.unwrap_err().code(), ErrorCode::NotAuthorized);
}

#[test]
fn a_present_pin_of_sid_is_replaced() {
    let plan = SetupPlan {
        sid_pin: Some(secret(OLD)),
        ..SetupPlan::default()
    };
    let (report, _) = setup(
        vec![
            vec![discovery(INACTIVE, SID_DIFFERS)],
            sid(OLD),
            set_sid(),
            activate(),
            end(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
            configure_fresh(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
        ],
        &plan,
    );
    assert!(report.unwrap().owned);

    // The same, interrupted after that.
    let (_folder, options) = noted(&[Authority::Sid]);
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        found_set_up(),
        sid(NEW),
        end(),
    ];
    let (report, _) = run_with(options, lines, |drive| drive.setup(&plan, &secret(NEW)));
    assert!(!report.unwrap().owned);

    // A wrong one costs one attempt.
    let (report, _) = setup(
        vec![vec![discovery(INACTIVE, SID_DIFFERS)], sid_refused(OLD)],
        &plan,
    );
    assert_eq!(report.unwrap_err().code(), ErrorCode::NotAuthorized);
}

#[test]
fn a_drive_that_was_delivered_active_gets_the_pin_of_admin1_first() {
    let set_admin1 = set(uid::c_pin(uid::ADMIN1), vec![(3, NEW.into())], SUCCESS);
    let fresh = vec![
        (5, false.into()),
        (6, false.into()),
        (7, false.into()),
        (8, false.into()),
        (9, Value::list([Value::Uint(0)])),
    ];
    let (report, _) = setup(
        vec![
            vec![discovery(ACTIVE, SID_IS_MSID)],
            read_msid(),
            admin1(MSID),
            set_admin1,
            get(GLOBAL, 3, 10, fresh),
            set(GLOBAL, vec![(5, true.into()), (6, true.into())], SUCCESS),
            get(GLOBAL, 3, 10, global_shown()),
            end(),
            read_msid(),
            sid(MSID),
            set_sid(),
            end(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
        ],
        &SetupPlan::default(),
    );
    let report = report.unwrap();
    assert!(report.owned && report.changed && !report.activated);
}

#[test]
fn a_blocked_sid_is_not_tried() {
    let (report, commands) = setup(
        vec![vec![discovery(INACTIVE, SID_BLOCKED)]],
        &SetupPlan::default(),
    );
    let error = report.unwrap_err();
    assert!(matches!(error.cause(), Cause::SidBlocked));
    assert_eq!(error.code(), ErrorCode::NotAuthorized);
    assert_eq!(commands, 1);
}

#[test]
fn an_activation_that_the_drive_only_claims_is_an_error() {
    let (report, _) = setup(
        vec![
            vec![discovery(INACTIVE, SID_DIFFERS)],
            sid(NEW),
            activate(),
            end(),
            vec![discovery(INACTIVE, SID_DIFFERS)],
        ],
        &SetupPlan::default(),
    );
    let error = report.unwrap_err();
    assert_eq!(error.step(), Some(Step::CheckState));
    assert!(matches!(
        error.cause(),
        Cause::NotAsAsked(Mismatch::NotActivated)
    ));
}

#[test]
fn a_failure_tells_what_was_done_before_it() {
    let call = MethodCall::new(uid::LOCKING_SP, crate::spec::method::ACTIVATE);
    let refused = MethodResponse::failure(MethodStatus::FAIL);
    let (report, _) = setup(
        vec![
            vec![discovery(INACTIVE, SID_IS_MSID)],
            read_msid(),
            sid(MSID),
            set_sid(),
            method(&call, &refused),
            end(),
        ],
        &SetupPlan::default(),
    );
    let error = report.unwrap_err();
    assert!(matches!(error.cause(), Cause::ActivationFailed));
    assert_eq!(error.status(), Some(MethodStatus::FAIL));
    assert_eq!(error.step(), Some(Step::Activate));
    let done = error.setup_report().unwrap();
    assert!(done.changed && done.owned && !done.activated);
}

#[test]
fn a_frozen_drive_is_not_touched() {
    let lines = vec![vec![discovery(ACTIVE, SID_DIFFERS | LOCKING_SP_FROZEN)]];
    let (report, commands) = setup(lines, &SetupPlan::default());
    let error = report.unwrap_err();
    assert!(matches!(error.cause(), Cause::Frozen));
    assert_eq!(error.code(), ErrorCode::NotAuthorized);
    assert_eq!(commands, 1);
}

#[test]
fn more_resets_than_asked_for_are_kept() {
    let mut shown = global_shown();
    shown[6] = (9, Value::list([Value::Uint(3), Value::Uint(0)]));
    let (report, _) = setup(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            admin1(NEW),
            get(GLOBAL, 3, 10, shown),
            end(),
            sid(NEW),
            end(),
        ],
        &SetupPlan::default(),
    );
    let report = report.unwrap();
    assert!(!report.changed);
    assert_eq!(report.ranges[0].lock_on_reset, Some(vec![3, 0]));
}

#[test]
fn a_column_that_one_set_did_not_take_is_set_alone() {
    let mut partly = global_shown();
    partly[3] = (6, false.into());
    let (report, _) = setup(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            admin1(NEW),
            get(GLOBAL, 3, 10, Vec::new()),
            set(GLOBAL, set_up(), SUCCESS),
            get(GLOBAL, 3, 10, partly.clone()),
            set(GLOBAL, vec![(6, true.into())], SUCCESS),
            get(GLOBAL, 3, 10, global_shown()),
            end(),
            sid(NEW),
            end(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
        ],
        &SetupPlan::default(),
    );
    assert!(report.unwrap().changed);

    let (report, _) = setup(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            admin1(NEW),
            get(GLOBAL, 3, 10, Vec::new()),
            set(GLOBAL, set_up(), SUCCESS),
            get(GLOBAL, 3, 10, partly.clone()),
            set(GLOBAL, vec![(6, true.into())], SUCCESS),
            get(GLOBAL, 3, 10, partly),
            end(),
        ],
        &SetupPlan::default(),
    );
    let error = report.unwrap_err();
    assert_eq!(error.step(), Some(Step::ReadBack));
    assert_eq!(
        error.to_string(),
        "the drive accepted the change, but WriteLockEnabled of range 0 is not as asked"
    );
}

#[test]
fn a_shadow_mbr_is_switched_off() {
    let disable = set(uid::MBR_CONTROL, vec![(1, false.into())], SUCCESS);
    let (report, _) = setup(
        vec![
            vec![discovery(ACTIVE | MBR_ENABLED | MBR_DONE, SID_DIFFERS)],
            admin1(NEW),
            get(GLOBAL, 3, 10, global_shown()),
            disable,
            end(),
            sid(NEW),
            end(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
        ],
        &SetupPlan::default(),
    );
    assert!(report.unwrap().mbr_disabled);
}

const RANGE: crate::spec::Uid = uid::LOCKING.row(0x0003_0001);

fn plan_with_a_range() -> SetupPlan {
    SetupPlan {
        ranges: vec![RangeSpec {
            number: RangeNumber(1),
            start: 2048,
            length: 0x10_0000,
        }],
        lock_on_reset: LockOnReset::PowerCycleAndProgrammatic,
        ..SetupPlan::default()
    }
}

/// Columns 3 to 9 as the plan asks for them.
fn range_as_planned(resets: [u64; 2]) -> Vec<(u64, Value)> {
    let mut columns = vec![(3, Value::Uint(2048)), (4, Value::Uint(0x10_0000))];
    columns.extend(set_up());
    columns[6] = (9, Value::list(resets.map(Value::Uint)));
    columns
}

fn range_elsewhere() -> Vec<(u64, Value)> {
    vec![(3, Value::Uint(0)), (4, Value::Uint(0))]
}

#[test]
fn ranges_need_consent_before_their_place_changes() {
    let plan = plan_with_a_range();
    let (report, commands) = setup(vec![vec![discovery(INACTIVE, SID_IS_MSID)]], &plan);
    assert_eq!(report.unwrap_err().code(), ErrorCode::ConsentRequired);
    assert_eq!(commands, 1);

    let (report, _) = setup(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            admin1(NEW),
            get(RANGE, 3, 10, range_elsewhere()),
            end(),
        ],
        &plan,
    );
    assert_eq!(report.unwrap_err().code(), ErrorCode::ConsentRequired);
}

#[test]
fn ranges_are_placed_with_consent_and_found_in_place_without() {
    let mut plan = plan_with_a_range();
    // The elements of a set have no order.
    let shown = range_as_planned([3, 0]);
    let stage = stage(&[
        vec![discovery(ACTIVE, SID_DIFFERS)],
        admin1(NEW),
        get(RANGE, 3, 10, range_elsewhere()),
        set(RANGE, range_as_planned([0, 3]), SUCCESS),
        get(RANGE, 3, 10, shown.clone()),
        end(),
        sid(NEW),
        end(),
        vec![discovery(ACTIVE, SID_DIFFERS)],
    ]);
    let mut drive = open(&stage);
    plan.consent = Some(consent(&drive));
    let report = drive.setup(&plan, &secret(NEW)).unwrap();
    assert_eq!(report.ranges[0].range_start, Some(2048));
    stage.assert_finished();

    plan.consent = None;
    let (report, _) = setup(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            admin1(NEW),
            get(RANGE, 3, 10, shown),
            end(),
            sid(NEW),
            end(),
        ],
        &plan,
    );
    assert!(!report.unwrap().changed);
}

#[test]
fn ranges_that_the_drive_cannot_take_are_refused_before_anything_is_sent() {
    // The drive requires multiples of 8 blocks.
    let plan = SetupPlan {
        ranges: vec![RangeSpec {
            number: RangeNumber(1),
            start: 2049,
            length: 8,
        }],
        ..SetupPlan::default()
    };
    let (report, commands) = setup(vec![vec![discovery(INACTIVE, SID_IS_MSID)]], &plan);
    let error = report.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidRequest);
    assert!(matches!(
        error.cause(),
        Cause::Range(RangeError::Start { nearest: 2048, .. })
    ));
    assert_eq!(commands, 1);
}

#[test]
fn pyrite_has_the_global_range_alone() {
    let mut response = samsung();
    response[128..130].copy_from_slice(&[0x03, 0x02]);
    let (report, commands) = setup(vec![vec![recv_bytes(response)]], &plan_with_a_range());
    assert!(matches!(
        report.unwrap_err().cause(),
        Cause::Range(RangeError::Missing(RangeNumber(1)))
    ));
    assert_eq!(commands, 1);
}

#[test]
fn pins_that_no_drive_takes_are_refused_before_anything_is_sent() {
    for pin in [&[][..], &[0x61; 33]] {
        let (report, commands) = run(vec![vec![discovery(INACTIVE, SID_IS_MSID)]], |drive| {
            drive.setup(&SetupPlan::default(), &secret(pin))
        });
        assert_eq!(report.unwrap_err().code(), ErrorCode::InvalidRequest);
        assert_eq!(commands, 1);
    }
}
