//! Tests of the conversion of records in both directions.

use super::*;

fn user() -> UserId {
    UserId::parse("ada").unwrap()
}

fn at(seconds: i64) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds, nanos: 5_000 }
}

fn explained() -> v1::ScoreExplanation {
    v1::ScoreExplanation {
        scoring_version: "scoring/v1".to_owned(),
        scored_at: Some(at(60)),
        score: 0.3,
        relevance_to_goals: 0.1,
        emotional_weight: 0.2,
        predictive_value: 0.3,
        recency_freq: 0.4,
        weights: Some(v1::Weights {
            relevance_to_goals: 0.4,
            emotional_weight: 0.3,
            predictive_value: 0.2,
            recency_freq: 0.1,
        }),
        inputs: [("age_days".to_owned(), 1.5)].into(),
        best_goal_id: "goal_0190f1f0-0000-7000-8000-000000000002".to_owned(),
    }
}

fn memory() -> v1::Memory {
    let text = |text: &str| prost_types::Value { kind: Some(prost_types::value::Kind::StringValue(text.to_owned())) };
    v1::Memory {
        id: "mem_0190f1f0-0000-7000-8000-000000000001".to_owned(),
        user_id: "ada".to_owned(),
        tier: v1::Tier::Permanent.into(),
        content: "I sail".to_owned(),
        metadata: Some(v1::Metadata {
            tags: vec!["sea".to_owned()],
            source: v1::Source::Upload.into(),
            channels: vec!["voice".to_owned()],
            sensitive: true,
            scope: v1::Scope::Shared.into(),
            user_feedback: Some(v1::Feedback { kind: Some(v1::feedback::Kind::Rating(4)) }),
            version: "v2".to_owned(),
        }),
        score: 0.1 + 0.2,
        created_at: Some(at(10)),
        updated_at: Some(at(20)),
        last_seen_at: Some(at(30)),
        audit: Some(v1::Provenance { created_by: v1::Creator::Agent.into(), consent: true }),
        etag: "7".to_owned(),
        schema_version: 1,
        state: v1::MemoryState::Archived.into(),
        archived_at: Some(at(40)),
        delete_after: Some(at(50)),
        protected: true,
        session_id: "s".to_owned(),
        access_count: 12,
        attributes: Some(prost_types::Struct { fields: [("k".to_owned(), text("v"))].into() }),
        speaker: "Ann".to_owned(),
        occurred_at: Some(at(5)),
        embed: v1::EmbedMark::Never.into(),
        kind: v1::Kind::Decision.into(),
        detail: Some(v1::Detail {
            kind: Some(v1::detail::Kind::Decision(v1::DecisionDetail {
                choice: "the ferry".to_owned(),
                alternatives: vec!["the train".to_owned()],
                rationale: "cheaper".to_owned(),
            })),
        }),
        subject: "crossing".to_owned(),
        importance: 7,
        confidence: Some(0.1 + 0.6),
        source_type: v1::SourceType::Inference.into(),
        valid_from: Some(at(7)),
        valid_to: Some(at(70)),
        last_verified_at: Some(at(33)),
        stale_since: Some(at(34)),
        verification_count: 2,
        confidence_history: vec![v1::ConfidenceChange {
            changed_at: Some(at(33)),
            confidence: 0.7,
            reason: v1::ConfidenceReason::Verified.into(),
        }],
        source_ref: "https://example.org/7".to_owned(),
        name: "notes/travel.md".to_owned(),
        author: "bot".to_owned(),
        layer: v1::Layer::Knowledge.into(),
        ..Default::default()
    }
}

fn wire() -> v1::MemoryRecord {
    v1::MemoryRecord {
        memory: Some(memory()),
        helpful_count: 3,
        unhelpful_count: 4,
        score_explanation: Some(explained()),
        was_archived: true,
        was_deleted: true,
        versions: versions(),
        endings: vec![v1::KeptEnding { at: Some(at(42)), valid_to: Some(at(43)), reason: "she moved".to_owned() }],
    }
}

/// Returns a version with its texts, and one that was redacted.
fn versions() -> Vec<v1::KeptVersion> {
    vec![
        v1::KeptVersion {
            version: Some(v1::RecordVersion {
                version: 6,
                written_at: Some(at(40)),
                changed_at: Some(at(41)),
                action: "memory.edit".to_owned(),
                author: "bot".to_owned(),
                reason: "a typo".to_owned(),
                redacted_at: None,
                bytes: 0,
            }),
            content: "what it was".to_owned(),
            detail: None,
        },
        v1::KeptVersion {
            version: Some(v1::RecordVersion { version: 5, redacted_at: Some(at(44)), ..dated() }),
            ..v1::KeptVersion::default()
        },
    ]
}

fn dated() -> v1::RecordVersion {
    let (written_at, changed_at) = (Some(at(38)), Some(at(39)));
    v1::RecordVersion { written_at, changed_at, action: "memory.edit".to_owned(), ..v1::RecordVersion::default() }
}

#[test]
fn every_field_comes_back_as_it_went_out() {
    let record = from_wire("item.record", wire()).unwrap();
    assert_eq!((record.helpful, record.unhelpful, record.memory.revision), (3, 4, 7));
    let out = to_wire(&user(), record).unwrap();
    assert_eq!(out, wire());
}

#[test]
fn a_record_without_a_confidence_has_that_of_its_source() {
    let mut raw = wire();
    raw.memory.as_mut().unwrap().confidence = None;
    let record = from_wire("item.record", raw).unwrap();
    assert_eq!(record.memory.belief.confidence.to_bits(), 0.6_f64.to_bits(), "an inference");
}

#[test]
fn what_is_missing_or_malformed_is_named_by_its_path() {
    type Spoil = fn(&mut v1::MemoryRecord);
    fn memory(record: &mut v1::MemoryRecord) -> &mut v1::Memory {
        record.memory.as_mut().unwrap()
    }
    let cases: [(&str, Spoil); 12] = [
        ("memory", |r| r.memory = None),
        ("memory.id", |r| memory(r).id = "7".to_owned()),
        ("memory.etag", |r| memory(r).etag = "0".to_owned()),
        ("memory.etag", |r| memory(r).etag = "+7".to_owned()),
        ("memory.created_at", |r| memory(r).created_at = None),
        ("memory.state", |r| memory(r).state = 9),
        ("memory.tier", |r| memory(r).tier = -1),
        ("memory.access_count", |r| memory(r).access_count = -1),
        ("memory.archived_at", |r| memory(r).archived_at.as_mut().unwrap().nanos = -1),
        ("helpful_count", |r| r.helpful_count = -1),
        ("score_explanation.scored_at", |r| r.score_explanation.as_mut().unwrap().scored_at = None),
        ("score_explanation.best_goal_id", |r| r.score_explanation.as_mut().unwrap().best_goal_id = "x".to_owned()),
    ];
    for (field, spoil) in cases {
        let mut raw = wire();
        spoil(&mut raw);
        let Err(Error::Invalid(found)) = from_wire("item.record", raw) else { panic!("{field} passed") };
        assert_eq!(found[0].field, format!("item.record.{field}"), "{found:?}");
    }
}
