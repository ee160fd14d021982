//! Embeddings in the domain: which model a vector belongs to, what it stands for, how vectors are named, which texts
//! they are computed from, what an index lacks, and when vectors may be computed.
//!
//! Vectors are derived data: everything here can be dropped and recomputed from the records. Other crates define
//! models, how they compute, and the storage format of vectors; see `ports::vectors`.

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
pub use vector::{EmbeddedItem, StoredItem, VectorHit, VectorSubject};
pub use window::Window;
