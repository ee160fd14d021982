//! Vector indices: one per user and model, beside the vault, behind the ports `VectorReader` and `VectorWriter`.
//!
//! An index is one LMDB environment. It stores vectors as int8 in dense rows, packed into blocks that fill pages
//! (`block.rs`). Up to [`SWITCH`] rows, a query is compared with all of them; above, arroy's trees (`tree.rs`)
//! propose candidates that are then compared. The embedder writes, any process reads; a commit is atomic and durable.
//! Indices are derived data: a damaged one is reported, refused and rebuilt. This crate knows nothing of text, models
//! or when to embed.
//!
//! Failures of mapped files and their handling:
//! - A truncated, damaged, foreign or newer file is read with ordinary reads and checked completely before it is
//!   mapped (`check`); a lock file that is too short is refused. So opening never crashes the process.
//! - Truncating or overwriting a file *while* it is mapped raises SIGBUS, which this crate cannot prevent. Our
//!   processes never do that: files only grow, and are replaced by swapping folders.
//! - A process killed during a write leaves the last commit intact; the next writer takes over its lock, and slots of
//!   killed readers are cleared.
//! - LMDB knows its readers by process id. All processes of one data folder must share a pid namespace; else one
//!   takes another's reader for dead and reuses pages that it reads.

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
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
