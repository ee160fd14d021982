//! Converts entities to the contract.

use kimberly_core::Result;
use kimberly_core::bounds::{MAX_EDGE_EVIDENCE, MAX_ENTITY_ALIASES};
use kimberly_core::entities::{Entity, EntityRelation, EntityType, Evidence, Mention, MentionPosition};
use kimberly_core::usecases::graph::{Neighbour, Related, ShownEdge};
use kimberly_core::{EntityId, UserId};
use kimberly_proto::v1;

use super::enums::{self, WireEnum as _};
use super::{int32, int64, memory, time};

/// Parses the entity types to select.
pub fn types(raw: &[i32]) -> Result<Vec<EntityType>> {
    enums::all("types", raw)
}

/// Parses the relations to follow.
pub fn relations(raw: &[i32]) -> Result<Vec<EntityRelation>> {
    enums::all("relations", raw)
}

/// Converts an entity to the contract.
pub fn entity(entity: Entity) -> v1::Entity {
    let mut aliases = entity.aliases;
    aliases.truncate(MAX_ENTITY_ALIASES);
    v1::Entity {
        id: entity.id.to_string(),
        name: entity.name,
        r#type: entity.kind.number(),
        aliases,
        salience: entity.salience,
        mentions: int64(entity.mentions),
        memories: int64(entity.memories),
        first_at: Some(time::wire_timestamp(entity.first)),
        last_at: Some(time::wire_timestamp(entity.last)),
    }
}

/// Converts a mention of an entity in a memory to the contract.
pub fn mention(mention: Mention) -> v1::EntityMention {
    let span = mention.position.span().unwrap_or_default();
    let place = match mention.position {
        MentionPosition::Content(_) => v1::MentionPlace::Unspecified,
        MentionPosition::Speaker => v1::MentionPlace::Speaker,
        MentionPosition::Subject => v1::MentionPlace::Subject,
    };
    v1::EntityMention {
        memory_id: mention.memory.to_string(),
        place: place.into(),
        start_byte: span.start,
        end_byte: span.end,
        text: mention.surface,
        confidence: mention.confidence,
        at: Some(time::wire_timestamp(mention.at)),
        stated: mention.stated,
    }
}

/// Converts a name of an entity to the contract.
pub fn name((id, text, mentions): (EntityId, String, u64)) -> v1::EntityName {
    v1::EntityName { id: id.to_string(), text, mentions: int64(mentions) }
}

/// Converts an edge to the contract.
pub fn edge(shown: ShownEdge) -> v1::EntityEdge {
    let edge = shown.edge;
    v1::EntityEdge {
        from_id: edge.from.to_string(),
        from_name: shown.from,
        relation: edge.relation.number(),
        to_id: edge.to.to_string(),
        to_name: shown.to,
        weight: edge.weight,
        confidence: edge.confidence,
        verified_at: Some(time::wire_timestamp(edge.verified)),
        memories: int64(edge.evidence.len() as u64),
        evidence: edge.evidence.iter().take(MAX_EDGE_EVIDENCE).map(evidence).collect(),
    }
}

fn evidence(evidence: &Evidence) -> v1::EdgeEvidence {
    v1::EdgeEvidence {
        memory_id: evidence.memory.to_string(),
        start_byte: evidence.span.start,
        end_byte: evidence.span.end,
        confidence: evidence.confidence,
        at: Some(time::wire_timestamp(evidence.at)),
    }
}

/// Converts a neighbour of an entity to the contract.
pub fn neighbour(neighbour: Neighbour) -> v1::Neighbour {
    let (entity, edge) = (entity(neighbour.entity), edge(neighbour.edge));
    v1::Neighbour { entity: Some(entity), depth: int32(neighbour.depth), edge: Some(edge) }
}

/// Converts a memory related to another one to the contract.
pub fn related(user: &UserId, related: Related) -> Result<v1::RelatedMemory> {
    Ok(v1::RelatedMemory {
        memory: Some(memory::memory(user, related.memory)?),
        weight: related.weight,
        entities: related.entities,
        tags: related.tags,
        similarity: related.similarity,
    })
}
