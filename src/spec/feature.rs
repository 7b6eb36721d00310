//! Feature codes of Level 0 Discovery (\[Core\] 3.3.6.4 and the SSCs).

open_enum! {
    /// The code of a feature descriptor.
    pub FeatureCode: u16 {
        /// What the TPer's communication stack can do.
        TPER = 0x0001, "TPer";
        /// The state of locking and of the shadow MBR.
        LOCKING = 0x0002, "Locking";
        /// Block size and alignment of Locking ranges.
        GEOMETRY = 0x0003, "Geometry Reporting";
        /// Secure Messaging.
        SECURE_MESSAGING = 0x0004, "Secure Messaging";
        /// The revision of SIIS.
        SIIS = 0x0005, "SIIS";
        /// Enterprise SSC.
        ENTERPRISE = 0x0100, "Enterprise SSC";
        /// Opal SSC 1.00.
        OPAL_1 = 0x0200, "Opal SSC 1.00";
        /// Single User Mode feature set.
        SINGLE_USER_MODE = 0x0201, "Single User Mode";
        /// Additional DataStore Tables feature set.
        DATA_STORE = 0x0202, "Additional DataStore Tables";
        /// Opal SSC 2.x.
        OPAL_2 = 0x0203, "Opal SSC 2.x";
        /// Opalite SSC.
        OPALITE = 0x0301, "Opalite SSC";
        /// Pyrite SSC 1.00.
        PYRITE_1 = 0x0302, "Pyrite SSC 1.00";
        /// Pyrite SSC 2.x.
        PYRITE_2 = 0x0303, "Pyrite SSC 2.x";
        /// Ruby SSC.
        RUBY = 0x0304, "Ruby SSC";
        /// Key Per I/O SSC.
        KEY_PER_IO = 0x0305, "Key Per I/O SSC";
        /// Locking LBA Ranges Control feature set.
        LBA_RANGES_CONTROL = 0x0401, "Locking LBA Ranges Control";
        /// Block SID Authentication feature set.
        BLOCK_SID = 0x0402, "Block SID Authentication";
        /// Configurable Namespace Locking feature set.
        NAMESPACE_LOCKING = 0x0403, "Configurable Namespace Locking";
        /// Supported Data Removal Mechanism.
        DATA_REMOVAL = 0x0404, "Supported Data Removal Mechanism";
        /// Namespace Geometry Reporting.
        NAMESPACE_GEOMETRY = 0x0405, "Namespace Geometry Reporting";
        /// Shadow MBR for Multiple Namespaces.
        NAMESPACE_SHADOW_MBR = 0x0407, "Shadow MBR for Multiple Namespaces";
        /// C_PIN enhancements (name known from tools only).
        C_PIN_ENHANCEMENTS = 0x0409, "C_PIN Enhancements";
        /// Namespace Key Per I/O Capabilities.
        NAMESPACE_KEY_PER_IO = 0x040a, "Namespace Key Per I/O Capabilities";
    }
}

impl FeatureCode {
    /// True for the codes that vendors define (C000h to FFFFh).
    #[must_use]
    pub const fn is_vendor_unique(self) -> bool {
        self.0 >= 0xc000
    }
}

open_enum! {
    /// Whose RangeStart and RangeLength of a range in Single User Mode are (parameter and column
    /// RangeStartRangeLengthPolicy, \[Single User Mode\]; leaving the parameter out means User).
    pub RangePolicy: u8 {
        /// The User's who owns the range.
        USER = 0, "User";
        /// The Admins'.
        ADMINS = 1, "Admins";
    }
}

open_enum! {
    /// Where the PIN of SID comes from, initially or after a Revert (\[Opal\] 3.1.1).
    pub PinIndicator: u8 {
        /// The PIN is that of MSID.
        MSID = 0x00, "MSID";
        /// The PIN is vendor unique: printed on a label, for example.
        VENDOR_UNIQUE = 0xff, "vendor unique";
    }
}

open_enum! {
    /// What a transport identifier means for persistent reservations (\[SIIS\], SIIS feature).
    pub IdentifierUsageScope: u8 {
        /// Not indicated.
        NOT_INDICATED = 0, "not indicated";
        /// The identifier is not used.
        NOT_USED = 1, "not used";
        /// The identifier is used.
        USED = 2, "used";
    }
}

open_enum! {
    /// How a TPer removes data (type `data_removal_mechanism`, \[Opal\] and \[Pyrite\] 3.1.1).
    pub DataRemovalMechanism: u8 {
        /// All user data is overwritten.
        OVERWRITE = 0, "overwrite data erase";
        /// All blocks are erased.
        BLOCK_ERASE = 1, "block erase";
        /// The media encryption key is replaced.
        CRYPTOGRAPHIC_ERASE = 2, "cryptographic erase";
        /// All blocks are unmapped.
        UNMAP = 3, "unmap";
        /// All write pointers are reset.
        RESET_WRITE_POINTERS = 4, "reset write pointers";
        /// Whatever the vendor says.
        VENDOR_SPECIFIC = 5, "vendor specific erase";
    }
}

impl DataRemovalMechanism {
    /// Every mechanism that a Level 0 descriptor can report.
    pub const ALL: [Self; 6] = [
        Self::OVERWRITE,
        Self::BLOCK_ERASE,
        Self::CRYPTOGRAPHIC_ERASE,
        Self::UNMAP,
        Self::RESET_WRITE_POINTERS,
        Self::VENDOR_SPECIFIC,
    ];
}
