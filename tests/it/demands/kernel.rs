//! Demands about the kernel's own Opal support.

use std::fs;
use std::path::{Path, PathBuf};

/// Works on kernels without CONFIG_BLK_SED_OPAL: every command goes through the pass-through of NVMe,
/// SCSI and ATA, and only handing the key over for suspend needs the kernel's option (D115).
#[test]
fn d115_only_saving_for_resume_needs_the_kernels_opal_support() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut users = Vec::new();
    for file in sources(&root) {
        let text = fs::read_to_string(&file).unwrap().to_ascii_lowercase();
        if text.contains("ioc_opal") {
            users.push(file.strip_prefix(&root).unwrap().to_owned());
        }
    }
    assert_eq!(users, [Path::new("sys/ioctl.rs")]);
    let numbers = fs::read_to_string(root.join("sys/ioctl.rs")).unwrap();
    let named: Vec<&str> = numbers.split("IOC_OPAL_").skip(1).collect();
    assert!(!named.is_empty());
    for name in named {
        assert!(
            name.starts_with("SAVE"),
            "IOC_OPAL_{}",
            &name[..10.min(name.len())]
        );
    }
}

/// Every Rust source below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for path in entries {
        match path.is_dir() {
            true => found.extend(sources(&path)),
            false if path.extension().is_some_and(|end| end == "rs") => found.push(path),
            false => {}
        }
    }
    found
}
