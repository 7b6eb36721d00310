//! The shadow MBR.

use std::fs;

use super::stage::{IMAGE, OLD, Stage};
use super::{ENOUGH, Task};

#[test]
fn load() {
    let key = ["--key", "file:old"];
    let task = Task {
        arguments: &[&["mbr", "load", "DEV", IMAGE][..], &key].concat(),
        meanwhile: &|stage| stage.opens_at_the_first_attempt(OLD),
        afterwards: &|stage| {
            stage.run(&[&["mbr", "verify", "DEV", IMAGE][..], &key].concat());
        },
    };
    let stage = Stage::new();
    stage.run(&["setup", "DEV", "--new-key", "file:old"]);
    task.break_everywhere(&stage, 16);
}

/// What is said of the table where a load that shall take effect as a whole was broken off is true.
#[test]
fn an_atomic_load_tells_what_it_has_left() {
    let prepared = Stage::new();
    prepared.run(&["setup", "DEV", "--new-key", "file:old"]);
    let load = ["mbr", "load", "DEV", IMAGE, "--atomic", "--key", "file:old"];
    let mut said = [0; 3];
    for after in 1..ENOUGH {
        let stage = prepared.copy();
        let output = stage.output_of_power_cut(after, &load);
        if output.status.success() {
            break;
        }
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        let (is_old, is_new) = (
            holds(&stage, &[]),
            holds(&stage, &fs::read(stage.file(IMAGE)).unwrap()),
        );
        assert!(is_old || is_new, "{after}: half an image");
        let sentences = [
            ("as it was before, or as it was to be", true),
            ("the table is as it was before", is_old),
            ("everything was written", is_new),
        ];
        let first = sentences
            .iter()
            .position(|(sentence, _)| complaint.contains(sentence));
        if let Some(index) = first {
            said[index] += 1;
            assert!(sentences[index].1, "{after}: {complaint}");
        }
    }
    assert!(said.iter().all(|count| *count > 0), "{said:?}");
}

/// Whether the table holds these bytes, and zeros after them.
fn holds(stage: &Stage, bytes: &[u8]) -> bool {
    let path = stage.file("table");
    let path = path.to_str().unwrap();
    stage.run(&["mbr", "read", "DEV", "-o", path]);
    let table = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    table.starts_with(bytes) && table[bytes.len()..].iter().all(|byte| *byte == 0)
}
