//! Vectors of each user: an index per user and model, beside the vault, behind the ports `VectorReader` and
//! `VectorWriter`.
//!
//! An index is one LMDB environment. Vectors lie in it as int8 in dense rows, packed so that blocks fill pages
//! (`block.rs`); up to [`SWITCH`] rows a query compares all of them, above it arroy's trees (`tree.rs`) propose rows
//! that are then compared. The embedder writes, any process reads; a commit is whole or absent, and on disk. Indices
//! are derived: a damaged one is named, refused, and made anew. Nothing here knows text, models or when to embed.
//!
//! What can go wrong with mapped files and what is done about it:
//! - A file that is truncated, damaged, foreign or newer is read by ordinary reads and checked in full before it is
//!   mapped (`check`), and a lock file too short to be one is refused. So opening never crashes the process.
//! - A file that somebody else truncates or overwrites *while* it is mapped cannot be guarded against: the processor
//!   raises SIGBUS. Nothing of ours does that: files only grow, and are replaced by exchanging folders.
//! - A process killed in the middle of a write leaves the last commit as it was; the next writer takes over its lock,
//!   and slots of killed readers are cleared.
//! - LMDB knows its readers by process id. All processes of one data folder must share a pid namespace; else one
//!   takes another's reader for dead and reuses pages that it reads.

#[cfg(feature = "fuzzing")]
pub mod fuzzing;

mod active;
mod block;
mod changes;
mod check;
mod directory;
mod environment;
mod errors;
mod folders;
mod layout;
mod pool;
mod quantize;
mod reader;
mod rewrite;
mod scan;
mod stamp;
mod store;
mod table;
mod tree;
mod writer;

#[cfg(test)]
mod tests;

pub use pool::Options;
pub use reader::IndexReader;
pub use tree::SWITCH;
pub use writer::IndexWriter;
