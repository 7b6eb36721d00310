//! Life cycle states of an SP (\[Opal\] 4.3.5, 5.2.2; type `life_cycle_state`).

open_enum! {
    /// `SP.LifeCycleState`.
    pub LifeCycle: u8 {
        /// Issued.
        ISSUED = 0, "Issued";
        /// Issued and disabled.
        ISSUED_DISABLED = 1, "Issued-Disabled";
        /// Issued and frozen.
        ISSUED_FROZEN = 2, "Issued-Frozen";
        /// Issued, disabled and frozen.
        ISSUED_DISABLED_FROZEN = 3, "Issued-Disabled-Frozen";
        /// Issued and failed.
        ISSUED_FAILED = 4, "Issued-Failed";
        /// Manufactured, not activated: no session can be opened.
        MANUFACTURED_INACTIVE = 8, "Manufactured-Inactive";
        /// Manufactured and active.
        MANUFACTURED = 9, "Manufactured";
        /// Manufactured and disabled.
        MANUFACTURED_DISABLED = 10, "Manufactured-Disabled";
        /// Manufactured and frozen (Block SID with the freeze bit).
        MANUFACTURED_FROZEN = 11, "Manufactured-Frozen";
        /// Manufactured, disabled and frozen.
        MANUFACTURED_DISABLED_FROZEN = 12, "Manufactured-Disabled-Frozen";
        /// Manufactured and failed.
        MANUFACTURED_FAILED = 13, "Manufactured-Failed";
    }
}
