//! The profiles of real drives, each held to the facts that were seen of it, and the quirks.

mod discovery;
mod host;
mod life;
mod many_ranges;
mod properties;
mod quirks;

use sedkit::vdrive::{CreateOptions, Profile};

use crate::support::Bench;

/// A new drive of a named profile.
fn drive(profile: &str) -> Bench {
    Bench::with(|options| {
        options.profile = Profile::named(profile).unwrap();
        options.size -= options.size % u64::from(options.profile.geometry.block_size);
    })
}

/// A new drive of profile opal2 with quirks.
fn quirky(quirks: &[&str]) -> Bench {
    Bench::with(|options| add(options, quirks))
}

fn add(options: &mut CreateOptions, quirks: &[&str]) {
    for quirk in quirks {
        options.profile.add_quirk(quirk).unwrap();
    }
}
