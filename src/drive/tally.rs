//! Tallies: the refused attempts at each PIN that are known of, kept across runs.
//!
//! A TPer shows its counters to few. So every refused attempt is noted on the host, in the folder of
//! the journal: what searches for a PIN begins where earlier runs have left off, and what only makes
//! one attempt tells later runs of it. A PIN that is taken clears the tally, as it clears the TPer's
//! own counter (\[Core\] 5.3.4.1.1.2). Nothing here depends on a passphrase.

use std::fmt::Write;
use std::io;

use super::journal::{Journal, file_name};
use super::{Authority, Drive, Tries};
use crate::secret::PinRule;

/// The first line of a tally.
const HEADING: &str = "sedkit tally 1";
/// What is added to the name of a note.
const SUFFIX: &str = ".tries";

/// What is known of the attempts at one PIN.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Attempts since the last one that was taken, of which none is known to have been right.
    pub attempts: u32,
    /// Whether the drive said the last time that the authority is locked out.
    pub is_locked_out: bool,
    /// What the drive showed of its limit when it could be asked.
    pub shown: Tries,
    /// The rules that a search has found wrong.
    pub refused: Vec<PinRule>,
}

/// Why attempts cannot be counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TallyError {
    /// There is no folder for it.
    #[error("there is no folder to count attempts in")]
    NoFolder,
    /// The drive has no serial number to tell it by.
    #[error("the drive has no serial number by which attempts could be counted")]
    NoSerial,
    /// The file could not be read or written.
    #[error("attempts could not be counted in {path}")]
    Io {
        /// The file.
        path: std::path::PathBuf,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The file holds something else.
    #[error("{path} is no tally of attempts")]
    Damaged {
        /// The file.
        path: std::path::PathBuf,
    },
}

impl Tally {
    /// Forgets the attempts, and keeps what was learned of the limit.
    pub(super) fn clear(&mut self) {
        let shown = self.shown;
        *self = Self {
            shown,
            ..Self::default()
        };
    }

    fn is_blank(&self) -> bool {
        *self == Self::default()
    }

    fn text(&self) -> String {
        let mut text = format!("{HEADING}\nattempts {}\n", self.attempts);
        if self.is_locked_out {
            text += "locked-out\n";
        }
        // Writing into a string cannot fail.
        if let Some(limit) = self.shown.try_limit {
            let _ = writeln!(text, "limit {limit}");
        }
        if let Some(persistence) = self.shown.persistence {
            let _ = writeln!(text, "persistence {persistence}");
        }
        for rule in &self.refused {
            let _ = writeln!(text, "refused {rule}");
        }
        text
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(HEADING) {
            return None;
        }
        let mut tally = Self::default();
        for line in lines {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            match key {
                "attempts" => tally.attempts = value.parse().ok()?,
                "locked-out" => tally.is_locked_out = true,
                "limit" => tally.shown.try_limit = Some(value.parse().ok()?),
                "persistence" => tally.shown.persistence = Some(value.parse().ok()?),
                "refused" => tally.refused.push(value.parse().ok()?),
                _ => return None,
            }
        }
        Some(tally)
    }
}

/// Where the tally of one authority of one drive is kept.
#[derive(Debug)]
pub(super) struct TallyFile {
    journal: Option<Journal>,
    name: Option<String>,
}

impl TallyFile {
    /// The tally; a blank one if nothing is known.
    pub(super) fn read(&self) -> Result<Tally, TallyError> {
        let (journal, name) = self.place()?;
        let text = journal.read_file(name).map_err(|source| TallyError::Io {
            path: journal.path(name),
            source,
        })?;
        let Some(text) = text else {
            return Ok(Tally::default());
        };
        Tally::parse(&text).ok_or_else(|| TallyError::Damaged {
            path: journal.path(name),
        })
    }

    /// Keeps a tally, so that it survives a crash.
    pub(super) fn write(&self, tally: &Tally) -> Result<(), TallyError> {
        let (journal, name) = self.place()?;
        let written = match tally.is_blank() {
            true => journal.remove_file(name),
            false => journal.replace_file(name, &tally.text()),
        };
        written.map_err(|source| TallyError::Io {
            path: journal.path(name),
            source,
        })
    }

