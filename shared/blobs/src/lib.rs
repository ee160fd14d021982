//! The bytes of attachments: implements the port `Blobs` of `kimberly-core`.
//!
//! A blob is split into frames of [`FRAME`] bytes. Each frame is compressed, sealed under the key of its user and bound
//! to its position (`frames`): changed, moved, truncated or foreign data does not open. Frames are stored on a shelf
//! (`shelf.rs`): files in the folder of the user's vault (`local.rs`), or objects in an S3 store (`objects.rs`,
//! `s3.rs`). The name of an object derives from the blob's id and the user's key, and reveals nothing about its
//! content. Reading and writing take the memory of a few frames, however large the blob.
//!
//! This crate knows no vault and no memory: the caller says which blobs should exist.

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
