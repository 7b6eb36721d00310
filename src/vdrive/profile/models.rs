//! The profiles that have a name.

use super::{Profile, real};

/// A profile with a name.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// What is special about it, in one line.
    pub about: &'static str,
    pub(super) make: fn() -> Profile,
}

const OPAL2: Model = Model {
    name: "opal2",
    about: "Opal 2.30 to the letter: 8 ranges, 9 users, Single User Mode, what is mandatory",
    make: Profile::opal2,
};

impl Model {
    /// Every profile that has a name: the default one first, then those of real drives.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        let real = real::MODELS.iter().copied().flatten();
        std::iter::once(&OPAL2).chain(real)
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> Profile {
        Profile {
            name: self.name.to_owned(),
            ..(self.make)()
        }
    }
}
