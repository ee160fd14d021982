//! Kinds of records, and the layer of each.

use serde::{Deserialize, Serialize};

use super::names;

/// The kind of a record. Positions are stored: add new values at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A memory of no particular kind.
    #[default]
    Unset,
    /// Raw input to be processed later.
    Raw,
    /// A message of a conversation.
    Turn,
    /// An attempt or an experience.
    Episode,
    /// A statement about a subject.
    Fact,
    /// A like or dislike.
    Preference,
    /// A choice that was made.
    Decision,
    /// General knowledge.
    Knowledge,
    /// Something that an assistant believes.
    Belief,
    /// An insight or a quote.
    Note,
    /// A principle.
    Value,
    /// A motivation.
    Drive,
    /// A procedure.
    Playbook,
    /// A relationship with a person or an agent.
    Relationship,
    /// A document.
    Document,
    /// A summary of other records.
    Summary,
    /// A conclusion drawn from other records.
    Insight,
    /// A description of a subject.
    Profile,
    /// A block of core memory.
    Block,
}
names!(RecordKind {
    Unset => "unset",
    Raw => "raw",
    Turn => "turn",
    Episode => "episode",
    Fact => "fact",
    Preference => "preference",
    Decision => "decision",
    Knowledge => "knowledge",
    Belief => "belief",
    Note => "note",
    Value => "value",
    Drive => "drive",
    Playbook => "playbook",
    Relationship => "relationship",
    Document => "document",
    Summary => "summary",
    Insight => "insight",
    Profile => "profile",
    Block => "block",
});

/// The layer of a record, between raw input and identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Captured input.
    Capture,
    /// Experiences.
    Episodes,
    /// Knowledge.
    Knowledge,
    /// An assistant's identity.
    Identity,
    /// Support for the other layers.
    Supporting,
}
names!(Layer {
    Capture => "capture",
    Episodes => "episodes",
    Knowledge => "knowledge",
    Identity => "identity",
    Supporting => "supporting",
});

impl RecordKind {
    /// Returns the layer of records of this kind.
    pub const fn layer(self) -> Layer {
        match self {
            Self::Raw | Self::Turn => Layer::Capture,
            Self::Episode => Layer::Episodes,
            Self::Unset
            | Self::Fact
            | Self::Preference
            | Self::Decision
            | Self::Knowledge
            | Self::Belief
            | Self::Note => Layer::Knowledge,
            Self::Value | Self::Drive => Layer::Identity,
            Self::Playbook
            | Self::Relationship
            | Self::Document
            | Self::Summary
            | Self::Insight
            | Self::Profile
            | Self::Block => Layer::Supporting,
        }
    }

    /// Reports whether it is the default, which is omitted in storage so that older drafts serialize unchanged.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(super) fn is_unset(&self) -> bool {
        *self == Self::Unset
    }
}

impl Layer {
    /// Returns the kinds of records in the layer.
    pub fn kinds(self) -> impl Iterator<Item = RecordKind> {
        RecordKind::ALL.iter().copied().filter(move |kind| kind.layer() == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_has_kinds() {
        assert!(Layer::ALL.iter().all(|layer| layer.kinds().count() > 0));
        assert_eq!(RecordKind::default().layer(), Layer::Knowledge);
    }

    #[test]
    fn names_are_those_that_json_has() {
        for kind in RecordKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(RecordKind::from_name(kind.name()), Some(*kind));
        }
    }
}
