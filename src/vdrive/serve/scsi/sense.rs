//! Sense data: why a command was not carried out (\[SPC\] 4.5).

/// Sense key, additional sense code and its qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sense {
    pub key: u8,
    pub asc: u8,
    pub ascq: u8,
}

/// How sense data are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Response code 70h, 18 bytes.
    Fixed,
    /// Response code 72h, 8 bytes and descriptors.
    Descriptor,
}

impl Sense {
    /// NO SENSE, NO ADDITIONAL SENSE INFORMATION.
    pub(super) const NONE: Self = Self::new(0x0, 0x00, 0x00);
    /// RECOVERED ERROR, ATA PASS-THROUGH INFORMATION AVAILABLE.
    pub(super) const ATA_INFORMATION: Self = Self::new(0x1, 0x00, 0x1d);
    /// HARDWARE ERROR, INTERNAL TARGET FAILURE.
    pub(super) const INTERNAL_FAILURE: Self = Self::new(0x4, 0x44, 0x00);
    /// ILLEGAL REQUEST, PARAMETER LIST LENGTH ERROR.
    pub(super) const PARAMETER_LENGTH: Self = Self::new(0x5, 0x1a, 0x00);
    /// ILLEGAL REQUEST, INVALID COMMAND OPERATION CODE.
    pub(super) const INVALID_OPCODE: Self = Self::new(0x5, 0x20, 0x00);
    /// ILLEGAL REQUEST, ACCESS DENIED - NO ACCESS RIGHTS.
    pub(super) const OPERATION_DENIED: Self = Self::new(0x5, 0x20, 0x02);
    /// ILLEGAL REQUEST, LOGICAL BLOCK ADDRESS OUT OF RANGE.
    pub(super) const OUT_OF_RANGE: Self = Self::new(0x5, 0x21, 0x00);
    /// ILLEGAL REQUEST, INVALID FIELD IN CDB.
    pub(super) const INVALID_FIELD: Self = Self::new(0x5, 0x24, 0x00);
    /// ILLEGAL REQUEST, INVALID FIELD IN PARAMETER LIST.
    pub(super) const INVALID_PARAMETER: Self = Self::new(0x5, 0x26, 0x00);
    /// ILLEGAL REQUEST, COMMAND SEQUENCE ERROR.
    pub(super) const SEQUENCE_ERROR: Self = Self::new(0x5, 0x2c, 0x00);
    /// ILLEGAL REQUEST, SAVING PARAMETERS NOT SUPPORTED.
    pub(super) const SAVING_NOT_SUPPORTED: Self = Self::new(0x5, 0x39, 0x00);
    /// ILLEGAL REQUEST, SECURITY ERROR of the device behind a translation layer. A host adapter
    /// was seen to say this of a locked range.
    pub(super) const TRANSLATED_LOCK: Self = Self::new(0x5, 0x74, 0x71);
    /// UNIT ATTENTION, POWER ON, RESET, OR BUS DEVICE RESET OCCURRED.
    pub(super) const POWER_ON: Self = Self::new(0x6, 0x29, 0x00);
    /// DATA PROTECT, ACCESS DENIED - NO ACCESS RIGHTS.
    pub(super) const DATA_PROTECTION: Self = Self::new(0x7, 0x20, 0x02);
    /// ABORTED COMMAND, NO ADDITIONAL SENSE INFORMATION.
    pub(super) const ABORTED: Self = Self::new(0xb, 0x00, 0x00);
    /// ABORTED COMMAND, DATA PHASE ERROR.
    pub(super) const DATA_PHASE: Self = Self::new(0xb, 0x4b, 0x00);
    /// MISCOMPARE, MISCOMPARE DURING VERIFY OPERATION.
    pub(super) const MISCOMPARE: Self = Self::new(0xe, 0x1d, 0x00);

    const fn new(key: u8, asc: u8, ascq: u8) -> Self {
        Self { key, asc, ascq }
    }

    /// Current sense data of that format.
    pub(super) fn encode(self, format: Format) -> Vec<u8> {
        match format {
            Format::Fixed => self.fixed(),
            Format::Descriptor => self.with_descriptors(&[]),
        }
    }

    /// | byte | meaning |
    /// |---|---|
    /// | 0 | response code 70h |
    /// | 2 | sense key |
    /// | 7 | additional sense length |
    /// | 12, 13 | additional sense code, qualifier |
    fn fixed(self) -> Vec<u8> {
        let mut bytes = vec![0x70, 0, self.key, 0, 0, 0, 0, 10];
        bytes.extend([0, 0, 0, 0, self.asc, self.ascq, 0, 0, 0, 0]);
        bytes
    }

    /// | byte | meaning |
    /// |---|---|
    /// | 0 | response code 72h |
    /// | 1 | sense key |
    /// | 2, 3 | additional sense code, qualifier |
    /// | 7 | additional sense length |
    pub(super) fn with_descriptors(self, descriptors: &[u8]) -> Vec<u8> {
        let length = u8::try_from(descriptors.len()).unwrap_or(u8::MAX);
        let mut bytes = vec![0x72, self.key, self.asc, self.ascq, 0, 0, 0, length];
        bytes.extend(descriptors);
        bytes
    }
}
