//! The memory tool of assistants (`memory_20250818`): its commands, its paths, and the words of its answers, as clients know them.
//!
//! Pure: a file of the tool is a record with the name `memories/<path>`; reading and writing it is for the use case.

mod command;
mod path;
mod show;

pub use command::Command;
pub use path::{ROOT, name_of};
pub use show::{directory, edited, file, hidden, refused};
