//! The session to compact, and its bounds.

use crate::bounds::{MAX_KEPT_TURNS, MAX_NAMESPACE_BYTES, MAX_SESSION_ID_BYTES};
use crate::error::{Error, FieldViolation, Result};
use crate::memory::{normalized_name, trimmed_label};
use crate::usecases::App;
use crate::usecases::support::namespace_for;

/// The session to compact.
#[derive(Clone, Debug, Default)]
pub struct CompactInput {
    /// The session's id, 1-128 bytes.
    pub session_id: String,
    /// The session's namespace; empty for the default one.
    pub namespace: String,
    /// Number of the newest turns that stay; as configured if `None`.
    pub keep: Option<i32>,
    /// Whether to wait until the language model has reworded the summaries, if there is one.
    pub wait: bool,
}

impl CompactInput {
    /// Returns session, namespace, and the number of turns that stay.
    pub(super) fn checked(self, app: &App) -> Result<(String, String, usize)> {
        let mut violations = Vec::new();
        let session = trimmed_label(&self.session_id, MAX_SESSION_ID_BYTES).map_or_else(
            |problem| {
                violations.push(FieldViolation::new("session_id", problem));
                String::new()
            },
            str::to_owned,
        );
        let keep = usize::try_from(self.keep.unwrap_or_default()).ok().filter(|keep| *keep <= MAX_KEPT_TURNS);
        if keep.is_none() {
            violations.push(FieldViolation::new("keep", format!("is out of range; 0 to {MAX_KEPT_TURNS} is allowed")));
        }
        let named = normalized_name(Some(&self.namespace), MAX_NAMESPACE_BYTES).map(Option::unwrap_or_default);
        let named = named.map_err(|problem| Error::invalid("namespace", problem));
        let namespace = match named.and_then(|named| namespace_for(app.caller.as_deref(), &named)) {
            Err(Error::Invalid(more)) => {
                violations.extend(more);
                String::new()
            }
            named => named?,
        };
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        Ok((session, namespace, self.keep.and(keep).unwrap_or(app.defaults.compacting.keep)))
    }
}
