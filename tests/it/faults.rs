//! Every operation against a TPer whose answers are spoilt: no panic, no hang, no false success.
//!
//! The faults are drawn by a seed, so that a failure names the seed that shows it again. Time is
//! counted, not waited for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sedkit::drive::{
    Authority, BlockRequest, Credential, Drive, DriveOptions, DumpOptions, EraseConsent,
    EraseRequest, Error, LockRequest, LockingState, OtherRanges, ProgrammaticReset, RawSession,
    Releasing, SetupPlan, UnlockRequest,
};
use sedkit::secret::Secret;
use sedkit::session::{Clock, Tper, TperOptions};
use sedkit::spec::{ComId, LifeCycle, RangeNumber, SecurityProtocol, method, uid};
use sedkit::transport::fault::{Fault, FaultPlan};
use sedkit::transport::{self, Identity, Transport};
use sedkit::vdrive::{CreateOptions, VirtualDrive};
use sedkit::wire::Value;

const PIN: &str = "Correct7Horse5";
const NEW_PIN: &str = "Better8Rooster6";
const PSID: &str = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const SERIAL: &str = "SEDKITFAULTS";
const TIMEOUT: Duration = Duration::from_secs(5);
/// No operation has more waits than this, each of which may last as long as the time limit.
const WAITS: u32 = 60;
const SEEDS: u64 = 1_700;
/// For operations of many commands, or that set a drive up twice.
const FEW_SEEDS: u64 = 300;

#[test]
fn reading_survives_nonsense() {
    for seed in 0..SEEDS {
        let bench = Bench::owned();
        let outcome = bench.disturb(seed, |drive| {
            drive.properties()?;
            drive.msid()?;
            drive.ranges(None)?;
            drive.ranges(Some(&admin(PIN)))?;
            drive.tries(&admin(PIN)).map(|_| ())
        });
        bench.check_time(seed);
        drop(outcome);
    }
}

#[test]
fn raw_access_survives_nonsense() {
    for seed in 0..FEW_SEEDS {
        let bench = Bench::owned();
        let admin = admin(PIN);
        let anybody = RawSession {
            sp: uid::ADMIN_SP,
            credential: None,
        };
        let admin1 = RawSession {
            sp: uid::LOCKING_SP,
            credential: Some(&admin),
        };
        let outcome = bench.disturb(seed, |drive| {
            drive.random(40)?;
            drive.verify_com_id()?;
            drive.protocol_information()?;
            drive.raw_get(anybody, uid::TPER_INFO, None)?;
            drive.raw_next(anybody, uid::ACE)?;
            drive.raw_acl(admin1, uid::LOCKING_GLOBAL_RANGE, method::SET)?;
            drive.data_removal_mechanism()
        });
        bench.check_time(seed);
        drop(outcome);
    }
}

#[test]
fn a_raw_set_survives_nonsense() {
    for seed in 0..FEW_SEEDS {
        let bench = Bench::owned();
        let admin = admin(PIN);
        let set = |drive: &mut Drive| {
            let session = RawSession {
                sp: uid::LOCKING_SP,
                credential: Some(&admin),
            };
            let consent = EraseConsent::new(SERIAL, drive.identity()).unwrap();
            let columns = [(7, Value::Uint(1)), (8, Value::Uint(1))];
            let object = uid::LOCKING_GLOBAL_RANGE;
            drive.raw_set(session, object, &columns, &consent)
        };
        if bench.disturb(seed, set).is_ok() {
            assert!(!bench.is_readable(), "seed {seed}: the drive is not locked");
        }
        bench.check_time(seed);
    }
}

#[test]
fn resets_survive_nonsense() {
    for seed in 0..FEW_SEEDS {
        let bench = Bench::new();
        let block = |drive: &mut Drive| drive.block_sid(BlockRequest::default());
        if bench.disturb(seed, block).is_ok() {
            let state = bench.host(bench.path()).unwrap().state();
            assert_eq!(state.sid_blocked, Some(true), "seed {seed}");
        }
        let bench = Bench::owned();
        let owner = Credential::new(Authority::Sid, secret(PIN));
        let reset = |drive: &mut Drive| {
            drive.set_programmatic_reset(ProgrammaticReset::Enabled, &owner)?;
            drive.tper_reset()
        };
        if bench.disturb(seed, reset).is_ok() {
            let found = bench.host(bench.path()).unwrap().programmatic_reset();
            assert_eq!(
                found.unwrap(),
                Some(ProgrammaticReset::Enabled),
                "seed {seed}"
            );
        }
        bench.check_time(seed);
    }
}

#[test]
fn a_dump_survives_nonsense() {
    for seed in 0..FEW_SEEDS {
        let bench = Bench::owned();
        let admin = admin(PIN);
        let session = RawSession {
            sp: uid::LOCKING_SP,
            credential: Some(&admin),
        };
        let dump = |drive: &mut Drive| drive.dump(session, DumpOptions::default());
        drop(bench.disturb(seed, dump));
        bench.check_time(seed);
    }
}

