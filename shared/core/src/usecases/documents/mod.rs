//! Documents: ingest one or replace its text, and list its passages.

mod ingest;
mod known;
mod list_passages;
mod original;
mod read_again;
mod same;
mod write;

pub use ingest::{IngestInput, Ingested, Original};
pub use list_passages::{PassagePage, PassagesInput};
