//! JSON over HTTP for gRPC services: a layer in front of them, in the same process and on the same port, that reads the
//! `google.api.http` annotations of their descriptors. One contract, one handler.
//!
//! A request whose content type begins with `application/grpc` goes through untouched. Any other is matched against the
//! annotations, made into the message that its rpc takes, sent inward as a gRPC request with a body of one frame, and
//! the answer is written in the JSON mapping of proto3: lowerCamelCase names, fields without presence even when they
//! hold their default (so that `"results": []` and `0` are there), 64-bit integers as strings, enums by name. Coming in,
//! both spellings of names and masks are taken, and enums by their short names (`long_term`, `long-term`), too. What is
//! not known is refused, and so is what path, query and body say differently, and a number that free data would change.
//! [`Dialect`] adds another API's names to some paths. Server streams are lines of JSON, or server-sent events to who
//! accepts `text/event-stream`; errors are `google.rpc.Status` in JSON under the HTTP status of `google/rpc/code.proto`.
//! [`openapi::document`] describes all this as OpenAPI 3.1, and [`Mapping`] speaks the same JSON without HTTP, for programs
//! that print messages or keep them in files.
//!
//! Nothing here knows the services: descriptors, the words of refusals and the bounds of fields are passed in. No gRPC
//! status is made here, either: [`Refusal`] says what is wrong with a request, and the [`Refuse`] that is passed in makes
//! the status of it. The HTTP status of such a refusal is the crate's own business, for gRPC has no code for a path
//! that takes no `PUT`.
//!
//! Crates that were looked at in November 2026, by their documentation and not by use, and what spoke against each here:
//! `structured-proxy` is an axum proxy over a network channel; `tonic-rest`, `tinc` and `tonneau` generate axum handlers
//! and serde code beside those of gRPC, so that calls would pass around the layers that gRPC calls pass;
//! `rest_over_grpc` comes closest (in process, streams, OpenAPI), but generates a second service trait and needs `pbjson`
//! code for every message; `grpc-webnext` and `grpc_gateway` had only just appeared. Look again before this grows.

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
pub use dialect::{Beside, Dialect, Words};
pub use gzip::accepted as accepts_gzip;
pub use mapping::{Mapping, text};
pub use options::{Known, Options};
pub use refusal::{Refusal, Refuse};
pub use service::{Transcode, TranscodeLayer};
pub use status::whole_seconds;
pub use transcoder::Transcoder;
