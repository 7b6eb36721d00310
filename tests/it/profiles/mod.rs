//! The profiles of real drives, each held to the facts that were seen of it.

mod many_ranges;
