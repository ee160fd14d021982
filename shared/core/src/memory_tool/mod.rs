//! The memory tool of assistants (`memory_20250818`): its commands, paths and answer texts, as clients expect them.
//!
//! Pure: a file of the tool is a record with the name `memories/<path>`; the use case reads and writes it.

mod command;
mod path;
mod show;

pub use command::Command;
pub use path::{ROOT, name_of};
pub use show::{directory, edited, file, hidden, refused};
