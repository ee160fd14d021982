//! Postgres keeps every claim of the ports, and some of its own.
//!
//! Needs a server with pgvector: `KIMBERLY_TEST_POSTGRES` is its address, for a role that may make databases.
#![expect(clippy::unwrap_used, reason = "a helper that fails should stop its test")]

mod chains;
mod common;
mod losing;
mod same;

mod claims {
    kimberly_store::conformance_suite!(super::common::open);
}
