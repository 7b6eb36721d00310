//! A copy of a file that is mostly holes: the file of a drive has some seventy megabytes, of which
//! a few dozen kilobytes were ever written.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use nix::errno::Errno;
use nix::unistd::{Whence, lseek};

/// Copies what was written, with the holes between.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (File::open(from)?, File::create_new(to)?);
    to.set_len(from.metadata()?.len())?;
    let mut end = 0;
    while let Some(data) = next_data(&from, end)? {
        end = data.end;
        copy_range(&from, &to, data)?;
    }
    Ok(())
}

/// The next run of bytes that is no hole. A file system without holes has one, the whole file.
fn next_data(file: &File, from: u64) -> io::Result<Option<Range<u64>>> {
    let seek = |offset: u64, whence| {
        let offset = i64::try_from(offset).map_err(|_| Errno::EOVERFLOW)?;
        let found = lseek(file, offset, whence)?;
        u64::try_from(found).map_err(|_| Errno::EOVERFLOW)
    };
    let start = match seek(from, Whence::SeekData) {
        Err(Errno::ENXIO) => return Ok(None),
        start => start?,
    };
    Ok(Some(start..seek(start, Whence::SeekHole)?))
}

fn copy_range(from: &File, to: &File, range: Range<u64>) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    let mut offset = range.start;
    while offset < range.end {
        let rest = usize::try_from(range.end - offset).unwrap_or(usize::MAX);
        let piece = &mut buffer[..rest.min(64 << 10)];
        from.read_exact_at(piece, offset)?;
        to.write_all_at(piece, offset)?;
        offset += u64::try_from(piece.len()).unwrap_or(u64::MAX);
    }
    Ok(())
}
