//! The input of Observe, and its checks.

use serde::Serialize;

use crate::bounds::{MAX_BATCH, MAX_NAMESPACE_BYTES, MAX_SESSION_ID_BYTES};
use crate::conversation::Message;
use crate::error::{Error, FieldViolation, Result};
use crate::extraction::Mode;
use crate::memory::{normalized_name, trimmed_label};

/// Messages to take in.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ObserveInput {
    /// The session that they belong to, 1-128 bytes.
    pub session_id: String,
    /// The messages, oldest first, 1-1,000.
    pub messages: Vec<Message>,
    /// The namespace that they are stored in; empty for the default one.
    pub namespace: String,
    /// Whether they are sensitive.
    pub sensitive: bool,
    /// Whether system messages, which instruct the assistant, are also stored.
    pub keep_system: bool,
    /// When statements are extracted from them.
    pub extraction: Mode,
    /// Makes the call idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    #[serde(skip)]
    pub traceparent: Option<String>,
}

impl ObserveInput {
    pub(super) fn checked(mut self) -> Result<Self> {
        let has = self.messages.len();
        if has == 0 || has > MAX_BATCH {
            let problem = format!("has {has} entries; 1-{MAX_BATCH} are allowed: stream longer conversations");
            return Err(Error::invalid("messages", problem));
        }
        let mut violations = Vec::new();
        self.check_labels(&mut violations);
        for (index, message) in self.messages.iter_mut().enumerate() {
            message.check(&format!("messages[{index}]"));
        }
        // An invalid message does not stop the others. If there are no others, the caller learns it as an error.
        if self.messages.iter().all(|message| !message.problems.is_empty()) {
            violations.extend(self.messages.iter_mut().flat_map(|message| std::mem::take(&mut message.problems)));
        }
        if violations.is_empty() { Ok(self) } else { Err(Error::Invalid(violations)) }
    }

    /// Trims the session and the namespace, and adds their problems to `violations`.
    pub(super) fn check_labels(&mut self, violations: &mut Vec<FieldViolation>) {
        let mut bad = |field: &str, problem| violations.push(FieldViolation::new(field, problem));
        match trimmed_label(&self.session_id, MAX_SESSION_ID_BYTES).map(str::to_owned) {
            Ok(session) => self.session_id = session,
            Err(problem) => bad("session_id", problem),
        }
        match normalized_name(Some(&self.namespace), MAX_NAMESPACE_BYTES) {
            Ok(namespace) => self.namespace = namespace.unwrap_or_default(),
            Err(problem) => bad("namespace", problem),
        }
    }
}
