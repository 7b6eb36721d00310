//! Who else has a drive open: the processes that hold one of its nodes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use super::node::Node;
use super::root::SystemRoot;
use crate::transport::sanitise;

/// A process that holds a node of a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opener {
    /// Its number.
    pub pid: u32,
    /// Its name, sanitised.
    pub name: String,
}

/// The other processes that hold a node of a drive open, as far as this user may see them.
///
/// A program that is between two commands is not seen; nor is the kernel, whatever is mounted.
#[must_use]
pub fn openers(root: &SystemRoot, nodes: &[Node]) -> Vec<Opener> {
    let paths: Vec<PathBuf> = nodes.iter().map(|node| root.path(&node.path)).collect();
    let numbers = root.names("/proc");
    let pids = numbers.iter().filter_map(|name| name.parse::<u32>().ok());
    pids.filter(|&pid| pid != process::id() && holds(root, pid, &paths))
        .map(|pid| Opener {
            pid,
            name: name(root, pid),
        })
        .collect()
}

fn holds(root: &SystemRoot, pid: u32, paths: &[PathBuf]) -> bool {
    let folder = Path::new("/proc").join(pid.to_string()).join("fd");
    let open = root.names(&folder);
    open.iter().any(|number| {
        let target = fs::read_link(root.path(folder.join(number)));
        target.is_ok_and(|target| paths.contains(&target))
    })
}

fn name(root: &SystemRoot, pid: u32) -> String {
    let name = root.text(Path::new("/proc").join(pid.to_string()).join("comm"));
    sanitise(name.unwrap_or_default().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::node::resolve;
    use super::super::node::tests::add_scsi;
    use super::super::root::tests::Fixture;
    use super::*;

    #[test]
    fn processes_that_hold_a_node_are_named() {
        let fixture = Fixture::new();
        add_scsi(&fixture, "host0/0:0:0:0", "sda", "sg0");
        let own = process::id();
        fixture
            .file("/proc/17/comm", "sedutil-cli\n")
            .link("/proc/17/fd/3", "/dev/sda")
            .file("/proc/18/comm", "cat\n")
            .link("/proc/18/fd/3", "/dev/sdb")
            .file(&format!("/proc/{own}/comm"), "sedkit\n")
            .link(&format!("/proc/{own}/fd/3"), "/dev/sda")
            .file("/proc/uptime", "1 1\n");
        let node = resolve(&fixture.root(), Path::new("/dev/sda")).unwrap();
        let expected = Opener {
            pid: 17,
            name: "sedutil-cli".to_owned(),
        };
        assert_eq!(openers(&fixture.root(), &[node]), [expected]);
    }
}
