//! What a firmware's prompt would do with a drive, in `info`.

use serde::Serialize;

use crate::drive::{Drive, PROMPT_MAX, PROMPTED, Prompt};

/// The same in JSON.
#[derive(Serialize)]
pub(crate) struct PromptFields {
    firmware_prompt: Prompts,
}

#[derive(Serialize)]
struct Prompts {
    edk2: &'static str,
    dell: &'static str,
    leaves_mbr_shown: bool,
    accepts: Accepts,
}

/// What a prompt takes.
#[derive(Serialize)]
struct Accepts {
    authorities: Vec<String>,
    scheme: &'static str,
    max_length: usize,
}

impl From<&Drive> for PromptFields {
    fn from(drive: &Drive) -> Self {
        let prompt = drive.firmware_prompt();
        Self {
            firmware_prompt: Prompts {
                edk2: prompt.edk2.name(),
                dell: prompt.dell.name(),
                leaves_mbr_shown: prompt.leaves_mbr_shown,
                accepts: Accepts {
                    authorities: PROMPTED.iter().map(ToString::to_string).collect(),
                    scheme: "firmware",
                    max_length: PROMPT_MAX,
                },
            },
        }
    }
}

/// The same for people.
pub(crate) fn text(drive: &Drive) -> String {
    let prompt = drive.firmware_prompt();
    let mut text = format!(
        "Firmware prompt\n  TianoCore EDK2, Dasharo, coreboot: {}\n  Dell: {}\n",
        prompt.edk2.text(),
        prompt.dell.text()
    );
    if prompt.edk2 == Prompt::NotActivated {
        return text;
    }
    text += &format!(
        "  takes: the PIN of {} or {} as typed, at most {PROMPT_MAX} characters; a PIN that a \
         sedutil scheme has hashed is refused. Opens range 0 only\n",
        PROMPTED[0], PROMPTED[1]
    );
    if prompt.leaves_mbr_shown {
        text += "  leaves the shadow MBR shown: for firmware unlocking it should be disabled\n";
    }
    text
}
