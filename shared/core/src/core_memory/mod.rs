//! Core memory: blocks of text that stand in every prompt of an assistant, and how they are written there.
//!
//! A block is a record of the kind `block` with the name `core/<label>`: permanent, protected, and no part of recall. What is here is
//! pure: which labels there are, what a block must be, how blocks are written as one text. Reading and writing them is for the use
//! cases.

mod block;
mod goals;
mod label;
mod render;

pub(crate) use block::check;
pub use block::{Block, draft};
pub use goals::shown_goals;
pub(crate) use label::place;
pub use label::{LABELS, PREFIX, label_of, label_problem, name_of};
pub use render::render;
