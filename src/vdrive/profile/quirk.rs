//! Quirks: single deviations of a profile, by name.

use super::Profile;
use super::quirks::QUIRKS;

/// A deviation that any profile can be given.
#[derive(Clone, Copy, Debug)]
pub struct Quirk {
    /// Its name.
    pub name: &'static str,
    /// What the drive does then, in one line.
    pub about: &'static str,
    pub(super) change: Change,
}

/// What a quirk changes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// Something is on or off.
    Switch(fn(&mut Profile)),
    /// Something has a number.
    Number {
        /// The number if none is given.
        default: u32,
        /// What it changes.
        set: fn(&mut Profile, u32),
    },
}

/// A quirk that cannot be given to a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuirkError {
    /// There is no quirk of that name.
    #[error("no such quirk: {0}")]
    Unknown(String),
    /// The quirk takes no value.
    #[error("quirk {0} takes no value")]
    NoValue(&'static str),
    /// The value is no number.
    #[error("quirk {0} takes a number")]
    Number(&'static str),
}

impl Quirk {
    /// Every quirk, in the order in which a person would look for them.
    pub const ALL: &'static [Self] = QUIRKS;

    /// The number that it has if none is given; `None` if it takes none.
    #[must_use]
    pub const fn default_value(&self) -> Option<u32> {
        match self.change {
            Change::Switch(_) => None,
            Change::Number { default, .. } => Some(default),
        }
    }

    fn apply(&self, profile: &mut Profile, value: Option<&str>) -> Result<(), QuirkError> {
        match (self.change, value) {
            (Change::Switch(set), None) => set(profile),
            (Change::Switch(_), Some(_)) => return Err(QuirkError::NoValue(self.name)),
            (Change::Number { default, set }, None) => set(profile, default),
            (Change::Number { set, .. }, Some(value)) => {
                let number = value.parse().map_err(|_| QuirkError::Number(self.name))?;
                set(profile, number);
            }
        }
        Ok(())
    }
}

impl Profile {
    /// Gives the profile a quirk: its name, and with some `=` and a number.
    ///
    /// # Errors
    /// There is no such quirk, or it takes no such value.
    pub fn add_quirk(&mut self, text: &str) -> Result<(), QuirkError> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let quirk = QUIRKS.iter().find(|quirk| quirk.name == name);
        let quirk = quirk.ok_or_else(|| QuirkError::Unknown(name.to_owned()))?;
        quirk.apply(self, value)?;
        self.quirks.push(text.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quirk_changes_something_and_leaves_a_possible_profile() {
        for quirk in QUIRKS {
            let mut profile = Profile::opal2();
            profile.add_quirk(quirk.name).unwrap();
            let mut unchanged = profile.clone();
            assert_eq!(unchanged.quirks, [quirk.name]);
            unchanged.quirks.clear();
            assert_ne!(unchanged, Profile::opal2(), "{}", quirk.name);
            assert_eq!(profile.check(), Ok(()), "{}", quirk.name);
        }
    }

    #[test]
    fn names_are_unique_and_plain() {
        for (index, quirk) in QUIRKS.iter().enumerate() {
            let earlier = QUIRKS.iter().take(index);
            assert!(earlier.clone().all(|other| other.name != quirk.name));
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(quirk.name.chars().all(is_plain), "{}", quirk.name);
        }
    }

    #[test]
    fn values_are_checked() {
        let mut profile = Profile::opal2();
        profile.add_quirk("slow=7").unwrap();
        assert_eq!(profile.behaviour.polls_before_response, 7);
        let refused = |text: &str| Profile::opal2().add_quirk(text).unwrap_err();
        assert_eq!(refused("slow=many"), QuirkError::Number("slow"));
        assert_eq!(refused("slow="), QuirkError::Number("slow"));
        assert_eq!(refused("no-mbr=1"), QuirkError::NoValue("no-mbr"));
        assert_eq!(refused("fast"), QuirkError::Unknown("fast".to_owned()));
    }
}
