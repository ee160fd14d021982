//! Details: the structured part of a record, one file for each kind that has one.
//!
//! To add one, add its file and its line in [`Detail`]. Outside of this folder, only the API contract and its
//! conversion know what a detail contains; the store keeps it as one JSON text.

mod block;
mod check;
mod decision;
mod document;
mod drive;
mod episode;
mod fact;
mod insight;
mod note;
mod playbook;
mod preference;
mod relationship;
mod turn;
mod value;

use serde::{Deserialize, Serialize};

pub use block::BlockDetail;
use check::Check;
pub use decision::DecisionDetail;
pub use document::DocumentDetail;
pub use drive::DriveDetail;
pub use episode::{EpisodeDetail, OutcomeType};
pub use fact::FactDetail;
pub use insight::{InsightDetail, InsightType};
pub use note::{NoteDetail, NoteType};
pub use playbook::PlaybookDetail;
pub use preference::{Polarity, PreferenceDetail};
pub use relationship::RelationshipDetail;
pub use turn::{Role, TurnDetail};
pub use value::ValueDetail;

use super::RecordKind;
use crate::bounds::MAX_DETAIL_BYTES;
use crate::error::{Error, FieldViolation, Result, StorageFailure};

/// The behaviour that every kind's form implements.
trait Form {
    /// Normalizes the form and checks its bounds.
    fn check(&mut self, check: &mut Check<'_>);

    /// The texts that are searched like the content.
    fn texts(&self) -> Vec<&str>;

    /// The subject, if the form names one.
    fn subject(&self) -> Option<&str> {
        None
    }
}

macro_rules! details {
    ($($kind:ident($form:ident) => $path:literal: $what:literal),+ $(,)?) => {
        /// The structured part of a record, in addition to its content.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Detail {
            $(#[doc = $what] $kind($form)),+
        }

        impl Detail {
            /// The kind of record that has this detail.
            pub const fn kind(&self) -> RecordKind {
                match self { $(Self::$kind(_) => RecordKind::$kind),+ }
            }

            fn form(&self) -> &dyn Form {
                match self { $(Self::$kind(form) => form),+ }
            }

            /// The form with its name in the API contract.
            fn form_mut(&mut self) -> (&'static str, &mut dyn Form) {
                match self { $(Self::$kind(form) => ($path, form)),+ }
            }
        }
    };
}

details! {
    Turn(TurnDetail) => "turn": "A message of a conversation.",
    Episode(EpisodeDetail) => "episode": "An experience: something tried or lived through.",
    Fact(FactDetail) => "fact": "A statement about a subject.",
    Preference(PreferenceDetail) => "preference": "A like or dislike.",
    Decision(DecisionDetail) => "decision": "A choice that was made.",
    Note(NoteDetail) => "note": "An insight or a quote.",
    Value(ValueDetail) => "value": "A principle.",
    Drive(DriveDetail) => "drive": "A motivation.",
    Playbook(PlaybookDetail) => "playbook": "A procedure.",
    Relationship(RelationshipDetail) => "relationship": "The model of a person or an agent.",
    Insight(InsightDetail) => "insight": "A conclusion drawn from other records.",
    Block(BlockDetail) => "block": "A block of core memory.",
    Document(DocumentDetail) => "document": "A document.",
}

impl Detail {
    /// Normalizes the detail and adds violations; `path` is its path in the request, such as `memory.detail`.
    pub(super) fn check(&mut self, path: &str, violations: &mut Vec<FieldViolation>) {
        let (name, form) = self.form_mut();
        form.check(&mut Check::new(format!("{path}.{name}"), violations));
        let has = self.to_json().len();
        if has > MAX_DETAIL_BYTES {
            let problem = format!("has {has} bytes as JSON; at most {MAX_DETAIL_BYTES} are allowed: shorten its texts");
            violations.push(FieldViolation::new(path, problem));
        }
    }

    /// The non-empty texts, one per line; `None` if there are none.
    pub fn search_text(&self) -> Option<String> {
        let texts: Vec<_> = self.form().texts().into_iter().filter(|text| !text.is_empty()).collect();
        if texts.is_empty() { None } else { Some(texts.join("\n")) }
    }

    /// The subject of a record with this detail, if it names one.
    pub fn subject(&self) -> Option<&str> {
        self.form().subject()
    }

    /// Reports whether it repeats the content, so that a changed content makes it wrong.
    pub const fn repeats_content(&self) -> bool {
        matches!(self, Self::Fact(_) | Self::Preference(_) | Self::Decision(_))
    }

    /// The emotion of an episode as a sentiment in [-1, 1]: see [`EpisodeDetail::emotion`].
    pub fn emotion(&self) -> Option<f64> {
        if let Self::Episode(episode) = self { episode.emotion() } else { None }
    }

    /// The JSON form, which is stored and counted.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses the output of [`Self::to_json`].
    ///
    /// # Errors
    ///
    /// [`StorageFailure::Corrupt`] for any other text.
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|_| Error::storage(StorageFailure::Corrupt, "a detail is not readable"))
    }
}

#[cfg(test)]
mod tests;
