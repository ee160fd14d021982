//! Shared by all Kimberly processes: configuration, startup, telemetry, graceful stop, the real clock and real ids.
//!
//! [`Start::run`] is the whole body of every `main`. Contains no domain rules, and imports only `kimberly-core` and
//! `kimberly-crypto` of this workspace. Only this crate uses the OpenTelemetry SDK.
//!
//! Environment: `KIMBERLY_CONFIG` names the configuration file, `KIMBERLY_LOG` (or `RUST_LOG`) the log filter,
//! `KIMBERLY_WEIGHT_*` scoring weights; every other `KIMBERLY_*` is a configuration key.

pub mod config;
pub mod telemetry;

mod args;
mod boot;
mod clock;
mod data_dir;
mod failure;
mod files;
mod ids;
mod keys;
mod language_model;
mod leave;
mod own_memory;
mod own_thread;
mod pages;
mod panics;
mod priority;
mod run;
mod shutdown;
mod signer;
mod token_key;

pub use boot::Boot;
pub use clock::SystemClock;
pub use config::Config;
pub use data_dir::prepare_data_dir;
pub use failure::{Failure, MainResult};
pub use ids::SystemIds;
pub use keys::KeyStoreFn;
pub use leave::leave;
pub use own_memory::forbid_inspection;
pub use own_thread::on_own_thread;
pub use priority::this_thread_goes_last;
pub use run::Start;
pub use shutdown::{STOP_WITH_STDIN, Shutdown};
pub use signer::signer;
pub use telemetry::Metrics;
pub use token_key::token_key;

/// The version of this build.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
