//! Who and what memories are about: names found in texts by rules, which of them mean the same, and what these are to each other.
//!
//! Stored is evidence alone, in tables that hang on memories: that a text holds a name ([`Mention`]), that it says what one name is
//! to another ([`Tie`]), that it was read ([`ReadMark`]), and what a person decided about a name ([`Ruling`]). An entity has no row:
//! [`Graph`] puts it together of the evidence that its reader sees, whenever it is asked for. So it goes with what was erased,
//! is hidden with what is hidden, and a limited caller's entities are made of what that caller reaches.
//!
//! Pure but for reading rows. Nothing is found in sensitive records, and nothing here asks a model.

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

pub use card::{CARDS, Card, Tied};
pub use edge::{Edge, Evidence};
pub use entity::Entity;
pub use find::{Found, find};
pub use graph::{Fresh, Graph};
pub use kind::EntityType;
pub use mark::ReadMark;
pub use mention::{Mention, Place};
pub use name::{NameId, normal};
pub use read::mentions_of;
pub use relation::EntityRelation;
pub use ruling::{Ruled, Ruling};
pub use tie::Tie;
