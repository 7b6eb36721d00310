//! Reads the secrets of one run from their sources.

use std::os::fd::{AsRawFd, RawFd};
use std::path::PathBuf;
use std::time::Duration;

use super::hex::parse_hex;
use super::intake::{inherited, read_all, read_file, unreadable};
use super::prompt::Prompter;
use super::{Secret, Source, SourceError, exec, keyring};

/// Longest secret that is read from any source, in bytes: far above what a drive takes.
pub const MAX_SECRET_LENGTH: usize = 4096;

/// What is wanted from a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// What a person is asked for, without colon: "Admin1 passphrase".
    pub prompt: &'a str,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a secret is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It is set already.
    Existing,
    /// It is about to be set: a person is asked for it twice.
    New,
}

/// What happens with secret files that others may read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenFiles {
    /// They are refused.
    #[default]
    Refuse,
    /// They are read all the same.
    Allow,
}

/// What holds for all secrets of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What happens with files that others may read.
    pub open_files: OpenFiles,
    /// Where the service manager put its credentials (`$CREDENTIALS_DIRECTORY`).
    pub credentials: Option<PathBuf>,
    /// How long a helper may take.
    pub helper_time_limit: Duration,
}

/// What a source gave.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The secret, never empty.
    Secret(Secret),
    /// The drive has to be asked for its MSID.
    Msid,
}

/// The secrets of one run: knows which streams have given theirs.
///
/// Standard input, descriptors and named pipes are read to their end and wait for it; helpers have
/// a time limit.
pub struct Reader<'a> {
    prompter: &'a mut dyn Prompter,
    options: Options,
    consumed: Vec<RawFd>,
}

impl<'a> Reader<'a> {
    /// A reader that asks people through `prompter`.
    pub fn new(prompter: &'a mut dyn Prompter, options: Options) -> Self {
        Self {
            prompter,
            options,
            consumed: Vec::new(),
        }
    }

    /// Reads one secret.
    ///
    /// One trailing newline is dropped, and nothing else.
    ///
    /// # Errors
    /// [`SourceError`] if the source gives no secret, an empty one, or, being a stream, gave its
    /// secret before.
    pub fn read(&mut self, source: &Source, request: &Request<'_>) -> Result<Outcome, SourceError> {
        let open_files = self.options.open_files;
        let secret = match source {
            Source::Msid => return Ok(Outcome::Msid),
            Source::Prompt => self.ask(request)?,
            Source::Stdin => self.stream(std::io::stdin().as_raw_fd(), source)?,
            Source::Fd(descriptor) => self.stream(*descriptor, source)?,
            Source::File(path) => read_file(path, open_files, source)?,
            Source::HexFile(path) => decode(&read_file(path, open_files, source)?, source)?,
            Source::Credential(name) => self.credential(name, source)?,
            Source::Keyring(description) => keyring::read(description, source)?,
            Source::Exec(command) => exec::run(command, self.options.helper_time_limit, source)?,
        };
        if secret.is_empty() {
            return Err(SourceError::Empty {
                origin: source.clone(),
            });
        }
        Ok(Outcome::Secret(secret))
    }

    fn ask(&mut self, request: &Request<'_>) -> Result<Secret, SourceError> {
        let secret = self.prompter.ask(&format!("{}: ", request.prompt))?;
        if request.purpose == Purpose::Existing || secret.is_empty() {
            return Ok(secret);
        }
        let again = self
            .prompter
            .ask(&format!("{} (again): ", request.prompt))?;
        if secret != again {
            return Err(SourceError::Mismatch);
        }
        Ok(secret)
    }

    /// A second read would find the stream at its end, and the secret empty.
    fn stream(&mut self, descriptor: RawFd, origin: &Source) -> Result<Secret, SourceError> {
        if self.consumed.contains(&descriptor) {
            return Err(SourceError::Consumed {
                origin: origin.clone(),
            });
        }
        let stream = inherited(descriptor).map_err(|source| unreadable(origin, source))?;
        if std::io::IsTerminal::is_terminal(&stream) {
            return Err(SourceError::Terminal {
                origin: origin.clone(),
            });
        }
        self.consumed.push(descriptor);
        read_all(stream, origin)
    }

