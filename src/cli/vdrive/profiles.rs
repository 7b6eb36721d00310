//! `sedkit vdrive profiles`.

use serde::Serialize;

use crate::cli::report::{Answer, Report, fields};
use crate::vdrive::profile::{Model, Quirk};

/// Lists the profiles and the quirks.
pub(super) fn run() -> Report {
    let value = Fields {
        profiles: Model::all().map(ProfileFields::from).collect(),
        quirks: Quirk::ALL.iter().map(QuirkFields::from).collect(),
    };
    Report::plain(Answer::Data(text(&value)), fields(&value))
}

#[derive(Debug, Serialize)]
struct Fields {
    profiles: Vec<ProfileFields>,
    quirks: Vec<QuirkFields>,
}

#[derive(Debug, Serialize)]
struct ProfileFields {
    name: &'static str,
    about: &'static str,
    ranges: u16,
    users: u16,
    block_size: u32,
    mbr_size: u64,
}

impl From<&Model> for ProfileFields {
    fn from(model: &Model) -> Self {
        let profile = model.profile();
        Self {
            name: model.name,
            about: model.about,
            ranges: profile.locking.ranges,
            users: profile.locking.users,
            block_size: profile.geometry.block_size,
            mbr_size: profile.locking.mbr_size,
        }
    }
}

#[derive(Debug, Serialize)]
struct QuirkFields {
    name: &'static str,
    about: &'static str,
    /// The number that stands where none is given; nothing where there can be none.
    default_value: Option<u32>,
}

impl From<&Quirk> for QuirkFields {
    fn from(quirk: &Quirk) -> Self {
        Self {
            name: quirk.name,
            about: quirk.about,
            default_value: quirk.default_value(),
        }
    }
}

/// One line for each, its name padded to where all descriptions begin.
fn text(value: &Fields) -> String {
    let profiles = value.profiles.iter();
    let profiles: Vec<_> = profiles.map(|p| (p.name.to_owned(), p.about)).collect();
    let name = |quirk: &QuirkFields| match quirk.default_value {
        Some(number) => format!("{}={number}", quirk.name),
        None => quirk.name.to_owned(),
    };
    let quirks: Vec<_> = value.quirks.iter().map(|q| (name(q), q.about)).collect();
    let width = profiles.iter().chain(&quirks).map(|(name, _)| name.len());
    let width = width.max().unwrap_or_default();
    let mut text = String::new();
    for (title, lines) in [("profiles", &profiles), ("quirks", &quirks)] {
        text.push_str(&format!("{title}:\n"));
        for (name, about) in lines {
            text.push_str(&format!("  {name:<width$}  {about}\n"));
        }
    }
    text
}
