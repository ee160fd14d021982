//! Takes in messages of a conversation: those that are not stored yet become turns, without what Kimberly itself handed out.
//!
//! One transaction reads what is stored, compares, and adds. Where a tier is full, it makes room: turns of the lowest
//! worth move to the archive and, if that is not enough, the first of the new ones, too.

mod known;
mod preview;
mod stream;
mod work;

use std::sync::Arc;

use serde::Serialize;

use super::App;
use super::idempotency::Key;
use super::store_conversation::Stored;
use crate::bounds::{MAX_BATCH, MAX_NAMESPACE_BYTES, MAX_SESSION_ID_BYTES};
use crate::context::Fingerprints;
use crate::conversation::{Message, Observed};
use crate::error::{Error, FieldViolation, Result};
use crate::extraction::Mode;
use crate::ids::UserId;
use crate::meditation::runner::observe as observe_changes;
use crate::memory::{normalized_name, trimmed_label};
use known::Matching;
pub use stream::ObserveStream;
use work::{Done, Work};

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

impl App {
    /// Takes messages in, and returns the outcome of each. Durable when it returns.
    pub async fn observe(&self, user: &UserId, input: ObserveInput) -> Result<Observed> {
        let key = self.key(&input.request_id, "conversation.observe", &input)?;
        Ok(self.take_in(user, input.checked()?, 0, Matching::Likely, key).await?.observed)
    }

    /// Takes checked messages in, in one transaction; `first` is the position of the first one in its stream.
    async fn take_in(
        &self,
        user: &UserId,
        input: ObserveInput,
        first: usize,
        matching: Matching,
        key: Option<Key>,
    ) -> Result<Done> {
        let trace = input.traceparent.clone();
        let work = Arc::new(Work {
            input,
            first,
            matching,
            key,
            prints: self.fingerprints(user),
            now: self.clock.now(),
            ids: Arc::clone(&self.ids),
            defaults: Arc::clone(&self.defaults),
            caller: self.caller.clone(),
        });
        let running = self.vaults.transact(user, "observe", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let done = self.relieved(user, trace.as_deref(), running.await).await?;
        self.note_stored(&done.stored);
        Ok(done)
    }

    /// Reports to telemetry what a conversation stored.
    pub(super) fn note_stored(&self, stored: &Stored) {
        for (tier, items) in &stored.created {
            self.observer.created(*tier, *items);
        }
        for (tier, share) in &stored.shares {
            self.observer.quota_usage(*tier, *share);
        }
        observe_changes(&*self.observer, &stored.moved);
    }

    /// Returns the keyed digests that recognize what was handed out to a user.
    pub(super) fn fingerprints(&self, user: &UserId) -> Fingerprints {
        Fingerprints::new(&self.token_key, user.as_str())
    }
}

impl ObserveInput {
    fn checked(mut self) -> Result<Self> {
        let has = self.messages.len();
        if has == 0 || has > MAX_BATCH {
            let problem = format!("has {has} entries; 1-{MAX_BATCH} are allowed: stream longer conversations");
            return Err(Error::invalid("messages", problem));
        }
        let mut violations = Vec::new();
        self.check_labels(&mut violations);
        for (index, message) in self.messages.iter_mut().enumerate() {
            message.check(&format!("messages[{index}]"), &mut violations);
        }
        if violations.is_empty() { Ok(self) } else { Err(Error::Invalid(violations)) }
    }

    /// Trims the session and the namespace, and adds their problems to `violations`.
    fn check_labels(&mut self, violations: &mut Vec<FieldViolation>) {
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
