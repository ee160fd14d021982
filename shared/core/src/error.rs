//! The one error of the domain and its ports. Transports map it to their codes in one file of their own.

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
    /// What is wrong, what is allowed, what to do; continues the sentence that the field starts.
    pub problem: String,
}

impl FieldViolation {
    /// A violation of one field.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

/// What was looked for and not found.
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

/// How storage failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageFailure {
    /// Busy, timed out or shutting down; trying again may help.
    Unavailable,
    /// No room on the disk; nothing was written.
    Full,
    /// The disk failed to read or write (an I/O error); nothing was changed. That is no damage: it may be read again.
    Disk,
    /// The disk failed while a change was committed, and again when it was taken back: it may be kept or not.
    InDoubt,
    /// A file is damaged, or was written by a newer version.
    Corrupt,
    /// Anything else: a defect of ours.
    Defect,
}

impl StorageFailure {
    /// The number of an I/O error, as every Unix counts.
    const EIO: i32 = 5;

    /// What a failure of the file system is.
    pub fn of_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ if error.raw_os_error() == Some(Self::EIO) => Self::Disk,
            _ => Self::Unavailable,
        }
    }

    /// Whether the same may go well later, without anything being repaired here.
    pub const fn may_pass(self) -> bool {
        matches!(self, Self::Unavailable | Self::Full | Self::Disk | Self::InDoubt)
    }
}

/// What makes room in a full tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relief {
    /// A meditation, and which one waits for the worker: the same write fits once it is over.
    Meditation(Option<MeditationId>),
    /// No meditation: the write fits once the tier's quota is this large, in bytes. `None` for a caller who does not reach
    /// all memories of the tier.
    Quota(Option<u64>),
}

