//! The model on real and on damaged files.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod agreement;
mod common;
mod cross_encoder;
mod damaged;
mod stock;
mod texts;
mod tiny;
mod windows;
