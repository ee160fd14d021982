//! Syncing vectors with the vault: real storage, a real index, a fake model and a manual clock.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod cuts;
mod policy;
mod switching;
mod syncing;
mod uploading;
mod world;
