//! Passphrases, PINs and wrong tries: rows D1 to D23.

mod convert;
mod hash;
mod search;
mod sources;
