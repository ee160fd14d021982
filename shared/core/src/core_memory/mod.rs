//! Core memory: blocks of text that are part of every prompt of an assistant.
//!
//! A block is a record of the kind `block` with the name `core/<label>`: permanent, protected and not part of recall.
//! This module is pure: it defines labels, the rules for blocks, and how blocks are rendered as one text. The use
//! cases read and write them.

mod block;
mod goals;
mod label;
mod render;

pub(crate) use block::check;
pub use block::{Block, draft};
pub use goals::shown_goals;
pub(crate) use label::sort_key;
pub use label::{LABELS, PREFIX, label_of, label_problem, name_of};
pub use render::render;
