//! The shadow MBR.

use super::Task;
use super::stage::{IMAGE, OLD, Stage};

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