#[test]
fn setup_survives_nonsense() {
    for seed in 0..SEEDS {
        let bench = Bench::new();
        let setup =
            |drive: &mut Drive| drive.setup(&SetupPlan::default(), &secret(PIN)).map(|_| ());
        if bench.disturb(seed, setup).is_ok() {
            assert!(
                bench.opens(Authority::Sid, PIN),
                "seed {seed}: SID has another PIN"
            );
            assert!(
                bench.opens(Authority::Admin(1), PIN),
                "seed {seed}: Admin1 has another PIN"
            );
            bench.power_cycle();
            assert!(!bench.is_readable(), "seed {seed}: the drive does not lock");
        }
        bench.check_time(seed);
    }
}

#[test]
fn unlock_survives_nonsense() {
    for seed in 0..SEEDS {
        let bench = Bench::owned();
        bench.power_cycle();
        let mut request = UnlockRequest::default();
        request.ranges = vec![RangeNumber::GLOBAL];
        let unlock = |drive: &mut Drive| {
            // A flipped bit of Level 0 Discovery can hide the lock, and nothing shows that it did.
            let sees_lock = drive.state().locking == LockingState::Locked;
            let report = drive.unlock(&request, &admin(PIN))?;
            Ok(report.first_error().is_none() && sees_lock)
        };
        if matches!(bench.disturb(seed, unlock), Ok(true)) {
            assert!(
                bench.is_readable(),
                "seed {seed}: the drive is still locked"
            );
        }
        bench.check_time(seed);
    }
}

#[test]
fn lock_survives_nonsense() {
    for seed in 0..SEEDS {
        let bench = Bench::owned();
        let lock = |drive: &mut Drive| {
            let report = drive.lock(&LockRequest::default(), &admin(PIN))?;
            Ok(report.first_error().is_none())
        };
        if matches!(bench.disturb(seed, lock), Ok(true)) {
            assert!(!bench.is_readable(), "seed {seed}: the drive is not locked");
        }
        bench.check_time(seed);
    }
}

#[test]
fn a_change_of_the_pin_survives_nonsense() {
    for seed in 0..SEEDS {
        let bench = Bench::owned();
        let change = |drive: &mut Drive| {
            drive
                .change_pin(Authority::Admin(1), &admin(PIN), &secret(NEW_PIN))
                .map(|_| ())
        };
        if bench.disturb(seed, change).is_ok() {
            assert!(
                bench.opens(Authority::Admin(1), NEW_PIN),
                "seed {seed}: not changed"
            );
        } else {
            let opens = |pin| bench.opens(Authority::Admin(1), pin);
            assert!(
                opens(PIN) || opens(NEW_PIN),
                "seed {seed}: neither PIN opens"
            );
        }
        bench.check_time(seed);
    }
}

#[test]
fn revert_survives_nonsense() {
    for seed in 0..SEEDS {
        let bench = Bench::owned();
        let revert = |drive: &mut Drive| {
            let consent = EraseConsent::new(SERIAL, drive.identity()).unwrap();
            let psid = Credential::new(Authority::Psid, secret(PSID));
            drive.revert(&psid, consent).map(|_| ())
        };
        if bench.disturb(seed, revert).is_ok() {
            let msid = bench.drive.lock().unwrap().label().msid.clone();
            assert!(
                bench.opens(Authority::Sid, &msid),
                "seed {seed}: SID is not MSID"
            );
        }
        bench.check_time(seed);
    }
}

#[test]
fn erase_survives_nonsense() {
    for seed in 0..SEEDS / 8 {
        let bench = Bench::with_data();
        let erase = |drive: &mut Drive| {
            let consent = EraseConsent::new(SERIAL, drive.identity()).unwrap();
            let request = EraseRequest::new(vec![RangeNumber::GLOBAL]);
            let report = drive.erase(&request, &admin(PIN), consent, &mut |_| {})?;
            Ok(report.first_error().is_none())
        };
        if matches!(bench.disturb(seed, erase), Ok(true)) {
            assert!(!bench.holds_data(), "seed {seed}: the data is still there");
        }
        bench.check_time(seed);
    }
}

#[test]
fn revert_that_keeps_data_survives_nonsense() {
    for seed in 0..SEEDS / 8 {
        let bench = Bench::with_data();
        let keep = |drive: &mut Drive| {
            let consent = EraseConsent::new(SERIAL, drive.identity()).unwrap();
            drive.revert_keeping_data(&admin(PIN), OtherRanges::Spare, consent, &mut |_| {})
        };
        if bench.disturb(seed, keep).is_ok() {
            let life_cycle = bench.drive.lock().unwrap().info().life_cycle;
            assert_eq!(life_cycle, LifeCycle::MANUFACTURED_INACTIVE, "seed {seed}");
        }
        assert!(bench.holds_data(), "seed {seed}: the data is lost");
        bench.check_time(seed);
    }
}

