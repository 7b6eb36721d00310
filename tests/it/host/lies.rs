//! A drive that lies: its answers have the right form and say something else. Whatever it says, a
//! verb ends in time, with a report or an error.

use std::time::Duration;

use sedkit::drive::{
    Authority, Credential, Drive, DumpOptions, EraseRequest, Grant, LoadRequest, LockRequest,
    NewRange, OtherRanges, Piece, Place, RangeChange, RangeChoice, RangePolicy, RangeSettings,
    RangeSpec, RawSession, Reactivation, Releasing, Revocation, SetupPlan, SingleUserMode,
    SingleUserPlan, SingleUserRanges, TableName, Trouble, UnlockRequest,
};
use sedkit::session::Clock;
use sedkit::spec::ace::Subject;
use sedkit::spec::{MethodStatus, RangeNumber, uid};
use sedkit::vdrive::CreateOptions;
use sedkit::wire::{ComPacket, MethodResponse, Value};

use super::mbr::noise;
use super::{Fate, OTHER_PIN, PIN, Rig, admin1, pin, psid, sid};

const RANGE: RangeNumber = RangeNumber(1);
/// Drives that lie, each in its way, for each verb.
const LIARS: u64 = 40;

/// Numbers that code is seldom written for.
const NUMBERS: [u64; 9] = [
    0,
    1,
    2,
    63,
    u64::MAX,
    u64::MAX - 1,
    1 << 63,
    1 << 32,
    u32::MAX as u64,
];

/// A small generator of numbers (xorshift).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides.max(1)).unwrap()).unwrap()
    }
}

/// An answer with something else in it; nothing if this one is to be true, as all but one of `rarity`
/// are, or if it has no results.
pub(super) fn lie(answer: &[u8], rarity: usize, dice: &mut Dice) -> Option<Vec<u8>> {
    let packet = ComPacket::decode(answer).ok()?;
    let first = packet.packets.first()?;
    let mut response = MethodResponse::decode(&first.tokens()).ok()?;
    if dice.roll(rarity) > 0 {
        return None;
    }
    match dice.roll(12) {
        0 => response = MethodResponse::failure(MethodStatus(u8::try_from(dice.roll(64)).unwrap())),
        1 => response.results.clear(),
        _ => {
            let count = response.results.len();
            let result = response.results.get_mut(dice.roll(count))?;
            distort(result, dice);
        }
    }
    let (tsn, hsn) = (first.tsn, first.hsn);
    let lie = ComPacket::with_tokens(packet.com_id, tsn, hsn, &response.encode());
    Some(lie.encode().to_vec())
}

fn distort(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Uint(number) => *number = NUMBERS[dice.roll(NUMBERS.len())],
        Value::Int(number) => *number = i64::MIN,
        Value::Bytes(bytes) => match dice.roll(4) {
            0 => bytes.clear(),
            1 => bytes.resize(4000, 0x1b),
            2 => bytes.resize(8, 0xff),
            _ => {
                let index = dice.roll(bytes.len());
                if let Some(byte) = bytes.get_mut(index) {
                    *byte ^= 1 << dice.roll(8);
                }
            }
        },
        Value::List(values) if values.is_empty() => values.push(Value::Uint(9)),
        Value::List(values) => match dice.roll(8) {
            0 => values.clear(),
            1 => values.truncate(dice.roll(values.len())),
            2 => {
                let copies = 1 + 200 / values.len();
                *values = std::iter::repeat_n(values.clone(), copies)
                    .flatten()
                    .collect();
            }
            3 => values.reverse(),
            _ => {
                let index = dice.roll(values.len());
                distort(&mut values[index], dice);
            }
        },
        Value::Named(name, value) => match dice.roll(8) {
            0 => distort(name, dice),
            _ => distort(value, dice),
        },
    }
}

fn small(options: &mut CreateOptions) {
    let locking = &mut options.profile.locking;
    (locking.ranges, locking.users) = (2, 3);
    (locking.mbr_size, locking.data_store_size) = (64 << 10, 16 << 10);
}

