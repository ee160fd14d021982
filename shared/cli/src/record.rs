//! The options that describe a record and its certainty, shared by `remember` and `edit`.

use kimberly_proto::v1;
use prost_types::Timestamp;

use crate::error::CliResult;
use crate::names::{KindArg, SourceTypeArg};
use crate::{detail, time};

/// The properties of a record besides its content.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "What it is")]
pub(crate) struct RecordArgs {
    /// Its kind; docs/layers.md explains each
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindArg>,
    /// The detail of its kind: a JSON object such as '{"choice": "Fridays"}'; "" removes it
    #[arg(long, value_name = "JSON")]
    pub(crate) detail_json: Option<String>,
    /// Its subject: a person or thing
    #[arg(long)]
    subject: Option<String>,
    /// Its importance, 1 to 10; 0 for unset
    #[arg(long)]
    importance: Option<i32>,
    /// Its confidence, 0 to 1; stored times the weight of --source-type
    #[arg(long)]
    confidence: Option<f64>,
    /// Its source type
    #[arg(long, value_enum)]
    source_type: Option<SourceTypeArg>,
    /// The start of its validity; "always" for none
    #[arg(long, value_name = "TIME", value_parser = since)]
    valid_from: Option<Edge>,
    /// The end of its validity; "always" for none
    #[arg(long, value_name = "TIME", value_parser = since)]
    valid_to: Option<Edge>,
    /// Its origin, such as an address
    #[arg(long, value_name = "REF")]
    source_ref: Option<String>,
    /// A name by which it is read and edited in place, such as notes/travel.md; "" for none
    #[arg(long, value_name = "PATH")]
    name: Option<String>,
}

/// A bound of the time in which something is valid; `None` is unbounded.
#[derive(Clone, Copy, Debug)]
struct Edge(Option<Timestamp>);

fn since(raw: &str) -> Result<Edge, String> {
    if raw == "always" { Ok(Edge(None)) } else { time::parse(raw).map(|at| Edge(Some(at))) }
}

impl RecordArgs {
    /// The kind, if one was given.
    pub(crate) fn kind(&self) -> Option<i32> {
        self.kind.map(Into::into)
    }

    /// The fields that were given, as names for a mask.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &'static str> {
        let named = [
            (self.kind.is_some(), "kind"),
            (self.detail_json.is_some(), "detail"),
            (self.subject.is_some(), "subject"),
            (self.importance.is_some(), "importance"),
            (self.confidence.is_some(), "confidence"),
            (self.source_type.is_some(), "source_type"),
            (self.valid_from.is_some(), "valid_from"),
            (self.valid_to.is_some(), "valid_to"),
            (self.source_ref.is_some(), "source_ref"),
            (self.name.is_some(), "name"),
        ];
        named.into_iter().filter(|(said, _)| *said).map(|(_, path)| path)
    }

    /// Writes the given values into a draft; parses the detail as one of this kind.
    pub(crate) fn write(self, kind: i32, draft: &mut v1::MemoryDraft) -> CliResult {
        let detail = self.detail_json.filter(|text| !text.is_empty());
        draft.detail = detail.map(|text| detail::read(kind, &text)).transpose()?;
        draft.kind = self.kind.map_or(0, Into::into);
        draft.subject = self.subject.unwrap_or_default();
        draft.importance = self.importance.unwrap_or_default();
        draft.confidence = self.confidence;
        draft.source_type = self.source_type.map_or(0, Into::into);
        draft.valid_from = self.valid_from.and_then(|edge| edge.0);
        draft.valid_to = self.valid_to.and_then(|edge| edge.0);
        draft.source_ref = self.source_ref.unwrap_or_default();
        draft.name = self.name.unwrap_or_default();
        Ok(())
    }
}
