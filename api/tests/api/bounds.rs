//! Every bound of the contract, on both sides: the maximum is accepted, and one more is refused with its path.

use crate::common::{Served, USER, create, draft, fields, mask};
use kimberly_core::bounds;
use kimberly_core::settings::{Origin, ServerDefaults};
use kimberly_proto::v1;
use kimberly_runtime::config::ApiConfig;
use prost_types::value::Kind;
use tonic::Status;

fn text(bytes: usize) -> String {
    "x".repeat(bytes)
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("t{n}")).collect()
}

fn metadata(metadata: v1::Metadata) -> v1::MemoryDraft {
    v1::MemoryDraft { metadata: Some(metadata), ..draft("x") }
}

fn attributes(bytes: usize) -> v1::MemoryDraft {
    let value = prost_types::Value { kind: Some(Kind::StringValue(text(bytes - r#"{"k":""}"#.len()))) };
    v1::MemoryDraft { attributes: Some(prost_types::Struct { fields: [("k".to_owned(), value)].into() }), ..draft("x") }
}

fn at(seconds: i64) -> v1::MemoryDraft {
    v1::MemoryDraft { occurred_at: Some(prost_types::Timestamp { seconds, nanos: 0 }), ..draft("x") }
}

fn rated(stars: i32) -> v1::MemoryDraft {
    let user_feedback = Some(v1::Feedback { kind: Some(v1::feedback::Kind::Rating(stars)) });
    metadata(v1::Metadata { user_feedback, ..Default::default() })
}

/// Starts a server with enough quota for everything that the bounds allow.
async fn roomy() -> Served {
    let defaults = ServerDefaults {
        short_term_quota_bytes: (1 << 30, Origin::Config),
        long_term_quota_bytes: (1 << 30, Origin::Config),
        permanent_quota_bytes: (1 << 30, Origin::Config),
        ..ServerDefaults::default()
    };
    Served::with(defaults, ApiConfig::default()).await
}

#[tokio::test]
async fn drafts_are_held_to_every_bound_on_both_sides() {
    let tags = |tags| metadata(v1::Metadata { tags, ..Default::default() });
    let channels = |channels| metadata(v1::Metadata { channels, ..Default::default() });
    let version = |version| metadata(v1::Metadata { version, ..Default::default() });
    let session = |session_id| v1::MemoryDraft { session_id, ..draft("x") };
    let speaker = |speaker| v1::MemoryDraft { speaker, ..draft("x") };
    let (first, last) = (-62_135_596_800, 253_402_300_799);
    let cases = vec![
        (
            "memory.content",
            draft(&text(bounds::DEFAULT_MAX_CONTENT_BYTES)),
            draft(&text(bounds::DEFAULT_MAX_CONTENT_BYTES + 1)),
        ),
        ("memory.content", draft("x"), draft("")),
        ("memory.content", draft(" x"), draft(" \n")),
        ("memory.metadata.tags", tags(texts(bounds::MAX_TAGS)), tags(texts(bounds::MAX_TAGS + 1))),
        (
            "memory.metadata.tags[0]",
            tags(vec![text(bounds::MAX_TAG_BYTES)]),
            tags(vec![text(bounds::MAX_TAG_BYTES + 1)]),
        ),
        ("memory.metadata.tags[1]", tags(texts(2)), tags(vec!["a".to_owned(), String::new()])),
        ("memory.metadata.channels", channels(texts(bounds::MAX_CHANNELS)), channels(texts(bounds::MAX_CHANNELS + 1))),
        (
            "memory.metadata.channels[0]",
            channels(vec![text(bounds::MAX_CHANNEL_BYTES)]),
            channels(vec![text(bounds::MAX_CHANNEL_BYTES + 1)]),
        ),
        (
            "memory.metadata.version",
            version(text(bounds::MAX_VERSION_BYTES)),
            version(text(bounds::MAX_VERSION_BYTES + 1)),
        ),
        (
            "memory.session_id",
            session(text(bounds::MAX_SESSION_ID_BYTES)),
            session(text(bounds::MAX_SESSION_ID_BYTES + 1)),
        ),
        ("memory.speaker", speaker(text(bounds::MAX_SPEAKER_BYTES)), speaker(text(bounds::MAX_SPEAKER_BYTES + 1))),
        ("memory.attributes", attributes(bounds::MAX_ATTRIBUTES_BYTES), attributes(bounds::MAX_ATTRIBUTES_BYTES + 1)),
        ("memory.occurred_at", at(first), at(first - 1)),
        ("memory.occurred_at", at(last), at(last + 1)),
        ("memory.metadata.user_feedback.rating", rated(1), rated(0)),
        ("memory.metadata.user_feedback.rating", rated(5), rated(6)),
        ("memory.tier", v1::MemoryDraft { tier: 3, ..draft("x") }, v1::MemoryDraft { tier: 4, ..draft("x") }),
        (
            "memory.created_by",
            v1::MemoryDraft { created_by: 3, ..draft("x") },
            v1::MemoryDraft { created_by: -1, ..draft("x") },
        ),
        ("memory.embed", v1::MemoryDraft { embed: 3, ..draft("x") }, v1::MemoryDraft { embed: 4, ..draft("x") }),
    ];
    let served = roomy().await;
    for (field, good, bad) in cases.into_iter().chain(of_belief()) {
        served.create(create(good)).await.unwrap_or_else(|refused| panic!("{field}: {refused:?}"));
        assert_eq!(fields(&served.create(create(bad)).await.unwrap_err()), [field]);
    }
    let missing = v1::CreateMemoryRequest {
        user_id: USER.to_owned(),
        memory: None,
        request_id: String::new(),
        always_new: false,
    };
    assert_eq!(fields(&served.create(missing).await.unwrap_err()), ["memory"]);
}

/// The fields that state what a record is and how far to believe it.
fn of_belief() -> Vec<(&'static str, v1::MemoryDraft, v1::MemoryDraft)> {
    let with = |change: &dyn Fn(&mut v1::MemoryDraft)| {
        let mut new = draft("x");
        change(&mut new);
        new
    };
    let at = |seconds| Some(prost_types::Timestamp { seconds, nanos: 0 });
    let subject = |n| with(&|d| d.subject = text(n));
    let source = |n| with(&|d| d.source_ref = text(n));
    let name = |n| with(&|d| d.name = text(n));
    let importance = |n| with(&|d| d.importance = n);
    let confidence = |share| with(&|d| d.confidence = Some(share));
    let source_type = |n| with(&|d| d.source_type = n);
    let valid = |from, to| with(&|d| (d.valid_from, d.valid_to) = (at(from), at(to)));
    let value = |priority| {
        let kind = v1::detail::Kind::Value(v1::ValueDetail { priority });
        with(&|d| d.detail = Some(v1::Detail { kind: Some(kind.clone()) }))
    };
    let of = |kind: v1::Kind| v1::MemoryDraft { kind: kind.into(), ..value(1) };
    vec![
        ("memory.kind", with(&|d| d.kind = 17), with(&|d| d.kind = 19)),
        ("memory.kind", of(v1::Kind::Value), of(v1::Kind::Drive)),
        ("memory.detail", value(0), with(&|d| d.detail = Some(v1::Detail { kind: None }))),
        ("memory.detail.value.priority", value(bounds::MAX_PRIORITY), value(bounds::MAX_PRIORITY + 1)),
        ("memory.subject", subject(bounds::MAX_SUBJECT_BYTES), subject(bounds::MAX_SUBJECT_BYTES + 1)),
        ("memory.source_ref", source(bounds::MAX_SOURCE_REF_BYTES), source(bounds::MAX_SOURCE_REF_BYTES + 1)),
        ("memory.name", name(bounds::MAX_NAME_BYTES), name(bounds::MAX_NAME_BYTES + 1)),
        ("memory.name", name(1), with(&|d| "a/../b".clone_into(&mut d.name))),
        ("memory.importance", importance(0), importance(-1)),
        ("memory.importance", importance(bounds::MAX_IMPORTANCE), importance(bounds::MAX_IMPORTANCE + 1)),
        ("memory.confidence", confidence(0.0), confidence(-0.01)),
        ("memory.confidence", confidence(1.0), confidence(f64::NAN)),
        ("memory.source_type", source_type(10), source_type(11)),
        ("memory.valid_to", valid(1, 2), valid(2, 2)),
        ("memory.valid_from", valid(-62_135_596_800, 0), valid(-62_135_596_801, 0)),
    ]
}

#[tokio::test]
async fn user_and_request_ids_are_held_to_their_bounds() {
    let served = roomy().await;
    let by = |user_id: String, request_id: String| v1::CreateMemoryRequest {
        user_id,
        request_id,
        memory: Some(draft("x")),
        always_new: false,
    };
    served.create(by(text(bounds::MAX_USER_ID_BYTES), text(bounds::MAX_REQUEST_ID_BYTES))).await.unwrap();
    for user in [text(bounds::MAX_USER_ID_BYTES + 1), " ada".to_owned(), "a\tb".to_owned()] {
        assert_eq!(fields(&served.create(by(user, String::new())).await.unwrap_err()), ["user_id"]);
    }
    let long = served.create(by(USER.to_owned(), text(bounds::MAX_REQUEST_ID_BYTES + 1))).await.unwrap_err();
    assert_eq!(fields(&long), ["request_id"]);
}

#[tokio::test]
async fn batches_are_held_to_their_bounds() {
    let served = roomy().await;
    let batch = async |memories| {
        let request = v1::BatchCreateMemoriesRequest {
            user_id: USER.to_owned(),
            memories,
            request_id: String::new(),
            always_new: false,
        };
        served.memories().batch_create_memories(request).await
    };
    let part = bounds::MAX_BATCH_BYTES / 64;
    batch(vec![draft(&text(part)); 64]).await.unwrap();
    assert_eq!(fields(&batch(vec![draft(&text(part)); 65]).await.unwrap_err()), ["memories"]);
    assert_eq!(fields(&batch(vec![draft("x"); bounds::MAX_BATCH + 1]).await.unwrap_err()), ["memories"]);
    assert_eq!(fields(&batch(vec![]).await.unwrap_err()), ["memories"]);
}

#[tokio::test]
async fn queries_filters_and_pages_are_held_to_their_bounds() {
    let served = roomy().await;
    served.remember("x").await;
    let filtered = |filter| v1::QueryMemoriesRequest { filter: Some(filter), ..query("x", 0) };
    let tags = |n| filtered(v1::MemoryFilter { tags_any: texts(n), ..Default::default() });
    let all_tags = |n| filtered(v1::MemoryFilter { tags_all: vec![text(n)], ..Default::default() });
    let speakers = |n| filtered(v1::MemoryFilter { speakers: texts(n), ..Default::default() });
    let session = |n| filtered(v1::MemoryFilter { session_id: text(n), ..Default::default() });
    let subjects = |n| filtered(v1::MemoryFilter { subjects: texts(n), ..Default::default() });
    let subject = |n| filtered(v1::MemoryFilter { subjects: vec![text(n)], ..Default::default() });
    let authors = |n| filtered(v1::MemoryFilter { authors: texts(n), ..Default::default() });
    let kinds = |n| filtered(v1::MemoryFilter { kinds: vec![0; n], ..Default::default() });
    let layers = |n| filtered(v1::MemoryFilter { layers: vec![1; n], ..Default::default() });
    let least = |share| filtered(v1::MemoryFilter { min_confidence: share, ..Default::default() });
    let below = |share| filtered(v1::MemoryFilter { below_confidence: share, ..Default::default() });
    let important = |n| filtered(v1::MemoryFilter { min_importance: n, ..Default::default() });
    let active = |n| v1::QueryMemoriesRequest { active_session_id: text(n), ..query("x", 0) };
    let cases = vec![
        ("query", query(&text(bounds::MAX_QUERY_BYTES), 0), query(&text(bounds::MAX_QUERY_BYTES + 1), 0)),
        ("query", query("?", 0), query("", 0)),
        ("top_k", query("x", 100), query("x", 101)),
        ("top_k", query("x", 1), query("x", -1)),
        ("active_session_id", active(bounds::MAX_SESSION_ID_BYTES), active(bounds::MAX_SESSION_ID_BYTES + 1)),
        ("filter.tags_any", tags(bounds::MAX_TAGS), tags(bounds::MAX_TAGS + 1)),
        ("filter.tags_all[0]", all_tags(bounds::MAX_TAG_BYTES), all_tags(bounds::MAX_TAG_BYTES + 1)),
        ("filter.speakers", speakers(bounds::MAX_FILTER_SPEAKERS), speakers(bounds::MAX_FILTER_SPEAKERS + 1)),
        ("filter.subjects", subjects(bounds::MAX_FILTER_SUBJECTS), subjects(bounds::MAX_FILTER_SUBJECTS + 1)),
        ("filter.subjects[0]", subject(bounds::MAX_SUBJECT_BYTES), subject(bounds::MAX_SUBJECT_BYTES + 1)),
        ("filter.authors", authors(bounds::MAX_FILTER_AUTHORS), authors(bounds::MAX_FILTER_AUTHORS + 1)),
        ("filter.kinds", kinds(19), kinds(20)),
        ("filter.layers", layers(5), layers(6)),
        ("filter.min_confidence", least(1.0), least(1.01)),
        ("filter.below_confidence", below(1.0), below(-0.01)),
        ("filter.min_importance", important(10), important(11)),
        ("filter.min_importance", important(0), important(-1)),
        ("filter.session_id", session(bounds::MAX_SESSION_ID_BYTES), session(bounds::MAX_SESSION_ID_BYTES + 1)),
    ];
    for (field, good, bad) in cases {
        served.memories().query_memories(good).await.unwrap_or_else(|refused| panic!("{field}: {refused:?}"));
        assert_eq!(fields(&served.memories().query_memories(bad).await.unwrap_err()), [field]);
    }
    for (size, good) in [(0, true), (1, true), (1_000, true), (1_001, false), (-1, false)] {
        let request = v1::ListMemoriesRequest { user_id: USER.to_owned(), page_size: size, ..Default::default() };
        let answer = served.memories().list_memories(request).await;
        assert_eq!(answer.is_ok(), good, "{size}");
        assert!(answer.err().is_none_or(|refused| fields(&refused) == ["page_size"]));
    }
}

fn query(text: &str, top_k: i32) -> v1::QueryMemoriesRequest {
    v1::QueryMemoriesRequest { user_id: USER.to_owned(), query: text.to_owned(), top_k, ..Default::default() }
}

#[tokio::test]
async fn outcomes_and_sessions_are_held_to_their_bounds() {
    let served = roomy().await;
    let id = served.remember("x").await.id;
    let report = async |count| {
        let memory_ids = vec![id.clone(); count];
        let request =
            v1::RecordOutcomeRequest { user_id: USER.to_owned(), memory_ids, outcome: 2, ..Default::default() };
        served.memories().record_outcome(request).await
    };
    assert_eq!(report(bounds::MAX_OUTCOME_IDS).await.unwrap().into_inner().recorded, 1);
    for count in [0, bounds::MAX_OUTCOME_IDS + 1] {
        assert_eq!(fields(&report(count).await.unwrap_err()), ["memory_ids"]);
    }
    let end = async |session_id| {
        let request = v1::EndSessionRequest { user_id: USER.to_owned(), session_id, request_id: String::new() };
        served.memories().end_session(request).await
    };
    end(text(bounds::MAX_SESSION_ID_BYTES)).await.unwrap();
    for session in [String::new(), text(bounds::MAX_SESSION_ID_BYTES + 1)] {
        assert_eq!(fields(&end(session).await.unwrap_err()), ["session_id"]);
    }
}

#[tokio::test]
async fn goals_are_held_to_every_bound_on_both_sides() {
    let served = roomy().await;
    let goal = |title: String| v1::Goal { title, ..Default::default() };
    let cases = [
        ("goal.title", goal(text(bounds::MAX_GOAL_TITLE_BYTES)), goal(text(bounds::MAX_GOAL_TITLE_BYTES + 1))),
        ("goal.title", goal(text(1)), goal(String::new())),
        (
            "goal.description",
            v1::Goal { description: text(bounds::MAX_GOAL_DESCRIPTION_BYTES), ..goal(text(1)) },
            v1::Goal { description: text(bounds::MAX_GOAL_DESCRIPTION_BYTES + 1), ..goal(text(1)) },
        ),
        (
            "goal.tags",
            v1::Goal { tags: texts(bounds::MAX_TAGS), ..goal(text(1)) },
            v1::Goal { tags: texts(bounds::MAX_TAGS + 1), ..goal(text(1)) },
        ),
        (
            "goal.importance",
            v1::Goal { importance: 1.0, ..goal(text(1)) },
            v1::Goal { importance: 1.01, ..goal(text(1)) },
        ),
        (
            "goal.importance",
            v1::Goal { importance: 0.01, ..goal(text(1)) },
            v1::Goal { importance: -0.01, ..goal(text(1)) },
        ),
        ("goal.kind", v1::Goal { kind: 3, ..goal(text(1)) }, v1::Goal { kind: 4, ..goal(text(1)) }),
        ("goal.status", v1::Goal { status: 2, ..goal(text(1)) }, v1::Goal { status: 3, ..goal(text(1)) }),
    ];
    for (field, good, bad) in cases {
        let request =
            |goal| v1::CreateGoalRequest { user_id: USER.to_owned(), goal: Some(goal), request_id: String::new() };
        served.goals().create_goal(request(good)).await.unwrap_or_else(|refused| panic!("{field}: {refused:?}"));
        assert_eq!(fields(&served.goals().create_goal(request(bad)).await.unwrap_err()), [field]);
    }
}

#[tokio::test]
async fn settings_are_held_to_every_bound_on_both_sides() {
    let served = roomy().await;
    let (kib, tib) = (1024_i64, 1024_i64.pow(4));
    let (minute, hour, day) = (60, 3_600, 86_400);
    let whole = |field: &'static str, least: i64, most: i64| {
        [(field, least, true), (field, most, true), (field, least - 1, false), (field, most + 1, false)]
    };
    let cases = [
        whole("short_term_quota_bytes", kib, tib),
        whole("long_term_quota_bytes", kib, tib),
        whole("permanent_quota_bytes", kib, tib),
        whole("archive_allowance_bytes", kib, 3 * tib),
        whole("daily_prune_cap_bytes", 0, tib),
        whole("grace", 0, 3_650 * day),
        whole("meditation_interval", hour, 365 * day),
        whole("short_term_lifetime", minute, 365 * day),
    ];
    for (field, value, good) in cases.into_iter().flatten() {
        check(field, update(&served, field, &settings(field, value)).await, good);
    }
    for (score, good) in [(0.0, true), (1.0, true), (-0.01, false), (1.01, false), (f64::NAN, false)] {
        let low = v1::UserSettings { low_score: Some(score), ..Default::default() };
        check("low_score", update(&served, "low_score", &low).await, good);
    }
    for (weights, good) in
        [([0.0, 0.0, 0.0, 1.0], true), ([1.0; 4], true), ([0.0; 4], false), ([1.1, 0.0, 0.0, 0.0], false)]
    {
        let [relevance_to_goals, emotional_weight, predictive_value, recency_freq] = weights;
        let weights = v1::Weights { relevance_to_goals, emotional_weight, predictive_value, recency_freq };
        let scoring = Some(v1::user_settings::Scoring::Weights(weights));
        let answer = update(&served, "scoring", &v1::UserSettings { scoring, ..Default::default() }).await;
        assert_eq!(answer.is_ok(), good, "{weights:?}");
        assert!(answer.err().is_none_or(|refused| fields(&refused)[0].starts_with("user_settings.weights")));
    }
}

fn check(field: &str, answer: Result<(), Status>, good: bool) {
    assert_eq!(answer.is_ok(), good, "{field}: {answer:?}");
    assert!(answer.err().is_none_or(|refused| fields(&refused) == [format!("user_settings.{field}")]));
}

fn settings(field: &str, value: i64) -> v1::UserSettings {
    let span = Some(prost_types::Duration { seconds: value, nanos: 0 });
    let mut settings = v1::UserSettings::default();
    match field {
        "short_term_quota_bytes" => settings.short_term_quota_bytes = Some(value),
        "long_term_quota_bytes" => settings.long_term_quota_bytes = Some(value),
        "permanent_quota_bytes" => settings.permanent_quota_bytes = Some(value),
        "archive_allowance_bytes" => settings.archive_allowance_bytes = Some(value),
        "daily_prune_cap_bytes" => settings.daily_prune_cap_bytes = Some(value),
        "grace" => settings.grace = span,
        "meditation_interval" => settings.meditation_interval = span,
        _ => settings.short_term_lifetime = span,
    }
    settings
}

async fn update(served: &Served, field: &str, values: &v1::UserSettings) -> Result<(), Status> {
    let request = v1::UpdateSettingsRequest {
        user_id: USER.to_owned(),
        user_settings: Some(*values),
        update_mask: Some(mask(&[field])),
        ..Default::default()
    };
    served.settings().update_settings(request).await.map(drop)
}
