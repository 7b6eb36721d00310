//! The search for the rule of a PIN, on drives that were set up by every rule.

use sedkit::drive::{
    Authority, Cause, Drive, Evidence, LimitSource, Limits, PinSearch, SearchEnd, SearchReport,
};
use sedkit::secret::{PinRule, SaltInput, SaltRule, Scheme, Secret};
use sedkit::transport::{Bus, Identity};

use super::{Fate, Rig, admin1};

/// Typed by somebody who has caps, digits and a length that every rule takes.
const PASSPHRASE: &str = "Test1234";
/// A serial number for which every salt rule makes another salt.
const SERIAL: &[u8] = b" S1_34567 90ABCDEF  ";
const ADMIN1: Authority = Authority::Admin(1);

fn passphrase() -> Secret {
    Secret::from_slice(PASSPHRASE.as_bytes())
}

/// What a drive on a bus says of itself.
fn identity(bus: Bus) -> Identity {
    let mut identity = Identity::new(bus, b"MODEL", SERIAL, b"1.0");
    if bus != Bus::Nvme {
        identity.vendor = Some(b"SEAGATE ".to_vec());
    }
    identity
}

/// A drive whose SID and Admin1 have the PIN of a rule, and whose limit is 5.
fn rig_with(bus: Bus, rule: &PinRule) -> Rig {
    let mut rig = Rig::with(|options| options.try_limit = Some(5));
    rig.identity = identity(bus);
    let mut drive = rig.open().unwrap();
    let pin = rule.pin(&passphrase(), &drive.salt_input()).unwrap();
    drive.setup(&Default::default(), &pin).unwrap();
    rig
}

fn rule(text: &str) -> PinRule {
    text.parse().unwrap()
}

fn search<'a>(drive: &Drive, typed: &'a Secret) -> PinSearch<'a> {
    PinSearch {
        authority: ADMIN1,
        passphrase: typed,
        rules: drive.evidence().ordered(typed, &drive.salt_input()),
        limits: Limits::default(),
        cap: None,
        is_power_cycled: false,
        goes_on: true,
    }
}

