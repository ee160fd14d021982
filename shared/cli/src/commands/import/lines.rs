//! Kimberly's own export: JSON lines, each with a `kind`, read one at a time.

use std::io::BufRead;

use kimberly_proto::v1;
use kimberly_proto::v1::import_item::Memory;
use kimberly_proto::v1::user_settings::Scoring;
use serde_json::Value;

use super::fields::Fields;
use super::items::Items;
use super::source::Source;
use super::{Load, consents, records, source};
use crate::commands::export::VERSION;
use crate::error::{CliError, CliResult};
use crate::json::structs;
use crate::names::{
    CreatorArg, EmbedArg, GoalKindArg, GoalStatusArg, PresetArg, RetractionArg, ScopeArg, SourceArg, StateArg, TierArg,
};

/// Settings and the fields that they set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::commands) struct Settings {
    pub(super) values: v1::UserSettings,
    pub(super) paths: Vec<String>,
}

/// What a line holds.
#[derive(Debug)]
pub(super) enum Line {
    /// A memory that is sent.
    Memory(Box<Memory>),
    /// A memory that is left out because it was deleted.
    Deleted,
    /// A record of consent.
    Consent(Box<v1::Consent>),
    /// A goal.
    Goal(v1::Goal),
    /// Settings, if any are set.
    Settings(Option<Settings>),
    /// The line that names the format.
    Format,
}

/// The lines of a file, one after the other.
pub(super) struct Lines<R> {
    reader: R,
    with_deleted: bool,
    /// The version of the export, 0 if it names none.
    version: i64,
    number: usize,
    line: String,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, with_deleted: bool) -> Self {
        Self { reader, with_deleted, version: 0, number: 0, line: String::new() }
    }

    fn read(&mut self) -> Result<Line, String> {
        let value: Value = serde_json::from_str(self.line.trim_start_matches('\u{feff}'))
            .map_err(|error| format!("not JSON ({error})"))?;
        let fields = Fields::new(value.as_object().ok_or("not a JSON object")?);
        match fields.text("kind")?.as_str() {
            "memory" | "" => self.memory(&fields),
            "consent" => consents::consent(&fields).map(|consent| Line::Consent(Box::new(consent))),
            "goal" => goal(&fields).map(Line::Goal),
            "settings" => settings(&fields).map(Line::Settings),
            "export" => {
                self.version = fields.integer("version")?.unwrap_or_default();
                match self.version {
                    0..=VERSION => Ok(Line::Format),
                    newer => Err(format!("this export has version {newer}; this kimberly reads up to {VERSION}")),
                }
            }
            other => Err(format!("there is no kind {other:?}")),
        }
    }

    /// From version 2 on, memories are records with an id; before, and without one, each is a new memory.
    fn memory(&self, fields: &Fields<'_>) -> Result<Line, String> {
        if self.version >= 2 && fields.get("id").is_some() {
            return Ok(Line::Memory(Box::new(Memory::Record(records::record(fields)?))));
        }
        let deleted = fields.name("state", StateArg::number)? == i32::from(v1::MemoryState::Deleted);
        let draft = draft(fields)?;
        Ok(if deleted && !self.with_deleted { Line::Deleted } else { Line::Memory(Box::new(Memory::Draft(draft))) })
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = CliResult<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            self.line.clear();
            self.number += 1;
            match self.reader.read_line(&mut self.line) {
                Ok(0) => return None,
                Ok(_) if self.line.trim().is_empty() => {}
                Ok(_) => break,
                Err(error) => return Some(Err(source::unreadable(error))),
            }
        }
        let place = self.number;
        Some(self.read().map_err(|problem| {
            CliError::usage(format!(
                "line {place}: {problem}; this file was read as what `kimberly export` writes, --format reads it as something else"
            ))
        }))
    }
}

/// Reads a file through to its end, to see that all of it can be understood and what it holds.
pub(super) fn survey(file: &Source, user: &str, with_deleted: bool) -> CliResult<Load> {
    let mut load = Load::new(user, Items::Lines { file: file.clone(), with_deleted });
    for line in Lines::new(file.reader(), with_deleted) {
        match line? {
            Line::Memory(_) => load.memories += 1,
            Line::Deleted => load.skipped += 1,
            // One that comes again changed while the export was written: what came last holds.
            Line::Consent(consent) => {
                load.consents.retain(|other| other.id != consent.id);
                load.consents.push(*consent);
            }
            Line::Goal(goal) => load.goals.push(goal),
            Line::Settings(settings) => load.settings = settings,
            Line::Format => {}
        }
    }
    Ok(load)
}

pub(super) fn draft(fields: &Fields<'_>) -> Result<v1::MemoryDraft, String> {
    let audit = fields.object("audit")?;
    let audit = audit.as_ref();
    let content = fields.text("content")?;
    if content.is_empty() {
        return Err("it has no content".to_owned());
    }
    let attributes = fields.get("attributes").map(|value| match structs::problem(value) {
        Some(problem) => Err(format!("attributes {problem}")),
        None => structs::to_struct(value).ok_or_else(|| "attributes is not an object".to_owned()),
    });
    Ok(v1::MemoryDraft {
        tier: fields.name("tier", TierArg::number)?,
        content,
        metadata: fields.object("metadata")?.map(|inner| metadata(&inner)).transpose()?,
        attributes: attributes.transpose()?,
        session_id: fields.text("session_id")?,
        protected: fields.flag("protected")?,
        speaker: fields.text("speaker")?,
        occurred_at: fields.time("occurred_at")?,
        created_by: audit.map_or(Ok(0), |audit| audit.name("created_by", CreatorArg::number))?,
        consent: audit.map_or(Ok(false), |audit| audit.flag("consent"))?,
        namespace: fields.text("namespace")?,
        consent_id: fields.text("consent_id")?,
        embed: fields.name("embed", EmbedArg::number)?,
    })
}

