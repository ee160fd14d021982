//! The only error type of the domain and its ports. Each transport maps it to its codes in one file.

use std::io;

use crate::consent::Uncovered;
use crate::damage::{Damage, SharedFile};
use crate::ids::{AttachmentId, ConsentId, EntityId, MeditationId, MemoryId};
use crate::memory::{MemoryState, Tier};

/// The result of everything fallible here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One field that is missing or out of bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldViolation {
    /// Path of the field in the request, such as `memories[3].metadata.tags[0]`.
    pub field: String,
    /// What is wrong, what is allowed and what to do. Continues the sentence that begins with the field.
    pub problem: String,
}

impl FieldViolation {
    /// Returns a violation of one field.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

/// The kind of thing that was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A memory.
    Memory,
    /// A meditation run.
    Meditation,
    /// A goal.
    Goal,
    /// A credential.
    Credential,
    /// A consent record.
    Consent,
    /// A purge.
    Purge,
    /// An attachment.
    Attachment,
    /// An entity.
    Entity,
}

/// The kind of a storage failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageFailure {
    /// Storage is busy, timed out or shutting down; a retry may help.
    Unavailable,
    /// The disk is full; nothing was written.
    Full,
    /// The disk failed to read or write (an I/O error); nothing was changed. This is not damage: a later read may succeed.
    Disk,
    /// The disk failed during a commit and again during the rollback: the change may or may not be stored.
    InDoubt,
    /// A file is damaged, or was written by a newer version.
    Corrupt,
    /// Any other failure: a defect of Kimberly.
    Defect,
}

impl StorageFailure {
    /// The error number of an I/O error, the same on every Unix.
    const EIO: i32 = 5;

    /// Classifies a failure of the file system.
    pub fn of_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ if error.raw_os_error() == Some(Self::EIO) => Self::Disk,
            _ => Self::Unavailable,
        }
    }

    /// Reports whether a retry may succeed later without a repair here.
    pub const fn may_pass(self) -> bool {
        matches!(self, Self::Unavailable | Self::Full | Self::Disk | Self::InDoubt)
    }
}

/// What would make room in a full tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relief {
    /// A meditation, with the id of the run that waits for the worker. The same write fits once it has ended.
    Meditation(Option<MeditationId>),
    /// A larger quota, since no meditation helps. Holds the smallest quota in bytes under which the write fits; `None` for
    /// callers who cannot reach all memories of the tier.
    Quota(Option<u64>),
}

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
    /// The changes after the cursor are no longer kept.
    #[error(
        "the changes after this cursor are not kept any more; list or export the memories, and watch again from now"
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
        "a different memory {id} already exists and imports never overwrite; forget it first, or leave it out of the import"
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
        /// Bytes asked for.
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
        /// Bytes asked for.
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
        /// Bytes asked for.
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
        /// Bytes asked for.
        requested: u64,
        /// What would make room.
        relief: Relief,
    },
    /// A memory needs consent and no record covers it, or it names a record that does not cover it (K-7.1).
    #[error(
        "{field} needs consent: {}; record one with GrantConsent whose scope covers tier {tier} and this memory",
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
        /// What is allowed, as a clause of the message.
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
    #[error("the embedder does not answer; try again")]
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
    #[error("there is or was a credential named {name}; names are never used again, so choose another one")]
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
    #[error("this user's data is being purged; try again when the purge has ended, the user then starts empty")]
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
        /// What happened, without text of memories.
        detail: String,
    },
}

/// Describes a full tier and what helps.
fn quota_sentence(tier: Tier, (used, limit, requested): (Option<u64>, u64, u64), relief: Relief) -> String {
    let holds = used.map_or_else(|| "at most ".to_owned(), |used| format!("{used} of "));
    let refused = format!("{tier} holds {holds}{limit} bytes and cannot take {requested} more");
    let fit = used.map_or_else(String::new, |used| format!(": {} fit", limit.saturating_sub(used)));
    match relief {
        Relief::Meditation(Some(id)) => format!("{refused} until {id} has made room; try again when it has ended"),
        Relief::Meditation(None) => format!("{refused} until a meditation has made room; try again later"),
        Relief::Quota(to) => {
            let to = to.map_or_else(String::new, |bytes| format!(" to {bytes}"));
            format!(
                "{refused}{fit}, and no meditation makes room for it; send less, forget memories, or raise \
                 {tier}_quota_bytes{to}"
            )
        }
    }
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

    /// Returns a storage failure.
    pub fn storage(failure: StorageFailure, detail: impl Into<String>) -> Self {
        Self::Storage { failure, detail: detail.into() }
    }

    /// Returns an error about a missing consent record.
    pub fn consent_not_found(id: ConsentId) -> Self {
        Self::NotFound { entity: Entity::Consent, id: id.to_string() }
    }

    /// Returns an error about a missing attachment.
    pub fn attachment_not_found(id: AttachmentId) -> Self {
        Self::NotFound { entity: Entity::Attachment, id: id.to_string() }
    }

    /// Returns an error about a missing memory.
    pub fn memory_not_found(id: MemoryId) -> Self {
        Self::NotFound { entity: Entity::Memory, id: id.to_string() }
    }

    /// Returns an error about a missing entity.
    pub fn entity_not_found(id: EntityId) -> Self {
        Self::NotFound { entity: Entity::Entity, id: id.to_string() }
    }
}
