//! The id of an item: its kind and its records, so that it is the same whenever it is computed.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::ReviewKind;
use crate::error::{Error, Result};
use crate::ids::MemoryId;

/// The id of an item: `KIND_UUID` or `KIND_UUID_UUID`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReviewId {
    /// The kind of the item.
    pub kind: ReviewKind,
    /// Its only or first record.
    pub first: MemoryId,
    /// Its second record; the first one again if it has only one.
    pub second: MemoryId,
}

impl ReviewId {
    /// Creates the id of an item with one record.
    pub const fn of(kind: ReviewKind, memory: MemoryId) -> Self {
        Self { kind, first: memory, second: memory }
    }

    /// Parses an id; the error names the field `id`.
    pub fn parse(raw: &str) -> Result<Self> {
        Self::read(raw).ok_or_else(|| {
            let kinds = ReviewKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
            let form = format!("one of {kinds}, then \"_\" and a UUID once or twice");
            Error::invalid("id", format!("must be a review id: {form}; ListReviews returns them"))
        })
    }

    fn read(raw: &str) -> Option<Self> {
        let mut parts = raw.split('_');
        let kind = ReviewKind::from_name(parts.next()?)?;
        let ids: Option<Vec<MemoryId>> = parts.map(memory).collect();
        match ids?[..] {
            [id] if kind.records().contains(&1) => Some(Self::of(kind, id)),
            [first, second] if kind.records().contains(&2) && first != second => Some(Self { kind, first, second }),
            _ => None,
        }
    }

    /// Returns the records that it names: all of the item's, or the first two.
    pub fn memories(&self) -> Vec<MemoryId> {
        if self.first == self.second { vec![self.first] } else { vec![self.first, self.second] }
    }
}

fn memory(raw: &str) -> Option<MemoryId> {
    Uuid::try_parse(raw).ok().filter(|id| id.hyphenated().to_string() == raw).map(MemoryId)
}

impl fmt::Display for ReviewId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        self.memories().iter().try_for_each(|id| write!(f, "_{}", id.0.hyphenated()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_as_it_is_written_and_names_as_many_records_as_its_kind_is_about() {
        let (a, b) = (MemoryId(Uuid::from_u128(1)), MemoryId(Uuid::from_u128(2)));
        let both = ReviewId { kind: ReviewKind::Duplicate, first: a, second: b };
        let promotions = [ReviewId::of(ReviewKind::Promotion, a), ReviewId { kind: ReviewKind::Promotion, ..both }];
        for id in [ReviewId::of(ReviewKind::Stale, a), both].into_iter().chain(promotions) {
            assert_eq!(ReviewId::parse(&id.to_string()).unwrap(), id);
        }
        let uuid = a.0.hyphenated();
        for bad in [
            String::new(),
            "stale".to_owned(),
            format!("stale_{uuid}_{uuid}"),
            format!("duplicate_{uuid}"),
            format!("promotion_{uuid}_{uuid}"),
            format!("duplicate_{uuid}_{uuid}"),
            format!("other_{uuid}"),
            format!("stale_mem_{uuid}"),
        ] {
            assert!(ReviewId::parse(&bad).is_err(), "{bad}");
        }
    }
}
