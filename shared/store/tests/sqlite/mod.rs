//! SQLite fulfils every claim of the ports, and specific ones about files, processes and open vaults.
#![expect(clippy::unwrap_used, reason = "a helper that fails should stop its test")]

mod audit;
mod common;
mod damage;
mod encrypted;
mod erasure;
mod eviction;
mod full_disk;
mod integrity;
mod lost_registry;
mod processes;
mod purging;
mod quarantine;
mod rebuilding;
mod reopening;
mod sealed;
mod versions;

mod claims {
    kimberly_store::conformance_suite!(super::common::open);
}

/// The same claims with encryption.
mod claims_encrypted {
    kimberly_store::conformance_suite!(super::common::open_encrypted);
}

/// Many of the claims with all memories sensitive, and so sealed.
mod claims_sealed {
    kimberly_store::conformance_suite!(super::common::open_encrypted, all_sensitive);
}

/// The same claims with vaults constantly closed and reopened.
mod claims_with_one_open_vault {
    kimberly_store::conformance_suite!(super::common::open_one_at_a_time);
}