/// Why an operation failed. Nothing was changed unless a variant says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields are missing or out of bounds; never empty.
    #[error("invalid request: {}", .0.iter().map(|v| format!("{} {}", v.field, v.problem)).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<FieldViolation>),
    /// The page token is not one that this call returned for this user, filter and order.
    #[error(
        "page_token is not one that this call returned for the same user, filter and order; start again without it"
    )]
    InvalidPageToken,
    /// The cursor is not one that this call returned for this user and filter.
    #[error("cursor is not one that this call returned for the same user and filter; start again without it")]
    InvalidCursor,
    /// What happened after the cursor is not kept any more.
    #[error(
        "the changes after this cursor are not kept any more; list or export the memories, and watch again from now"
    )]
    CursorExpired,
    /// A message of a stream is not the one that must come.
    #[error("the stream is out of order: {expected}")]
    StreamOrder {
        /// What was expected and what came, as a sentence.
        expected: String,
    },
    /// An import would overwrite a memory.
    #[error("there is another memory {id}; imports never overwrite: delete it first, or leave it")]
    MemoryExists {
        /// The memory.
        id: MemoryId,
    },
    /// Another active record of the namespace has the name, or a withheld one keeps it.
    #[error(
        "another active memory of this namespace has this name; choose another name, or edit, rename or delete that memory"
    )]
    NameTaken,
    /// The archive would exceed its hard limit by what an import brings.
    #[error(
        "the archive holds {used} of {limit} bytes and cannot take {requested} more; raise archive_allowance_bytes, or wait for what outlives its grace to be erased"
    )]
    ArchiveFull {
        /// Bytes it holds.
        used: u64,
        /// The hard limit.
        limit: u64,
        /// Bytes asked for.
        requested: u64,
    },
    /// More of a tier would be protected than its half.
    #[error(
        "{tier} may hold {limit} protected bytes, half of its quota, {}and cannot take {requested} more; protect fewer memories, archive or forget some, or {}",
        used.map_or_else(String::new, |used| format!("holds {used} ")),
        raise_to.map_or_else(|| "raise its quota".to_owned(), |bytes| format!("raise its quota to {bytes} bytes"))
    )]
    TooMuchProtected {
        /// The tier.
        tier: Tier,
        /// Bytes of it that last; `None` for callers who reach only some memories.
        used: Option<u64>,
        /// Half of its quota.
        limit: u64,
        /// Bytes asked for.
        requested: u64,
        /// The smallest quota under which the write fits.
        raise_to: Option<u64>,
    },
    /// The attachments would exceed what a user may keep.
    #[error(
        "attachments hold {}{limit} bytes and cannot take {requested} more; forget memories with attachments, or raise attachments.allowance",
        used.map_or_else(|| "at most ".to_owned(), |used| format!("{used} of "))
    )]
    AttachmentsFull {
        /// Bytes they hold; `None` for a caller who does not reach all of them.
        used: Option<u64>,
        /// The allowance.
        limit: u64,
        /// Bytes asked for.
        requested: u64,
    },
    /// An upload took longer than it may, and what there was of it is gone.
    #[error("the upload took longer than the server allows, or was ended by it; nothing of it is kept, start over")]
    UploadGone,
    /// No such thing in this user's vault.
    #[error("{entity:?} {id} not found")]
    NotFound {
        /// What was looked for.
        entity: Entity,
        /// Its id.
        id: String,
    },
    /// Somebody wrote in between.
    #[error("the etag sent is not the current one; read again and decide again")]
    EtagMismatch {
        /// The current etag.
        current: String,
    },
    /// The request id was used with another request body.
    #[error("request_id {request_id} was used before with another request; use a new one")]
    RequestIdReused {
        /// The id.
        request_id: String,
    },
    /// The tier's hard limit (125 % of its quota) would be exceeded (K-1.4). Nothing was changed but, where one makes room,
    /// that a meditation was scheduled.
    #[error("{}", quota_sentence(*tier, (*used, *limit, *requested), *relief))]
    QuotaExceeded {
        /// The tier.
        tier: Tier,
        /// Bytes it holds; `None` for a caller who does not reach all of them.
        used: Option<u64>,
        /// The hard limit.
        limit: u64,
        /// Bytes asked for.
        requested: u64,
        /// What makes room.
        relief: Relief,
    },
    /// A memory that no consent record covers and that needs one, or that names one that does not cover it (K-7.1).
    #[error(
        "{field} needs consent: {}; GrantConsent records one whose scope holds tier {tier} and the memory",
        why.sentence()
    )]
    ConsentRequired {
        /// Path of the offending draft.
        field: String,
        /// Why nothing covers it.
        why: Uncovered,
        /// Its tier.
        tier: Tier,
    },
    /// The memory's state does not allow the operation.
    #[error("memory {id} is {state}; {allowed}")]
    WrongState {
        /// The memory.
        id: String,
        /// Its state.
        state: MemoryState,
        /// What is allowed, as a half sentence.
        allowed: &'static str,
    },
    /// What is stored does not allow what a field asks for, though the field itself is as it should be.
    #[error("{field} {problem}")]
    Conflict {
        /// Path of the field in the request.
        field: String,
        /// What stands against it and what to do; continues the sentence that the field starts.
        problem: String,
    },
    /// The plan to apply is not the plan that would be made now.
    #[error("the vault has changed since the plan was made; make a new dry run")]
    PlanChanged,
    /// Embeddings are off.
    #[error("embeddings are off {}", if *.by == "user" { "for this user; set embedding_enabled to true" } else { "on this server; its operator sets embedder.model" })]
    EmbeddingsOff {
        /// Who turned them off: `server` or `user`.
        by: &'static str,
    },
    /// Vectors of a model that is not there.
    #[error("the vectors are of the model {given:?}; this server has {known}")]
    WrongModel {
        /// The model that was named.
        given: String,
        /// The models that are there.
        known: String,
    },
    /// The embedder does not answer.
    #[error("the embedder does not answer; try again")]
    EmbedderUnavailable,
    /// Nobody knows who calls. The same whatever is wrong with the credential.
    #[error("this server asks for a valid credential; send one as `authorization: Bearer ...`")]
    Unauthenticated,
    /// The caller was not granted this. The same whether or not there is such a user.
    #[error("this credential does not reach this user, this operation or memories like this")]
    Denied,
    /// There is a credential of this name, which is never used again.
    #[error("there is or was a credential named {name}; names are never used again, so choose another one")]
    CredentialExists {
        /// The name.
        name: String,
    },
    /// The certificate's name is registered already, under another name of a credential.
    #[error(
        "certificate is registered under another name; `kimberly keys list` shows it, and once that one is revoked this one can take its place"
    )]
    CertificateExists,
    /// The user is being purged.
    #[error("everything of this user is being erased; once that is done, the user starts over")]
    Purging,
    /// There is no key to sign with.
    #[error("nothing is signed here: encryption is off, and the key for signatures comes with it")]
    SigningOff,
    /// The vault is damaged, and left as it is until it is put back or found whole. Says nothing of what it holds.
    #[error(
        "the vault of this user is damaged and left as it is: {}; its operator puts it back from a backup, `kimberly vaults` says more",
        .damage.sentence()
    )]
    Quarantined {
        /// What was found.
        damage: Damage,
    },
    /// A file that all users share is damaged.
    #[error("{0}")]
    SharedFileDamaged(SharedFile),
    /// A bound on the number of things is reached.
    #[error("there are already {limit} {what}; remove one first")]
    LimitReached {
        /// The things.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
    /// Storage failed; `detail` is for the log, never for a caller.
    #[error("storage failure ({failure:?}): {detail}")]
    Storage {
        /// How.
        failure: StorageFailure,
        /// What happened, without memory text.
        detail: String,
    },
}

/// A full tier as a sentence that says what helps.
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
    /// An error about one field.
    pub fn invalid(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldViolation::new(field, problem)])
    }

    /// An error about what is stored and stands against a field.
    pub fn conflict(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Conflict { field: field.into(), problem: problem.into() }
    }

    /// A storage failure.
    pub fn storage(failure: StorageFailure, detail: impl Into<String>) -> Self {
        Self::Storage { failure, detail: detail.into() }
    }

    /// A missing consent record.
    pub fn consent_not_found(id: ConsentId) -> Self {
        Self::NotFound { entity: Entity::Consent, id: id.to_string() }
    }

    /// A missing attachment.
    pub fn attachment_not_found(id: AttachmentId) -> Self {
        Self::NotFound { entity: Entity::Attachment, id: id.to_string() }
    }

    /// A missing memory.
    pub fn memory_not_found(id: MemoryId) -> Self {
        Self::NotFound { entity: Entity::Memory, id: id.to_string() }
    }

    /// No entity has a name of this id.
    pub fn entity_not_found(id: EntityId) -> Self {
        Self::NotFound { entity: Entity::Entity, id: id.to_string() }
    }
}