fn place(start: u64, length: u64) -> Place {
    Place { start, length }
}

fn range(choice: RangeChoice) -> NewRange {
    NewRange {
        choice,
        place: place(1024, 64),
        settings: RangeSettings::default(),
    }
}

/// A drive that has everything: two ranges, an enabled User with rights, an image.
fn furnished(is_single_user: bool) -> Rig {
    let rig = Rig::with(small);
    let mut drive = rig.open().unwrap();
    let mut plan = SetupPlan::default();
    if is_single_user {
        plan.single_user = Some(mode_plan());
    }
    drive.setup(&plan, &pin(PIN)).unwrap();
    if !is_single_user {
        let user = Authority::User(1);
        let admin = admin1(PIN);
        let new = range(RangeChoice::Free(RANGE));
        drive.create_range(&new, &admin, &rig.consent()).unwrap();
        drive.enable(user, Some(&pin(OTHER_PIN)), &admin).unwrap();
        drive.grant(&grant(), &admin).unwrap();
    }
    rig
}

fn mode() -> SingleUserMode {
    SingleUserMode {
        ranges: SingleUserRanges::listed([RangeNumber(0), RangeNumber(2)]),
        policy: RangePolicy::Admins,
    }
}

fn mode_plan() -> SingleUserPlan {
    SingleUserPlan {
        mode: mode(),
        owner_pin: Some(pin(OTHER_PIN)),
    }
}

fn grant() -> Grant {
    Grant {
        user: Authority::User(1),
        rights: vec![
            Subject::SetReadLocked(RANGE),
            Subject::SetWriteLocked(RANGE),
        ],
        also: vec![Subject::GetRange(RANGE)],
    }
}

type Verb = fn(&Rig, &mut Drive);

/// Runs a verb on many liars.
fn lied_to(rig: impl Fn() -> Rig, verb: Verb) {
    for seed in 1..=LIARS {
        let rig = rig();
        let start = rig.now();
        println!("seed {seed}");
        if let Ok(mut drive) = rig.open_with(Fate::LiedTo(seed)) {
            verb(&rig, &mut drive);
        }
        let waited = rig.now() - start;
        assert!(waited < Duration::from_secs(600), "seed {seed}: {waited:?}");
    }
}

fn factory() -> Rig {
    Rig::with(small)
}

fn shared() -> Rig {
    furnished(false)
}

fn owned() -> Rig {
    furnished(true)
}

#[test]
fn setup_survives_lies() {
    lied_to(factory, |rig, drive| {
        let plan = SetupPlan {
            ranges: vec![RangeSpec {
                number: RANGE,
                start: 1024,
                length: 64,
            }],
            consent: Some(rig.consent()),
            single_user: Some(mode_plan()),
            ..SetupPlan::default()
        };
        drop(drive.setup(&plan, &pin(PIN)));
    });
}

#[test]
fn ranges_survive_lies() {
    lied_to(shared, |rig, drive| {
        let (admin, consent) = (admin1(PIN), rig.consent());
        drop(drive.ranges(Some(&admin)));
        let mut new = range(RangeChoice::FirstFree);
        new.place = place(2048, 64);
        drop(drive.create_range(&new, &admin, &consent));
        let change = RangeChange {
            place: Some(place(4096, 64)),
            settings: RangeSettings::default(),
        };
        drop(drive.set_range(RANGE, &change, &admin, Some(&consent)));
        drop(drive.delete_ranges(&[RANGE], &admin, Some(&consent)));
    });
}

#[test]
fn users_survive_lies() {
    lied_to(shared, |_, drive| {
        let admin = admin1(PIN);
        drop(drive.access(&admin));
        let mut more = grant();
        more.user = Authority::User(2);
        drop(drive.enable(more.user, Some(&pin(OTHER_PIN)), &admin));
        drop(drive.grant(&more, &admin));
        let all = Revocation {
            user: Authority::User(1),
            rights: None,
        };
        drop(drive.revoke(&all, &admin));
        drop(drive.disable(Authority::User(1), &admin));
    });
}

