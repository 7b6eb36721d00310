//! Reads the files of `tests/vectors`.

use std::fs;
use std::path::{Path, PathBuf};

/// A file or folder of `tests/vectors`.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(name)
}

/// The bytes of a hex file.
pub(crate) fn hex(name: &str) -> Vec<u8> {
    let digits: Vec<u8> = text(name)
        .chars()
        .filter_map(|character| character.to_digit(16))
        .map(|digit| u8::try_from(digit).unwrap())
        .collect();
    let pairs = digits.chunks_exact(2);
    assert!(pairs.remainder().is_empty(), "{name} has half a byte");
    pairs.map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// The text of a file.
pub(crate) fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of a folder's files with an extension, without the extension, sorted.
pub(crate) fn names(folder: &str, extension: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert!(!names.is_empty(), "{folder} is empty");
    names
}
