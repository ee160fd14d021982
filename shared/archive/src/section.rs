//! The sections of an archive, in their order.

use std::fmt;

/// A section: lines of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Memories with all their data, in order of creation.
    Memories,
    /// Attachments of memories: a line for each, followed by its bytes.
    Attachments,
    /// Consent records. They follow the memories, so that the memories they refer to exist on import.
    Consents,
    /// Goals.
    Goals,
    /// Links between memories.
    Links,
    /// The user's settings: one line, or none.
    Settings,
    /// The audit: a part of the hash chain, as `kimberly audit export` writes it.
    Audit,
}

impl Section {
    /// All sections, in order.
    pub const ALL: [Self; 7] =
        [Self::Memories, Self::Attachments, Self::Consents, Self::Goals, Self::Links, Self::Settings, Self::Audit];

    /// Returns the section's name, which is also its folder in the tar.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memories => "memories",
            Self::Attachments => "attachments",
            Self::Consents => "consents",
            Self::Goals => "goals",
            Self::Links => "links",
            Self::Settings => "settings",
            Self::Audit => "audit",
        }
    }

    /// Returns the section with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }

    /// Returns the section's index in the order, from 0.
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// Returns the name of the section's `number`th piece.
    pub(crate) fn piece(self, number: u64) -> String {
        format!("{}/{number:06}.jsonl", self.name())
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
