//! Links between records: a relation of one memory to another, such as provenance, supersession, mention or contradiction.
//!
//! A link belongs to both of its ends: it is erased and hidden with either. Nothing here reads a clock or decides on
//! visibility: a vault returns the links that its reader may see.

mod cascade;
mod draft;
mod ending;
mod lineage;
mod record;
#[cfg(test)]
mod tests;

pub use cascade::Cascade;
pub use draft::LinkDraft;
pub(crate) use draft::evidence_problem;
pub use ending::Ending;
pub use lineage::{Lineage, LineageStep, Walk};
pub use record::{Direction, Link, LinkKey, Relation};
