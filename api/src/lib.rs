//! The api process: the contract `kimberly.v1` over gRPC. It is stateless: all data is in the vaults.
//!
//! One thin file per rpc: convert, call the use case of `kimberly-core`, convert back. The process holds no domain
//! rules, and creates status codes only in `status`. It imports no other process and no SQL.

pub mod convert;
mod core_memory;
pub mod layers;
pub mod semantic;
pub mod server;
mod stamp;
pub mod status;

mod access;
mod api;
mod attachment;
mod audit;
mod auth;
mod calls;
mod connections;
mod consent;
mod console;
mod conversation;
mod document;
mod embedding;
mod erasure;
mod failures;
mod front;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod goal;
mod graph;
mod internal_token;
mod keys;
mod late;
mod link;
mod maintenance;
mod mcp;
mod meditation;
mod memory;
mod memory_tool;
mod metrics;
mod named;
mod paths;
mod process;
mod reads;
mod record;
mod references;
mod refusals;
mod reply;
mod rest;
mod review;
mod server_info;
mod settings;
mod streams;
mod tls;
mod touches;
mod trace_context;
mod vector_store;
mod working;

pub use api::Api;
pub use auth::{Auth, LocalAdmin};
pub use failures::run as tell_failures;
pub use internal_token::InternalToken;
pub use process::run;
pub use refusals::Refusals;
pub use touches::Touches;
pub use vector_store::VectorStore;
