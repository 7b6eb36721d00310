//! How fast the virtual drive encrypts its media, beside OpenSSL on the same core.
//!
//! Prints MiB/s for blocks of 512 and 4096 bytes and, where the `openssl` program is installed,
//! the ratio to its speed. Budget: at least 0.8.

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use sedkit::vdrive::xts::{MediaKey, Xts};

/// Bytes encrypted at a time: what one large command carries.
const BUFFER: f64 = 131_072.0;
const DURATION: Duration = Duration::from_secs(1);
const MIB: f64 = 1024.0 * 1024.0;

fn main() {
    let Ok(key) = MediaKey::generate() else {
        eprintln!("no random bytes");
        return;
    };
    let xts = Xts::new(&key);
    for block_size in [512, 4096] {
        for direction in ["encrypt", "decrypt"] {
            report(&xts, block_size, direction);
        }
    }
}

fn report(xts: &Xts, block_size: usize, direction: &str) {
    let own = mean_speed(|buffer| {
        let result = match direction {
            "encrypt" => xts.encrypt(0, block_size, buffer),
            _ => xts.decrypt(0, block_size, buffer),
        };
        result.is_ok()
    });
    let peer = openssl_speed(block_size, direction).map_or_else(
        || "no openssl".to_owned(),
        |peer| format!("{peer:8.0} MiB/s by openssl, ratio {:.2}", own / peer),
    );
    println!("xts {direction} {block_size:5}: {own:8.0} MiB/s, {peer}");
}

fn mean_speed(mut run: impl FnMut(&mut [u8]) -> bool) -> f64 {
    let mut buffer = vec![0x5a; 131_072];
    let start = Instant::now();
    let mut bytes = 0.0;
    while start.elapsed() < DURATION {
        assert!(run(black_box(&mut buffer)), "the buffer is whole blocks");
        bytes += BUFFER;
    }
    bytes / MIB / start.elapsed().as_secs_f64()
}

/// Mean speed of `openssl speed` in MiB/s, from the last field of its machine-readable line `+F`.
fn openssl_speed(block_size: usize, direction: &str) -> Option<f64> {
    let mut command = Command::new("openssl");
    command.args([
        "speed",
        "-mr",
        "-seconds",
        "1",
        "-evp",
        "aes-256-xts",
        "-bytes",
    ]);
    command.arg(block_size.to_string());
    if direction == "decrypt" {
        command.arg("-decrypt");
    }
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().find(|line| line.starts_with("+F:"))?;
    line.rsplit(':')
        .next()?
        .parse::<f64>()
        .ok()
        .map(|bytes| bytes / MIB)
}
