//! Embeddings as the domain sees them: which model a vector is of, what it stands for, how vectors are named, which texts
//! they are made of, what an index lacks, and when it may be computed.
//!
//! Vectors are derived data: everything here can be dropped and computed again from the records. What a model is made
//! of, how it computes and how vectors lie on disk are other crates' business; see `ports::vectors`.

mod choose;
pub mod chunks;
mod ledger;
mod model_key;
mod plan;
mod policy;
mod quantized;
pub mod text;
mod vector;
mod window;

pub use choose::{Room, by_worth};
pub use ledger::{EmbeddingLedger, EmbeddingReport};
pub use model_key::ModelKey;
pub use plan::{Difference, EligibleSubject, Worth, difference};
pub use policy::{EmbeddingLimits, EmbeddingStanding, Hold, OverCap, Verdict, judge, start_of_week};
pub use quantized::{Quantized, cosine_of, inverse_length};
pub use vector::{EmbeddedItem, StoredItem, VectorHit, VectorId, VectorSubject};
pub use window::Window;
