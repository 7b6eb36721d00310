//! A user that was granted a range can unlock it, and do nothing else.

use sedkit::secret::Secret;
use sedkit::session::{Session, Tper, TperOptions};
use sedkit::spec::ace::Subject;
use sedkit::spec::{HalfUid, RangeNumber, Ssc, Uid, column, uid};
use sedkit::wire::Value;

use crate::cli::support::{Bench, SERIAL};

const USER_PIN: &str = "Nimble-Otter-9";
const ADMIN: [&str; 2] = ["--key", "file:right"];

/// What a drive has, and which range the user gets.
struct Case {
    ranges: u16,
    users: u16,
    granted: u16,
    has_mbr: bool,
}

const SMALL: Case = Case {
    ranges: 8,
    users: 9,
    granted: 3,
    has_mbr: true,
};
const LARGE: Case = Case {
    ranges: 192,
    users: 192,
    granted: 150,
    has_mbr: false,
};

/// A drive with a few ranges, the granted one among them, and an enabled User1 without rights.
fn prepared(case: &Case) -> Bench {
    let bench = Bench::new();
    bench.secret("user", USER_PIN);
    if case.ranges != SMALL.ranges {
        std::fs::remove_file(bench.path("a")).unwrap();
        let head = [
            "vdrive", "create", "a", "--size", "52000000", "--serial", SERIAL,
        ];
        bench
            .run(&[&head[..], &["--profile", "kioxia-cm6"]].concat())
            .exits(0);
    }
    bench
        .run(&["setup", "vdrive:a", "--new-key", "file:right"])
        .exits(0);
    for (number, start) in [(1, "1024"), (2, "2048"), (case.granted, "4096")] {
        let number = number.to_string();
        let place = ["--range", &number, "--start", start, "--length", "1024"];
        let head = ["range", "create", "vdrive:a", "--confirm", SERIAL];
        bench.run(&[&head[..], &place, &ADMIN].concat()).exits(0);
    }
    let enable = [
        "user",
        "enable",
        "vdrive:a",
        "User1",
        "--new-key",
        "file:user",
    ];
    bench.run(&[&enable[..], &ADMIN].concat()).exits(0);
    bench
}

fn user(bench: &Bench, command: &str, arguments: &[&str]) -> crate::cli::support::Run {
    let head = ["user", command, "vdrive:a"];
    bench.run(&[&head[..], arguments, &ADMIN].concat())
}

/// Runs a command as User1; its exit code is checked.
fn as_user(bench: &Bench, command: &[&str], exit: i32) {
    let user = ["vdrive:a", "--as", "User1", "--key", "file:user"];
    bench.run(&[command, &user].concat()).exits(exit);
}

/// Tries everything that changes or shows something, as User1; what the drive let it do.
fn all_attempts(bench: &Bench, case: &Case) -> Vec<String> {
    let pin = Secret::from_slice(USER_PIN.as_bytes());
    let mut tper = Tper::new(Box::new(bench.open("a")), TperOptions::default());
    let com_id = tper.discover().unwrap().base_com_id().unwrap();
    tper.select(com_id, Ssc::Opal2);
    let mut session = tper
        .start_session(uid::LOCKING_SP, Some((uid::USER1, &pin)))
        .unwrap();
    let mut attempts = Attempts {
        session: &mut session,
        done: Vec::new(),
    };
    attempts.on_ranges(case);
    attempts.on_authorities(case);
    attempts.on_access_control(case);
    attempts.on_tables();
    let done = attempts.done;
    session.end().unwrap();
    done
}

/// What is tried in a session, and what of it worked.
struct Attempts<'s, 't> {
    session: &'s mut Session<'t>,
    done: Vec<String>,
}

impl Attempts<'_, '_> {
    fn set(&mut self, object: Uid, column: u64, value: Value, what: String) {
        let set = self.session.set(object, [(column, value)]);
        self.done.extend(set.is_ok().then_some(what));
    }

