//! The worker process: executes meditations and purges, schedules due runs, relays outboxes, prunes the queue.
//!
//! Any number of workers may run on one data folder or database, and each may be killed at any time. The worker makes
//! no decisions: `kimberly-core` decides about memories, `kimberly-queue` about jobs. It imports no other process and
//! no SQL.

pub mod alerts;
pub mod checkpoints;
pub mod distribute;
pub mod handlers;
pub mod health;
pub mod housekeeping;
pub mod migrate;
pub mod purge;
pub mod register;
pub mod revive;
pub mod rings;
pub mod schedule;
pub mod scrub;
pub mod shared_files;
pub mod storage;

mod once;
mod process;
mod trouble;
mod worker;

pub use process::run;
pub use purge::Purger;
pub use schedule::Scheduler;
pub use worker::{Pace, Worker};
