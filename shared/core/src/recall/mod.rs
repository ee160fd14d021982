//! What matters for a query (K-5): pure functions from the query's words and the memories found to a ranking.
//!
//! `analysis` reads the query: terms, quoted phrases, the speaker and the times it names. `stages` holds what is done about
//! it, a file each; `candidates` what they hand to each other, `weights` their constants. `crate::usecases::query_memories`
//! drives them and does all reading.
//!
//! Nothing here reads a vault or a clock, and nothing filters: what the filter keeps out must never be handed in, neither
//! as a hit nor as a neighbour, or it would show through the ranking of what it stands beside.

pub mod analysis;
pub(crate) mod by_model;
mod calendar;
pub mod calibration;
pub mod candidates;
mod held;
mod mistakes;
mod names;
mod plan;
mod relative;
mod session_cache;
pub mod stages;
#[cfg(test)]
mod tests;
mod trace;
pub mod weights;

pub use plan::Plan;
pub use session_cache::{SessionCache, SessionMemory};
pub use stages::explain::{Explanation, FoundBy};
pub use stages::fuse::Fusion;
pub use stages::typos::Correction;
pub use stages::weigh::Ranked;
pub use stages::{Stage, Stages};
pub use trace::{Did, Trace};
pub use weights::Weights;

/// Most terms of a query that are searched; the first ones count.
pub const MAX_TERMS: usize = 32;
