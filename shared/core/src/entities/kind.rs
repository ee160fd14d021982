//! Types of entities.

use serde::{Deserialize, Serialize};

use crate::memory::names;

/// The type of an entity. Names are stored and published: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    /// A person or a pet.
    Person,
    /// A place.
    Place,
    /// A company, a school, a club, a band.
    Organization,
    /// A named thing: a device, a program, a book, a film.
    Product,
    /// A project.
    Project,
    /// An event.
    Event,
    /// An e-mail address.
    Email,
    /// A web address.
    Url,
    /// An account name, such as `@ana`.
    Handle,
    /// A file or a folder.
    File,
    /// A code identifier.
    Code,
}
names!(EntityType {
    Person => "person",
    Place => "place",
    Organization => "organization",
    Product => "product",
    Project => "project",
    Event => "event",
    Email => "email",
    Url => "url",
    Handle => "handle",
    File => "file",
    Code => "code",
});

impl EntityType {
    /// Reports whether the spelling alone identifies it, so that only identical names mean the same thing.
    pub const fn is_written(self) -> bool {
        matches!(self, Self::Email | Self::Url | Self::Handle | Self::File | Self::Code)
    }
}
