//! The host side against the virtual drive, which was written by others from the same standards.

mod boot;
mod data_store;
mod identify;
mod interrupts;
mod lies;
mod mbr;
mod noise;
mod notes;
mod operations;
mod ranges;
mod raw;
mod refusals;
mod resume;
mod sessions;
mod single_user;
mod users;

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use sedkit::drive::{Authority, Credential, Drive, EraseConsent, Error, Journal};
use sedkit::secret::Secret;
use sedkit::session::{Clock, Interrupt, Tper, TperOptions};
use sedkit::spec::{ComId, MethodStatus, RangeNumber, SecurityProtocol, Uid, method};
use sedkit::transport::{self, Identity, Transport};
use sedkit::vdrive::{CreateOptions, VirtualDrive};
use sedkit::wire::{ComPacket, MethodCall};

pub(crate) const MSID: &str = "MSIDPASSWORD1234567890";
pub(crate) const PSID: &str = "PSID2345PSID2345PSID2345PSID2345";
pub(crate) const PIN: &[u8] = b"correct-horse";
pub(crate) const OTHER_PIN: &[u8] = b"battery-staple";

/// A virtual drive, and what a test watches it by. Clones are the same drive.
#[derive(Clone)]
pub(crate) struct Rig {
    drive: Arc<Mutex<VirtualDrive>>,
    milliseconds: Arc<AtomicU64>,
    /// PINs that were refused.
    refused: Arc<AtomicU64>,
    journal: Arc<tempfile::TempDir>,
    identity: Identity,
}

/// When something happens to the process that talks to a drive.
#[derive(Clone)]
pub(crate) enum Fate {
    /// Nothing does.
    Lives,
    /// It is killed after so many IF commands: nothing reaches the drive any more.
    KilledAfter(u64),
    /// Somebody asks it to stop during an IF command.
    InterruptedAt(u64, Interrupt),
    /// One of its answers is spoilt, by a seed.
    Spoilt(u64),
    /// The drive knows a method by another name, and refuses it.
    Refuses(Uid),
    /// The drive refuses one method call, the first being 0.
    RefusesAt(u64),
    /// Many of its answers are lies, by a seed.
    LiedTo(u64),
}

impl Rig {
    /// A drive as it leaves the factory.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same, with other options.
    pub(crate) fn with(change: impl FnOnce(&mut CreateOptions)) -> Self {
        let mut options = options();
        change(&mut options);
        Self::of(VirtualDrive::in_memory(&options).unwrap())
    }

    /// A drive in a file.
    pub(crate) fn in_file(path: &Path) -> Self {
        Self::of(VirtualDrive::create(path, &options()).unwrap())
    }

    fn of(mut drive: VirtualDrive) -> Self {
        let milliseconds = Arc::new(AtomicU64::new(1_000_000));
        drive.set_clock(clock(&milliseconds));
        Self {
            identity: drive.identity().clone(),
            drive: Arc::new(Mutex::new(drive)),
            milliseconds,
            refused: Arc::default(),
            journal: Arc::new(tempfile::tempdir().unwrap()),
        }
    }

    /// Closes a drive in a file as the end of its process does, and opens it again.
    pub(crate) fn reopen(&self, path: &Path) {
        let mut drive = self.vdrive();
        *drive = VirtualDrive::in_memory(&options()).unwrap();
        *drive = VirtualDrive::open(path).unwrap();
        drive.set_clock(clock(&self.milliseconds));
    }

    /// A drive that is set up with [`PIN`].
    pub(crate) fn set_up() -> Self {
        let rig = Self::new();
        let mut drive = rig.open().unwrap();
        drive.setup(&Default::default(), &pin(PIN)).unwrap();
        rig
    }