    fn on_ranges(&mut self, case: &Case) {
        for number in 0..=case.ranges {
            let range = uid::locking_range(RangeNumber(number));
            for column in 3..=8 {
                let what = format!("set range {number} column {column}");
                self.set(range, column, 0_u64.into(), what);
            }
            let resets = Value::list([Value::Uint(0)]);
            self.set(range, 9, resets, format!("set range {number} column 9"));
            self.set(range, 2, "mine".into(), format!("name range {number}"));
            for key in [uid::k_aes_128, uid::k_aes_256] {
                let erased = self.session.gen_key(key(RangeNumber(number))).is_ok();
                self.done
                    .extend(erased.then(|| format!("erase range {number}")));
            }
            let row = self.session.get(range, 3..=10);
            let is_seen = row.is_ok_and(|row| row.value(3).is_some());
            self.done
                .extend(is_seen.then(|| format!("see range {number}")));
        }
    }

    fn on_authorities(&mut self, case: &Case) {
        let users = (1..=case.users).map(|number| (format!("User{number}"), uid::user(number)));
        let admins = (1..=4).map(|number| (format!("Admin{number}"), uid::admin(number)));
        for (name, authority) in users.chain(admins) {
            let pin = USER_PIN.into();
            self.set(
                uid::c_pin(authority),
                column::c_pin::PIN,
                pin,
                format!("PIN of {name}"),
            );
            for is_enabled in [false, true] {
                let enabled = column::authority::ENABLED;
                self.set(
                    authority,
                    enabled,
                    is_enabled.into(),
                    format!("switch {name}"),
                );
            }
            self.set(
                authority,
                column::authority::COMMON_NAME,
                "x".into(),
                format!("name {name}"),
            );
        }
    }

    fn on_access_control(&mut self, case: &Case) {
        let ranges = (0..=case.ranges).map(RangeNumber);
        let of_ranges = ranges.flat_map(|range| {
            [
                Subject::SetReadLocked(range),
                Subject::SetWriteLocked(range),
                Subject::GetRange(range),
                Subject::GenKey(range),
            ]
        });
        let others = [
            Subject::SetMbrDone,
            Subject::GetDataStore(1),
            Subject::SetDataStore(1),
            Subject::SetPin(1),
            Subject::SetPin(2),
            Subject::GetAces,
            Subject::GetAuthorities,
        ];
        for row in of_ranges.chain(others).flat_map(Subject::rows) {
            let user = Value::named(HalfUid::AUTHORITY_OBJECT_REF, uid::USER1);
            let columns = column::ace::BOOLEAN_EXPR;
            self.set(row, columns, Value::list([user]), format!("set ACE {row}"));
            let seen = self.session.get(row, columns..=columns);
            self.done
                .extend(seen.is_ok().then(|| format!("see ACE {row}")));
        }
    }

    fn on_tables(&mut self) {
        for column in [1, 2] {
            let what = format!("set MBRControl column {column}");
            self.set(uid::MBR_CONTROL, column, true.into(), what);
        }
        for (table, name) in [(uid::MBR, "MBR"), (uid::DATA_STORE, "DataStore")] {
            let written = self.session.set_bytes(table, 0, &[1]).is_ok();
            self.done.extend(written.then(|| format!("write {name}")));
        }
        // Both a refusal and an empty answer are conforming.
        let read = self.session.get_bytes(uid::DATA_STORE, 0..1);
        let is_read = read.is_ok_and(|bytes| !bytes.is_empty());
        self.done
            .extend(is_read.then(|| "read DataStore".to_owned()));
    }
}

/// By the program: `lock` and `unlock` of every range, MBRDone, and the PIN of another.
fn assert_commands(bench: &Bench, case: &Case, is_granted: bool) {
    let numbers = [0, 1, 2, case.granted, case.ranges];
    for number in numbers {
        let exit = if is_granted && number == case.granted {
            0
        } else {
            4
        };
        let range = number.to_string();
        as_user(bench, &["unlock", "--range", &range, "--no-rescan"], exit);
        as_user(bench, &["lock", "--range", &range], exit);
    }
}

