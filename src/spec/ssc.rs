//! Security Subsystem Classes.

use super::FeatureCode;

/// A Security Subsystem Class that sedkit knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ssc {
    /// Opal 2.00, 2.01, 2.02 or 2.30.
    Opal2,
    /// Opal 1.00.
    Opal1,
    /// Ruby 1.00.
    Ruby,
    /// Opalite 1.00.
    Opalite,
    /// Pyrite 2.00 or 2.01.
    Pyrite2,
    /// Pyrite 1.00.
    Pyrite1,
    /// Enterprise 1.01.
    Enterprise,
    /// Key Per I/O 1.00.
    KeyPerIo,
}

impl Ssc {
    /// Every SSC, the preferred one first where a drive reports several.
    pub const PREFERENCE: [Self; 8] = [
        Self::Opal2,
        Self::Ruby,
        Self::Opal1,
        Self::Opalite,
        Self::Pyrite2,
        Self::Pyrite1,
        Self::Enterprise,
        Self::KeyPerIo,
    ];

    /// The descriptor by which a drive reports this SSC.
    #[must_use]
    pub const fn feature(self) -> FeatureCode {
        match self {
            Self::Opal2 => FeatureCode::OPAL_2,
            Self::Opal1 => FeatureCode::OPAL_1,
            Self::Ruby => FeatureCode::RUBY,
            Self::Opalite => FeatureCode::OPALITE,
            Self::Pyrite2 => FeatureCode::PYRITE_2,
            Self::Pyrite1 => FeatureCode::PYRITE_1,
            Self::Enterprise => FeatureCode::ENTERPRISE,
            Self::KeyPerIo => FeatureCode::KEY_PER_IO,
        }
    }

    /// The name that people use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opal2 => "Opal 2",
            Self::Opal1 => "Opal 1",
            Self::Ruby => "Ruby",
            Self::Opalite => "Opalite",
            Self::Pyrite2 => "Pyrite 2",
            Self::Pyrite1 => "Pyrite 1",
            Self::Enterprise => "Enterprise",
            Self::KeyPerIo => "Key Per I/O",
        }
    }
}