#[test]
fn revert_to_msid_survives_nonsense() {
    for seed in 0..SEEDS / 8 {
        let bench = Bench::with_data();
        let release = |drive: &mut Drive| {
            let consent = EraseConsent::new(SERIAL, drive.identity()).unwrap();
            let pins = Releasing::new(Some(secret(PIN)), Some(secret(PIN)));
            drive.release(&pins, consent, &mut |_| {})
        };
        if bench.disturb(seed, release).is_ok() {
            let msid = bench.drive.lock().unwrap().label().msid.clone();
            assert!(
                bench.opens(Authority::Sid, &msid),
                "seed {seed}: SID is not MSID"
            );
            bench.power_cycle();
            assert!(bench.is_readable(), "seed {seed}: the drive locks");
        }
        assert!(bench.holds_data(), "seed {seed}: the data is lost");
        bench.check_time(seed);
    }
}

/// A virtual drive in memory, and a clock that goes on only when somebody waits.
struct Bench {
    drive: Arc<Mutex<VirtualDrive>>,
    clock: Ticks,
}

impl Bench {
    fn new() -> Self {
        let mut options = CreateOptions::new(1 << 20);
        options.serial = Some(SERIAL.to_owned());
        options.psid = Some(PSID.to_owned());
        options.session_timeout = Some(Duration::from_secs(1));
        let mut drive = VirtualDrive::in_memory(&options).unwrap();
        let clock = Ticks::default();
        let ticks = clock.clone();
        drive.set_clock(move || ticks.micros() / 1000);
        Self {
            drive: Arc::new(Mutex::new(drive)),
            clock,
        }
    }

    fn owned() -> Self {
        let bench = Self::new();
        let mut drive = bench.host(bench.path()).unwrap();
        drive.setup(&SetupPlan::default(), &secret(PIN)).unwrap();
        bench
    }

    /// As [`Bench::owned`], with data in the first block.
    fn with_data() -> Self {
        let bench = Self::owned();
        bench.drive.lock().unwrap().write(0, &[0x5a; 512]).unwrap();
        bench
    }

    fn holds_data(&self) -> bool {
        let drive = self.drive.lock().unwrap();
        drive.read(0, 1).is_ok_and(|block| block == [0x5a; 512])
    }

    fn path(&self) -> Shared {
        let identity = self.drive.lock().unwrap().identity().clone();
        Shared {
            drive: Arc::clone(&self.drive),
            identity,
        }
    }

    fn host(&self, transport: impl Transport + 'static) -> Result<Drive, Error> {
        let options = TperOptions {
            timeout: TIMEOUT,
            clock: Box::new(self.clock.clone()),
            ..TperOptions::default()
        };
        Drive::with_tper(
            Tper::new(Box::new(transport), options),
            DriveOptions::default().tries,
        )
    }

    /// Opens the drive and does something, with every answer at risk.
    fn disturb<T>(
        &self,
        seed: u64,
        act: impl FnOnce(&mut Drive) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (transport, _) = Fault::new(self.path(), FaultPlan::new(seed));
        act(&mut self.host(transport)?)
    }

    /// Whether a PIN is right; asked without faults, and after the drive has dropped old sessions.
    fn opens(&self, authority: Authority, pin: &str) -> bool {
        let mut drive = self.host(self.path()).unwrap();
        drive
            .tries(&Credential::new(authority, secret(pin)))
            .is_ok()
    }

    fn is_readable(&self) -> bool {
        self.drive.lock().unwrap().read(0, 1).is_ok()
    }

    fn power_cycle(&self) {
        self.drive.lock().unwrap().power_cycle().unwrap();
    }

    fn check_time(&self, seed: u64) {
        let waited = Duration::from_micros(self.clock.micros());
        assert!(
            waited < TIMEOUT * WAITS,
            "seed {seed}: waited for {waited:?}"
        );
    }
}

/// Time that passes by waiting, and a little with every look.
#[derive(Clone, Default)]
struct Ticks(Arc<AtomicU64>);

impl Ticks {
    fn micros(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_micros(self.micros())
    }

    fn sleep(&mut self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap();
        self.0.fetch_add(micros, Ordering::Relaxed);
    }
}

/// A path to a drive that others look at, too.
struct Shared {
    drive: Arc<Mutex<VirtualDrive>>,
    identity: Identity,
}

impl Transport for Shared {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), transport::Error> {
        self.drive.lock().unwrap().if_send(protocol, com_id, data)
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, transport::Error> {
        self.drive.lock().unwrap().if_recv(protocol, com_id, buffer)
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn max_transfer(&self) -> usize {
        transport::MAX_BUFFER
    }
}

fn secret(text: &str) -> Secret {
    Secret::from_slice(text.as_bytes())
}

fn admin(pin: &str) -> Credential {
    Credential::new(Authority::Admin(1), secret(pin))
}
