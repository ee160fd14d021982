//! The identity of a message or a turn, for comparing the two.

use crate::memory::Role;
use crate::time::Timestamp;

/// The compared facts of a message or a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The caller's id; empty for none.
    pub id: String,
    /// The role of the speaker.
    pub role: Role,
    /// The digest of the content.
    pub digest: String,
    /// Length of the content in bytes.
    pub bytes: usize,
    /// When it was said, if known.
    pub at: Option<Timestamp>,
    /// For a turn, its position in the session; erased turns leave gaps.
    pub position: i64,
}

impl Said {
    pub(super) fn timed(&self) -> Option<(Role, &str, Timestamp)> {
        Some((self.role, self.digest.as_str(), self.at?))
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        if !self.id.is_empty() && !other.id.is_empty() {
            return self.id == other.id;
        }
        let may_be = self.at.zip(other.at).is_none_or(|(one, another)| one == another);
        may_be && self.role == other.role && self.digest == other.digest
    }

    /// Reports whether a match is confirmed by an id or a time.
    pub(super) fn is_surely(&self, other: &Self) -> bool {
        (!self.id.is_empty() && self.id == other.id) || self.at.is_some_and(|at| other.at == Some(at))
    }
}
