//! Erased data is gone: checks every byte of every file that Kimberly writes, before and after, through the real
//! processes.
#![expect(clippy::expect_used, reason = "a helper of tests fails the test that calls it")]

mod attaching;
mod forgetting;
mod kills;
mod plant;
mod purging;
mod scan;
mod thousand;
