//! How many interface commands each everyday task takes, beside its budget.
//!
//! Every task runs on a fresh virtual drive. The drive's own count is compared with the host's.

#![allow(
    clippy::field_reassign_with_default,
    reason = "requests are non-exhaustive, so they cannot be written as literals here"
)]

use std::error::Error;
use std::path::Path;

use sedkit::drive::{
    Authority, Credential, Drive, DriveOptions, EraseConsent, LoadRequest, LockRequest, MbrChange,
    SetupPlan, UnlockRequest, Verification,
};
use sedkit::secret::Secret;
use sedkit::spec::RangeNumber;
use sedkit::vdrive::{CreateOptions, VirtualDrive};

const PIN: &[u8] = b"Correct-Horse-7";
const SERIAL: &str = "SEDKITBENCH1";
const PSID: &str = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

type Outcome = Result<(), Box<dyn Error>>;

/// A task, its budget, and what has to be so before it.
struct Task {
    name: &'static str,
    budget: u64,
    prepare: fn(&Path) -> Outcome,
    act: fn(&mut Drive) -> Outcome,
}

const TASKS: [Task; 10] = [
    Task {
        name: "discovery",
        budget: 1,
        prepare: nothing,
        act: |_| Ok(()),
    },
    Task {
        name: "setup from factory state",
        budget: 26,
        prepare: nothing,
        act: set_up,
    },
    Task {
        name: "unlock range 0",
        budget: 7,
        prepare: locked,
        act: unlock_global,
    },
    Task {
        name: "unlock range 0 and MBRDone",
        budget: 9,
        prepare: shadowed,
        act: unlock_and_done,
    },
    Task {
        name: "lock range 0, proven",
        budget: 8,
        prepare: owned,
        act: lock_global,
    },
    Task {
        name: "revert by PSID, checked",
        budget: 7,
        prepare: owned,
        act: revert,
    },
    Task {
        name: "unlock, nothing to do",
        budget: 1,
        prepare: owned,
        act: unlock_global,
    },
    Task {
        name: "128 MiB shadow MBR, written",
        budget: 4200,
        prepare: owned,
        act: load,
    },
    Task {
        name: "the same, and read back",
        budget: 8400,
        prepare: owned,
        act: load_and_verify,
    },
    Task {
        name: "the same once more",
        budget: 4200,
        prepare: loaded,
        act: load_and_verify,
    },
];

fn main() {
    println!(
        "{:<30} {:>6} {:>7} {:>7}",
        "task", "budget", "sedkit", "drive"
    );
    for task in &TASKS {
        match measure(task) {
            Ok((host, drive)) => {
                println!("{:<30} {:>6} {host:>7} {drive:>7}", task.name, task.budget);
            }
            Err(error) => println!("{:<30} failed: {error}", task.name),
        }
    }
}

/// Interface commands of a task: as the host counts them, and as the drive does.
fn measure(task: &Task) -> Result<(u64, u64), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("drive.img");
    create(&path)?;
    (task.prepare)(&path)?;
    let before = seen(&path)?;
    let mut drive = open(&path)?;
    (task.act)(&mut drive)?;
    let counts = drive.if_counts();
    drop(drive);
    Ok((counts.send + counts.recv, seen(&path)? - before))
}

fn create(path: &Path) -> Outcome {
    let mut options = CreateOptions::new(16 << 20);
    options.serial = Some(SERIAL.to_owned());
    options.psid = Some(PSID.to_owned());
    VirtualDrive::create(path, &options)?;
    Ok(())
}

fn open(path: &Path) -> Result<Drive, Box<dyn Error>> {
    Ok(Drive::open(
        Box::new(VirtualDrive::open(path)?),
        DriveOptions::default(),
    )?)
}

fn seen(path: &Path) -> Result<u64, Box<dyn Error>> {
    let total = VirtualDrive::open(path)?.stats().total();
    Ok(total.send + total.recv)
}

fn nothing(_: &Path) -> Outcome {
    Ok(())
}

fn owned(path: &Path) -> Outcome {
    set_up(&mut open(path)?)
}

fn locked(path: &Path) -> Outcome {
    owned(path)?;
    Ok(VirtualDrive::open(path)?.power_cycle()?)
}

/// Locked, and with the shadow MBR in front.
fn shadowed(path: &Path) -> Outcome {
    owned(path)?;
    let mut drive = open(path)?;
    let enable = MbrChange {
        enable: Some(true),
        ..MbrChange::default()
    };
    drive.change_mbr(&enable, &admin())?;
    drop(drive);
    Ok(VirtualDrive::open(path)?.power_cycle()?)
}

fn loaded(path: &Path) -> Outcome {
    owned(path)?;
    load(&mut open(path)?)
}

fn admin() -> Credential {
    Credential::new(Authority::Admin(1), Secret::from_slice(PIN))
}

fn set_up(drive: &mut Drive) -> Outcome {
    drive.setup(&SetupPlan::default(), &Secret::from_slice(PIN))?;
    Ok(())
}

fn unlock_global(drive: &mut Drive) -> Outcome {
    let request = UnlockRequest {
        ranges: vec![RangeNumber::GLOBAL],
        ..UnlockRequest::default()
    };
    drive.unlock(&request, &admin())?;
    Ok(())
}

fn unlock_and_done(drive: &mut Drive) -> Outcome {
    let request = UnlockRequest {
        ranges: vec![RangeNumber::GLOBAL],
        mbr_done: true,
        ..UnlockRequest::default()
    };
    drive.unlock(&request, &admin())?;
    Ok(())
}

fn lock_global(drive: &mut Drive) -> Outcome {
    let request = LockRequest {
        ranges: vec![RangeNumber::GLOBAL],
        ..LockRequest::default()
    };
    drive.lock(&request, &admin())?;
    Ok(())
}

fn revert(drive: &mut Drive) -> Outcome {
    let consent = EraseConsent::new(SERIAL, drive.identity())?;
    let psid = Credential::new(Authority::Psid, Secret::from_slice(PSID.as_bytes()));
    drive.revert(&psid, consent)?;
    Ok(())
}

/// Bytes of the shadow MBR, of which no two blocks are alike.
const IMAGE: u64 = 128 << 20;

/// As `mbr load` does it: a look as anybody, then the load as Admin1.
fn load_with(drive: &mut Drive, verification: Verification) -> Outcome {
    let words = (0..IMAGE / 8).map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let image: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    drive.survey_mbr(&mut &*image)?;
    let request = LoadRequest {
        verification,
        ..LoadRequest::default()
    };
    drive.load_mbr(&request, &mut &*image, &admin(), &mut |_| {})?;
    Ok(())
}

fn load(drive: &mut Drive) -> Outcome {
    load_with(drive, Verification::Skipped)
}

fn load_and_verify(drive: &mut Drive) -> Outcome {
    load_with(drive, Verification::ReadBack)
}
