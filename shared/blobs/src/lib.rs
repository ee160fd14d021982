//! The bytes of attachments, behind the port `Blobs` of `kimberly-core`.
//!
//! A blob is cut into frames ([`FRAME`] bytes each), packed, sealed under the key of its user and bound to its place
//! (`frames`): what was changed, moved, cut or belongs to another does not open. Frames go to a shelf (`shelf.rs`):
//! files in the folder of the user's vault (`local.rs`), or objects in a store that speaks S3 (`objects.rs`, `s3.rs`).
//! The name of an object follows from the blob's id and the user's key, and so tells nothing of its content. Reading
//! and writing take the memory of a few frames, however large a blob is.
//!
//! Knows no vault and no memory: which blobs there should be is said by who calls.

mod errors;
mod frames;
mod keys;
mod local;
mod objects;
mod s3;
mod shelf;
mod store;
mod timely;

#[cfg(feature = "fuzzing")]
pub mod fuzzing;
#[cfg(test)]
mod tests;

pub use frames::FRAME;
pub use store::BlobStore;