    /// Access to credentials is the service manager's matter, which may use an access control list
    /// that shows in the group's bits: the mode says nothing here.
    fn credential(&self, name: &str, origin: &Source) -> Result<Secret, SourceError> {
        let Some(directory) = &self.options.credentials else {
            return Err(SourceError::NoCredentials {
                origin: origin.clone(),
            });
        };
        read_file(&directory.join(name), OpenFiles::Allow, origin)
    }
}

fn decode(text: &Secret, origin: &Source) -> Result<Secret, SourceError> {
    parse_hex(text).map_err(|source| SourceError::Hex {
        origin: origin.clone(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::fs::{File, Permissions};
    use std::io::{PipeReader, Read, Seek, SeekFrom, Write, pipe};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;
    use tempfile::{NamedTempFile, TempDir};

    use super::*;
    use crate::secret::HexError;

    const EXISTING: Request<'_> = Request {
        prompt: "SID PIN",
        purpose: Purpose::Existing,
    };
    const NEW: Request<'_> = Request {
        prompt: "new SID PIN",
        purpose: Purpose::New,
    };

    /// A person who gives prepared answers and remembers the questions.
    #[derive(Default)]
    struct Person {
        answers: VecDeque<&'static str>,
        asked: Vec<String>,
    }

    impl Prompter for Person {
        fn ask(&mut self, text: &str) -> Result<Secret, SourceError> {
            self.asked.push(text.to_owned());
            let answer = self.answers.pop_front().expect("asked once too often");
            Ok(Secret::from_slice(answer.as_bytes()))
        }
    }

    fn options() -> Options {
        Options {
            open_files: OpenFiles::Refuse,
            credentials: None,
            helper_time_limit: Duration::from_secs(60),
        }
    }

    fn read_with(options: Options, source: &Source) -> Result<Vec<u8>, SourceError> {
        let mut person = Person::default();
        match Reader::new(&mut person, options).read(source, &EXISTING)? {
            Outcome::Secret(secret) => Ok(secret.expose().to_vec()),
            Outcome::Msid => panic!("no secret"),
        }
    }

    fn read(source: &Source) -> Result<Vec<u8>, SourceError> {
        read_with(options(), source)
    }

    fn file(content: &[u8], mode: u32) -> NamedTempFile {
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        file.as_file()
            .set_permissions(Permissions::from_mode(mode))
            .unwrap();
        file
    }

    fn piped(content: &[u8]) -> PipeReader {
        let (reader, mut writer) = pipe().unwrap();
        writer.write_all(content).unwrap();
        reader
    }

    fn source_of(path: &Path) -> Source {
        Source::File(path.to_owned())
    }

    #[test]
    fn files_of_ones_own_are_read() {
        for mode in [0o400, 0o600, 0o700, 0o622, 0o711] {
            let file = file(b"pin\n", mode);
            assert_eq!(read(&source_of(file.path())).unwrap(), b"pin", "{mode:o}");
        }
    }

    #[test]
    fn files_that_others_may_read_are_refused_unless_allowed() {
        for mode in [0o640, 0o604, 0o644, 0o666] {
            let file = file(b"pin\n", mode);
            let source = source_of(file.path());
            let error = read(&source).unwrap_err();
            let SourceError::OpenFile { mode: shown, .. } = error else {
                panic!("{error:?}")
            };
            assert_eq!(shown, mode);
            let allowed = Options {
                open_files: OpenFiles::Allow,
                ..options()
            };
            assert_eq!(read_with(allowed, &source).unwrap(), b"pin");
        }
    }

    #[test]
    fn the_file_counts_and_not_the_link_to_it() {
        let directory = TempDir::new().unwrap();
        let link = directory.path().join("link");
        let (closed, open) = (file(b"pin", 0o600), file(b"pin", 0o644));
        symlink(closed.path(), &link).unwrap();
        assert_eq!(read(&source_of(&link)).unwrap(), b"pin");
        std::fs::remove_file(&link).unwrap();
        symlink(open.path(), &link).unwrap();
        assert!(matches!(
            read(&source_of(&link)),
            Err(SourceError::OpenFile { .. })
        ));
    }

    #[test]
    fn only_files_and_pipes_are_read() {
        let directory = TempDir::new().unwrap();
        let paths = [
            directory.path(),
            Path::new("/dev/null"),
            Path::new("/dev/zero"),
        ];
        for path in paths {
            let allowed = Options {
                open_files: OpenFiles::Allow,
                ..options()
            };
            let error = read_with(allowed, &source_of(path)).unwrap_err();
            assert!(matches!(error, SourceError::FileType { .. }), "{error:?}");
        }
        let error = read(&source_of(&directory.path().join("missing"))).unwrap_err();
        assert!(matches!(error, SourceError::Read { .. }), "{error:?}");
    }

    #[test]
    fn a_named_pipe_is_read() {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("pipe");
        mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
        // Open for both directions, so that opening waits for nobody.
        let mut writer = File::options().read(true).write(true).open(&path).unwrap();
        writer.write_all(b"pin\n").unwrap();
        let secret = std::thread::scope(|scope| {
            let reading = scope.spawn(|| read(&source_of(&path)));
            // The pipe ends for the reader once it has it open and the writer lets go.
            while !is_opened(&path) && !reading.is_finished() {
                std::thread::yield_now();
            }
            drop(writer);
            reading.join().unwrap()
        });
        assert_eq!(secret.unwrap(), b"pin");
    }

    /// Whether this process has `path` open a second time.
    fn is_opened(path: &Path) -> bool {
        let descriptors = std::fs::read_dir("/proc/self/fd").unwrap();
        let targets = descriptors.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
        targets.filter(|target| target == path).count() > 1
    }

    #[test]
    fn hex_files_are_decoded() {
        let source = |content| {
            let file = file(content, 0o600);
            let source = Source::HexFile(file.path().to_owned());
            (file, source)
        };
        let (_file, pin) = source(b"00FF0a\n");
        assert_eq!(read(&pin).unwrap(), [0x00, 0xff, 0x0a]);
        let (_file, broken) = source(b"00FFx");
        let error = read(&broken).unwrap_err();
        let SourceError::Hex { source: cause, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(cause, HexError::Digit { position: 5 });
        let (_file, empty) = source(b" \n");
        assert!(matches!(read(&empty), Err(SourceError::Empty { .. })));
    }

    #[test]
    fn empty_secrets_are_refused() {
        for content in [b"".as_slice(), b"\n"] {
            let file = file(content, 0o600);
            let source = source_of(file.path());
            let error = read(&source).unwrap_err();
            let SourceError::Empty { origin } = error else {
                panic!("{error:?}")
            };
            assert_eq!(origin, source);
        }
        assert!(matches!(
            read(&Source::Exec(":".to_owned())),
            Err(SourceError::Empty { .. })
        ));
    }

    #[test]
    fn credentials_come_from_their_directory() {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("opal");
        std::fs::write(&path, b"pin\n").unwrap();
        // As systemd leaves it where an access control list names the service's user.
        std::fs::set_permissions(&path, Permissions::from_mode(0o440)).unwrap();
        let source = Source::Credential("opal".to_owned());
        let given = Options {
            credentials: Some(directory.path().to_owned()),
            ..options()
        };
        assert_eq!(read_with(given.clone(), &source).unwrap(), b"pin");
        let missing = read_with(given, &Source::Credential("sas".to_owned())).unwrap_err();
        assert!(matches!(missing, SourceError::Read { .. }), "{missing:?}");
        let error = read(&source).unwrap_err();
        assert!(
            matches!(error, SourceError::NoCredentials { .. }),
            "{error:?}"
        );
    }

    #[test]
    fn a_descriptor_is_read_to_its_end() {
        let reader = piped(b"correct horse\n");
        assert_eq!(
            read(&Source::Fd(reader.as_raw_fd())).unwrap(),
            b"correct horse"
        );
    }

    #[test]
    fn a_descriptor_is_read_from_where_it_stands() {
        let mut file = file(b"first\nsecond\n", 0o644).into_file();
        file.seek(SeekFrom::Start(6)).unwrap();
        assert_eq!(read(&Source::Fd(file.as_raw_fd())).unwrap(), b"second");
    }

    #[test]
    fn a_closed_descriptor_is_an_error() {
        let error = read(&Source::Fd(999_999)).unwrap_err();
        let SourceError::Read { origin, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(origin, Source::Fd(999_999));
    }

    #[test]
    fn a_stream_gives_one_secret_only() {
        let stream = piped(b"pin\n");
        let source = Source::Fd(stream.as_raw_fd());
        let mut person = Person::default();
        let mut reader = Reader::new(&mut person, options());
        assert!(reader.read(&source, &EXISTING).is_ok());
        let error = reader.read(&source, &EXISTING).unwrap_err();
        assert!(matches!(error, SourceError::Consumed { .. }), "{error:?}");
        assert!(error.is_usage());
    }

    #[test]
    fn stdin_and_descriptor_0_are_one_stream() {
        let mut person = Person::default();
        let mut reader = Reader::new(&mut person, options());
        reader.consumed.push(0);
        for source in [Source::Stdin, Source::Fd(0)] {
            let error = reader.read(&source, &EXISTING).unwrap_err();
            assert!(matches!(error, SourceError::Consumed { .. }), "{error:?}");
        }
    }

    #[test]
    fn a_terminal_is_no_stream() {
        let terminal = nix::pty::openpty(None, None).unwrap();
        let error = read(&Source::Fd(terminal.slave.as_raw_fd())).unwrap_err();
        assert!(matches!(error, SourceError::Terminal { .. }), "{error:?}");
        assert!(error.is_usage());
    }

    #[test]
    fn helpers_have_a_time_limit() {
        let hurried = Options {
            helper_time_limit: Duration::from_millis(20),
            ..options()
        };
        let error = read_with(hurried, &Source::Exec("sleep 60".to_owned())).unwrap_err();
        assert!(
            matches!(error, SourceError::HelperTimedOut { .. }),
            "{error:?}"
        );
        assert_eq!(read(&Source::Exec("echo pin".to_owned())).unwrap(), b"pin");
    }

    fn ask(
        answers: &[&'static str],
        request: &Request<'_>,
    ) -> (Result<Outcome, SourceError>, Vec<String>) {
        let mut person = Person {
            answers: answers.iter().copied().collect(),
            asked: Vec::new(),
        };
        let outcome = Reader::new(&mut person, options()).read(&Source::Prompt, request);
        (outcome, person.asked)
    }

    #[test]
    fn a_person_is_asked_once_for_what_exists() {
        let (outcome, asked) = ask(&["pin"], &EXISTING);
        assert_eq!(
            outcome.unwrap(),
            Outcome::Secret(Secret::from_slice(b"pin"))
        );
        assert_eq!(asked, ["SID PIN: "]);
    }

    #[test]
    fn a_person_is_asked_twice_for_what_is_new() {
        let (outcome, asked) = ask(&["pin", "pin"], &NEW);
        assert_eq!(
            outcome.unwrap(),
            Outcome::Secret(Secret::from_slice(b"pin"))
        );
        assert_eq!(asked, ["new SID PIN: ", "new SID PIN (again): "]);
    }

    #[test]
    fn two_inputs_that_differ_are_refused() {
        let (outcome, _) = ask(&["pin", "pni"], &NEW);
        assert!(matches!(outcome, Err(SourceError::Mismatch)));
    }

    #[test]
    fn an_empty_input_is_refused_at_once() {
        for request in [EXISTING, NEW] {
            let (outcome, asked) = ask(&[""], &request);
            assert!(matches!(outcome, Err(SourceError::Empty { .. })));
            assert_eq!(asked.len(), 1);
        }
    }

    #[test]
    fn the_drive_is_to_be_asked_for_its_msid() {
        let mut person = Person::default();
        let outcome = Reader::new(&mut person, options()).read(&Source::Msid, &EXISTING);
        assert_eq!(outcome.unwrap(), Outcome::Msid);
    }

    #[test]
    fn a_descriptor_stays_open_for_its_owner() {
        let mut reader = piped(b"pin\n");
        read(&Source::Fd(reader.as_raw_fd())).unwrap();
        assert_eq!(reader.read(&mut [0; 1]).unwrap(), 0);
    }
}
