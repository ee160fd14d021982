//! Durable background jobs: a small queue on apalis and one `SQLite` file, `queue.db`, or Postgres.
//!
//! [`Queue::push`] writes a job durably, [`Relay`] moves jobs from the outboxes of vaults into the queue,
//! [`Queue::run`] consumes jobs under a supervisor that survives database errors, [`Queue::stats`] and
//! [`Queue::dead_letters`] report its state and [`Queue::prune`] keeps it small. Both databases give the same
//! guarantees; their differences are confined to the modules `sqlite` and `postgres`.
//!
//! # What callers may rely on
//! - A pushed job runs **at least once** and normally once. It may be cut at any point (kill, stop bound, lost lease)
//!   and run again, so every effect of a handler must be idempotent.
//! - The same `job_id` is one job until [`Queue::prune`] frees it.
//! - Only the claim that ran a job settles it: a late result of a claim whose lease was lost is dropped (fenced by
//!   row, worker name and attempt number).
//! - After [`QueueOptions::max_attempts`] the job is a dead letter, even if its process dies in each run. An
//!   undecodable payload becomes a dead letter at once and never blocks other jobs.
//! - Users get equal shares of the running jobs: a million waiting jobs of one user do not delay others (module
//!   `turns`).
//! - Any number of processes push, relay and consume; none of them is special.
//!
//! # How it uses apalis
//! apalis fetches, registers workers and sends heartbeats. It does **not** recover orphans: the module `leases` does,
//! which knows when an outage made every worker look dead. And it does **not** acknowledge: `lock_tasks` and
//! `persist_results` are off and the module `settle` does it, because apalis's `lock.sql` is not fenced (a late lock
//! event could leave a re-pushed job `Running` without a worker) and because its worker sends no heartbeats while it
//! drains.
//!
//! # What this crate must not do
//! Carry memory text (payloads, errors and logs hold ids only), know what a meditation is, or open any other
//! database: vaults and their registry are ports of `kimberly-core`.

#[cfg(feature = "fuzzing")]
pub mod fuzzing;

mod claim;
mod clock;
mod contact;
mod database;
mod dead;
mod envelope;
mod erase;
mod error;
mod handler;
mod handlers;
mod health;
mod job;
mod kinds;
mod leases;
mod options;
mod poll;
mod postgres;
mod prune;
mod queue;
mod relay;
mod service;
mod settle;
mod shared;
mod sqlite;
mod stats;
mod supervisor;
mod turns;
mod whole;
mod worker;

pub use dead::DeadLetter;
pub use envelope::JobEnvelope;
pub use error::QueueError;
pub use handler::{HandlerError, HandlerFuture, JobHandler};
pub use handlers::Handlers;
pub use health::ConsumerHealth;
pub use job::Attempt;
pub use kinds::{ATTACHMENTS, COMPACT, EMBED, EMBED_QUEUE, ERASE, EXTRACT, JobKind, KINDS, MEDITATE, PURGE, SUMMARIZE};
pub use options::{Backoff, PollOptions, QueueOptions, Retention};
pub use postgres::PgQueueOptions;
pub use prune::Pruned;
pub use queue::{Pushed, Queue};
pub use relay::{Relay, RelayError};
pub use stats::QueueStats;
pub use supervisor::Stopped;
/// Asks a running consumer to stop; see [`Queue::run`].
pub use tokio_util::sync::CancellationToken;
