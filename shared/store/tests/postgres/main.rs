//! Postgres keeps every claim of the ports, and some of its own.
//!
//! Needs a server with pgvector: `KIMBERLY_TEST_POSTGRES` is its address, for a superuser.
#![expect(clippy::unwrap_used, reason = "a helper that fails should stop its test")]
#![expect(clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod catalog;
mod chains;
mod common;
mod giving_up;
mod losing;
mod migrations;
mod processes;
mod purging;
mod registry;
mod roles;
mod same;

mod claims {
    kimberly_store::conformance_suite!(super::common::open);
}
