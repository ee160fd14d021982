//! The embedder: runs the embedding model and converts texts to vectors. Off until a model is configured.
//!
//! `model` opens a model and computes, `lanes` runs it on threads, `models` holds the configured ones, `reranker` scores
//! texts for a query with the configured cross-encoder, `sync` keeps every user's vectors in sync with the vault,
//! `maintenance` opens its dependencies, `service` serves other Kimberly processes over gRPC; `check` and `bulk` are
//! commands without a server. Only this crate uses Candle.

pub mod bulk;
pub mod check;
pub mod lanes;
pub mod maintenance;
pub mod model;
pub mod models;
pub mod reranker;
pub mod service;
pub mod sync;

mod process;

pub use process::run;
