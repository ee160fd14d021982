//! Converts between the contract and the domain. Errors in requests name the path of the invalid field and what is
//! allowed. Conversion to the contract cannot fail unless stored data is damaged. Bounds known to the domain are
//! checked there, not here.

pub mod attachment;
pub mod attributes;
pub mod audit;
pub mod change;
pub mod consent;
pub mod conversation;
pub mod credential;
pub mod detail;
pub mod document;
pub mod embedding;
pub mod enums;
pub mod filter;
pub mod goal;
pub mod graph;
pub mod link;
pub mod meditation;
pub mod memory;
pub mod metrics;
pub mod past;
pub mod problems;
pub mod purge;
pub mod recall;
pub mod record;
pub mod references;
pub mod settings;
pub mod time;
pub mod view;

use kimberly_core::usecases::page::PageRequest;

/// Converts a count or a number of bytes to the contract.
pub fn int64(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Converts a bound or a small count to the contract.
pub fn int32(n: impl TryInto<i32>) -> i32 {
    n.try_into().unwrap_or(i32::MAX)
}

/// Converts the request for a page.
pub const fn page(size: i32, token: String) -> PageRequest {
    PageRequest { size, token }
}

/// Converts an optional text of the contract, in which empty means none.
pub fn text(raw: String) -> Option<String> {
    if raw.is_empty() { None } else { Some(raw) }
}
