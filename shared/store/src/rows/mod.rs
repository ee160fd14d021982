//! Maps domain types to columns on any backend: which columns, their order and their encoding.

mod attachment;
mod change;
mod credential;
mod decision;
mod hit;
mod meditation;
mod memory;
mod outbox;
mod purge;
mod retention;
mod scoring;
mod subject;
mod traits;
mod vault;

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use uuid::Uuid;

use crate::corrupt;

pub(crate) use attachment::attachment;
pub(crate) use change::{CHANGE_COLUMNS, seen_change};
pub(crate) use credential::{CREDENTIAL_COLUMNS, certificate, credential_from, push_credential};
pub(crate) use decision::{DECISION_COLUMNS, DECISION_TABLE, decision_from, decision_rows, joined, push_decision};
pub(crate) use hit::{HIT_COLUMNS, entry, hit, namespace};
pub(crate) use meditation::{MEDITATION_COLUMNS, meditation_from, push_meditation};
pub(crate) use memory::{feedback_code, feedback_from_code, folded, in_order, labels, labels_json, opened, traits};
pub(crate) use outbox::{job_json, outbox_row};
pub(crate) use purge::{PURGE_COLUMNS, erased_json, purge_from, step_code};
pub(crate) use retention::{RETENTION_COLUMNS, by_tier, lasting, lasting_index, movable, retention_item, tier_bytes};
pub(crate) use scoring::scoring_item;
pub(crate) use subject::{MEMORY_SUBJECTS, goal_subject, memory_subject};
pub(crate) use traits::{OF_OTHER_RULES, derived_traits};
pub(crate) use vault::{corrections, push_consent, recounted, stored_settings, summed};

/// Reads the columns of a row one after another.
pub(crate) trait ReadRow<'r> {
    /// An integer.
    fn int(&mut self) -> Result<i64>;
    /// An integer or NULL.
    fn opt_int(&mut self) -> Result<Option<i64>>;
    /// A flag.
    fn flag(&mut self) -> Result<bool>;
    /// A double.
    fn real(&mut self) -> Result<f64>;
    /// Text.
    fn text(&mut self) -> Result<String>;
    /// Text or NULL.
    fn opt_text(&mut self) -> Result<Option<String>>;
    /// Text, borrowed.
    fn str(&mut self) -> Result<&'r str>;
    /// Text or NULL, borrowed.
    fn opt_str(&mut self) -> Result<Option<&'r str>>;
    /// Bytes or NULL.
    fn opt_bytes(&mut self) -> Result<Option<&'r [u8]>>;
    /// An id.
    fn uuid(&mut self) -> Result<Uuid>;
    /// An id or NULL.
    fn opt_uuid(&mut self) -> Result<Option<Uuid>>;
    /// Tags.
    fn tags(&mut self) -> Result<Vec<String>>;

    /// A number that is never negative.
    fn count(&mut self) -> Result<u64> {
        let value = self.int()?;
        u64::try_from(value).map_err(|_| corrupt(format!("a count is {value}")))
    }
    /// A time.
    fn time(&mut self) -> Result<Timestamp> {
        self.int().map(Timestamp)
    }
    /// A time or NULL.
    fn opt_time(&mut self) -> Result<Option<Timestamp>> {
        Ok(self.opt_int()?.map(Timestamp))
    }
    /// 32 bytes or NULL.
    fn opt_digest(&mut self) -> Result<Option<[u8; 32]>> {
        let wrong = |bytes: &[u8]| corrupt(format!("a fingerprint has {} bytes", bytes.len()));
        self.opt_bytes()?.map(|bytes| bytes.try_into().map_err(|_| wrong(bytes))).transpose()
    }
    /// 32 bytes; zeros for anything else.
    fn digest_or_zeros(&mut self) -> Result<[u8; 32]> {
        Ok(self.opt_bytes()?.and_then(|bytes| bytes.try_into().ok()).unwrap_or_default())
    }
}

/// Appends the values of a row one after another.
pub(crate) trait WriteRow {
    /// An integer.
    fn put_int(&mut self, value: i64);
    /// An integer or NULL.
    fn put_opt_int(&mut self, value: Option<i64>);
    /// A flag.
    fn put_flag(&mut self, value: bool);
    /// A double.
    fn put_real(&mut self, value: f64);
    /// Text.
    fn put_text(&mut self, value: String);
    /// Text or NULL.
    fn put_opt_text(&mut self, value: Option<String>);
    /// Bytes or NULL.
    fn put_opt_bytes(&mut self, value: Option<Vec<u8>>);
    /// An id.
    fn put_uuid(&mut self, value: Uuid);
    /// An id or NULL.
    fn put_opt_uuid(&mut self, value: Option<Uuid>);
    /// Tags.
    fn put_tags(&mut self, value: &[String]);
}
