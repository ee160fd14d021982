//! Streams through the real processes: watchers get each change once and in order despite broken connections and
//! killed processes, and exports import identically although processes are killed.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

pub(crate) mod command;
pub(crate) mod life;
mod moving;
mod watching;
