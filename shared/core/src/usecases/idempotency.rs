//! Makes writes repeatable: the same request id with the same body gets the first answer again, and with another body
//! is refused. The answer is stored in the transaction that made it, so it exists exactly if the write does.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::access::Caller;
use crate::bounds::MAX_REQUEST_ID_BYTES;
use crate::boxed;
use crate::error::{Error, Result, StorageFailure};
use crate::ports::{PriorRequest, RequestRecord, VaultTransaction};
use crate::time::Timestamp;

/// The identity of one write: its request id, and a fingerprint of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The request id as the caller sent it.
    sent: String,
    /// The request id as it is stored.
    request_id: String,
    fingerprint: [u8; 32],
}

impl Key {
    /// Makes the key of a write; `None` if the caller sent no request id. `operation` distinguishes operations with
    /// equal bodies; the fingerprint is SHA-256 over both. The error names the field `request_id`.
    pub fn new(request_id: &str, operation: &'static str, body: &impl Serialize) -> Result<Option<Self>> {
        if request_id.is_empty() {
            return Ok(None);
        }
        if request_id.len() > MAX_REQUEST_ID_BYTES {
            let problem = format!("has {} bytes; at most {MAX_REQUEST_ID_BYTES} are allowed", request_id.len());
            return Err(Error::invalid("request_id", problem));
        }
        if request_id.chars().any(char::is_control) {
            return Err(Error::invalid("request_id", "contains a control character; use printable characters only"));
        }
        let mut hasher = Sha256::new();
        hasher.update(operation.as_bytes());
        hasher.update([0]);
        serde_json::to_writer(&mut hasher, body).map_err(|e| defect("a request cannot be serialized", &e))?;
        let (sent, request_id) = (request_id.to_owned(), request_id.to_owned());
        Ok(Some(Self { sent, request_id, fingerprint: hasher.finalize().into() }))
    }

    /// Stores the key for this caller alone: another caller may use the same request id for something else, and neither
    /// learns of the other's.
    #[must_use]
    pub fn kept_for(self, caller: &Caller) -> Self {
        Self { request_id: caller.scoped(&self.sent), ..self }
    }

    /// Returns the request id as it is stored, to ask [`write_context`](crate::ports::VaultReader::write_context) about.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Returns the earlier answer, if this write was done before. Fails with [`Error::RequestIdReused`] if the request id
    /// was used for anything else. Call this before checking quotas and states, so that a replay never depends on them.
    pub fn replay<T: DeserializeOwned>(&self, prior: Option<&PriorRequest>) -> Result<Option<T>> {
        let Some(prior) = prior else { return Ok(None) };
        if prior.fingerprint != self.fingerprint {
            return Err(Error::RequestIdReused { request_id: self.sent.clone() });
        }
        serde_json::from_str(&prior.answer).map(Some).map_err(|e| defect("a stored answer cannot be read", &e))
    }

    /// Stores the answer for replays, in the transaction of the write. `answer` must hold no memory text.
    #[boxed]
    pub async fn remember(
        &self,
        tx: &mut dyn VaultTransaction,
        answer: &(impl Serialize + Sync),
        now: Timestamp,
    ) -> Result<()> {
        let answer = serde_json::to_string(answer).map_err(|e| defect("an answer cannot be serialized", &e))?;
        let record =
            RequestRecord { request_id: self.request_id.clone(), fingerprint: self.fingerprint, answer, at: now };
        tx.put_request(&record).await
    }
}

/// [`Key::replay`] for an optional key: without one, there is no earlier answer.
pub fn replay<T: DeserializeOwned>(key: Option<&Key>, prior: Option<&PriorRequest>) -> Result<Option<T>> {
    key.map_or(Ok(None), |key| key.replay(prior))
}

/// [`Key::remember`] for an optional key: without one, nothing is stored.
#[boxed]
pub async fn remember(
    key: Option<&Key>,
    tx: &mut dyn VaultTransaction,
    answer: &(impl Serialize + Sync),
    now: Timestamp,
) -> Result<()> {
    match key {
        Some(key) => key.remember(tx, answer, now).await,
        None => Ok(()),
    }
}

/// Makes an error whose text names types and positions, never values.
fn defect(what: &str, error: &serde_json::Error) -> Error {
    let (kind, column) = (error.classify(), error.column());
    Error::storage(StorageFailure::Defect, format!("{what}: {kind:?} error at column {column}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(request_id: &str, operation: &'static str, body: &str) -> Key {
        Key::new(request_id, operation, &body).unwrap().unwrap()
    }

    fn prior(of: &Key, answer: &str) -> PriorRequest {
        PriorRequest { fingerprint: of.fingerprint, answer: answer.to_owned() }
    }

    #[test]
    fn no_request_id_means_no_key() {
        assert_eq!(Key::new("", "op", &1).unwrap(), None);
    }

    #[test]
    fn request_id_is_held_to_its_bound() {
        assert!(Key::new(&"x".repeat(MAX_REQUEST_ID_BYTES), "op", &1).unwrap().is_some());
        let error = Key::new(&"x".repeat(MAX_REQUEST_ID_BYTES + 1), "op", &1).unwrap_err();
        assert!(matches!(&error, Error::Invalid(v) if v[0].field == "request_id"), "{error}");
        assert!(Key::new("a\nb", "op", &1).is_err());
    }

    #[test]
    fn same_request_is_answered_as_before() {
        let first = key("r", "op", "body");
        let again = key("r", "op", "body");
        assert_eq!(again.replay::<u32>(Some(&prior(&first, "7"))).unwrap(), Some(7));
        assert_eq!(again.replay::<u32>(None).unwrap(), None);
        assert_eq!(replay::<u32>(None, Some(&prior(&first, "7"))).unwrap(), None);
    }

    #[test]
    fn another_body_or_operation_under_the_same_id_is_refused() {
        let first = prior(&key("r", "op", "body"), "7");
        for other in [key("r", "op", "other"), key("r", "po", "body")] {
            let error = other.replay::<u32>(Some(&first)).unwrap_err();
            assert!(matches!(&error, Error::RequestIdReused { request_id } if request_id == "r"), "{error}");
        }
    }

    #[test]
    fn callers_with_credentials_each_have_their_own_request_ids() {
        let caller = |name: &str| {
            let id = crate::access::CredentialId::from_random([1; 8]);
            Caller { name: name.into(), kind: crate::access::CallerKind::Key(id), ..Caller::open() }
        };
        let kept = |caller: &Caller| key("r", "op", "body").kept_for(caller).request_id().to_owned();
        assert_eq!(kept(&Caller::open()), "r");
        assert_ne!(kept(&caller("one")), kept(&caller("two")));
        assert!(kept(&caller("one")).contains(char::is_control), "no caller can choose such an id");
        let mine = key("r", "op", "other").kept_for(&caller("one"));
        let error = mine.replay::<u32>(Some(&prior(&key("r", "op", "body"), "7"))).unwrap_err();
        assert!(matches!(&error, Error::RequestIdReused { request_id } if request_id == "r"), "{error}");
    }

    #[test]
    fn unreadable_answer_is_a_defect_that_shows_no_text() {
        let key = key("r", "op", "body");
        let error = key.replay::<u32>(Some(&prior(&key, "\"secret\""))).unwrap_err();
        assert!(matches!(&error, Error::Storage { failure: StorageFailure::Defect, .. }));
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