fn life(case: &Case) {
    let bench = prepared(case);
    let own_pin = "PIN of User1";
    assert_eq!(all_attempts(&bench, case), [own_pin], "before any grant");
    bench.open("a").power_cycle().unwrap();
    assert_commands(&bench, case, false);

    let granted = case.granted.to_string();
    user(&bench, "grant", &["User1", "--range", &granted]).exits(0);
    bench.open("a").power_cycle().unwrap();
    assert_commands(&bench, case, true);
    as_user(&bench, &["unlock", "--range", &granted, "--no-rescan"], 0);
    assert!(bench.open("a").read(4096, 1).is_ok());
    for other in [0, 1024, 2048] {
        assert!(bench.open("a").read(other, 1).is_err(), "block {other}");
    }
    let number = case.granted;
    let expected = [
        format!("set range {number} column 7"),
        format!("set range {number} column 8"),
        format!("see range {number}"),
        own_pin.to_owned(),
    ];
    assert_eq!(
        all_attempts(&bench, case),
        expected,
        "granted range {number}"
    );

    user(&bench, "revoke", &["User1", "--range", &granted]).exits(0);
    bench.open("a").power_cycle().unwrap();
    assert_commands(&bench, case, false);
    assert_eq!(
        all_attempts(&bench, case),
        [own_pin],
        "after the revocation"
    );
    // Admin1 may do all that it could before.
    let head = ["unlock", "vdrive:a", "--range", &granted, "--no-rescan"];
    bench.run(&[&head[..], &ADMIN].concat()).exits(0);
    assert!(bench.open("a").read(4096, 1).is_ok());
}

/// D102, and the acceptance of the issue.
#[test]
fn d102_a_user_with_range_3_unlocks_range_3_and_nothing_else() {
    life(&SMALL);
}

#[test]
fn d103_a_user_with_range_150_of_192_unlocks_that_and_nothing_else() {
    life(&LARGE);
}

#[test]
fn every_right_gives_just_itself() {
    let case = SMALL;
    assert!(case.has_mbr && !LARGE.has_mbr);
    let own_pin = "PIN of User1";
    for (options, expected) in [
        (
            &["--range", "3", "--read"][..],
            vec!["set range 3 column 7", "see range 3", own_pin],
        ),
        (
            &["--range", "3", "--write"],
            vec!["set range 3 column 8", "see range 3", own_pin],
        ),
        (&["--mbr-done"], vec![own_pin, "set MBRControl column 2"]),
        (
            &["--datastore"],
            vec![own_pin, "write DataStore", "read DataStore"],
        ),
        (&["--datastore-read"], vec![own_pin, "read DataStore"]),
        (&["--datastore-write"], vec![own_pin, "write DataStore"]),
    ] {
        let bench = prepared(&case);
        user(&bench, "grant", &[&["User1"][..], options].concat()).exits(0);
        assert_eq!(all_attempts(&bench, &case), expected, "{options:?}");
        user(&bench, "revoke", &["User1", "--all"]).exits(0);
        assert_eq!(
            all_attempts(&bench, &case),
            [own_pin],
            "{options:?}, revoked"
        );
    }
}

#[test]
fn rights_are_shown_as_rights() {
    let bench = prepared(&SMALL);
    let grant = ["User1", "--range", "2", "--range", "3", "--mbr-done"];
    user(&bench, "grant", &grant)
        .exits(0)
        .says("User1 may now: ranges 2, 3 (lock reads, lock writes, see); set MBRDone");
    user(&bench, "grant", &grant)
        .exits(0)
        .says("nothing was changed");
    user(&bench, "list", &[])
        .exits(0)
        .says("User1   yes            ranges 2, 3 (lock reads, lock writes, see); set MBRDone")
        .says("Admin1  yes            everything, as an Admin");
    user(&bench, "grant", &["User2", "--range", "3"])
        .exits(0)
        .complains("User2 is disabled");
    user(&bench, "disable", &["User1"])
        .exits(0)
        .says("is disabled");
    as_user(&bench, &["unlock", "--range", "3", "--mbr-done"], 0);
    bench.open("a").power_cycle().unwrap();
    as_user(&bench, &["unlock", "--range", "3"], 4);
    user(&bench, "enable", &["User1", "--keep-pin"])
        .exits(0)
        .complains("everybody can act as User1");
    as_user(&bench, &["unlock", "--range", "3", "--no-rescan"], 0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let bench = Bench::set_up();
    for (command, arguments, says) in [
        ("grant", &["User1"][..], "no right was named"),
        ("revoke", &["User1"], "no right was named"),
        (
            "grant",
            &["User10", "--range", "1"],
            "the drive has no User10",
        ),
        ("grant", &["User1", "--range", "9"], "range 9"),
        ("grant", &["Admin2", "--range", "1"], "Admin2 is no User"),
        ("grant", &["SID", "--range", "1"], "SID cannot do this"),
        ("disable", &["Admin1"], "Admin1 cannot be disabled"),
        ("grant", &["User1", "--datastore=2"], "read DataStore 2"),
    ] {
        user(&bench, command, arguments).exits(2).complains(says);
    }
}
