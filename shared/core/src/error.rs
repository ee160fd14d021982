//! The only error type of the domain and its ports. Each transport maps it to its codes in one file.

mod full;
mod not_found;
mod storage;
mod violation;

use crate::consent::Uncovered;
use crate::damage::{Damage, SharedFile};
use crate::ids::MemoryId;
use crate::memory::{MemoryState, Tier};
use full::quota_sentence;

pub use full::Relief;
pub use not_found::Entity;
pub use storage::StorageFailure;
pub use violation::FieldViolation;
#[cfg(test)]
pub(crate) use violation::refused_fields;

/// The result of everything fallible here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why an operation failed. Nothing was changed unless a variant says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields are missing or out of bounds; never empty.
    #[error("invalid request: {}", .0.iter().map(|v| format!("{} {}", v.field, v.problem)).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<FieldViolation>),
    /// The page token was not returned by this call for this user, filter and order.
    #[error("page_token is not valid for this user, filter and order; start again without it")]
    InvalidPageToken,
    /// The cursor was not returned by this call for this user and filter.
    #[error("cursor is not valid for this user and filter; start again without it")]
    InvalidCursor,
    /// The changes after the cursor are no longer stored.
    #[error(
        "the changes after this cursor are no longer stored; list or export the memories, and watch again from now"
    )]
    CursorExpired,
    /// A message of a stream came out of order.
    #[error("the stream is out of order: {expected}")]
    StreamOrder {
        /// The expected and the received message, as a sentence.
        expected: String,
    },
    /// An import would overwrite a memory. Imports never do.
    #[error(
        "a different memory {id} already exists and imports never overwrite; forget it first, or omit it from the \
         import"
    )]
    MemoryExists {
        /// The memory that exists.
        id: MemoryId,
    },
    /// Another active record of the namespace has the name, or a withheld record reserves it.
    #[error(
        "another active memory of this namespace has this name; choose another name, or edit, rename or delete that memory"
    )]
    NameTaken,
    /// An import would exceed the archive's hard limit.
    #[error(
        "the archive holds {used} of {limit} bytes, so {requested} more do not fit; raise archive_allowance_bytes, or wait until memories past their grace window are erased"
    )]
    ArchiveFull {
        /// Bytes the archive holds.
        used: u64,
        /// The hard limit.
        limit: u64,
        /// The requested bytes.
        requested: u64,
    },
    /// More than half of a tier's quota would be protected.
    #[error(
        "at most half the {tier} quota ({limit} bytes) may be protected; {}{requested} more do not fit: unprotect, archive or forget memories, or raise the quota{}",
        used.map_or_else(String::new, |used| format!("{used} are, so ")),
        raise_to.map_or_else(String::new, |bytes| format!(" to {bytes} bytes"))
    )]
    TooMuchProtected {
        /// The tier.
        tier: Tier,
        /// Protected bytes of the tier; `None` for callers who reach only some memories.
        used: Option<u64>,
        /// Half of the tier's quota.
        limit: u64,
        /// The requested bytes.
        requested: u64,
        /// The smallest quota under which the write fits.
        raise_to: Option<u64>,
    },
    /// The attachments would exceed the user's allowance.
    #[error(
        "attachments hold {}{limit} bytes and cannot take {requested} more; forget memories with attachments, or raise attachments.allowance",
        used.map_or_else(|| "at most ".to_owned(), |used| format!("{used} of "))
    )]
    AttachmentsFull {
        /// Bytes the attachments hold; `None` for callers who cannot reach all of them.
        used: Option<u64>,
        /// The allowance.
        limit: u64,
        /// The requested bytes.
        requested: u64,
    },
    /// An upload exceeded its time limit and its bytes were dropped.
    #[error("the upload took too long or the server ended it; nothing was stored, upload the file again")]
    UploadGone,
    /// This user's vault holds no such thing.
    #[error("{entity:?} {id} not found")]
    NotFound {
        /// The kind of thing.
        entity: Entity,
        /// The id looked for.
        id: String,
    },
    /// Another caller changed the record in the meantime.
    #[error("the etag is out of date: the record changed since it was read; read it again and retry with its new etag")]
    EtagMismatch {
        /// The current etag.
        current: String,
    },
    /// The request id was used before with another request body.
    #[error("request_id {request_id} was used before with another request; use a new one")]
    RequestIdReused {
        /// The request id.
        request_id: String,
    },
    /// The write would exceed the tier's hard limit (125 % of its quota, K-1.4). Nothing was changed, except that a
    /// meditation was scheduled if one can make room.
    #[error("{}", quota_sentence(*tier, (*used, *limit, *requested), *relief))]
    QuotaExceeded {
        /// The tier.
        tier: Tier,
        /// Bytes the tier holds; `None` for callers who cannot reach all of them.
        used: Option<u64>,
        /// The hard limit.
        limit: u64,
        /// The requested bytes.
        requested: u64,
        /// The meditation that would make room.
        relief: Relief,
    },
    /// A memory needs consent and no record covers it, or it names a record that does not cover it (K-7.1).
    #[error(
        "{field} needs consent: {}; record one whose scope covers tier {tier} and this memory: `kimberly consent grant \
         PURPOSE`, or GrantConsent",
        why.sentence()
    )]
    ConsentRequired {
        /// Path of the offending draft.
        field: String,
        /// Why no record covers it.
        why: Uncovered,
        /// The draft's tier.
        tier: Tier,
    },
    /// The memory's state does not allow the operation.
    #[error("memory {id} is {state}; {allowed}")]
    WrongState {
        /// The memory.
        id: String,
        /// Its state.
        state: MemoryState,
        /// The allowed values, as a clause of the message.
        allowed: &'static str,
    },
    /// The stored state does not allow the requested value, although the value itself is valid.
    #[error("{field} {problem}")]
    Conflict {
        /// Path of the field in the request.
        field: String,
        /// The obstacle and what to do. Continues the sentence that begins with the field.
        problem: String,
    },
    /// The plan to apply differs from the plan that would be made now.
    #[error("the vault has changed since the plan was made; make a new dry run")]
    PlanChanged,
    /// Embeddings are off.
    #[error("embeddings are off {}", if *.by == "user" { "for this user; set embedding_enabled to true" } else { "on this server; its operator sets embedder.model" })]
    EmbeddingsOff {
        /// Where they were turned off: `server` or `user`.
        by: &'static str,
    },
    /// The vectors belong to a model that this server does not have.
    #[error("the vectors come from the model {given:?}, but this server has {known}; compute them with a model it has")]
    WrongModel {
        /// The model named in the request.
        given: String,
        /// The models of this server.
        known: String,
    },
    /// The embedder does not answer.
    #[error("the embedder does not answer; retry")]
    EmbedderUnavailable,
    /// The caller is unknown. The message is the same for every defect of a credential.
    #[error("the credential is missing or invalid; send a valid key or token as `authorization: Bearer ...`")]
    Unauthenticated,
    /// The caller's grant does not cover the call. The message is the same whether or not the user exists.
    #[error(
        "permission denied: this credential's grant does not cover this user, operation or memory; ask the operator for a grant that does"
    )]
    Denied,
    /// A credential has or had this name. Names are never reused.
    #[error("there is or was a credential named {name}; names are never reused, so choose another one")]
    CredentialExists {
        /// The name.
        name: String,
    },
    /// The certificate's name is already registered under another credential name.
    #[error(
        "certificate is already registered under another name; find that name with `kimberly keys list`, revoke it, then register again"
    )]
    CertificateExists,
    /// The user is being purged.
    #[error("this user's data is being purged; retry when the purge has ended; the user then starts empty")]
    Purging,
    /// There is no signing key.
    #[error(
        "signing is off, because it needs encryption; encryption.enabled = true turns on both for a new data folder"
    )]
    SigningOff,
    /// The vault is damaged and in quarantine until it is restored or found intact. Reveals nothing of its contents.
    #[error(
        "this user's vault is damaged and in quarantine: {}; its operator must restore it from a backup (see `kimberly vaults`)",
        .damage.sentence()
    )]
    Quarantined {
        /// The kind of damage found.
        damage: Damage,
    },
    /// A file that all users share is damaged.
    #[error("{0}")]
    SharedFileDamaged(SharedFile),
    /// A limit on the number of things is reached.
    #[error("there are already {limit} {what}; remove one first")]
    LimitReached {
        /// The kind of things.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// Storage failed. `detail` is for the log and never sent to a caller.
    #[error("storage failure ({failure:?}): {detail}")]
    Storage {
        /// The kind of failure.
        failure: StorageFailure,
        /// The event, without text of memories.
        detail: String,
    },
}

impl Error {
    /// Returns an error about one field.
    pub fn invalid(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldViolation::new(field, problem)])
    }

    /// Returns an error about a field that conflicts with the stored state.
    pub fn conflict(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Conflict { field: field.into(), problem: problem.into() }
    }

    /// Returns an error about a message of a stream; `expected` names the expected and the received one, as a sentence.
    pub fn out_of_order(expected: impl Into<String>) -> Self {
        Self::StreamOrder { expected: expected.into() }
    }

    /// Returns a storage failure.
    pub fn storage(failure: StorageFailure, detail: impl Into<String>) -> Self {
        Self::Storage { failure, detail: detail.into() }
    }
}
