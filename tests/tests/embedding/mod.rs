//! Vectors in step with the vault: real storage, a real index, a model that is none, and a clock that is moved.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod cuts;
mod policy;
mod switching;
mod syncing;
mod uploading;
mod world;
