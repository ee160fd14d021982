//! SQLite keeps every claim of the ports, and some of its own: what happens to files, processes and open vaults.
#![expect(clippy::unwrap_used, reason = "a helper that fails should stop its test")]

mod audit;
mod common;
mod damage;
mod encrypted;
mod erasure;
mod eviction;
mod full_disk;
mod integrity;
mod processes;
mod purging;
mod quarantine;
mod reopening;
mod sealed;
mod versions;

mod claims {
    kimberly_store::conformance_suite!(super::common::open);
}

/// The same claims when everything is encrypted.
mod claims_encrypted {
    kimberly_store::conformance_suite!(super::common::open_encrypted);
}

/// Many of them when all memories are sensitive, and so sealed.
mod claims_sealed {
    kimberly_store::conformance_suite!(super::common::open_encrypted, all_sensitive);
}

/// The same claims when vaults are closed and opened again all the time.
mod claims_with_one_open_vault {
    kimberly_store::conformance_suite!(super::common::open_one_at_a_time);
}
