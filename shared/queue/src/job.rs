//! What travels through the queue: an envelope of ids, and which attempt this is.
//!
//! Must never hold memory text: whoever reads `queue.db` learns who meditated when, not on what.

use serde::{Deserialize, Serialize};

use crate::kinds::JobKind;

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
    /// Whose vault; empty for jobs that name no user.
    pub user_id: String,
    /// The meditation or purge that the job is about; empty for others.
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
    /// The queue that this kind of job goes to, if it has one of its own.
    pub(crate) fn own_queue(&self) -> Option<&'static str> {
        JobKind::named(&self.kind).and_then(|kind| kind.queue)
    }

    /// Which field keeps this envelope out of the queue, if one does. A kind that this build does not know may be one that
    /// another build handles.
    pub(crate) fn invalid_field(&self) -> Option<&'static str> {
        // Postgres keeps no text with a character 0.
        let unfit = |text: &str| text.len() > MAX_ID_BYTES || text.contains('\0');
        let texts = [
            ("kind", Some(&self.kind)),
            ("user_id", Some(&self.user_id)),
            ("subject_id", Some(&self.subject_id)),
            ("job_id", Some(&self.job_id)),
            ("traceparent", self.traceparent.as_ref()),
        ];
        let empty = [("kind", self.kind.is_empty()), ("job_id", self.job_id.is_empty())];
        let required = JobKind::named(&self.kind).map(|kind| kind.required(self)).unwrap_or_default();
        if self.v != VERSION {
            return Some("v");
        }
        let unfit = texts.into_iter().filter(|(_, text)| text.is_some_and(|text| unfit(text))).map(|(name, _)| name);
        let empty = empty.into_iter().chain(required).filter(|(_, is_empty)| *is_empty).map(|(name, _)| name);
        unfit.chain(empty).next()
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
