//! What an entity is to another one.

use serde::{Deserialize, Serialize};

use crate::memory::names;

/// What an entity is to another one. Names are stored and published: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityRelation {
    /// They work together.
    WorksWith,
    /// The one works, studies or helps at the other.
    WorksAt,
    /// The one lives in the other.
    LivesIn,
    /// They are family, by blood or by choice.
    Family,
    /// The other is the one's: a thing or a pet.
    Owns,
    /// The one is a part of the other.
    PartOf,
    /// The other made the one.
    AuthoredBy,
    /// The one lies in the other.
    LocatedIn,
    /// The one comes before the other.
    Precedes,
    /// The one comes after the other.
    Follows,
    /// The one points to the other.
    References,
    /// They are named together.
    RelatedTo,
}
names!(EntityRelation {
    WorksWith => "works_with",
    WorksAt => "works_at",
    LivesIn => "lives_in",
    Family => "family",
    Owns => "owns",
    PartOf => "part_of",
    AuthoredBy => "authored_by",
    LocatedIn => "located_in",
    Precedes => "precedes",
    Follows => "follows",
    References => "references",
    RelatedTo => "related_to",
});

impl EntityRelation {
    /// Whether it says the same from either side.
    pub const fn is_mutual(self) -> bool {
        matches!(self, Self::WorksWith | Self::Family | Self::RelatedTo)
    }

    /// Both sides as they are kept: what says the same from either side is kept from one.
    pub(super) fn ordered<S: Ord>(self, from: S, to: S) -> (S, S) {
        if self.is_mutual() && to < from { (to, from) } else { (from, to) }
    }
}
