//! Documents: take one in, or a new text of one; read passages.

mod ingest;
mod known;
mod list_passages;
mod original;
mod read_again;
mod write;

pub use ingest::{IngestInput, Ingested, Original};
pub use list_passages::{PassagePage, PassagesInput};
