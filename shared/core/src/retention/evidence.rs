//! Reads what connects records: links, and the relations between entities that they state.

use std::collections::HashMap;

use super::{Connections, Warmth, WarmthFacts};
use crate::entities::Tie;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link};
use crate::memory::Memory;
use crate::ports::VaultReader;
use crate::tables::{TableRow as _, find};
use crate::time::Timestamp;

/// Everything that connects records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    links: Vec<Link>,
    ties: Vec<Tie>,
}

impl Evidence {
    /// Reads the connections of all records.
    pub(crate) async fn whole(reader: &mut dyn VaultReader) -> Result<Self> {
        Self::read(reader, None).await
    }

    async fn read(reader: &mut dyn VaultReader, ids: Option<&[MemoryId]>) -> Result<Self> {
        let (links, ties) = match ids {
            None => (Link::query(), Tie::query()),
            Some(ids) => {
                let ids = ids.iter().copied();
                (Link::of(ids.clone(), Direction::Both), Tie::query().among(&["memory_id"], ids))
            }
        };
        let links = find::<Link>(reader, &links.without(&["evidence"])).await?;
        Ok(Self { links, ties: find::<Tie>(reader, &ties).await? })
    }

    /// Counts the connections of these records. A link is as old as its stored time. A relation that a record states is
    /// as old as the record, whenever the relation itself began.
    pub(crate) fn counted(
        &self,
        stored: &HashMap<MemoryId, Timestamp>,
        now: Timestamp,
    ) -> HashMap<MemoryId, Connections> {
        let links = self.links.iter().flat_map(|link| [link.from, link.to].map(|end| (end, Some(link.created_at))));
        let ties = self.ties.iter().map(|tie| (tie.memory, None));
        let mut found: HashMap<MemoryId, Connections> = HashMap::new();
        for (id, made_at) in links.chain(ties) {
            if let Some(stored_at) = stored.get(&id) {
                found.entry(id).or_default().add(made_at.unwrap_or(*stored_at), now);
            }
        }
        found
    }
}

impl Warmth {
    /// Returns the warmth of each record, as of the full hour.
    pub(crate) async fn read(reader: &mut dyn VaultReader, memories: &[&Memory], now: Timestamp) -> Result<Vec<Self>> {
        if memories.is_empty() {
            return Ok(Vec::new());
        }
        let now = now.start_of_hour();
        let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
        let stored = memories.iter().map(|memory| (memory.id, memory.created_at)).collect();
        let connections = Evidence::read(reader, Some(&ids)).await?.counted(&stored, now);
        let of = |id: MemoryId| connections.get(&id).copied().unwrap_or_default();
        Ok(memories.iter().map(|memory| Self::of(&WarmthFacts::of(memory), of(memory.id), now)).collect())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::entities::{EntityRelation, NameId};
    use crate::links::Relation;
    use crate::memory::SourceType;
    use crate::time::Span;

    const NOON: Timestamp = Timestamp(1_763_640_000_000_000);
    const WEEK_AGO: Timestamp = Timestamp(NOON.0 - Connections::RECENT.0);

    fn link(from: MemoryId, to: MemoryId, created_at: Timestamp) -> Link {
        Link {
            from,
            relation: Relation::RelatedTo,
            to,
            weight: 1.0,
            confidence: 1.0,
            source: SourceType::ToldByUser,
            created_at,
            verified_at: None,
            evidence: None,
            span: None,
        }
    }

    fn tie(memory: MemoryId, at: Timestamp) -> Tie {
        let (name, relation) = (NameId(Uuid::nil()), EntityRelation::RelatedTo);
        Tie { from: name, relation, to: name, memory, span: 0..1, confidence: 1.0, at }
    }

    #[test]
    fn connections_of_a_week_are_recent_and_count_three_times() {
        let mut found = Connections::default();
        found.add(WEEK_AGO, NOON);
        assert_eq!((found, found.score()), (Connections { all: 1, recent: 0 }, 1));
        found.add(Timestamp(WEEK_AGO.0 + 1), NOON);
        assert_eq!((found, found.score()), (Connections { all: 2, recent: 1 }, 4));
    }

    #[test]
    fn what_a_record_says_is_as_new_as_the_record_whenever_it_happened() {
        let [new, old, unasked] = [1, 2, 3].map(|n| MemoryId(Uuid::from_u128(n)));
        let long_ago = NOON.minus(Span::days(1_000));
        let stored = HashMap::from([(new, NOON), (old, WEEK_AGO)]);
        let evidence = Evidence {
            links: vec![link(new, old, NOON), link(unasked, new, long_ago)],
            ties: vec![tie(new, long_ago), tie(old, NOON), tie(unasked, NOON)],
        };
        let counted = evidence.counted(&stored, NOON);
        assert_eq!(counted.get(&new), Some(&Connections { all: 3, recent: 2 }));
        assert_eq!(counted.get(&old), Some(&Connections { all: 2, recent: 1 }));
        assert_eq!(counted.get(&unasked), None);
    }
}
