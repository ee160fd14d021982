//! The options that select memories, shared by `recall`, `list` and `export`.

use kimberly_proto::v1;
use prost_types::Timestamp;

use crate::names::{KindArg, LayerArg, ScopeArg, SensitivityArg, SourceArg, StateArg, TierArg};
use crate::time;

/// The memories. Conditions are joined with "and". Options that take a name, such as a tag, are repeated for several:
/// names may contain commas.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "Which memories")]
pub(crate) struct FilterArgs {
    /// Only these tiers
    #[arg(long, value_enum, value_delimiter = ',')]
    tier: Vec<TierArg>,
    /// With this tag; repeat it for memories with one of several
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// With this tag; repeat it for memories with all of several
    #[arg(long, value_name = "TAG")]
    all_tags: Vec<String>,
    /// Stored at this time or later
    #[arg(long, value_parser = time::parse, value_name = "TIME")]
    since: Option<Timestamp>,
    /// Stored before this time
    #[arg(long, value_parser = time::parse, value_name = "TIME")]
    until: Option<Timestamp>,
    /// Happened at this time or later
    #[arg(long, value_parser = time::parse, value_name = "TIME")]
    happened_since: Option<Timestamp>,
    /// Happened before this time
    #[arg(long, value_parser = time::parse, value_name = "TIME")]
    happened_until: Option<Timestamp>,
    /// Without sensitive memories, or only those
    #[arg(long, value_enum)]
    sensitive: Option<SensitivityArg>,
    /// From these sources only
    #[arg(long, value_enum, value_delimiter = ',')]
    source: Vec<SourceArg>,
    /// Of these scopes only
    #[arg(long, value_enum, value_delimiter = ',')]
    scope: Vec<ScopeArg>,
    /// Of this session only
    #[arg(long, value_name = "SESSION")]
    in_session: Option<String>,
    /// In these states [default: active]
    #[arg(long, value_enum, value_delimiter = ',')]
    state: Vec<StateArg>,
    /// By this speaker only; can be repeated
    #[arg(long, value_name = "NAME")]
    speaker: Vec<String>,
    /// In this namespace only, "" for the default one; can be repeated
    #[arg(long, value_name = "NAME")]
    namespace: Vec<String>,
    /// Of these kinds only; `unspecified` for memories without one
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND", hide_possible_values = true)]
    kind: Vec<KindArg>,
    /// In these layers only
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LAYER")]
    layer: Vec<LayerArg>,
    /// About this subject only; can be repeated
    #[arg(long, value_name = "SUBJECT")]
    about: Vec<String>,
    /// With at least this confidence, 0 to 1
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.0, hide_default_value = true)]
    min_confidence: f64,
    /// With a confidence below this, 0 to 1
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.0, hide_default_value = true)]
    below_confidence: f64,
    /// With at least this importance, 1 to 10
    #[arg(long, value_name = "IMPORTANCE", default_value_t = 0, hide_default_value = true)]
    min_importance: i32,
    /// Valid at this time
    #[arg(long, value_parser = time::parse, value_name = "TIME")]
    valid_at: Option<Timestamp>,
    /// Known at this time, and valid then as far as was known
    #[arg(long, value_parser = time::parse, value_name = "TIME")]
    known_as_of: Option<Timestamp>,
    /// Also those not valid now: superseded, invalidated, not yet valid
    #[arg(long, conflicts_with = "valid_at")]
    any_time: bool,
    /// Only stale ones: some of their sources were erased on request
    #[arg(long)]
    stale: bool,
    /// Created by the key with this name only; can be repeated
    #[arg(long, value_name = "NAME")]
    author: Vec<String>,
    /// With a name that begins with this
    #[arg(long, value_name = "PATH", default_value = "", hide_default_value = true)]
    name_prefix: String,
}

fn numbers<T: Into<i32> + Copy>(values: &[T]) -> Vec<i32> {
    values.iter().map(|value| (*value).into()).collect()
}

impl FilterArgs {
    /// The options to write instead, if a name contains a comma: it was perhaps meant to separate names.
    pub(crate) fn repeated(&self) -> Option<String> {
        let (speakers, namespaces) = (("speaker", &self.speaker), ("namespace", &self.namespace));
        let (subjects, authors) = (("about", &self.about), ("author", &self.author));
        let named = [("tag", &self.tag), ("all-tags", &self.all_tags), speakers, namespaces, subjects, authors];
        let mut options = named.into_iter().flat_map(|(option, values)| values.iter().map(move |name| (option, name)));
        let (option, name) = options.find(|(_, name)| name.contains(','))?;
        let each = name.split(',').map(|part| format!("--{option} {:?}", part.trim()));
        Some(each.collect::<Vec<_>>().join(" "))
    }

    /// The filter as the contract's message.
    pub(crate) fn to_proto(&self) -> v1::MemoryFilter {
        v1::MemoryFilter {
            tiers: numbers(&self.tier),
            tags_any: self.tag.clone(),
            tags_all: self.all_tags.clone(),
            created_after: self.since,
            created_before: self.until,
            occurred_after: self.happened_since,
            occurred_before: self.happened_until,
            sensitivity: self.sensitive.map_or(0, Into::into),
            sources: numbers(&self.source),
            scopes: numbers(&self.scope),
            session_id: self.in_session.clone().unwrap_or_default(),
            states: numbers(&self.state),
            speakers: self.speaker.clone(),
            namespaces: self.namespace.clone(),
            kinds: numbers(&self.kind),
            layers: numbers(&self.layer),
            subjects: self.about.clone(),
            min_confidence: self.min_confidence,
            below_confidence: self.below_confidence,
            min_importance: self.min_importance,
            valid_at: self.valid_at,
            known_as_of: self.known_as_of,
            authors: self.author.clone(),
            any_time: self.any_time,
            stale: self.stale,
            name_prefix: self.name_prefix.clone(),
        }
    }
}