    pub(crate) fn vdrive(&self) -> MutexGuard<'_, VirtualDrive> {
        self.drive.lock().unwrap()
    }

    pub(crate) fn open(&self) -> Result<Drive, Error> {
        self.open_with(Fate::Lives)
    }

    /// Opens the drive in a process with a fate.
    pub(crate) fn open_with(&self, fate: Fate) -> Result<Drive, Error> {
        let drive = Drive::with_tper(self.link(fate), 1)?;
        Ok(drive.with_journal(Some(Journal::new(self.journal.path()))))
    }

    /// The TPer of the drive, by its first ComID.
    pub(crate) fn tper(&self) -> Tper {
        let mut tper = self.link(Fate::Lives);
        let discovery = tper.discover().unwrap();
        tper.select(discovery.base_com_id().unwrap(), discovery.ssc().unwrap());
        tper
    }

    fn link(&self, fate: Fate) -> Tper {
        let interrupt = match &fate {
            Fate::InterruptedAt(_, interrupt) => interrupt.clone(),
            _ => Interrupt::new(),
        };
        let link = Link {
            rig: self.clone(),
            fate,
            commands: 0,
        };
        let options = TperOptions {
            timeout: Duration::from_secs(60),
            interrupt,
            clock: Box::new(self.clone()),
            ..TperOptions::default()
        };
        Tper::new(Box::new(link), options)
    }

    /// PINs that the drive refused since the last question.
    pub(crate) fn take_refused(&self) -> u64 {
        self.refused.swap(0, Ordering::Relaxed)
    }

    /// IF commands that the drive has got.
    pub(crate) fn commands(&self) -> u64 {
        let total = self.vdrive().stats().total();
        total.send + total.recv
    }

    /// Lets time pass.
    pub(crate) fn wait(&self, duration: Duration) {
        let milliseconds = u64::try_from(duration.as_millis()).unwrap();
        self.milliseconds.fetch_add(milliseconds, Ordering::Relaxed);
    }

    pub(crate) fn consent(&self) -> EraseConsent {
        EraseConsent::new("VD0000000001", &self.identity).unwrap()
    }
}

/// A drive whose label is known.
fn options() -> CreateOptions {
    let mut options = CreateOptions::new(4 << 20);
    options.serial = Some("VD0000000001".to_owned());
    options.msid = Some(MSID.to_owned());
    options.psid = Some(PSID.to_owned());
    options
}

fn clock(milliseconds: &Arc<AtomicU64>) -> impl Fn() -> u64 + Send + 'static {
    let milliseconds = Arc::clone(milliseconds);
    move || milliseconds.load(Ordering::Relaxed)
}

impl Clock for Rig {
    fn now(&self) -> Duration {
        Duration::from_millis(self.milliseconds.load(Ordering::Relaxed))
    }

    fn sleep(&mut self, duration: Duration) {
        self.wait(duration);
    }
}

/// The path of one process to the drive.
struct Link {
    rig: Rig,
    fate: Fate,
    commands: u64,
}

impl Link {
    fn count(&mut self, command: &'static str) -> Result<(), transport::Error> {
        match &self.fate {
            Fate::KilledAfter(limit) if self.commands >= *limit => {
                return Err(transport::Error::Io {
                    command,
                    source: io::Error::other("killed"),
                });
            }
            Fate::InterruptedAt(at, interrupt) if self.commands == *at => interrupt.raise(),
            _ => {}
        }
        self.commands += 1;
        Ok(())
    }
}

impl Link {
    /// Puts a lie in the place of an answer; its new length.
    fn lie(&self, seed: u64, buffer: &mut [u8], length: usize) -> usize {
        let mut dice = lies::Dice::of(seed << 32 | self.commands);
        let rarity = 3 + usize::try_from(seed % 30).unwrap();
        let Some(lie) = lies::lie(&buffer[..length], rarity, &mut dice) else {
            return length;
        };
        let length = lie.len().min(buffer.len());
        buffer.fill(0);
        buffer[..length].copy_from_slice(&lie[..length]);
        length
    }
}

