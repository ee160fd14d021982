//! Shared by the whole-system stories: the real processes on free loopback ports over a temporary data folder,
//! clients of all services, and helpers with the vocabulary of the stories. For tests only: panics on any failure.
//!
//! The executables are expected in `KIMBERLY_BIN_DIR`, or beside the test executable; `cargo build --workspace` (with
//! `--release` for release tests) puts them there, as `tests/run` does.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "a helper of tests fails the test that calls it"
)]

pub mod answers;
pub mod attachments;
pub mod binaries;
pub mod calls;
pub mod campaign;
pub mod clients;
pub mod corpus;
pub mod drafts;
pub mod eventually;
pub mod exports;
pub mod fakes;
pub mod kinds;
pub mod model;
pub mod oracle;
pub mod past;
pub mod ports;
pub mod postgres;
pub mod process;
pub mod proxy;
pub mod raw;
pub mod system;
pub mod user;

pub use answers::{field_paths, reason};
pub use campaign::campaign;
pub use clients::Clients;
pub use eventually::eventually;
pub use system::System;
pub use user::User;
