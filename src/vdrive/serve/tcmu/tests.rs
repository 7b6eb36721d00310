use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use vm_memory::{Bytes, VolatileMemory};

use super::*;
use crate::vdrive::serve::testing;

/// A disk in folders that look like the kernel's, and the kernel's end of its UIO device.
struct Bench {
    folder: tempfile::TempDir,
    running: Running,
    kernel: UnixStream,
    alarms: mpsc::Receiver<()>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let places = Places {
            target: folder.path().join("target"),
            uio: folder.path().join("uio"),
            dev: PathBuf::from("/dev"),
        };
        fs::create_dir_all(places.target.join("core")).unwrap();
        let size = Size {
            bytes: testing::CAPACITY,
            block_size: 512,
        };
        let config = Config::create(places, "v1", size).unwrap();
        config.attach().unwrap();
        let (kernel, node) = UnixStream::pair().unwrap();
        let handler = Handler {
            node: OwnedFd::from(node).into(),
            ring: Ring::new(empty_ring()).unwrap(),
            unit: LogicalUnit::new(testing::drive(), Face::Sas),
        };
        let (sender, alarms) = mpsc::channel();
        let alarm: Alarm = Box::new(move || sender.send(()).unwrap());
        let service = Service::start(handler, alarm).unwrap();
        Self {
            folder,
            running: Running {
                config,
                service: Some(service),
            },
            kernel,
            alarms,
        }
    }

    /// The link that shows the disk to the kernel.
    fn is_attached(folder: &Path) -> bool {
        let loopback = fs::read_dir(folder.join("target/loopback")).unwrap();
        let mut adapters = loopback.map(|adapter| adapter.unwrap().path());
        adapters.any(|adapter| adapter.join("tpgt_1/lun/lun_0/port").is_symlink())
    }
}

/// A mapping with a mailbox of version 2, and a ring of 1024 bytes at 128 without commands.
fn empty_ring() -> MmapRegion {
    let region = MmapRegion::new(4096).unwrap();
    let memory = region.as_volatile_slice();
    memory.write_slice(&2_u16.to_ne_bytes(), 0).unwrap();
    memory.write_slice(&128_u32.to_ne_bytes(), 4).unwrap();
    memory.write_slice(&1024_u32.to_ne_bytes(), 8).unwrap();
    region
}

#[test]
fn a_disk_that_fails_raises_the_alarm_and_is_not_detached() {
    let Bench {
        folder,
        running,
        kernel,
        alarms,
    } = Bench::new();
    drop(kernel);
    alarms.recv_timeout(Duration::from_secs(30)).unwrap();
    // A flush that the kernel sends while it takes the disk away would wait for ever.
    let failure = running.stop().unwrap_err();
    assert!(matches!(failure, TcmuError::Device(_)), "{failure}");
    assert!(Bench::is_attached(folder.path()));
}

#[test]
fn a_disk_that_is_stopped_raises_no_alarm() {
    let bench = Bench::new();
    let folder = bench.folder;
    // Folders of files cannot be removed as those of configfs can; the link is what counts.
    let _ = bench.running.stop();
    assert!(!Bench::is_attached(folder.path()));
    assert!(bench.alarms.recv().is_err());
}

#[test]
fn a_panic_is_a_failure() {
    let (sender, alarms) = mpsc::channel();
    let has_failed = Arc::new(AtomicBool::new(false));
    let watch = Watch {
        has_failed: Arc::clone(&has_failed),
        alarm: Some(Box::new(move || sender.send(()).unwrap())),
    };
    let thread = Builder::new().spawn(|| watch.over(|| panic!("on purpose")));
    thread.unwrap().join().unwrap_err();
    alarms.recv().unwrap();
    assert!(has_failed.load(Ordering::Acquire));
}
