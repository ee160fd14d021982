//! Things that a request names and the vault does not hold.

use super::Error;
use crate::ids::{AttachmentId, ConsentId, EntityId, MemoryId};

/// The kind of thing that was not found.
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

impl Error {
    /// Returns an error about a missing consent record.
    pub fn consent_not_found(id: ConsentId) -> Self {
        Self::NotFound { entity: Entity::Consent, id: id.to_string() }
    }

    /// Returns an error about a missing attachment.
    pub fn attachment_not_found(id: AttachmentId) -> Self {
        Self::NotFound { entity: Entity::Attachment, id: id.to_string() }
    }

    /// Returns an error about a missing memory.
    pub fn memory_not_found(id: MemoryId) -> Self {
        Self::NotFound { entity: Entity::Memory, id: id.to_string() }
    }

    /// Returns an error about a missing entity.
    pub fn entity_not_found(id: EntityId) -> Self {
        Self::NotFound { entity: Entity::Entity, id: id.to_string() }
    }
}
