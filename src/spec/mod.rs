//! What the standards say, as data: numbers, names and layouts, without logic and without I/O.
//!
//! Names are the standards' own, so that a search in their text finds them. The documents, and the
//! short names by which this crate cites them:
//!
//! | short name | document |
//! |---|---|
//! | Core | TCG Storage Architecture Core Specification 2.01 |
//! | SIIS | TCG Storage Interface Interactions Specification 1.11 |
//! | Opal | TCG Storage Security Subsystem Class: Opal 2.30 |
//! | Enterprise | TCG Storage Security Subsystem Class: Enterprise 1.01 |
//! | Opalite | TCG Storage Security Subsystem Class: Opalite 1.00 |
//! | Pyrite | TCG Storage Security Subsystem Class: Pyrite 2.01 |
//! | Ruby | TCG Storage Security Subsystem Class: Ruby 1.00 |
//! | Key Per I/O | TCG Storage Security Subsystem Class: Key Per I/O 1.00 |
//! | Single User Mode | TCG Storage Opal SSC Feature Set: Single User Mode 1.00 |
//! | CNL | TCG Storage Opal SSC Feature Set: Configurable Namespace Locking 1.00 |
//! | PSID | TCG Storage Opal SSC Feature Set: PSID 1.00 |
//! | Block SID | TCG Storage Feature Set: Block SID Authentication 1.01 |
//! | DataStore | TCG Storage Opal SSC Feature Set: Additional DataStore Tables 1.01 |
//! | NVMe | NVM Express Base Specification 2.3 |
//! | SPC | SCSI Primary Commands 4 |
//! | ACS | ATA Command Set 4 |
//! | SAT | SCSI/ATA Translation 4 |

/// Defines an open enumeration: a newtype over an integer with named constants.
///
/// Values without a name survive a round trip, and `Debug` and `Display` print the name or hex.
macro_rules! open_enum {
    (
        $(#[$outer:meta])*
        $visibility:vis $name:ident: $integer:ty {
            $($(#[$inner:meta])* $constant:ident = $value:expr, $text:expr;)*
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $visibility struct $name(pub $integer);

        impl $name {
            $($(#[$inner])* pub const $constant: Self = Self($value);)*

            /// The standard's name, where the value has one.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($value => Some($text),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, "{:#x}", self.0),
                }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

pub mod ace;
pub mod column;
pub mod column_type;
pub mod feature;
pub mod life_cycle;
pub mod method;
pub mod numbers;
pub mod object;
pub mod property;
pub mod protocol;
pub mod signature;
pub mod ssc;
pub mod status;
pub mod uid;

pub use feature::{
    DataRemovalMechanism, FeatureCode, IdentifierUsageScope, PinIndicator, RangePolicy,
};
pub use life_cycle::LifeCycle;
pub use numbers::{ComId, Hsn, RangeNumber, Tsn};
pub use protocol::{ComIdState, SecurityProtocol};
pub use ssc::Ssc;
pub use status::MethodStatus;
pub use uid::{HalfUid, Uid};
