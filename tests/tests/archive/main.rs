//! A user's archive through the real command and processes: it comes back without loss, twice changes nothing, damage is
//! refused, and killing either side of the way anywhere ends in the same state; encrypted with age or not.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

#[path = "../streams/command.rs"]
#[expect(dead_code, reason = "stories of streams use the rest")]
mod command;
mod encrypted;
mod kills;
#[path = "../streams/life.rs"]
mod life;
mod moving;
mod proxy;
mod user;
mod written;
