//! Streams through the real processes: what is watched is told once and in order whatever happens to connections and
//! processes, and what is exported comes back to the byte, although processes are killed in the middle.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

pub(crate) mod command;
pub(crate) mod life;
mod moving;
mod watching;
