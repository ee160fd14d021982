//! JSON over HTTP for gRPC services: a layer in the same process and on the same port that reads the
//! `google.api.http` annotations of their descriptors. One contract, one handler.
//!
//! A request whose content type starts with `application/grpc` passes through untouched. Any other request is matched
//! against the annotations, converted to the rpc's request message and sent inward as a gRPC request with one frame.
//! The response uses proto3's JSON mapping: lowerCamelCase names, fields without presence even at their default (so
//! that `"results": []` and `0` appear), 64-bit integers as strings, enums by name.
//!
//! Requests may use both spellings of names and masks, and short enum names (`long_term`, `long-term`). The layer
//! refuses unknown names, contradictions between path, query and body, and numbers that would change in free data.
//! [`Dialect`] adds another API's names to some paths. Server streams are JSON lines, or server-sent events for callers
//! that accept `text/event-stream`. Errors are `google.rpc.Status` in JSON with the HTTP status of
//! `google/rpc/code.proto`. [`openapi::document`] describes all this as OpenAPI 3.1. [`Mapping`] offers the same JSON
//! without HTTP, for programs that print messages or store them in files.
//!
//! This crate knows nothing of the services: the caller passes in descriptors, texts of refusals and bounds of fields.
//! It creates no gRPC status either: [`Refusal`] describes the problem of a request, and the caller's [`Refuse`]
//! converts it. Only the HTTP status of a refusal is decided here, since gRPC has no code for a path that does not
//! accept `PUT`.
//!
//! Alternatives considered in November 2026, from their documentation only: `structured-proxy` is an axum proxy over
//! a network channel; `tonic-rest`, `tinc` and `tonneau` generate axum handlers and serde code besides gRPC's, so
//! that calls would bypass the gRPC layers; `rest_over_grpc` is closest (in process, streams, OpenAPI), but generates
//! a second service trait and needs `pbjson` code for every message; `grpc-webnext` and `grpc_gateway` were brand
//! new. Review them before extending this crate.

pub mod openapi;

mod answer;
mod binding;
mod body;
mod build_error;
mod dialect;
mod fields;
mod frame;
mod gzip;
mod lenient;
mod mapping;
mod mend;
mod numbers;
mod options;
mod query;
mod refusal;
mod request;
mod router;
mod service;
mod status;
mod stream;
mod template;
mod transcoder;

pub use answer::Failure;
pub use body::read_json;
pub use build_error::BuildError;
pub use dialect::{Beside, Dialect, Elements, Words};
pub use gzip::accepted as accepts_gzip;
pub use mapping::{Mapping, text};
pub use mend::mended;
pub use options::Options;
pub use refusal::{Refusal, Refuse};
pub use service::{Transcode, TranscodeLayer};
pub use status::whole_seconds;
pub use transcoder::Transcoder;
