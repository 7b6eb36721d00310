//! Operations as exact dialogues: what is sent, in which order, and how many IF commands it takes.

mod dialogue;
mod erase;
mod keep;
mod noise;
mod other;
mod passwd;
mod raw;
mod release;
mod revert;
mod setup;
mod shadow_mbr;
mod unlock;
