//! Decides who may make which call: the table of rules, and the only way into a handler.

mod enter;
pub(crate) mod rules;
mod streaming;

pub(crate) use enter::{Core, Entered, OfSystem, System, refused};
pub(crate) use streaming::{Beginning, EnteredStream};
