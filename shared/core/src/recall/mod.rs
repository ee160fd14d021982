//! What matters for a query (K-5): pure functions from the query's words and the memories found to a ranking.
//!
//! `analysis` reads the query: terms, quoted phrases, the speaker and the times it names. `corrections` and `parts`
//! help where the vault does not know a word. `candidates` lets hits lend to their neighbours in the session, `factors`
//! prefers speaker, time and form; `weights` holds the constants of both, `roles` tells a person from an assistant.
//! `vectors` adds what is near in meaning, `fusion` joins the two lists. `weigh` mixes in the memory's own score and
//! freshness, `cut` orders and takes the best. `crate::usecases::query_memories` drives them and does all reading.
//!
//! Nothing here reads a vault or a clock, and nothing filters: what the filter keeps out must never be handed in, neither
//! as a hit nor as a neighbour, or it would show through the ranking of what it stands beside.

pub mod analysis;
mod calendar;
pub mod candidates;
pub mod corrections;
pub mod cut;
mod explain;
mod factors;
pub mod fusion;
mod names;
pub mod near;
pub mod parts;
mod passes;
mod phrases;
mod relative;
pub mod relevance;
pub mod roles;
mod session_cache;
pub mod session_first;
#[cfg(test)]
mod tests;
mod typos;
pub mod vectors;
mod weigh;
pub mod weights;

pub use calendar::Times;
pub use corrections::Correction;
pub use explain::{Explanation, FoundBy};
pub use fusion::Fusion;
pub use passes::passes;
pub use session_cache::{SessionCache, SessionMemory};
pub use weigh::{Ranked, score};
pub use weights::Weights;

/// Most terms of a query that are searched; the first ones count.
pub const MAX_TERMS: usize = 32;
/// Best hits of the index that are looked at: more than take part, as long texts hold every word and crowd out the rest.
pub const HITS: usize = 400;
/// Best of what was found that take part; more would change recall by less than 0.002 on LoCoMo.
pub const DEPTH: usize = 100;
