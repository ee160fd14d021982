//! Relations between entities.

use serde::{Deserialize, Serialize};

use crate::memory::names;

/// A relation of one entity to another. Names are stored and published: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityRelation {
    /// They work together.
    WorksWith,
    /// The first works, studies or helps at the second.
    WorksAt,
    /// The first lives in the second.
    LivesIn,
    /// They are family, by blood or by choice.
    Family,
    /// The first owns the second: a thing or a pet.
    Owns,
    /// The first is a part of the second.
    PartOf,
    /// The first was made by the second.
    AuthoredBy,
    /// The first lies in the second.
    LocatedIn,
    /// The first comes before the second.
    Precedes,
    /// The first comes after the second.
    Follows,
    /// The first points to the second.
    References,
    /// They are mentioned together.
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
    /// Reports whether the relation is symmetric.
    pub const fn is_mutual(self) -> bool {
        matches!(self, Self::WorksWith | Self::Family | Self::RelatedTo)
    }

    /// Orders both sides for storage: a symmetric relation is stored in only one direction.
    pub(super) fn ordered<S: Ord>(self, from: S, to: S) -> (S, S) {
        if self.is_mutual() && to < from { (to, from) } else { (from, to) }
    }
}