    /// Notes an attempt that was made, as well as that can be done.
    pub(super) fn count(&self, is_locked_out: bool) {
        let Ok(mut tally) = self.read() else {
            return;
        };
        tally.attempts = tally.attempts.saturating_add(1);
        tally.is_locked_out = is_locked_out;
        let _ = self.write(&tally);
    }

    /// Notes that an attempt was taken.
    pub(super) fn clear(&self) {
        let Ok(mut tally) = self.read() else {
            return;
        };
        if tally.attempts > 0 || tally.is_locked_out || !tally.refused.is_empty() {
            tally.clear();
            let _ = self.write(&tally);
        }
    }

    fn place(&self) -> Result<(&Journal, &str), TallyError> {
        let journal = self.journal.as_ref().ok_or(TallyError::NoFolder)?;
        let name = self.name.as_deref().ok_or(TallyError::NoSerial)?;
        Ok((journal, name))
    }
}

impl Drive {
    /// What is known of the attempts at a PIN.
    ///
    /// # Errors
    /// [`TallyError`] if nothing can be known.
    pub fn tally(&self, authority: Authority) -> Result<Tally, TallyError> {
        self.tally_file(authority).read()
    }

    pub(super) fn tally_file(&self, authority: Authority) -> TallyFile {
        let name = file_name(&self.identity().serial_text(), authority);
        TallyFile {
            journal: self.journal.clone(),
            name: name.map(|name| name + SUFFIX),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::secret::{SaltRule, Scheme};

    fn file(folder: &tempfile::TempDir) -> TallyFile {
        TallyFile {
            journal: Some(Journal::new(folder.path())),
            name: Some("S.Admin1.tries".to_owned()),
        }
    }

    fn sample() -> Tally {
        Tally {
            attempts: 3,
            is_locked_out: true,
            shown: Tries {
                tries: None,
                try_limit: Some(5),
                persistence: Some(false),
            },
            refused: vec![
                PinRule::new(Scheme::Raw, SaltRule::Serial),
                PinRule::new(Scheme::Sedutil, SaltRule::Hex([7; 20])),
            ],
        }
    }

    #[test]
    fn a_tally_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder);
        assert_eq!(file.read().unwrap(), Tally::default());
        file.write(&sample()).unwrap();
        assert_eq!(file.read().unwrap(), sample());
    }

    #[test]
    fn a_taken_pin_clears_the_attempts_and_not_what_was_learned() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder);
        file.write(&sample()).unwrap();
        file.clear();
        let expected = Tally {
            shown: sample().shown,
            ..Tally::default()
        };
        assert_eq!(file.read().unwrap(), expected);
    }

    #[test]
    fn a_blank_tally_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder);
        file.count(false);
        assert_eq!(file.read().unwrap().attempts, 1);
        file.clear();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_no_tally_is_no_zero() {
        let folder = tempfile::tempdir().unwrap();
        let file = file(&folder);
        let damaged = [
            "",
            "attempts 1\n",
            "sedkit tally 1\nattempts -1\n",
            "sedkit tally 1\nrefused rot13\n",
            "sedkit tally 1\nother\n",
        ];
        for text in damaged {
            fs::write(folder.path().join("S.Admin1.tries"), text).unwrap();
            let error = file.read().unwrap_err();
            assert!(matches!(error, TallyError::Damaged { .. }), "{text:?}");
            file.count(false);
            let kept = fs::read_to_string(folder.path().join("S.Admin1.tries")).unwrap();
            assert_eq!(kept, text);
        }
    }

    #[test]
    fn without_a_place_nothing_is_counted() {
        let nowhere = TallyFile {
            journal: None,
            name: Some("S.SID.tries".to_owned()),
        };
        assert!(matches!(nowhere.read(), Err(TallyError::NoFolder)));
        let nameless = TallyFile {
            journal: Some(Journal::new("/nonexistent")),
            name: None,
        };
        assert!(matches!(nameless.read(), Err(TallyError::NoSerial)));
    }
}