fn metadata(fields: &Fields<'_>) -> Result<v1::Metadata, String> {
    use v1::feedback::Kind;
    let feedback = fields.object("user_feedback")?;
    let kind = match feedback {
        Some(inner) => match inner.integer("rating")? {
            Some(stars) => Some(Kind::Rating(i32::try_from(stars).map_err(|_| "rating is not 1 to 5")?)),
            None => Some(Kind::ThumbsUp(inner.flag("thumbs_up")?)),
        },
        None => None,
    };
    Ok(v1::Metadata {
        tags: fields.texts("tags")?,
        source: fields.name("source", SourceArg::number)?,
        channels: fields.texts("channels")?,
        sensitive: fields.flag("sensitive")?,
        scope: fields.name("scope", ScopeArg::number)?,
        user_feedback: kind.map(|kind| v1::Feedback { kind: Some(kind) }),
        version: fields.text("version")?,
    })
}

fn goal(fields: &Fields<'_>) -> Result<v1::Goal, String> {
    Ok(v1::Goal {
        kind: fields.name("kind_of_goal", GoalKindArg::number)?,
        title: fields.text("title")?,
        description: fields.text("description")?,
        tags: fields.texts("tags")?,
        importance: fields.number("importance")?.unwrap_or_default(),
        status: fields.name("status", GoalStatusArg::number)?,
        ..v1::Goal::default()
    })
}

pub(super) fn settings(fields: &Fields<'_>) -> Result<Option<Settings>, String> {
    let preset = |name: &str| PresetArg::number(&name.replace('-', "_"));
    let scoring = match fields.object("weights")? {
        Some(inner) => Some(Scoring::Weights(weights(&inner)?)),
        None => Some(fields.name("preset", preset)?).filter(|preset| *preset != 0).map(Scoring::Preset),
    };
    let values = v1::UserSettings {
        short_term_quota_bytes: fields.integer("short_term_quota_bytes")?,
        long_term_quota_bytes: fields.integer("long_term_quota_bytes")?,
        permanent_quota_bytes: fields.integer("permanent_quota_bytes")?,
        archive_allowance_bytes: fields.integer("archive_allowance_bytes")?,
        scoring,
        grace: fields.span("grace")?,
        daily_prune_cap_bytes: fields.integer("daily_prune_cap_bytes")?,
        meditation_interval: fields.span("meditation_interval")?,
        short_term_lifetime: fields.span("short_term_lifetime")?,
        low_score: fields.number("low_score")?,
        embedding_enabled: fields.switch("embedding_enabled")?,
        vector_cap: fields.integer("vector_cap")?,
        daily_embedding_limit: fields.integer("daily_embedding_limit")?,
        weekly_embedding_limit: fields.integer("weekly_embedding_limit")?,
        consent_retraction: fields.name("consent_retraction", RetractionArg::number)?,
    };
    let set = [
        (values.short_term_quota_bytes.is_some(), "short_term_quota_bytes"),
        (values.long_term_quota_bytes.is_some(), "long_term_quota_bytes"),
        (values.permanent_quota_bytes.is_some(), "permanent_quota_bytes"),
        (values.archive_allowance_bytes.is_some(), "archive_allowance_bytes"),
        (values.scoring.is_some(), "scoring"),
        (values.grace.is_some(), "grace"),
        (values.daily_prune_cap_bytes.is_some(), "daily_prune_cap_bytes"),
        (values.meditation_interval.is_some(), "meditation_interval"),
        (values.short_term_lifetime.is_some(), "short_term_lifetime"),
        (values.low_score.is_some(), "low_score"),
        (values.embedding_enabled.is_some(), "embedding_enabled"),
        (values.vector_cap.is_some(), "vector_cap"),
        (values.daily_embedding_limit.is_some(), "daily_embedding_limit"),
        (values.weekly_embedding_limit.is_some(), "weekly_embedding_limit"),
        (values.consent_retraction != 0, "consent_retraction"),
    ];
    let paths: Vec<String> = set.into_iter().filter(|(is_set, _)| *is_set).map(|(_, path)| path.to_owned()).collect();
    Ok((!paths.is_empty()).then_some(Settings { values, paths }))
}

pub(super) fn weights(fields: &Fields<'_>) -> Result<v1::Weights, String> {
    let weight = |key| fields.number(key)?.ok_or_else(|| format!("weights has no {key}"));
    Ok(v1::Weights {
        relevance_to_goals: weight("relevance_to_goals")?,
        emotional_weight: weight("emotional_weight")?,
        predictive_value: weight("predictive_value")?,
        recency_freq: weight("recency_freq")?,
    })
}

#[cfg(test)]
mod tests;
