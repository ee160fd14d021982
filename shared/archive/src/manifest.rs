//! The last member: counts and hashes of everything before it.

use serde::{Deserialize, Serialize};

use crate::error::ArchiveError;

/// The content of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// All sections in the order of the format, including empty ones.
    pub sections: Vec<SectionSummary>,
    /// SHA-256, in hex, of all bytes of the file before this member's header.
    pub sha256: String,
}

/// Counts and hash of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SectionSummary {
    /// The section's name.
    pub name: String,
    /// Number of members with lines.
    pub pieces: u64,
    /// Number of lines.
    pub items: u64,
    /// Total size in bytes of the contents of its members.
    pub bytes: u64,
    /// SHA-256, in hex, of these contents, concatenated.
    pub sha256: String,
}

impl Manifest {
    /// Returns the canonical text of this manifest.
    pub(crate) fn text(&self) -> Result<String, ArchiveError> {
        let text = serde_json::to_string(self).map_err(|error| ArchiveError::Io(error.into()))?;
        Ok(text + "\n")
    }

    /// Describes how a text differs from the canonical one.
    pub(crate) fn differs(&self, text: &[u8]) -> String {
        let Ok(said) = serde_json::from_slice::<Self>(text) else {
            return "the manifest itself is damaged".to_owned();
        };
        let differing = self.sections.iter().zip(&said.sections).find(|(came, said)| came != said);
        match differing {
            Some((came, said)) if came.name == said.name && came.sha256 == said.sha256 => {
                format!("the section {} does not have the counts in the manifest", said.name)
            }
            Some((came, said)) if came.name == said.name => format!(
                "the section {} holds {} lines in {} bytes with the hash {}, and should hold {} in {} with {}",
                said.name, came.items, came.bytes, came.sha256, said.items, said.bytes, said.sha256
            ),
            Some(_) => "it lists other sections".to_owned(),
            None if said.sections.len() != self.sections.len() => "it lists other sections".to_owned(),
            None if said.sha256 != self.sha256 => {
                format!("the hash of the archive is {}, and should be {}", self.sha256, said.sha256)
            }
            None => "the manifest is not in canonical form".to_owned(),
        }
    }
}
