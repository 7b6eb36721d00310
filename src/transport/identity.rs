//! Who a drive says it is.

/// The bus by which a drive is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Bus {
    /// NVMe.
    Nvme,
    /// SCSI or SAS.
    Scsi,
    /// SATA, through SAT.
    Ata,
    /// A USB bridge.
    Usb,
    /// A virtual drive.
    Virtual,
}

impl Bus {
    /// The name that people use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nvme => "nvme",
            Self::Scsi => "scsi",
            Self::Ata => "sata",
            Self::Usb => "usb",
            Self::Virtual => "virtual",
        }
    }
}

/// Where a serial number comes from: two ways may show two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SerialSource {
    /// NVMe Identify Controller, bytes 4 to 23.
    NvmeIdentify,
    /// IDENTIFY DEVICE, words 10 to 19.
    AtaIdentify,
    /// INQUIRY, vital product data page 80h; behind a bridge it may be the bridge's.
    UnitSerialNumber,
    /// The label of a virtual drive.
    VirtualLabel,
}

impl SerialSource {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NvmeIdentify => "nvme_identify",
            Self::AtaIdentify => "ata_identify",
            Self::UnitSerialNumber => "unit_serial_number",
            Self::VirtualLabel => "virtual_label",
        }
    }

    /// The same in the standards' words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NvmeIdentify => "NVMe Identify Controller",
            Self::AtaIdentify => "ATA IDENTIFY DEVICE",
            Self::UnitSerialNumber => "INQUIRY page 80h",
            Self::VirtualLabel => "virtual drive's label",
        }
    }

    /// Where drives on a bus tell it.
    const fn of(bus: Bus) -> Self {
        match bus {
            Bus::Nvme => Self::NvmeIdentify,
            Bus::Ata => Self::AtaIdentify,
            Bus::Scsi | Bus::Usb => Self::UnitSerialNumber,
            Bus::Virtual => Self::VirtualLabel,
        }
    }
}

/// Identity data, as the drive sent it. Every string is hostile until it has been sanitised.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The bus.
    pub bus: Bus,
    /// Model, as sent.
    pub model: Vec<u8>,
    /// Serial number field, as sent, padding included: it is the salt of PIN schemes.
    pub serial: Vec<u8>,
    /// Where the serial number comes from.
    pub serial_source: SerialSource,
    /// Firmware revision, as sent.
    pub firmware: Vec<u8>,
    /// INQUIRY vendor, where there is one (8 bytes).
    pub vendor: Option<Vec<u8>>,
    /// World-wide name, NGUID or EUI-64 in hex, where the drive has one.
    pub wwn: Option<String>,
}

impl Identity {
    /// An identity without vendor and world-wide name.
    #[must_use]
    pub fn new(bus: Bus, model: &[u8], serial: &[u8], firmware: &[u8]) -> Self {
        Self {
            bus,
            model: model.to_vec(),
            serial: serial.to_vec(),
            serial_source: SerialSource::of(bus),
            firmware: firmware.to_vec(),
            vendor: None,
            wwn: None,
        }
    }

    /// The serial number for people: trimmed, with everything unprintable replaced by `?`.
    #[must_use]
    pub fn serial_text(&self) -> String {
        sanitise(&self.serial)
    }

    /// The model for people.
    #[must_use]
    pub fn model_text(&self) -> String {
        sanitise(&self.model)
    }

    /// The firmware revision for people.
    #[must_use]
    pub fn firmware_text(&self) -> String {
        sanitise(&self.firmware)
    }
}

/// Printable ASCII of a drive's string: trimmed of blanks and NULs, all else replaced by `?`.
#[must_use]
pub fn sanitise(bytes: &[u8]) -> String {
    let text: String = bytes
        .iter()
        .map(|&byte| match byte {
            0 => ' ',
            0x20..=0x7e => char::from(byte),
            _ => '?',
        })
        .collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_never_reach_a_terminal() {
        assert_eq!(sanitise(b"  EVO\x1b[2J\xff\0\0 "), "EVO?[2J?");
    }
}
