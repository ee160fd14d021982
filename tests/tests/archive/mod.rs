//! A user's archive through the real command and processes: a lossless round trip, idempotent imports, refusal of
//! damage, and the same result after kills on either side; encrypted with age or not.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod encrypted;
mod kills;
mod moving;
mod proxy;
mod user;
mod written;

use crate::streams::{command, life};
