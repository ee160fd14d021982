//! Vectors through the real processes and the real model: computed after a write, by policy, by upload, through
//! kills, and not at all while embeddings are off.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod asking;
mod kills;
mod life;
mod off;
mod offline;
mod world;