fn run(rig: &Rig, change: impl FnOnce(&mut PinSearch<'_>)) -> SearchReport {
    let mut drive = rig.open().unwrap();
    let typed = passphrase();
    let mut search = search(&drive, &typed);
    change(&mut search);
    drive.identify_pin(&search).unwrap()
}

fn found(report: &SearchReport) -> Option<&PinRule> {
    match &report.end {
        SearchEnd::Found(rule) => Some(rule),
        _ => None,
    }
}

/// Every rule that can be told from the others on a bus.
fn rules(bus: Bus) -> Vec<PinRule> {
    let identity = identity(bus);
    let input = SaltInput {
        serial: &identity.serial,
        vendor: identity.vendor.as_deref(),
        model: None,
    };
    let evidence = Evidence {
        bus,
        is_mbr_enabled: false,
        has_luks: false,
        salts: Vec::new(),
    };
    evidence.ordered(&passphrase(), &input)
}

/// Sets a drive up by a rule and searches for it, without any power cycle.
fn check_within_budget(bus: Bus, rules: &[PinRule], index: usize) {
    let rule = &rules[index];
    let rig = rig_with(bus, rule);
    let report = run(&rig, |search| search.rules = rules.to_vec());
    let case = format!("{bus:?} {rule}");
    assert!(rig.take_refused() <= 3, "{case}");
    if index < 3 {
        assert_eq!(found(&report), Some(rule), "{case}");
        assert_eq!(report.attempts, u64::try_from(index).unwrap() + 1, "{case}");
    } else {
        assert!(matches!(report.end, SearchEnd::BudgetSpent), "{case}");
        assert_eq!(report.refused, rules[..3], "{case}");
        assert_eq!(report.left, rules[3..], "{case}");
    }
}

/// The hash with 500,000 iterations takes most of the time of these tests: it stands in the order
/// once, where it belongs to the first three.
fn is_quick(rule: &&PinRule) -> bool {
    rule.scheme != Scheme::SedutilSha512
}

#[test]
fn every_rule_is_found_within_the_budget_or_the_rest_is_named() {
    let all = rules(Bus::Ata);
    let quick: Vec<_> = all.iter().filter(is_quick).cloned().collect();
    for index in 0..quick.len() {
        check_within_budget(Bus::Ata, &quick, index);
    }
    for bus in [Bus::Nvme, Bus::Scsi, Bus::Usb] {
        check_within_budget(bus, &rules(bus), 2);
    }
}

/// Whoever cuts the power whenever the search asks for it finds every rule, and the drive never
/// locks anybody out.
#[test]
fn every_rule_is_found_after_enough_power_cycles() {
    let all: Vec<_> = rules(Bus::Ata).iter().filter(is_quick).cloned().collect();
    for rule in all.iter().rev().step_by(3) {
        let rig = rig_with(Bus::Ata, rule);
        let mut rounds = 0;
        loop {
            let report = run(&rig, |search| {
                search.rules.clone_from(&all);
                search.is_power_cycled = rounds > 0;
            });
            assert!(rig.take_refused() <= 3, "{rule}");
            if found(&report) == Some(rule) {
                break;
            }
            assert!(matches!(report.end, SearchEnd::BudgetSpent), "{rule}");
            rig.vdrive().power_cycle().unwrap();
            rounds += 1;
        }
    }
}

#[test]
fn runs_share_one_budget() {
    let rig = rig_with(Bus::Nvme, &rule("sedutil/zero"));
    for expected in [1, 1, 1, 0, 0] {
        let report = run(&rig, |search| search.cap = Some(1));
        assert_eq!(report.attempts, expected);
        assert_eq!(rig.take_refused(), expected);
    }
}

#[test]
fn a_search_that_is_killed_anywhere_spends_no_more_than_it_may() {
    let rules = ["raw", "raw-nul32", "sedutil/serial", "raw-upper", "sha256"].map(rule);
    for right in ["raw-nul32", "sha256"].map(rule) {
        for commands in 0..15 {
            let rig = rig_with(Bus::Nvme, &right);
            let typed = passphrase();
            let mut spent = 0;
            if let Ok(mut drive) = rig.open_with(Fate::KilledAfter(commands)) {
                let mut search = search(&drive, &typed);
                search.rules = rules.to_vec();
                drop(drive.identify_pin(&search));
                spent = rig.take_refused();
            }
            let report = run(&rig, |search| search.rules = rules.to_vec());
            let case = format!("{right}, killed after {commands}");
            // A PIN that was taken by the killed run has set the count to 0.
            let before = if right == rules[1] { 0 } else { spent };
            assert!(before + rig.take_refused() <= 3, "{case}");
            assert_eq!(found(&report).is_some(), right == rules[1], "{case}");
            let pin = right.pin(&typed, &rig.open().unwrap().salt_input());
            let tries = rig.open().unwrap().tries(&admin1(pin.unwrap().expose()));
            tries.unwrap_or_else(|error| panic!("{case}: {error}"));
        }
    }
}

/// A spoilt answer is no PIN that was taken, and makes no attempt forgotten.
#[test]
fn spoilt_answers_are_no_success_and_cost_no_more() {
    let rules = ["raw", "raw-nul32", "raw-upper", "raw-lower", "sha256"].map(rule);
    let rig = rig_with(Bus::Nvme, &rule("sedutil/serial"));
    for seed in 0..300 {
        rig.vdrive().power_cycle().unwrap();
        let typed = passphrase();
        if let Ok(mut drive) = rig.open_with(Fate::Spoilt(seed)) {
            let mut search = search(&drive, &typed);
            search.rules = rules.to_vec();
            (search.is_power_cycled, search.goes_on) = (true, false);
            if let Ok(report) = drive.identify_pin(&search) {
                assert_eq!(found(&report), None, "seed {seed}");
                assert!(report.attempts <= 3, "seed {seed}");
            }
        }
        assert!(rig.take_refused() <= 3, "seed {seed}");
    }
}

#[test]
fn nothing_is_changed_on_the_drive() {
    let rig = rig_with(Bus::Nvme, &rule("sedutil/serial"));
    let before = rig.open().unwrap().discovery().clone();
    let report = run(&rig, |_| {});
    assert!(found(&report).is_some());
    assert_eq!(rig.open().unwrap().discovery(), &before);
    let pin = rule("sedutil/serial").pin(&passphrase(), &rig.open().unwrap().salt_input());
    let tries = rig.open().unwrap().tries(&admin1(pin.unwrap().expose()));
    assert_eq!(tries.unwrap().tries, Some(0));
}

#[test]
fn a_found_pin_teaches_the_limit() {
    let rig = rig_with(Bus::Nvme, &rule("raw"));
    assert_eq!(run(&rig, |_| {}).shown.try_limit, Some(5));
    let report = run(&rig, |_| {});
    assert_eq!(report.budget.limit_source, LimitSource::EarlierRun);
    assert_eq!((report.budget.limit, report.budget.spent), (5, 0));
}

#[test]
fn wrong_pins_of_other_operations_are_counted_too() {
    let rig = rig_with(Bus::Nvme, &rule("sedutil/zero"));
    for _ in 0..2 {
        rig.open().unwrap().tries(&admin1(b"wrong")).unwrap_err();
    }
    rig.take_refused();
    let report = run(&rig, |_| {});
    assert_eq!((report.budget.spent, report.attempts), (2, 1));
    assert_eq!(rig.take_refused(), 1);
}

#[test]
fn a_locked_out_authority_is_left_alone_until_the_power_is_cut() {
    let mut rig = Rig::with(|options| options.try_limit = Some(2));
    rig.identity = identity(Bus::Nvme);
    let pin = Secret::from_slice(b"another-one");
    rig.open()
        .unwrap()
        .setup(&Default::default(), &pin)
        .unwrap();
    // The person says that there is no limit, and is wrong.
    let report = run(&rig, |search| search.limits.given = Some(0));
    assert!(matches!(report.end, SearchEnd::LockedOut), "{report:?}");
    assert_eq!((report.attempts, report.refused.len()), (3, 2));
    let before = rig.commands();
    let report = run(&rig, |_| {});
    assert!(matches!(report.end, SearchEnd::LockedOut), "{report:?}");
    assert_eq!((report.attempts, rig.commands()), (0, before + 1));
    rig.vdrive().power_cycle().unwrap();
    let report = run(&rig, |search| search.is_power_cycled = true);
    assert!(report.attempts > 0, "{report:?}");
}

#[test]
fn a_count_that_survives_power_cycles_is_not_reset() {
    let mut rig = Rig::with(|options| {
        options.try_limit = Some(5);
        options.profile.tries.locking_sp.persistent = true;
    });
    rig.identity = identity(Bus::Nvme);
    let mut drive = rig.open().unwrap();
    let pin = rule("raw").pin(&passphrase(), &drive.salt_input()).unwrap();
    drive.setup(&Default::default(), &pin).unwrap();
    assert!(found(&run(&rig, |_| {})).is_some());
    let other = Secret::from_slice(b"Other-Passphrase");
    for is_power_cycled in [false, true] {
        let mut drive = rig.open().unwrap();
        let mut search = search(&drive, &other);
        search.is_power_cycled = is_power_cycled;
        let report = drive.identify_pin(&search).unwrap();
        assert!(matches!(report.end, SearchEnd::BudgetSpent), "{report:?}");
        assert_eq!(report.attempts, if is_power_cycled { 0 } else { 3 });
    }
}

#[test]
fn a_passphrase_that_no_rule_fits_is_told() {
    let mut rig = Rig::with(|options| options.try_limit = Some(0));
    rig.identity = identity(Bus::Nvme);
    let pin = Secret::from_slice(b"another-one");
    rig.open()
        .unwrap()
        .setup(&Default::default(), &pin)
        .unwrap();
    let report = run(&rig, |search| search.limits.given = Some(0));
    assert!(matches!(report.end, SearchEnd::Exhausted), "{report:?}");
    assert_eq!(report.refused, rules(Bus::Nvme));
    assert_eq!(report.left, []);
}

#[test]
fn what_an_admin_may_read_is_believed() {
    let rig = rig_with(Bus::Nvme, &rule("raw"));
    let mut drive = rig.open().unwrap();
    let admin = admin1(PASSPHRASE.as_bytes());
    let user = Authority::User(1);
    let shown = drive.shown_tries(user, Some(&admin)).unwrap();
    assert_eq!(shown.is_enabled, Some(false));
    assert_eq!(shown.limits.shown.try_limit, Some(5));
    assert_eq!(shown.limits.shown.tries, Some(0));
    // To anybody the Locking SP shows nothing of it, and nothing is spent.
    let shown = drive.shown_tries(ADMIN1, None).unwrap();
    assert_eq!(
        (shown.is_enabled, shown.limits.shown.try_limit),
        (None, None)
    );
    assert_eq!(rig.take_refused(), 0);
}

#[test]
fn without_a_place_to_count_no_attempt_is_made() {
    let rig = rig_with(Bus::Nvme, &rule("raw"));
    let mut drive = rig.open().unwrap().with_journal(None);
    let typed = passphrase();
    let search = search(&drive, &typed);
    let error = drive.identify_pin(&search).unwrap_err();
    assert!(matches!(error.cause(), Cause::Tally(_)), "{error:?}");
    assert_eq!(rig.take_refused(), 0);
}

#[test]
fn candidates_are_no_guess_of_schemes_that_open_other_locks() {
    for rule in rules(Bus::Ata) {
        assert!(
            !matches!(rule.scheme, Scheme::LenovoAta | Scheme::WdKek),
            "{rule}"
        );
    }
    assert_eq!(
        rules(Bus::Nvme)[0],
        PinRule::new(Scheme::Raw, SaltRule::Serial)
    );
}
