//! What an entity is.

use serde::{Deserialize, Serialize};

use crate::memory::names;

/// What an entity is. Names are stored and published: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntityType {
    /// A person, or a pet, which has a name as persons do.
    Person,
    /// A place.
    Place,
    /// A company, a school, a club, a band.
    Organization,
    /// A thing with a name: a device, a program, a book, a film.
    Product,
    /// A project.
    Project,
    /// An event.
    Event,
    /// An address of e-mail.
    Email,
    /// An address on the web.
    Url,
    /// The name of an account, as `@ana`.
    Handle,
    /// A file or a folder.
    File,
    /// A name in code.
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
    /// Whether its letters alone say what it is, so that only the same letters are the same thing.
    pub const fn is_written(self) -> bool {
        matches!(self, Self::Email | Self::Url | Self::Handle | Self::File | Self::Code)
    }
}
