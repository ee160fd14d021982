//! Kinds of jobs, declared once: the name, the queue, and which ids a job of the kind carries.
//!
//! To add one, add a constant and its place in [`KINDS`], the variant of `Job` in core where a vault's outbox asks for it, and
//! a handler in the process that takes its queue.

use crate::job::{JobEnvelope, VERSION};

/// The queue of jobs for the embedder: no other process takes them.
pub const EMBED_QUEUE: &str = "embed";

/// A kind of job.
#[derive(Debug, PartialEq, Eq)]
pub struct JobKind {
    /// Its name in stored jobs.
    pub name: &'static str,
    /// The queue that it goes to, where it has one of its own: no other consumer takes it.
    pub queue: Option<&'static str>,
    /// Whether it names a user.
    of_user: bool,
    /// Whether it names a thing beside.
    of_subject: bool,
}

/// Carries out a meditation, which is its subject.
pub const MEDITATE: JobKind = JobKind { name: "meditate", queue: None, of_user: true, of_subject: true };
/// Brings a user's vectors in step, in the embedder.
pub const EMBED: JobKind = JobKind { name: "embed", queue: Some(EMBED_QUEUE), of_user: true, of_subject: false };
/// Erases what a retracted consent left to be erased.
pub const ERASE: JobKind = JobKind { name: "erase", queue: None, of_user: true, of_subject: false };
/// Reads turns that were observed.
pub const EXTRACT: JobKind = JobKind { name: "extract", queue: None, of_user: true, of_subject: false };
/// Compacts the session of a turn, which is its subject.
pub const COMPACT: JobKind = JobKind { name: "compact", queue: None, of_user: true, of_subject: true };
/// Removes the bytes of attachments.
pub const ATTACHMENTS: JobKind = JobKind { name: "attachments", queue: None, of_user: true, of_subject: false };
/// Carries on a purge, which is its subject. It does not name the user.
pub const PURGE: JobKind = JobKind { name: "purge", queue: None, of_user: false, of_subject: true };

/// All of them.
pub const KINDS: [&JobKind; 7] = [&MEDITATE, &EMBED, &ERASE, &EXTRACT, &COMPACT, &ATTACHMENTS, &PURGE];

impl JobKind {
    /// The kind with a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.into_iter().find(|kind| kind.name == name)
    }

    /// A job of this kind; a user or a subject that it does not need is empty.
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

    /// Which of a job's ids must not be empty.
    pub(crate) fn required(&self, job: &JobEnvelope) -> [(&'static str, bool); 2] {
        [
            ("user_id", self.of_user && job.user_id.is_empty()),
            ("subject_id", self.of_subject && job.subject_id.is_empty()),
        ]
    }
}