impl Transport for Link {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), transport::Error> {
        self.count("IF-SEND")?;
        let data = match &mut self.fate {
            Fate::Refuses(method) => renamed(data, *method),
            Fate::RefusesAt(left) => match refusals::method_of(data) {
                Some(method) if *left == 0 => {
                    *left = u64::MAX;
                    renamed(data, method)
                }
                Some(_) => {
                    *left -= 1;
                    data.to_vec()
                }
                None => data.to_vec(),
            },
            _ => data.to_vec(),
        };
        self.rig.vdrive().if_send(protocol, com_id, &data)
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, transport::Error> {
        self.count("IF-RECV")?;
        let received = self.rig.vdrive().if_recv(protocol, com_id, buffer)?;
        if refuses_a_pin(&buffer[..received]) {
            self.rig.refused.fetch_add(1, Ordering::Relaxed);
        }
        match self.fate {
            Fate::Spoilt(seed) => Ok(spoil(seed, self.commands, &mut buffer[..received])),
            Fate::LiedTo(seed) => Ok(self.lie(seed, buffer, received)),
            _ => Ok(received),
        }
    }

    fn identity(&self) -> &Identity {
        &self.rig.identity
    }

    fn max_transfer(&self) -> usize {
        65_536
    }
}

/// The same with a method that nobody knows instead of this one.
fn renamed(data: &[u8], method: Uid) -> Vec<u8> {
    let (from, to) = (method.to_bytes(), method.row(0xffff).to_bytes());
    let mut data = data.to_vec();
    let found = data.windows(from.len()).position(|bytes| bytes == from);
    if let Some(at) = found {
        data[at..at + to.len()].copy_from_slice(&to);
    }
    data
}

/// Spoils the answer to the command that the seed has chosen; its new length.
fn spoil(seed: u64, command: u64, answer: &mut [u8]) -> usize {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut roll = |sides: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(sides.max(1)).unwrap()).unwrap()
    };
    // The first command is Level 0 Discovery; every second one after it is an IF-RECV.
    if command != 1 + 2 * u64::try_from(roll(10)).unwrap() {
        return answer.len();
    }
    // What a small ComPacket, or the descriptors, leave free is not worth spoiling.
    let used = answer.len().min(200);
    match roll(8) {
        0 => return roll(used),
        1 => answer.fill(0),
        2 => answer.fill(0xff),
        3 => answer[..used].rotate_left(1),
        4 => answer[8..12].copy_from_slice(&[0, 1, 0, 0]),
        5 => answer[16..20].fill(0xff),
        _ => {
            for _ in 0..=roll(3) {
                answer[roll(used)] ^= 1 << roll(8);
            }
        }
    }
    answer.len()
}

/// Whether an answer is a SyncSession with NOT_AUTHORIZED.
fn refuses_a_pin(bytes: &[u8]) -> bool {
    let Ok(packet) = ComPacket::decode(bytes) else {
        return false;
    };
    packet.packets.iter().any(|packet| {
        MethodCall::decode(&packet.tokens()).is_ok_and(|call| {
            call.method_id == method::SYNC_SESSION && call.status == MethodStatus::NOT_AUTHORIZED
        })
    })
}

pub(crate) fn pin(bytes: &[u8]) -> Secret {
    Secret::from_slice(bytes)
}

pub(crate) fn sid(bytes: &[u8]) -> Credential {
    Credential::new(Authority::Sid, pin(bytes))
}

pub(crate) fn admin1(bytes: &[u8]) -> Credential {
    Credential::new(Authority::Admin(1), pin(bytes))
}

pub(crate) fn psid() -> Credential {
    Credential::new(Authority::Psid, pin(PSID.as_bytes()))
}

pub(crate) fn ranges(numbers: impl IntoIterator<Item = u16>) -> Vec<RangeNumber> {
    numbers.into_iter().map(RangeNumber).collect()
}
