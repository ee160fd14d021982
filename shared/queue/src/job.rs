//! Decodes and checks stored jobs, and counts their runs.

use serde::Deserialize;

use crate::envelope::{JobEnvelope, VERSION};
use crate::kinds::JobKind;

/// Maximum length of an id; a longer one is most likely text in the wrong field.
pub(crate) const MAX_ID_BYTES: usize = 256;

/// The number of a run.
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
    /// The payload is malformed, permanently.
    Malformed(String),
    /// A newer build wrote it and may still run it.
    Newer(u32),
}

impl JobEnvelope {
    /// The queue for this kind of job, if it has its own.
    pub(crate) fn own_queue(&self) -> Option<&'static str> {
        JobKind::named(&self.kind).and_then(|kind| kind.queue)
    }

    /// The first invalid field of this envelope. An unknown kind is valid, since a newer build may handle it.
    pub(crate) fn invalid_field(&self) -> Option<&'static str> {
        // Postgres text cannot contain NUL.
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

    /// Decodes a stored payload. The error names a position and quotes nothing.
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
