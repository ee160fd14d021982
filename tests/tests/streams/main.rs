//! Streams through the real processes: what is watched is told once and in order whatever happens to connections and
//! processes, and what is exported comes back to the byte, although processes are killed in the middle.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod command;
mod life;
mod moving;
mod watching;
