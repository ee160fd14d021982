//! The options that select memories, the same for `recall`, `list` and `export`.

use kimberly_proto::v1;
use prost_types::Timestamp;

use crate::names::{ScopeArg, SensitivityArg, SourceArg, StateArg, TierArg};
use crate::time;

/// Which memories. Conditions are joined with "and".
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "Which memories")]
pub(crate) struct FilterArgs {
    /// Only these tiers
    #[arg(long, value_enum, value_delimiter = ',')]
    tier: Vec<TierArg>,
    /// With at least one of these tags
    #[arg(long, value_delimiter = ',', value_name = "TAG")]
    tag: Vec<String>,
    /// With all of these tags
    #[arg(long, value_delimiter = ',', value_name = "TAG")]
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
    /// By these speakers only
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    speaker: Vec<String>,
    /// In these namespaces only; "" is the default one
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    namespace: Vec<String>,
}

fn numbers<T: Into<i32> + Copy>(values: &[T]) -> Vec<i32> {
    values.iter().map(|value| (*value).into()).collect()
}

impl FilterArgs {
    /// The filter as the contract has it.
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
        }
    }
}
