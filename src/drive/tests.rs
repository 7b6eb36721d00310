//! Operations as exact dialogues: what is sent, in which order, and how many IF commands it takes.

mod dialogue;
mod erase;
mod noise;
mod other;
mod passwd;
mod revert;
mod setup;
mod shadow_mbr;
mod unlock;
