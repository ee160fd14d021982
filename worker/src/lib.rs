//! The worker process: carries out meditations and purges, schedules those that are due, sweeps outboxes, tidies the queue.
//!
//! Any number of workers may run on one data folder or one database, and each may be killed at any time. It decides
//! nothing itself: what happens to memories is decided in `kimberly-core`, what happens to jobs in `kimberly-queue`. It
//! imports no other process and no SQL.

pub mod alerts;
pub mod checkpoints;
pub mod handlers;
pub mod health;
pub mod housekeeping;
pub mod migrate;
pub mod purge;
pub mod revive;
pub mod rings;
pub mod schedule;
pub mod scrub;
pub mod shared_files;
pub mod storage;

mod worker;

pub use purge::Purger;
pub use schedule::Scheduler;
pub use worker::{Pace, Worker};
