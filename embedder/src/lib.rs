//! The embedder: owns the embedding model and turns texts into vectors. Off until a model is configured.
//!
//! `model` opens a model and computes, `lanes` runs it on threads, `models` holds those of the configuration, `sync` keeps
//! every user's vectors in step with the vault and `keeping` opens what it takes, `service` answers other processes of
//! Kimberly over gRPC; `check` and `bulk` are what the program does without serving. Candle is used here and nowhere else.

pub mod bulk;
pub mod check;
pub mod keeping;
pub mod lanes;
pub mod model;
pub mod models;
pub mod service;
pub mod sync;
