//! Embeddings as the domain sees them: which model a vector is of, what it stands for, and how vectors are named.
//!
//! Vectors are derived data: everything here can be dropped and computed again from the records. What a model is made
//! of, how it computes and how vectors lie on disk are other crates' business; see `ports::vectors`.

mod model_key;
mod vector;

pub use model_key::ModelKey;
pub use vector::{EmbeddedItem, StoredItem, VectorHit, VectorId, VectorSubject};
