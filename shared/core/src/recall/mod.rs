//! Recall (K-5): pure functions from the words of a query and the memories found to a ranking.
//!
//! `analysis` parses the query: terms, quoted phrases, and the speaker and times it names. `stages` has one file for
//! each step of the search, `candidates` the data that they pass to each other, and `weights` their constants.
//! `crate::usecases::query_memories` drives them and does all reading.
//!
//! Nothing here reads a vault or a clock, and nothing filters. Memories that the filter excludes must never be passed
//! in, neither as hits nor as neighbours; otherwise they would influence the ranking of the memories next to them.

pub mod analysis;
pub(crate) mod by_model;
mod calendar;
pub mod calibration;
pub mod candidates;
mod held;
mod mistakes;
mod names;
mod past;
mod plan;
mod relative;
pub mod roles;
mod session_cache;
pub mod stages;
#[cfg(test)]
mod tests;
pub mod times;
mod token;
mod trace;
pub mod weights;

pub use plan::Plan;
pub use session_cache::{SessionCache, SessionMemory};
pub use stages::explain::{Explanation, FoundBy, Ranked};
pub use stages::fusion::Fusion;
pub use stages::typos::Correction;
pub use stages::{Stage, Stages};
pub use trace::{Did, Trace};
pub use weights::Weights;

/// Most terms of a query that are searched; the first ones count.
pub const MAX_TERMS: usize = 32;
