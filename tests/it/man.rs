//! Every example of every manual page, run as a reader would: one after the other, in one folder.
//!
//! Examples stand in `.EX` blocks, each command on a line that begins with `$ `. A roff comment
//! `.\" expect N` before a command says that it ends with exit code N; all others end with 0.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A command of a page, and the exit code that the page promises.
struct Example {
    command: String,
    expected: i32,
}

#[test]
fn every_example_does_what_its_page_says() {
    for page in pages() {
        let examples = examples(&fs::read_to_string(&page).unwrap());
        assert!(!examples.is_empty(), "{} has no example", page.display());
        run_all(&page, &examples);
    }
}

#[test]
fn promised_exit_codes_belong_to_the_next_command_only() {
    let page = "$ no example\n.EX\n.\\\" expect 4\n$ sedkit lock a\n$ sedkit \\-\\-help\n.EE\n";
    let found = examples(page);
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].expected, found[1].expected), (4, 0));
    assert_eq!(found[1].command, "sedkit --help");
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = files
        .filter(|path| path.to_string_lossy().ends_with(".8.in"))
        .collect();
    pages.sort();
    assert!(pages.len() > 10, "only {} pages were found", pages.len());
    pages
}

fn examples(page: &str) -> Vec<Example> {
    let (mut found, mut inside, mut expected) = (Vec::new(), false, 0);
    for line in page.lines() {
        match line {
            ".EX" => inside = true,
            ".EE" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix(".\\\" expect "), line.strip_prefix("$ ")) {
                (Some(code), _) => expected = code.parse().unwrap(),
                (_, Some(command)) => {
                    found.push(Example {
                        command: plain(command),
                        expected,
                    });
                    expected = 0;
                }
                _ => {}
            },
        }
    }
    found
}

/// The command as a reader sees it.
fn plain(command: &str) -> String {
    command
        .replace("\\-", "-")
        .replace("\\(aq", "'")
        .replace("\\e", "\\")
}

fn run_all(page: &Path, examples: &[Example]) {
    let folder = tempfile::tempdir().unwrap();
    let programs = tempfile::tempdir().unwrap();
    symlink(env!("CARGO_BIN_EXE_sedkit"), programs.path().join("sedkit")).unwrap();
    for example in examples {
        let output = run(&example.command, folder.path(), programs.path());
        assert_eq!(
            output.status.code(),
            Some(example.expected),
            "{}: {}\n{}",
            page.display(),
            example.command,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

fn run(command: &str, folder: &Path, programs: &Path) -> Output {
    let path = format!("{}:/usr/bin:/bin", programs.display());
    Command::new("sh")
        .args(["-e", "-c", command])
        .current_dir(folder)
        .env("PATH", path)
        .env("SEDKIT_STATE_DIR", folder.join("state"))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap()
}
