//! The blocks of a drive by its block nodes, read past the kernel's cache (O_DIRECT).

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::host::{Geometry, geometry};
use super::node::Node;
use super::root::SystemRoot;
use super::topology::DriveNodes;
use crate::sys::ioctl::{O_DIRECT, O_NONBLOCK};
use crate::sys::memory::PageBuffer;
use crate::transport::{BlockSource, Bus};

/// The block nodes of a drive, for reading.
///
/// The namespaces of an NVMe drive follow each other in the order of their names, so that a drive
/// with one namespace has its own LBAs; what has other paths as well is read by the first.
pub struct BlockNodes {
    parts: Vec<Part>,
    buffer: PageBuffer,
}

/// One node.
struct Part {
    file: File,
    blocks: u64,
}

/// Opens the block nodes of a drive.
///
/// # Errors
/// The drive has no block node ([`io::ErrorKind::NotFound`]), its nodes differ in block size
/// ([`io::ErrorKind::Unsupported`]), or what the kernel says.
pub fn open_blocks(root: &SystemRoot, drive: &DriveNodes) -> io::Result<BlockNodes> {
    let nodes = distinct(root, drive);
    let mut parts = Vec::new();
    let mut block_size = None;
    for node in nodes {
        let found = geometry(root, node).ok_or(io::ErrorKind::NotFound)?;
        if *block_size.get_or_insert(found.block_size) != found.block_size {
            return Err(io::ErrorKind::Unsupported.into());
        }
        parts.push(Part {
            file: open(&root.path(&node.path))?,
            blocks: found.blocks,
        });
    }
    let size: u32 = block_size.ok_or(io::ErrorKind::NotFound)?;
    let size = usize::try_from(size).map_err(|_| io::ErrorKind::Unsupported)?;
    let buffer = PageBuffer::new(size);
    Ok(BlockNodes { parts, buffer })
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(O_NONBLOCK | O_DIRECT);
    options.open(path)
}

/// One node for each namespace, or the first path to a drive that has none.
fn distinct<'d>(root: &SystemRoot, drive: &'d DriveNodes) -> Vec<&'d Node> {
    let blocks = || drive.nodes.iter().filter(|node| node.kind.is_block());
    let is_nvme = blocks().next().is_some_and(|node| node.bus == Bus::Nvme);
    if !is_nvme {
        return blocks().take(1).collect();
    }
    let mut known = Vec::new();
    let mut found = Vec::new();
    for node in blocks() {
        let nsid: Option<u32> = root.number(Path::new("/sys/block").join(&node.name).join("nsid"));
        if nsid.is_none() || !known.contains(&nsid) {
            known.push(nsid);
            found.push(node);
        }
    }
    found
}

impl BlockNodes {
    /// The node that holds a block, and where it stands there.
    fn locate(&self, lba: u64) -> Option<(&File, u64)> {
        let mut lba = lba;
        for part in &self.parts {
            match lba.checked_sub(part.blocks) {
                Some(rest) => lba = rest,
                None => return Some((&part.file, lba)),
            }
        }
        None
    }
}

impl BlockSource for BlockNodes {
    fn geometry(&self) -> Geometry {
        let blocks = self.parts.iter().map(|part| part.blocks);
        Geometry {
            blocks: blocks.fold(0, u64::saturating_add),
            block_size: u32::try_from(self.buffer.len()).unwrap_or(u32::MAX),
        }
    }

