//! The worker in process, on real vaults and a real queue in a temporary folder.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod alerts;
mod attachments;
mod checkpoints;
mod faulty;
mod fixture;
mod purges;
mod relay;
mod runs;
mod schedule;
