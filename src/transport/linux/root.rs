//! Where `/dev`, `/proc`, `/run` and `/sys` are: the machine's own, or a copy for tests.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// The folder under which the system's files are looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemRoot(PathBuf);

/// No attribute of sysfs is longer than a page; /proc's lists are longer.
const ATTRIBUTE_LIMIT: u64 = 4096;
/// More mounts and devices than a machine can have.
const LIST_LIMIT: u64 = 16 << 20;

impl Default for SystemRoot {
    /// The machine's own.
    fn default() -> Self {
        Self(PathBuf::from("/"))
    }
}

impl SystemRoot {
    /// A root at `path`, for tests and for looking at another system's files.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// True if this is the machine's own root, so that its nodes can be talked to.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.0 == Path::new("/")
    }

    /// Where an absolute path of the system is found.
    #[must_use]
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let inside = path.as_ref().components();
        let inside =
            inside.filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
        self.0.join(inside.collect::<PathBuf>())
    }

    /// The name that a path has when every link is followed.
    pub(super) fn real_name(&self, path: impl AsRef<Path>) -> io::Result<String> {
        let real = self.path(path).canonicalize()?;
        let name = real.file_name().and_then(|name| name.to_str());
        Ok(name.ok_or(io::ErrorKind::InvalidFilename)?.to_owned())
    }

    /// The folder that a path leads to when every link is followed.
    pub(super) fn real_path(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        self.path(path).canonicalize().ok()
    }

    /// True if the path exists.
    pub(super) fn has(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).exists()
    }

    /// The contents of a binary attribute.
    pub(super) fn bytes(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        read(&self.path(path), ATTRIBUTE_LIMIT).ok()
    }

    /// The contents of a text attribute without blanks around it; `None` if it is empty.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = self.bytes(path)?;
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// The contents of a numeric attribute.
    pub(super) fn number<T: FromStr>(&self, path: impl AsRef<Path>) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// The contents of a list in /proc.
    pub(super) fn list(&self, path: impl AsRef<Path>) -> io::Result<String> {
        let bytes = read(&self.path(path), LIST_LIMIT)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The names in a folder, in natural order; none if there is no such folder.
    pub(super) fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.path(path))
            .into_iter()
            .flatten()
            .flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<_> = names.collect();
        names.sort_by(|one, other| natural_order(one, other));
        names
    }
}

fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Order in which people count nodes: `nvme2` before `nvme10`, `sdz` before `sdaa` before `sg0`.
pub(super) fn natural_order(one: &str, other: &str) -> Ordering {
    runs(one).map(key).cmp(runs(other).map(key))
}

/// Numbers are ordered by length first, and so are letters behind the two of a driver's name.
fn key(run: &str) -> (&str, usize, &str) {
    let is_number = run.starts_with(|first: char| first.is_ascii_digit());
    let driver = if is_number {
        ""
    } else {
        run.get(..2).unwrap_or(run)
    };
    (driver, run.len(), run)
}

/// Runs of digits and runs of anything else.
fn runs(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let is_digit = rest.chars().next()?.is_ascii_digit();
        let end = rest.find(|next: char| next.is_ascii_digit() != is_digit);
        let (run, tail) = rest.split_at(end.unwrap_or(rest.len()));
        rest = tail;
        Some(run)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    /// A root in a temporary folder, filled by a test.
    pub(crate) struct Fixture {
        folder: TempDir,
    }

    impl Fixture {
        pub(crate) fn new() -> Self {
            Self {
                folder: TempDir::new().unwrap(),
            }
        }

        pub(crate) fn root(&self) -> SystemRoot {
            SystemRoot::new(self.folder.path())
        }

        /// Writes a file and the folders above it.
        pub(crate) fn file(&self, path: &str, contents: impl AsRef<[u8]>) -> &Self {
            let path = self.root().path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
            self
        }

        pub(crate) fn folder(&self, path: &str) -> &Self {
            fs::create_dir_all(self.root().path(path)).unwrap();
            self
        }

        /// Links `path` to the absolute path `target` of the fixture.
        pub(crate) fn link(&self, path: &str, target: &str) -> &Self {
            let path = self.root().path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(self.root().path(target), path).unwrap();
            self
        }
    }

    #[test]
    fn paths_stay_below_the_root() {
        let root = SystemRoot::new("/fixture");
        assert_eq!(root.path("/dev/sda"), Path::new("/fixture/dev/sda"));
        assert_eq!(root.path("dev/sda"), Path::new("/fixture/dev/sda"));
        assert!(!root.is_real());
        assert!(SystemRoot::default().is_real());
        assert_eq!(
            SystemRoot::default().path("/dev/sda"),
            Path::new("/dev/sda")
        );
    }

    #[test]
    fn attributes_are_trimmed_and_may_be_missing() {
        let fixture = Fixture::new();
        fixture
            .file("/sys/a", " text \n")
            .file("/sys/b", "\n")
            .file("/sys/c", "42\n");
        let root = fixture.root();
        assert_eq!(root.text("/sys/a").as_deref(), Some("text"));
        assert_eq!(root.text("/sys/b"), None);
        assert_eq!(root.number("/sys/c"), Some(42_u32));
        assert_eq!(root.number::<u32>("/sys/a"), None);
        assert_eq!(root.text("/sys/missing"), None);
        assert_eq!(root.names("/sys"), ["a", "b", "c"]);
        assert!(root.names("/missing").is_empty());
    }

    #[test]
    fn names_come_in_the_order_in_which_people_count() {
        let mut names = [
            "sdaa", "nvme10n1", "sdb", "nvme2n10", "nvme2n2", "sda", "sg3", "sg20",
        ];
        names.sort_by(|one, other| natural_order(one, other));
        assert_eq!(
            names,
            [
                "nvme2n2", "nvme2n10", "nvme10n1", "sda", "sdb", "sdaa", "sg3", "sg20"
            ]
        );
    }
}
