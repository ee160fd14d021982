//! Tests that exported lines are read back unchanged, and that errors name the problem.

use prost_types::Timestamp;
use serde_json::json;

use super::*;
use crate::commands::export::lines::format_line;

#[expect(clippy::unnecessary_wraps, reason = "fields of messages are optional")]
fn at(seconds: i64) -> Option<Timestamp> {
    Some(Timestamp { seconds, nanos: 123_456_000 })
}

/// A memory with every field that callers can write.
fn full() -> v1::Memory {
    v1::Memory {
        id: "mem_x".into(),
        user_id: "ann".into(),
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
        attributes: json::free(&json!({"dia_id": "D1:3", "n": [1, 2.5, -0.0]})).ok(),
        session_id: "s1".into(),
        protected: true,
        speaker: "Ann".into(),
        occurred_at: at(1_683_554_160),
        audit: Some(v1::Provenance { created_by: 3, consent: true }),
        state: 2,
        embed: 2,
        kind: v1::Kind::Decision.into(),
        detail: Some(v1::Detail {
            kind: Some(v1::detail::Kind::Decision(v1::DecisionDetail {
                choice: "the ferry".into(),
                alternatives: vec!["the train".into()],
                rationale: "cheaper".into(),
            })),
        }),
        subject: "crossing".into(),
        importance: 7,
        source_type: v1::SourceType::Inference.into(),
        valid_from: at(1_600_000_000),
        valid_to: at(1_900_000_000),
        source_ref: "https://example.org/7".into(),
        name: "notes/travel.md".into(),
        ..v1::Memory::default()
    }
}

/// The same memory with everything else stored about it.
fn record() -> v1::MemoryRecord {
    let memory = v1::Memory {
        score: 0.1 + 0.2,
        created_at: at(1),
        updated_at: at(2),
        last_seen_at: at(3),
        archived_at: at(4),
        delete_after: at(5),
        access_count: 6,
        schema_version: 1,
        etag: "7".into(),
        ..full()
    };
    let score = v1::ScoreExplanation {
        scoring_version: "scoring/v1".into(),
        scored_at: at(8),
        score: 0.1 + 0.2,
        relevance_to_goals: 1.0 / 3.0,
        emotional_weight: 1e-300,
        predictive_value: 0.5,
        recency_freq: 1.0,
        weights: Some(v1::Weights {
            relevance_to_goals: 0.4,
            emotional_weight: 0.3,
            predictive_value: 0.2,
            recency_freq: 0.1,
        }),
        inputs: [("age_days".into(), 1.0 / 24.0), ("access_count".into(), 3.0)].into(),
        best_goal_id: "goal_x".into(),
    };
    v1::MemoryRecord {
        memory: Some(memory),
        helpful_count: 9,
        unhelpful_count: 10,
        score_explanation: Some(score),
        was_archived: true,
        was_deleted: true,
        ..Default::default()
    }
}

fn lines(text: &str) -> CliResult<Vec<Line>> {
    Lines::new(text.as_bytes()).collect()
}

fn record_line(record: &v1::MemoryRecord) -> String {
    json::line_of(RECORD, record).unwrap()
}

fn memory(text: &str) -> Memory {
    let found = lines(text).unwrap().into_iter().find_map(|line| match line {
        Line::Memory(memory) => Some(*memory),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn exported_record_comes_back_with_every_field() {
    let text = format!("{}\n{}\n", format_line("ann"), record_line(&record()));
    let Memory::Record(back) = memory(&text) else { panic!("it came back as a draft") };
    assert_eq!(back, record());
    let bare = v1::MemoryRecord {
        memory: Some(v1::Memory { id: "mem_y".into(), content: "x".into(), ..v1::Memory::default() }),
        ..v1::MemoryRecord::default()
    };
    let Memory::Record(back) = memory(&format!("{}\n{}", format_line("ann"), record_line(&bare))) else {
        panic!("it came back as a draft")
    };
    assert_eq!((back.helpful_count, back.score_explanation), (0, None));
}

#[test]
fn a_draft_is_read_in_either_spelling_and_with_short_names() {
    let line = r#"{"content":"x","tier":"long-term","createdBy":"agent","occurred_at":"2023-05-08T13:56:00Z","embed":3,
        "metadata":{"tags":["a"],"url":"https://example.org"},"consent":true,"likes":7}"#;
    let Memory::Draft(draft) = memory(&line.replace('\n', "")) else { panic!("it came back as a record") };
    assert_eq!(
        (draft.tier(), draft.created_by(), draft.embed()),
        (v1::Tier::LongTerm, v1::Creator::Agent, v1::EmbedMark::Never)
    );
    assert_eq!((draft.occurred_at.unwrap().seconds, draft.consent), (1_683_554_160, true));
    assert_eq!(draft.metadata.unwrap().tags, ["a"], "what a memory does not have is passed over");
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
        scoring: Some(v1::user_settings::Scoring::Preset(2)),
        low_score: Some(0.25),
        embedding_enabled: Some(false),
        vector_cap: Some(7),
        daily_embedding_limit: Some(0),
        weekly_embedding_limit: Some(8),
        ..v1::UserSettings::default()
    };
    let text = format!("{}\n\n{}", json::line_of(GOAL, &goal).unwrap(), json::line_of(SETTINGS, &values).unwrap());
    let lines = lines(&text).unwrap();
    let [Line::Goal(back), Line::Settings(Some(settings))] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(back, &goal);
    assert_eq!(
        (settings.values, settings.paths.join(" ")),
        (
            values,
            "scoring grace low_score embedding_enabled vector_cap daily_embedding_limit weekly_embedding_limit"
                .to_owned()
        )
    );
}

#[test]
fn a_named_memory_may_be_empty() {
    for line in [r#"{"content":"","name":"todo.md"}"#, r#"{"record":{"memory":{"id":"mem_x","name":"todo.md"}}}"#] {
        assert!(matches!(read(line), Ok(Line::Memory(_))), "{line}");
    }
}

#[test]
fn a_bad_line_is_named_with_what_is_wrong() {
    let good = r#"{"content":"x"}"#;
    for (bad, part) in [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        (r#"{"content":""}"#, "no content"),
        (r#"{"record":{"memory":{"id":"mem_x"}}}"#, "record: it has no content"),
        (r#"{"record":{"memory":{"content":"x"},"dream":1}}"#, "record: dream: unrecognized field"),
        (r#"{"dream":{}}"#, "none of record, consent"),
        (r#"{"content":"x","tier":"medium"}"#, "tier: unrecognized enum value"),
        (r#"{"content":"x","metadata":{"tags":"a"}}"#, "metadata: "),
        (r#"{"export":{},"version":9}"#, "version 9"),
        (r#"{"export":{},"version":-1}"#, "version -1"),
        (r#"{"export":{}}"#, "no version"),
    ] {
        let message = lines(&format!("{good}\n{bad}")).unwrap_err().message().to_owned();
        assert!(message.starts_with("line 2: ") && message.contains(part), "{bad}: {message}");
    }
}
