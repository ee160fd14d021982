//! What a record is, and the layer that follows from it.

use serde::{Deserialize, Serialize};

use super::names;

/// What a record is. The place of a value is stored: new ones come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A memory without a form of its own.
    #[default]
    Unset,
    /// A capture to be processed later.
    Raw,
    /// A message of a conversation.
    Turn,
    /// Something that was tried or lived through.
    Episode,
    /// A statement about a subject.
    Fact,
    /// What somebody likes or dislikes.
    Preference,
    /// A choice that was made.
    Decision,
    /// General knowledge.
    Knowledge,
    /// What an assistant holds to be true.
    Belief,
    /// An insight or a quote.
    Note,
    /// A principle.
    Value,
    /// A motivation.
    Drive,
    /// A procedure.
    Playbook,
    /// What is known of a person or an agent.
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

/// Where a record stands between a capture and an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// What was taken in.
    Capture,
    /// What was lived through.
    Episodes,
    /// What is known.
    Knowledge,
    /// What an assistant is.
    Identity,
    /// What helps the others.
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
    /// The layer of records of this kind.
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

    /// Whether it says nothing, so that what is stored of a draft without one is as it always was.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(super) fn is_unset(&self) -> bool {
        *self == Self::Unset
    }
}

impl Layer {
    /// The kinds of records in it.
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
