//! Links between records: provenance, supersession, mention, contradiction, each a relation from one memory to another.
//!
//! A link is about both of its ends: it goes with either, and is hidden with either. Nothing here reads a clock or decides who
//! sees what: a vault shows the links that its reader may see.

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
pub use lineage::{Direction, Lineage, LineageStep, Walk};
pub use record::{Link, LinkKey, Relation};
