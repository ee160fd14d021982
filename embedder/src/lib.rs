//! The embedder: owns the embedding model and turns texts into vectors. Off until a model is configured.
//!
//! `model` opens a model and computes, `lanes` runs it on threads, `models` holds those of the configuration, `service`
//! answers other processes of Kimberly over gRPC. Candle is used here and nowhere else.

pub mod check;
pub mod lanes;
pub mod model;
pub mod models;
pub mod service;
