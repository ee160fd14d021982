//! Maps domain types to columns on any backend: which columns, their order and their encoding.

mod credential;
mod decision;
mod hit;
mod meditation;
mod memory;
mod purge;
mod retention;
mod subject;
mod traits;

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use uuid::Uuid;

use crate::corrupt;

pub(crate) use credential::{CREDENTIAL_COLUMNS, certificate, credential_from, push_credential};
pub(crate) use decision::{DECISION_COLUMNS, DECISION_TABLE, decision_from, decision_rows, joined, push_decision};
pub(crate) use hit::{HIT_COLUMNS, entry, hit, namespace};
pub(crate) use meditation::{MEDITATION_COLUMNS, meditation_from, push_meditation};
pub(crate) use memory::{feedback_code, feedback_from_code, folded, in_order, labels, labels_json, opened, traits};
pub(crate) use purge::{PURGE_COLUMNS, erased_json, purge_from, step_code};
pub(crate) use retention::{RETENTION_COLUMNS, by_tier, lasting, movable, retention_item, tier_bytes};
pub(crate) use subject::{MEMORY_SUBJECTS, goal_subject, memory_subject};
pub(crate) use traits::{OF_OTHER_RULES, derived_traits};

/// Reads 32 bytes or NULL.
fn digest<'r>(c: &mut impl ReadRow<'r>) -> Result<Option<[u8; 32]>> {
    let wrong = |bytes: &[u8]| corrupt(format!("a fingerprint has {} bytes", bytes.len()));
    c.opt_bytes()?.map(|bytes| bytes.try_into().map_err(|_| wrong(bytes))).transpose()
}

/// Reads the columns of a row one after another.
pub(crate) trait ReadRow<'r> {
    /// An integer.
    fn int(&mut self) -> Result<i64>;
    /// An integer or NULL.
    fn opt_int(&mut self) -> Result<Option<i64>>;
    /// A number that is never negative.
    fn count(&mut self) -> Result<u64>;
    /// A flag.
    fn flag(&mut self) -> Result<bool>;
    /// A double.
    fn real(&mut self) -> Result<f64>;
    /// A time.
    fn time(&mut self) -> Result<Timestamp>;
    /// A time or NULL.
    fn opt_time(&mut self) -> Result<Option<Timestamp>>;
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

/// Implements `ReadRow` for a backend's reader, which has methods of the same names.
macro_rules! reads_rows {
    ($cells:ident, $($name:ident -> $type:ty),+ $(,)?) => {
        impl<'r> crate::rows::ReadRow<'r> for $cells<'r> {
            $(fn $name(&mut self) -> kimberly_core::error::Result<$type> {
                $cells::$name(self)
            })+
        }
    };
    ($cells:ident) => {
        crate::rows::reads_rows!(
            $cells,
            int -> i64, opt_int -> Option<i64>, count -> u64, flag -> bool, real -> f64,
            time -> kimberly_core::Timestamp, opt_time -> Option<kimberly_core::Timestamp>,
            text -> String, opt_text -> Option<String>, str -> &'r str, opt_str -> Option<&'r str>,
            opt_bytes -> Option<&'r [u8]>, uuid -> uuid::Uuid, opt_uuid -> Option<uuid::Uuid>, tags -> Vec<String>,
        );
    };
}
pub(crate) use reads_rows;
