//! Whether something looks bootable, for people and for JSON.

use serde::Serialize;

use crate::cli::device::Named;
use crate::drive::{BootFlaw, BootImage, Drive};

/// What an image looks like, in JSON.
#[derive(Debug, Serialize)]
pub(super) struct BootFields {
    bootable: bool,
    blank: bool,
    bios: bool,
    gpt_block_size: Option<u32>,
    loaders: Vec<String>,
    flaws: Vec<FlawFields>,
}

#[derive(Debug, Serialize)]
struct FlawFields {
    code: &'static str,
    text: String,
}

impl From<&BootImage> for BootFields {
    fn from(image: &BootImage) -> Self {
        let flaw = |flaw: &BootFlaw| FlawFields {
            code: flaw.name(),
            text: flaw.to_string(),
        };
        Self {
            bootable: image.looks_bootable(),
            blank: image.blank,
            bios: image.bios,
            gpt_block_size: image.gpt_block_size,
            loaders: image.loaders.clone(),
            flaws: image.flaws.iter().map(flaw).collect(),
        }
    }
}

/// What firmware makes of it, in one sentence.
pub(super) fn sentence(image: &BootImage) -> String {
    if image.blank {
        return "nothing is in it".to_owned();
    }
    let flaws: Vec<String> = image.flaws.iter().map(BootFlaw::to_string).collect();
    match (image.flaws.is_empty(), image.bios) {
        (true, _) => format!("UEFI firmware can boot it ({})", image.loaders.join(", ")),
        (false, true) => format!(
            "only firmware of old (BIOS, CSM) can boot it: {}",
            flaws.join("; ")
        ),
        (false, false) => format!("it does not look bootable: {}", flaws.join("; ")),
    }
}

/// Bytes of a block of the drive, by the TPer or else by the kernel.
pub(super) fn block_size(name: &Named, drive: &Drive) -> Option<u32> {
    let told = drive
        .discovery()
        .geometry()
        .and_then(|geometry| geometry.logical_block_size);
    let kernel = name.geometry.map(|geometry| geometry.block_size);
    told.filter(|size| *size > 0).or(kernel)
}
