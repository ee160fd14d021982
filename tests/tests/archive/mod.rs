//! A user's archive through the real command and processes: it comes back without loss, twice changes nothing, damage is
//! refused, and killing either side of the way anywhere ends in the same state; encrypted with age or not.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod encrypted;
mod kills;
mod moving;
mod proxy;
mod user;
mod written;

use crate::streams::{command, life};
