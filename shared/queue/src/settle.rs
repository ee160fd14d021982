//! The end of a claim: done, retried, dead, or returned. One fenced UPDATE each.
//!
//! The only writer of job states besides apalis's fetch and the recovery of orphans in `leases`.

use std::time::Duration;

/// The right to settle one run of a job, as apalis's fetch gave it.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    /// apalis's id of the row.
    pub(crate) task_id: String,
    /// The worker that holds the row.
    pub(crate) worker: String,
    /// Completed runs before this one; changes when another worker takes the job.
    pub(crate) ended_runs: i64,
}

/// How a claim ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The job succeeded.
    Done,
    /// It failed and runs again after the pause.
    Retry {
        /// Stored as the last error.
        error: String,
        /// The pause before the next run.
        pause: Duration,
    },
    /// It is a dead letter.
    Dead {
        /// Stored with the dead letter.
        error: String,
        /// Whether this claim ran the handler, and so counts as a run.
        ran: bool,
    },
    /// A stop cut it, which is not the job's fault: it runs again at once, and this run is not counted.
    GivenBack,
}

impl Outcome {
    /// The new state of the row.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Self::Done => "Done",
            Self::Retry { .. } | Self::GivenBack => "Pending",
            Self::Dead { .. } => "Killed",
        }
    }

    /// Whether it counts as a run.
    pub(crate) fn counts(&self) -> bool {
        match self {
            Self::Done | Self::Retry { .. } => true,
            Self::Dead { ran, .. } => *ran,
            Self::GivenBack => false,
        }
    }

    /// Whether the job is finished for good.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Dead { .. })
    }

    /// The pause before it runs again.
    pub(crate) fn pause(&self) -> Option<Duration> {
        match self {
            Self::Retry { pause, .. } => Some(*pause),
            _ => None,
        }
    }

    /// The error stored with the row.
    pub(crate) fn stored_error(&self) -> Option<String> {
        match self {
            Self::Retry { error, .. } | Self::Dead { error, .. } => Some(stored_error(error)),
            Self::Done | Self::GivenBack => None,
        }
    }
}

/// Longer messages are truncated: they should be codes and ids.
const MAX_ERROR_CHARS: usize = 500;

/// apalis's encoding of a failed result. Postgres text cannot contain NUL.
pub(crate) fn stored_error(error: &str) -> String {
    let error: String = error.chars().filter(|c| *c != '\0').take(MAX_ERROR_CHARS).collect();
    serde_json::json!({ "Err": error }).to_string()
}
