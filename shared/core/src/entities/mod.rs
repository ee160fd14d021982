//! Entities: names found in texts by rules, which of them mean the same, and relations between them.
//!
//! Only evidence is stored, in tables attached to memories: that a text contains a name ([`Mention`]), that it states
//! a relation of two names ([`Tie`]), that it was read ([`ReadMark`]), and what a person decided about a name
//! ([`Ruling`]). Entities have no rows: [`Graph`] builds them on demand from the evidence visible to the reader. So
//! entities disappear with erased memories, are hidden with hidden ones, and a limited caller's entities contain only
//! what that caller reaches.
//!
//! Pure apart from reading rows. Sensitive records are not searched, and no model is used.

mod cache;
mod card;
mod edge;
mod entity;
mod find;
mod graph;
mod kind;
mod mark;
mod mention;
mod name;
mod names;
mod read;
mod relate;
mod relation;
mod resolve;
mod ruling;
#[cfg(test)]
mod tests;
mod tie;
mod words;

pub use cache::{FRESH_FOR, GraphCache};
pub use card::{CARDS, Card, Tied};
pub use edge::{Edge, Evidence};
pub use entity::Entity;
pub use find::{Found, find};
pub use graph::{Fresh, Graph};
pub use kind::EntityType;
pub use mark::ReadMark;
pub use mention::{Mention, MentionPosition};
pub use name::{NameId, normal};
pub use read::mentions_of;
pub use relation::EntityRelation;
pub use ruling::{Ruled, Ruling};
pub use tie::Tie;

use crate::tables::{Table, TableRow as _};

/// The tables that a [`Graph`] is built from.
pub const EVIDENCE: [&Table; 3] = [Mention::TABLE, Tie::TABLE, Ruling::TABLE];
