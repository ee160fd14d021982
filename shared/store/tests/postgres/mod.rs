//! Postgres fulfils every claim of the ports, and some specific ones.
//!
//! Needs a server with pgvector: `KIMBERLY_TEST_POSTGRES` is its address, for a superuser.
#![expect(clippy::unwrap_used, reason = "a helper that fails should stop its test")]

mod caches;
mod catalog;
mod chains;
mod common;
mod due;
mod giving_up;
mod keys;
mod looking;
mod losing;
mod migrations;
mod moving;
mod processes;
mod purging;
mod registry;
mod roles;
mod same;
mod sealed;
mod servers;
mod statements;
mod vectors;

mod claims {
    kimberly_store::conformance_suite!(super::common::open);
}

/// The same claims with sealed sensitive memories.
mod claims_encrypted {
    kimberly_store::conformance_suite!(super::common::open_encrypted);
}

/// Many of the claims with all memories sensitive, and so sealed.
mod claims_sealed {
    kimberly_store::conformance_suite!(super::common::open_encrypted, all_sensitive);
}
