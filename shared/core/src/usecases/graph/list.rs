//! Lists entities.

use serde::{Deserialize, Serialize};

use crate::bounds::{MAX_ENTITY_NAME_BYTES, MAX_FILTER_NAMESPACES};
use crate::boxed;
use crate::entities::{Entity, EntityType};
use crate::error::{Error, Result};
use crate::ids::{EntityId, UserId};
use crate::memory::check_namespaces;
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::page::PageRequest;

/// The entities to list, and the page.
#[derive(Clone, Debug, Default)]
pub struct ListEntitiesInput {
    /// Only entities with a name that contains this text; empty for all.
    pub search: String,
    /// Only entities of these types; empty for all.
    pub types: Vec<EntityType>,
    /// Only entities of memories in these namespaces; empty for all.
    pub namespaces: Vec<String>,
    /// The page.
    pub page: PageRequest,
}

/// A page of entities.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityPage {
    /// The entities.
    pub entities: Vec<Entity>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

/// The entity that a page begins after, and the time that the order is computed for.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Behind {
    as_of: Timestamp,
    salience: u64,
    id: EntityId,
}

impl ListEntitiesInput {
    fn check(&self) -> Result<()> {
        let mut violations = Vec::new();
        check_namespaces("namespaces", &self.namespaces, MAX_FILTER_NAMESPACES, &mut violations);
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        if self.types.len() > EntityType::ALL.len() {
            let problem = format!("has {} entries; at most {} are allowed", self.types.len(), EntityType::ALL.len());
            return Err(Error::invalid("types", problem));
        }
        if self.search.len() > MAX_ENTITY_NAME_BYTES {
            let problem = format!("has {} bytes; at most {MAX_ENTITY_NAME_BYTES} are allowed", self.search.len());
            return Err(Error::invalid("search", problem));
        }
        Ok(())
    }

    fn admits(&self, entity: &Entity, search: &str) -> bool {
        let of_type = self.types.is_empty() || self.types.contains(&entity.kind);
        of_type && (search.is_empty() || entity.is_called(search))
    }
}

impl App {
    /// Returns a page of entities, most salient first.
    #[boxed]
    pub async fn list_entities(&self, user: &UserId, input: ListEntitiesInput) -> Result<EntityPage> {
        input.check()?;
        let limit = input.page.limit()?;
        let scope = self.scope_of_memories("graph.list", user, &(&input.search, &input.types, &input.namespaces))?;
        let behind: Option<Behind> = scope.key(&input.page.token)?;
        let (as_of, graph) = match behind {
            // Salience depends on the time, and so does the order that the page continues.
            Some(Behind { as_of, .. }) => self.graph_of(user, &input.namespaces, (as_of, as_of)).await?,
            None => self.graph(user, &input.namespaces).await?,
        };
        let search = input.search.trim().to_lowercase();
        let later = |entity: &Entity| {
            let order = |salience: u64, id: EntityId| (std::cmp::Reverse(salience), id);
            behind.is_none_or(|key| order(entity.salience.to_bits(), entity.id) > order(key.salience, key.id))
        };
        let wanted = graph.entities.iter().filter(|entity| input.admits(entity, &search) && later(entity));
        let mut entities: Vec<Entity> = wanted.take(limit + 1).cloned().collect();
        let more = entities.len() > limit;
        entities.truncate(limit);
        let next = match entities.last().filter(|_| more) {
            Some(last) => scope.token(&Behind { as_of, salience: last.salience.to_bits(), id: last.id })?,
            None => String::new(),
        };
        Ok(EntityPage { entities, next })
    }
}
