//! Kimberly's own export: JSON lines, each with a `kind`. Every field that a caller can write is taken over.

use kimberly_proto::v1;
use kimberly_proto::v1::user_settings::Scoring;
use serde_json::Value;

use super::Load;
use super::fields::Fields;
use crate::error::{CliError, CliResult};
use crate::json::structs;
use crate::names::{CreatorArg, GoalKindArg, GoalStatusArg, PresetArg, ScopeArg, SourceArg, StateArg, TierArg};

/// Settings and the fields that they set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::commands) struct Settings {
    pub(super) values: v1::UserSettings,
    pub(super) paths: Vec<String>,
}

/// Reads all lines for one user.
pub(super) fn load(text: &str, user: &str, with_deleted: bool) -> CliResult<Load> {
    let mut load = Load { user: user.to_owned(), ..Load::default() };
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        read(line, &mut load, with_deleted).map_err(|problem| {
            let place = index + 1;
            CliError::usage(format!(
                "line {place}: {problem}; an import takes what `kimberly export` wrote, or LoCoMo's shape"
            ))
        })?;
    }
    Ok(load)
}

fn read(line: &str, load: &mut Load, with_deleted: bool) -> Result<(), String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("not JSON ({error})"))?;
    let fields = Fields::new(value.as_object().ok_or("not a JSON object")?);
    match fields.text("kind")?.as_str() {
        "memory" | "" => {
            let deleted = fields.name("state", StateArg::number)? == i32::from(v1::MemoryState::Deleted);
            if deleted && !with_deleted {
                load.skipped += 1;
            } else {
                load.drafts.push(draft(&fields)?);
            }
        }
        "goal" => load.goals.push(goal(&fields)?),
        "settings" => load.settings = settings(&fields)?,
        "export" => match fields.integer("version")? {
            Some(1) | None => {}
            Some(newer) => return Err(format!("this export has version {newer}; this kimberly reads version 1")),
        },
        other => return Err(format!("there is no kind {other:?}")),
    }
    Ok(())
}

fn draft(fields: &Fields<'_>) -> Result<v1::MemoryDraft, String> {
    let audit = fields.object("audit")?;
    let audit = audit.as_ref();
    let content = fields.text("content")?;
    if content.is_empty() {
        return Err("it has no content".to_owned());
    }
    let attributes =
        fields.get("attributes").map(|value| structs::to_struct(value).ok_or("attributes is not an object"));
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

fn settings(fields: &Fields<'_>) -> Result<Option<Settings>, String> {
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
    ];
    let paths: Vec<String> = set.into_iter().filter(|(is_set, _)| *is_set).map(|(_, path)| path.to_owned()).collect();
    Ok((!paths.is_empty()).then_some(Settings { values, paths }))
}

fn weights(fields: &Fields<'_>) -> Result<v1::Weights, String> {
    let weight = |key| fields.number(key)?.ok_or_else(|| format!("weights has no {key}"));
    Ok(v1::Weights {
        relevance_to_goals: weight("relevance_to_goals")?,
        emotional_weight: weight("emotional_weight")?,
        predictive_value: weight("predictive_value")?,
        recency_freq: weight("recency_freq")?,
    })
}

#[cfg(test)]
mod tests {
    use prost_types::Timestamp;
    use serde_json::json;

    use super::*;

    /// A memory with every field that a caller can write.
    fn full() -> v1::Memory {
        let at = Timestamp { seconds: 1_683_554_160, nanos: 123_000_000 };
        v1::Memory {
            id: "mem_x".into(),
            tier: 3,
            content: "line one\nline \"two\"".into(),
            metadata: Some(v1::Metadata {
                tags: vec!["a".into(), "b c".into()],
                source: 2,
                channels: vec!["voice".into()],
                sensitive: true,
                scope: 2,
                user_feedback: Some(v1::Feedback { kind: Some(v1::feedback::Kind::Rating(4)) }),
                version: "v7".into(),
            }),
            attributes: structs::to_struct(&json!({"dia_id": "D1:3", "n": [1, 2.5]})),
            session_id: "s1".into(),
            protected: true,
            speaker: "Ann".into(),
            occurred_at: Some(at),
            audit: Some(v1::Provenance { created_by: 3, consent: true }),
            state: 2,
            ..v1::Memory::default()
        }
    }

    #[test]
    fn an_exported_memory_comes_back_with_every_field_that_a_caller_writes() {
        let memory = full();
        let load = load(&crate::commands::export::memory_line(&memory).to_string(), "ann", false).unwrap();
        let draft = &load.drafts[0];
        assert_eq!(
            (draft.tier, &draft.content, &draft.metadata, &draft.attributes, &draft.session_id),
            (memory.tier, &memory.content, &memory.metadata, &memory.attributes, &memory.session_id)
        );
        assert_eq!(
            (draft.protected, &draft.speaker, draft.occurred_at, draft.created_by, draft.consent),
            (true, &memory.speaker, memory.occurred_at, 3, true)
        );
    }

    #[test]
    fn goals_and_settings_come_back_too() {
        let goal = v1::Goal {
            kind: 2,
            title: "sail".into(),
            tags: vec!["sea".into()],
            importance: 0.5,
            status: 2,
            ..v1::Goal::default()
        };
        let values = v1::UserSettings {
            grace: Some(prost_types::Duration { seconds: 60, nanos: 0 }),
            scoring: Some(Scoring::Preset(2)),
            low_score: Some(0.25),
            ..v1::UserSettings::default()
        };
        let text = format!(
            "{}\n{}",
            crate::commands::export::goal_line(&goal),
            crate::commands::export::settings_line(&values)
        );
        let load = load(&text, "ann", false).unwrap();
        assert_eq!(load.goals, [goal]);
        let settings = load.settings.unwrap();
        assert_eq!((settings.values, settings.paths.join(" ")), (values, "scoring grace low_score".to_owned()));
    }

    #[test]
    fn deleted_memories_stay_deleted_unless_asked_for() {
        let line = crate::commands::export::memory_line(&v1::Memory { state: 3, ..full() }).to_string();
        let (without, with) = (load(&line, "ann", false).unwrap(), load(&line, "ann", true).unwrap());
        assert_eq!((without.drafts.len(), without.skipped, with.drafts.len()), (0, 1, 1));
    }

    #[test]
    fn a_bad_line_is_named_with_what_is_wrong() {
        let good = r#"{"kind":"memory","content":"x"}"#;
        for (bad, part) in [
            ("{", "not JSON"),
            ("[1]", "not a JSON object"),
            (r#"{"kind":"memory"}"#, "no content"),
            (r#"{"kind":"dream"}"#, "dream"),
            (r#"{"content":"x","tier":"medium"}"#, "tier"),
            (r#"{"content":"x","metadata":{"tags":"a"}}"#, "tags"),
            (r#"{"kind":"export","version":9}"#, "version 9"),
        ] {
            let message = load(&format!("{good}\n{bad}"), "ann", false).unwrap_err().message().to_owned();
            assert!(message.starts_with("line 2: ") && message.contains(part), "{bad}: {message}");
        }
    }
}
