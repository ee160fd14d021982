//! Between the contract and the domain. What comes in is refused with the path of the field that is wrong and what is
//! allowed there; what goes out cannot fail. Bounds that the domain knows are checked there and not here.

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
pub mod settings;
pub mod time;
pub mod view;

use kimberly_core::usecases::page::PageRequest;

/// A count or a number of bytes as the contract has it.
pub fn int64(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A bound or a small count as the contract has it.
pub fn int32(n: impl TryInto<i32>) -> i32 {
    n.try_into().unwrap_or(i32::MAX)
}

/// A page as asked for.
pub const fn page(size: i32, token: String) -> PageRequest {
    PageRequest { size, token }
}

/// An optional text of the contract, where empty means none.
pub fn text(raw: String) -> Option<String> {
    if raw.is_empty() { None } else { Some(raw) }
}
