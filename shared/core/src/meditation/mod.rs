//! Meditation: one pipeline of steps that decides which memories to retain (K-4).
//!
//! A step reads a vault and proposes changes with reasons. The runner collects the proposals of the steps, and shows
//! them (dry run) or applies them in small audited batches. A new background feature is a new step in one file.
//!
//! Some background work is not a step. Work that must not wait for the nightly run (erasing after a retracted consent,
//! sealing) is a job. Tidying up decides nothing, so there is nothing to show or undo. Bytes of attachments lie outside
//! the vault's transactions, and vectors belong to the embedder.

mod asked;
mod change;
mod choice;
mod fingerprint;
mod items;
mod kind;
pub mod kinds;
mod load;
pub(crate) mod nearness;
mod plan;
mod preview;
mod reason;
mod record;
mod run;
pub(crate) mod runner;
pub mod schedule;
mod snapshot;
pub mod steps;
#[cfg(test)]
mod tests;
mod token;

pub use asked::Asked;
pub use change::{Change, RecordedDecision, Subject};
pub(crate) use choice::{last_runs, taking_part};
pub use fingerprint::Fingerprint;
pub(crate) use fingerprint::forget_read;
pub use items::{RetentionItem, SCORING_PAGE_BYTES, Scored, ScoringItem, TagOutcomes};
pub use kind::Kind;
pub use plan::Plan;
pub use preview::{Preview, preview};
pub use reason::Reason;
pub use record::{Meditation, MeditationStatus, TierSummary, Trigger};
pub use snapshot::Snapshot;
pub use token::PlanToken;
