//! Vectors through the real processes and the real model: from a write to its vector, by the policy, by upload, through
//! kills, and not at all while embeddings are off.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod asking;
mod kills;
mod life;
mod off;
mod offline;
mod world;
