//! The profiles that have a name.

use super::{Profile, kioxia};

/// A profile with a name.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// What is special about it, in one line.
    pub about: &'static str,
    make: fn() -> Profile,
}

impl Model {
    /// The profile.
    #[must_use]
    pub fn profile(&self) -> Profile {
        Profile {
            name: self.name.to_owned(),
            ..(self.make)()
        }
    }
}

/// Every profile that has a name, the default one first.
pub const MODELS: &[Model] = &[
    Model {
        name: "opal2",
        about: "Opal 2.30 to the letter: 8 ranges, 9 users, every mandatory feature set",
        make: Profile::opal2,
    },
    Model {
        name: "kioxia-cm6",
        about: "Opal 2 and Ruby at once, 192 ranges and users, 520-byte blocks, no shadow MBR",
        make: kioxia::cm6,
    },
];