#[test]
fn locks_survive_lies() {
    for rig in [shared as fn() -> Rig, owned] {
        lied_to(rig, |_, drive| {
            let admin = admin1(PIN);
            drop(drive.lock(&LockRequest::default(), &admin));
            drop(drive.unlock(&UnlockRequest::default(), &admin));
            drop(drive.explain(Trouble::NoAnswer));
            drop(drive.diagnose());
        });
    }
}

#[test]
fn single_user_mode_survives_lies() {
    for rig in [shared as fn() -> Rig, owned] {
        lied_to(rig, |rig, drive| {
            drop(drive.single_user_mode());
            let wanted = Reactivation {
                mode: SingleUserMode {
                    ranges: SingleUserRanges::All,
                    policy: RangePolicy::User,
                },
                owner_pin: Some(pin(OTHER_PIN)),
            };
            drop(drive.reactivate(&wanted, &admin1(PIN), rig.consent()));
            drop(drive.set_first_pin(Authority::User(1), &pin(PIN)));
        });
    }
}

#[test]
fn erasure_survives_lies() {
    for rig in [shared as fn() -> Rig, owned] {
        lied_to(rig, |rig, drive| {
            let (request, admin) = (EraseRequest::default(), admin1(PIN));
            let mut witness = |_: &[_]| {};
            drop(drive.erase(&request, &admin, rig.consent(), &mut witness));
            let lost = OtherRanges::Lose;
            drop(drive.revert_keeping_data(&admin, lost, rig.consent(), &mut witness));
            drop(drive.revert(&psid(), rig.consent()));
        });
    }
}

#[test]
fn release_survives_lies() {
    lied_to(shared, |rig, drive| {
        let pins = Releasing::new(Some(pin(PIN)), Some(pin(PIN)));
        drop(drive.release(&pins, rig.consent(), &mut |_| {}));
    });
}

#[test]
fn byte_tables_survive_lies() {
    lied_to(shared, |rig, drive| {
        let (admin, image) = (admin1(PIN), noise(20_000, 3));
        let request = LoadRequest {
            consent: Some(rig.consent()),
            ..LoadRequest::default()
        };
        drop(drive.survey_mbr(&mut &*image));
        drop(drive.load_mbr(&request, &mut &*image, &admin, &mut |_| {}));
        drop(drive.mbr_status(Some(512), Some(&admin)));
        let mut take = |_: Piece<'_>| Ok(());
        drop(drive.read_table(TableName::Mbr, 0, None, None, &mut take));
        drop(drive.data_stores(Some(&admin)));
        let consent = rig.consent();
        let bytes = &mut &image[..9000];
        drop(drive.write_data_store(1, 3, bytes, Some(&consent), &admin, &mut |_| {}));
    });
}

#[test]
fn raw_access_survives_lies() {
    lied_to(shared, |_, drive| {
        let admin = admin1(PIN);
        let session = RawSession {
            sp: uid::LOCKING_SP,
            credential: Some(&admin),
        };
        let mut options = DumpOptions::default();
        options.bytes = 5000;
        drop(drive.dump(session, options));
        drop(drive.raw_acl(
            session,
            uid::LOCKING_GLOBAL_RANGE,
            sedkit::spec::method::SET,
        ));
        drop(drive.raw_get_bytes(session, uid::MBR, 0, 9000));
    });
}

#[test]
fn facts_survive_lies() {
    lied_to(shared, |_, drive| {
        drop(drive.msid());
        drop(drive.random(32));
        drop(drive.verify_com_id());
        drop(drive.protocol_information());
        drop(drive.properties());
        drop(drive.psid_tries());
        drop(drive.programmatic_reset());
        drop(drive.data_removal_mechanism());
        let user = Credential::new(Authority::User(1), pin(OTHER_PIN));
        drop(drive.tries(&user));
        drop(drive.shown_tries(Authority::User(1), Some(&admin1(PIN))));
        drop(drive.change_pin(Authority::Sid, &sid(PIN), &pin(OTHER_PIN)));
    });
}
