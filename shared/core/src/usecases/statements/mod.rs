//! Statements across memories: finds all copies of one, and forgets them together.

mod copies;
mod echoes;
mod elsewhere;
mod quotes;
mod restore;
mod strike;

pub(super) use copies::Copies;
pub(super) use restore::Restoring;
pub use strike::Along;
pub(super) use strike::{put_all_aside, strike_for_good};
