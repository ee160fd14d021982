//! Kinds of jobs, declared once: the name, the queue, and the ids that a job of the kind carries.
//!
//! To add one, add a constant, its entry in [`KINDS`], a variant of `Job` in core if a vault's outbox requests it,
//! and a handler in the process that consumes its queue.

use crate::envelope::{JobEnvelope, VERSION};

/// The queue of jobs for the embedder; other processes do not consume it.
pub const EMBED_QUEUE: &str = "embed";

/// A kind of job.
#[derive(Debug, PartialEq, Eq)]
pub struct JobKind {
    /// Its name in stored jobs.
    pub name: &'static str,
    /// Its own queue, if it has one; other consumers do not take it.
    pub queue: Option<&'static str>,
    /// Whether its jobs name a user.
    of_user: bool,
    /// Whether its jobs have a subject.
    of_subject: bool,
}

/// Runs a meditation, which is its subject.
pub const MEDITATE: JobKind = JobKind { name: "meditate", queue: None, of_user: true, of_subject: true };
/// Generates missing embeddings of a user, in the embedder.
pub const EMBED: JobKind = JobKind { name: "embed", queue: Some(EMBED_QUEUE), of_user: true, of_subject: false };
/// Erases data after a consent was withdrawn.
pub const ERASE: JobKind = JobKind { name: "erase", queue: None, of_user: true, of_subject: false };
/// Extracts memories from observed turns.
pub const EXTRACT: JobKind = JobKind { name: "extract", queue: None, of_user: true, of_subject: false };
/// Compacts the session of a turn, which is its subject.
pub const COMPACT: JobKind = JobKind { name: "compact", queue: None, of_user: true, of_subject: true };
/// Lets the language model write a summary, which is the subject.
pub const SUMMARIZE: JobKind = JobKind { name: "summarize", queue: None, of_user: true, of_subject: true };
/// Removes the bytes of attachments.
pub const ATTACHMENTS: JobKind = JobKind { name: "attachments", queue: None, of_user: true, of_subject: false };
/// Continues a purge, which is its subject. Does not name the user.
pub const PURGE: JobKind = JobKind { name: "purge", queue: None, of_user: false, of_subject: true };

/// All kinds of jobs.
pub const KINDS: [&JobKind; 8] = [&MEDITATE, &EMBED, &ERASE, &EXTRACT, &COMPACT, &SUMMARIZE, &ATTACHMENTS, &PURGE];

impl JobKind {
    /// The kind with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.into_iter().find(|kind| kind.name == name)
    }

    /// A job of this kind; a user or subject that the kind lacks is left empty.
    #[must_use]
    pub fn job(&self, user_id: &str, subject_id: &str, job_id: &str) -> JobEnvelope {
        JobEnvelope {
            v: VERSION,
            kind: self.name.to_owned(),
            user_id: user_id.to_owned(),
            subject_id: subject_id.to_owned(),
            job_id: job_id.to_owned(),
            traceparent: None,
        }
    }

    /// The ids of a job that must not be empty.
    pub(crate) fn required(&self, job: &JobEnvelope) -> [(&'static str, bool); 2] {
        [
            ("user_id", self.of_user && job.user_id.is_empty()),
            ("subject_id", self.of_subject && job.subject_id.is_empty()),
        ]
    }
}
