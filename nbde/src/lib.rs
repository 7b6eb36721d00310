//! Network-bound unlocking of self-encrypting drives: the formats of Clevis and the protocol of Tang.
//!
//! The crate stands on its own: it knows nothing of drives, only how a secret is wrapped so that it
//! can be recovered while a Tang server can be reached, and not elsewhere. It holds nothing yet.

#![forbid(unsafe_code)]