    fn read_block(&mut self, lba: u64) -> io::Result<Vec<u8>> {
        let mut buffer = std::mem::replace(&mut self.buffer, PageBuffer::new(0));
        let size = u64::try_from(buffer.len()).unwrap_or(u64::MAX);
        let read = self
            .locate(lba)
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
            .and_then(|(file, lba)| file.read_exact_at(&mut buffer, lba.saturating_mul(size)));
        let block = read.map(|()| buffer.to_vec());
        self.buffer = buffer;
        block
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::tests::{add_nvme, add_scsi};
    use super::super::root::tests::Fixture;
    use super::super::scan;
    use super::*;
    use crate::transport::linux::nodes_of;

    fn part(fixture: &Fixture, name: &str, blocks: &[u8]) -> Part {
        let content: String = blocks
            .iter()
            .map(|&block| char::from(block).to_string().repeat(512))
            .collect();
        let path = format!("/dev/{name}");
        fixture.file(&path, &content);
        Part {
            file: File::open(fixture.root().path(Path::new(&path))).unwrap(),
            blocks: u64::try_from(blocks.len()).unwrap(),
        }
    }

    #[test]
    fn namespaces_follow_each_other() {
        let fixture = Fixture::new();
        let parts = vec![
            part(&fixture, "nvme0n1", b"ab"),
            part(&fixture, "nvme0n2", b"c"),
        ];
        let buffer = PageBuffer::new(512);
        let mut nodes = BlockNodes { parts, buffer };
        assert_eq!(nodes.geometry().blocks, 3);
        assert_eq!(nodes.geometry().block_size, 512);
        for (lba, byte) in [(1, b'b'), (2, b'c'), (0, b'a')] {
            assert_eq!(nodes.read_block(lba).unwrap(), [byte; 512], "{lba}");
        }
        let beyond = nodes.read_block(3).unwrap_err();
        assert_eq!(beyond.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(nodes.read_block(0).unwrap(), [b'a'; 512]);
    }

    #[test]
    fn a_namespace_has_one_node_and_a_disk_one_path() {
        let fixture = Fixture::new();
        add_nvme(&fixture, "nvme0", "nvme0n1", "Z0X1");
        add_nvme(&fixture, "nvme1", "nvme1n1", "Z0X1");
        add_nvme(&fixture, "nvme2", "nvme1n2", "Z0X1");
        for (name, nsid) in [("nvme0n1", "1"), ("nvme1n1", "1"), ("nvme1n2", "2")] {
            fixture.file(&format!("/sys/block/{name}/nsid"), nsid);
        }
        let root = fixture.root();
        let names = ["nvme0n1", "nvme1n1", "nvme1n2"].map(|name| {
            let path = Path::new("/dev").join(name);
            nodes_of(&root, &path).unwrap().nodes.remove(0)
        });
        let drive = DriveNodes {
            nodes: names.to_vec(),
        };
        let found: Vec<_> = distinct(&root, &drive)
            .iter()
            .map(|node| node.name.as_str())
            .collect();
        assert_eq!(found, ["nvme0n1", "nvme1n2"]);

        add_scsi(&fixture, "pci/host0/target0:0:0/0:0:0:0", "sda", "sg0");
        let disk = scan(&root)
            .into_iter()
            .find(|it| it.path().ends_with("sda"));
        let disk = disk.unwrap();
        let found = distinct(&root, &disk);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "sda");
    }

    #[test]
    fn blocks_are_read_past_the_cache() {
        let fixture = Fixture::new();
        let device = add_scsi(&fixture, "pci/host0/target0:0:0/0:0:0:0", "sda", "sg0");
        fixture
            .file(
                &format!("{device}/block/sda/queue/logical_block_size"),
                "4096\n",
            )
            .file(&format!("{device}/block/sda/size"), "16\n")
            .file("/dev/sda", ["a".repeat(4096), "b".repeat(4096)].concat());
        let root = fixture.root();
        let drive = nodes_of(&root, Path::new("/dev/sda")).unwrap();
        let mut nodes = match open_blocks(&root, &drive) {
            // A file system without direct reads, as some in memory are.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return,
            nodes => nodes.unwrap(),
        };
        assert_eq!(nodes.geometry().blocks, 2);
        assert_eq!(nodes.read_block(1).unwrap(), [b'b'; 4096]);
        assert!(nodes.read_block(2).is_err());
    }

    #[test]
    fn a_drive_without_block_node_has_no_blocks() {
        let drive = DriveNodes { nodes: Vec::new() };
        let error = open_blocks(&SystemRoot::default(), &drive).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
