//! Ids: of users (the caller's) and of what Kimberly makes (a prefix and a UUID version 7, so that ids sort by time).

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::Digest as _;

use crate::bounds::MAX_USER_ID_BYTES;
use crate::error::{Error, FieldViolation, Result};

/// The caller's id of a user: 1-128 bytes, no control characters, no white space at either end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UserId(String);

impl UserId {
    /// Checks and takes a user id; the error names the field `user_id`.
    pub fn parse(raw: &str) -> Result<Self> {
        let problem = if raw.is_empty() {
            "is required: 1-128 bytes that name the user".to_owned()
        } else if raw.len() > MAX_USER_ID_BYTES {
            format!("has {} bytes; at most {MAX_USER_ID_BYTES} are allowed", raw.len())
        } else if raw.chars().any(char::is_control) {
            "holds a control character; use printable characters only".to_owned()
        } else if raw.trim() != raw {
            "starts or ends with white space; trim it".to_owned()
        } else {
            return Ok(Self(raw.to_owned()));
        };
        Err(Error::Invalid(vec![FieldViolation::new("user_id", problem)]))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the user's folder: SHA-256 in hexadecimal. Any user id is a safe name so, and nobody's id shows in a
    /// listing.
    pub fn folder_name(&self) -> String {
        use fmt::Write as _;
        sha2::Sha256::digest(self.0.as_bytes()).iter().fold(String::with_capacity(64), |mut name, byte| {
            let _ = write!(name, "{byte:02x}");
            name
        })
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for UserId {
    type Error = Error;

    fn try_from(raw: String) -> Result<Self> {
        Self::parse(&raw)
    }
}

impl From<UserId> for String {
    fn from(id: UserId) -> Self {
        id.0
    }
}

/// Whether this is an id such as Kimberly gives, of whatever kind, and so nothing that a caller could say by it.
pub fn is_given_id(raw: &str) -> bool {
    raw.split_once('_').is_some_and(|(kind, rest)| {
        matches!(kind, "mem" | "med" | "ent" | "goal" | "con" | "att" | "purge")
            && uuid::Uuid::try_parse(rest).is_ok_and(|id| id.hyphenated().to_string() == rest)
    })
}

macro_rules! prefixed_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(pub uuid::Uuid);

        impl $name {
            /// Checks and takes an id; the error names `field`.
            pub fn parse(field: &str, raw: &str) -> Result<Self> {
                raw.strip_prefix($prefix)
                    .and_then(|rest| uuid::Uuid::try_parse(rest).ok().filter(|id| id.hyphenated().to_string() == rest))
                    .map(Self)
                    .ok_or_else(|| {
                        let problem = concat!("must be \"", $prefix, "\" and a UUID in lower case, as Kimberly returned it");
                        Error::Invalid(vec![FieldViolation::new(field, problem)])
                    })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0.hyphenated())
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(raw: String) -> Result<Self> {
                Self::parse("id", &raw)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    };
}

prefixed_id!(
    /// The id of a memory: `mem_<uuidv7>`.
    MemoryId,
    "mem_"
);
prefixed_id!(
    /// The id of a meditation run: `med_<uuidv7>`.
    MeditationId,
    "med_"
);
prefixed_id!(
    /// The id of a goal: `goal_<uuidv7>`.
    GoalId,
    "goal_"
);

prefixed_id!(
    /// The id of an entity: `ent_<uuid>`, made of the name by which it was first called.
    EntityId,
    "ent_"
);

prefixed_id!(
    /// The id of a consent record: `con_<uuidv7>`.
    ConsentId,
    "con_"
);
prefixed_id!(
    /// The id of an attachment: `att_<uuidv7>`.
    AttachmentId,
    "att_"
);
prefixed_id!(
    /// The id of the bytes behind attachments: `blob_<uuidv7>`. Never leaves the processes.
    BlobId,
    "blob_"
);
prefixed_id!(
    /// The id of a purge and of its receipt: `purge_<uuidv7>`.
    PurgeId,
    "purge_"
);

/// The internal number of a memory within its vault: its order of creation. Never leaves the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(pub i64);
