//! What travels through the queue: an envelope of ids, and which attempt this is.
//!
//! Must never hold memory text: whoever reads `queue.db` learns who meditated when, not on what.

use serde::{Deserialize, Serialize};

/// The kind of jobs for the embedder.
const EMBED: &str = "embed";
/// The kind of jobs that erase what a retracted consent left to be erased.
const ERASE: &str = "erase";
/// The kind of jobs that remove the bytes of attachments.
const ATTACHMENTS: &str = "attachments";
/// The kind of jobs that carry a purge on.
const PURGE: &str = "purge";
/// The queue of jobs for the embedder: no other process takes them.
pub const EMBED_QUEUE: &str = "embed";

/// The envelope version this build writes and reads.
pub(crate) const VERSION: u32 = 1;

/// No id is longer than this; a longer one is most likely text in the wrong field.
pub(crate) const MAX_ID_BYTES: usize = 256;

/// One job as it is stored, in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEnvelope {
    /// Version of this envelope, 1.
    pub v: u32,
    /// What to do, for example `meditate`.
    pub kind: String,
    /// Whose vault; empty for jobs that are about none.
    pub user_id: String,
    /// Which meditation; empty for jobs of other kinds.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub meditation_id: String,
    /// What a job is about that is about no vault, such as a purge; empty for others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject_id: String,
    /// The idempotency key, a uuid: pushing it twice leaves one job.
    pub job_id: String,
    /// W3C trace context of whoever pushed the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

/// Which run of a job this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// 1 for the first run.
    pub number: u32,
    /// The run after which a failure makes the job a dead letter.
    pub max: u32,
}

impl Attempt {
    /// Whether a failure now makes the job a dead letter.
    #[must_use]
    pub fn is_last(self) -> bool {
        self.number >= self.max
    }
}

/// Why a payload is not a job.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It will never be one.
    Malformed(String),
    /// A newer process wrote it and may still come to run it.
    Newer(u32),
}

impl JobEnvelope {
    /// A version 1 `meditate` job.
    #[must_use]
    pub fn meditate(user_id: &str, meditation_id: &str, job_id: &str) -> Self {
        Self {
            v: VERSION,
            kind: "meditate".to_owned(),
            user_id: user_id.to_owned(),
            meditation_id: meditation_id.to_owned(),
            subject_id: String::new(),
            job_id: job_id.to_owned(),
            traceparent: None,
        }
    }

    /// A version 1 `embed` job.
    #[must_use]
    pub fn embed(user_id: &str, job_id: &str) -> Self {
        Self {
            v: VERSION,
            kind: EMBED.to_owned(),
            user_id: user_id.to_owned(),
            meditation_id: String::new(),
            subject_id: String::new(),
            job_id: job_id.to_owned(),
            traceparent: None,
        }
    }

    /// A version 1 `erase` job.
    #[must_use]
    pub fn erase(user_id: &str, job_id: &str) -> Self {
        Self { kind: ERASE.to_owned(), ..Self::embed(user_id, job_id) }
    }

    /// A version 1 `attachments` job.
    #[must_use]
    pub fn attachments(user_id: &str, job_id: &str) -> Self {
        Self { kind: ATTACHMENTS.to_owned(), ..Self::embed(user_id, job_id) }
    }

    /// Whether it is an `attachments` job.
    #[must_use]
    pub fn is_attachments(&self) -> bool {
        self.kind == ATTACHMENTS
    }

    /// A version 1 `purge` job. It does not say whose purge it is.
    #[must_use]
    pub fn purge(purge_id: &str, job_id: &str) -> Self {
        Self { kind: PURGE.to_owned(), subject_id: purge_id.to_owned(), ..Self::embed("", job_id) }
    }

    /// Whether it is a `purge` job.
    #[must_use]
    pub fn is_purge(&self) -> bool {
        self.kind == PURGE
    }

    /// Whether it is an `erase` job.
    #[must_use]
    pub fn is_erase(&self) -> bool {
        self.kind == ERASE
    }

    /// Whether it is an `embed` job.
    #[must_use]
    pub fn is_embed(&self) -> bool {
        self.kind == EMBED
    }

    /// The queue that this kind of job goes to, if it has one of its own.
    pub(crate) fn own_queue(&self) -> Option<&'static str> {
        self.is_embed().then_some(EMBED_QUEUE)
    }

    /// Which field keeps this envelope out of the queue, if one does.
    pub(crate) fn invalid_field(&self) -> Option<&'static str> {
        let of = if self.is_purge() { ("subject_id", &self.subject_id) } else { ("user_id", &self.user_id) };
        let others = [EMBED, ERASE, PURGE, ATTACHMENTS];
        let is_meditation = !others.contains(&self.kind.as_str());
        let meditation = is_meditation.then_some(("meditation_id", &self.meditation_id));
        let required = [("kind", &self.kind), of, ("job_id", &self.job_id)];
        // Postgres keeps no text with a character 0.
        let unfit = |text: &String| text.len() > MAX_ID_BYTES || text.contains('\0');
        if self.v != VERSION {
            return Some("v");
        }
        if self.traceparent.as_ref().is_some_and(unfit) {
            return Some("traceparent");
        }
        required.into_iter().chain(meditation).find(|(_, text)| text.is_empty() || unfit(text)).map(|(name, _)| name)
    }

    /// Reads a stored payload. The error names a place in it and quotes nothing of it.
    pub(crate) fn decode(payload: &[u8]) -> Result<Self, Unreadable> {
        #[derive(Deserialize)]
        struct Version {
            v: u32,
        }
        let malformed = |e: serde_json::Error| {
            Unreadable::Malformed(format!(
                "undecodable payload: {:?} error at line {} column {}",
                e.classify(),
                e.line(),
                e.column()
            ))
        };
        let Version { v } = serde_json::from_slice(payload).map_err(malformed)?;
        match v {
            VERSION => serde_json::from_slice(payload).map_err(malformed),
            newer if newer > VERSION => Err(Unreadable::Newer(newer)),
            older => Err(Unreadable::Malformed(format!("undecodable payload: unknown version {older}"))),
        }
    }
}
