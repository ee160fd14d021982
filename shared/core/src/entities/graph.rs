//! The entities of a vault, as visible to the reader.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::edge::edges;
use super::names::names;
use super::resolve::resolve;
use super::{Edge, Entity, Mention, NameId, Ruling, Tie, mentions_of};
use crate::error::{Error, Result};
use crate::ids::{EntityId, MemoryId};
use crate::memory::{Memory, MemoryFilter, MemoryState, SensitivityFilter};
use crate::ports::VaultReader;
use crate::tables::{self, RowQuery, TableRow as _};
use crate::time::Timestamp;

/// Limits a query to rows of the memories that are evidence.
fn evidence(query: RowQuery, namespaces: &[String], now: Timestamp) -> RowQuery {
    let memories = MemoryFilter {
        states: vec![MemoryState::Active],
        sensitivity: SensitivityFilter::Exclude,
        namespaces: namespaces.to_vec(),
        ..MemoryFilter::default()
    };
    RowQuery { memories: memories.holding(now), ..query }
}

impl Mention {
    /// Returns the mentions of some names, as a graph has them.
    pub async fn of_names(reader: &mut dyn VaultReader, names: &[NameId], now: Timestamp) -> Result<Vec<Self>> {
        let query = Self::query().among(&["name_id"], names.iter().map(|name| name.0));
        tables::find(reader, &evidence(query, &[], now)).await
    }
}

/// Evidence from records that were just read.
#[derive(Clone, Debug, Default)]
pub struct Fresh {
    ids: HashSet<MemoryId>,
    mentions: Vec<Mention>,
    ties: Vec<Tie>,
}

impl Fresh {
    /// Reads a record; inactive records and those that do not hold now add no evidence.
    pub fn read(&mut self, memory: &Memory, now: Timestamp) {
        if self.ids.insert(memory.id) && memory.state == MemoryState::Active && memory.holds_at(now) {
            self.mentions.extend(mentions_of(memory));
            self.ties.extend(Tie::all_of(memory));
        }
    }

    /// The graph of these records alone.
    #[cfg(test)]
    pub(crate) fn graph(self, now: Timestamp) -> Graph {
        Graph::of(self.mentions, self.ties, &[], now)
    }
}

/// Entities and the evidence they were built from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The entities, the most salient first.
    pub entities: Vec<Entity>,
    /// Index into `entities` by name.
    by_name: HashMap<NameId, usize>,
    /// The mentions, ordered by name and record.
    pub mentions: Vec<Mention>,
    /// Edges between the entities, ordered by their keys.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// Builds the graph from the active records that are valid now, in these namespaces; in all if none is given.
    pub async fn load(reader: &mut dyn VaultReader, namespaces: &[String], now: Timestamp) -> Result<Self> {
        Self::load_with(reader, namespaces, &Fresh::default(), now).await
    }

    /// Builds the same graph with freshly read records, whose stored evidence is ignored.
    pub async fn load_with(
        reader: &mut dyn VaultReader,
        namespaces: &[String],
        fresh: &Fresh,
        now: Timestamp,
    ) -> Result<Self> {
        let evidence = |query: RowQuery| evidence(query, namespaces, now);
        let mut mentions = tables::find::<Mention>(reader, &evidence(Mention::query())).await?;
        let mut ties = tables::find::<Tie>(reader, &evidence(Tie::query())).await?;
        mentions.retain(|mention| !fresh.ids.contains(&mention.memory));
        ties.retain(|tie| !fresh.ids.contains(&tie.memory));
        mentions.extend(fresh.mentions.iter().cloned());
        ties.extend(fresh.ties.iter().cloned());
        let rulings = tables::find::<Ruling>(reader, &evidence(Ruling::query())).await?;
        Ok(Self::of(mentions, ties, &rulings, now))
    }

    /// Builds a graph from evidence and a person's rulings. Sorts first, so that sums of doubles do not depend on the
    /// reading order.
    pub fn of(mut mentions: Vec<Mention>, mut ties: Vec<Tie>, rulings: &[Ruling], now: Timestamp) -> Self {
        mentions.sort_by_key(Mention::key);
        ties.sort_by_key(Tie::key);
        let names = names(&mentions);
        let groups = resolve(&names, rulings);
        let entity = |group: &Vec<usize>| {
            let members: Vec<_> = group.iter().filter_map(|at| names.get(*at)).collect();
            Entity::of(&members, rulings, now)
        };
        let mut entities: Vec<Entity> = groups.iter().filter_map(entity).collect();
        entities.sort_by(|a, b| b.salience.total_cmp(&a.salience).then(a.id.cmp(&b.id)));
        Self::joined(entities, mentions, &ties, Some(now))
    }

    /// Returns the entities that the fresh records name, with only these records' evidence. The time taken does not
    /// depend on the amount of other evidence.
    #[must_use]
    pub fn within(&self, fresh: Fresh) -> Self {
        let Fresh { mut mentions, mut ties, .. } = fresh;
        mentions.sort_by_key(Mention::key);
        ties.sort_by_key(Tie::key);
        let indexes = mentions.iter().filter_map(|mention| self.by_name.get(&mention.name));
        let indexes: BTreeSet<usize> = indexes.copied().collect();
        let entities = indexes.into_iter().filter_map(|at| self.entities.get(at)).cloned().collect();
        Self::joined(entities, mentions, &ties, None)
    }

    fn joined(entities: Vec<Entity>, mentions: Vec<Mention>, ties: &[Tie], now: Option<Timestamp>) -> Self {
        let indexes = entities.iter().enumerate();
        let by_name = indexes.flat_map(|(at, entity)| entity.names.iter().map(move |name| (*name, at))).collect();
        let mut graph = Self { entities, by_name, mentions, edges: Vec::new() };
        graph.edges = edges(&graph, ties, now);
        graph
    }

    /// Returns the entity that has a name with this id.
    pub fn entity(&self, id: EntityId) -> Result<&Entity> {
        self.of_name(NameId(id.0)).ok_or_else(|| Error::entity_not_found(id))
    }

    /// Returns the entity that has a name.
    pub fn of_name(&self, name: NameId) -> Option<&Entity> {
        self.by_name.get(&name).and_then(|at| self.entities.get(*at))
    }

    /// Returns the mentions of an entity, the newest first.
    pub fn mentions_of(&self, entity: &Entity) -> Vec<&Mention> {
        let of = |name: &NameId| {
            let start = self.mentions.partition_point(|mention| mention.name < *name);
            let rest = self.mentions.get(start..).unwrap_or_default();
            rest.get(..rest.partition_point(|mention| mention.name == *name)).unwrap_or_default()
        };
        let mut all: Vec<&Mention> = entity.names.iter().flat_map(of).collect();
        all.sort_by(|a, b| b.at.cmp(&a.at).then((a.memory, a.sentence).cmp(&(b.memory, b.sentence))));
        all
    }
}
