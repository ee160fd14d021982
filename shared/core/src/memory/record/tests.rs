//! Tests of imported records.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::*;
use crate::ids::{MemoryId, Seq};
use crate::links::Ending;
use crate::memory::{MemoryDraft, Metadata};
use crate::scoring::{SCORING_VERSION, Signals, Weights};
use crate::time::Span;
use crate::versions::Version;

const NOW: Timestamp = Timestamp(1_800_000_000_000_000);

fn record() -> MemoryRecord {
    let draft = MemoryDraft { content: "I love sailing".to_owned(), ..MemoryDraft::default() };
    let at = NOW.minus(Span::days(3));
    let id = MemoryId(Uuid::from_u128(0x0190_f1f0_0000_7000_8000_0000_0000_0001));
    let memory = Memory { score: 0.5, access_count: 4, revision: 3, ..Memory::new(id, Seq(0), draft, at) };
    let score = ScoreRecord {
        version: SCORING_VERSION.to_owned(),
        scored_at: at,
        score: 0.5,
        signals: Signals::default(),
        weights: Weights::new([0.4, 0.3, 0.2, 0.1]),
        inputs: BTreeMap::from([("age_days".to_owned(), 1.5)]),
        best_goal: None,
    };
    let past = Past::default();
    MemoryRecord { memory, helpful: 1, unhelpful: 2, score: Some(score), was_archived: false, was_deleted: false, past }
}

fn archived() -> MemoryRecord {
    let mut record = record();
    record.memory.state = MemoryState::Archived;
    record.memory.archived_at = Some(NOW.minus(Span::days(1)));
    record.memory.delete_after = Some(NOW.plus(Span::days(29)));
    record
}

fn checked(record: MemoryRecord) -> Result<MemoryRecord> {
    record.checked("item.record", DraftLimits::default(), NOW)
}

#[test]
fn good_record_passes_and_what_follows_from_its_content_is_computed() {
    let passed = checked(record()).unwrap();
    assert!(passed.memory.size_bytes > 14);
    assert!(passed.memory.sentiment > 0.0);
    assert_eq!(passed.memory.traits.words, 3);
    assert!(passed.says_the_same_as(&checked(passed.clone()).unwrap()), "checking twice changes nothing");
    let archived = checked(archived()).unwrap();
    assert!(archived.was_archived && !archived.was_deleted);
}

#[test]
fn time_that_equals_the_creation_is_no_time_of_its_own() {
    let mut with = record();
    with.memory.draft.occurred_at = Some(with.memory.created_at);
    assert_eq!(checked(with).unwrap().memory.draft.occurred_at, None);
}

fn input(record: &mut MemoryRecord, name: &str, value: f64) {
    record.score.as_mut().unwrap().inputs = BTreeMap::from([(name.to_owned(), value)]);
}

#[test]
fn counts_and_inputs_pass_up_to_their_bounds_and_come_back() {
    let mut most = record();
    (most.helpful, most.unhelpful) = (MAX_RECORD_COUNT, MAX_RECORD_COUNT);
    (most.memory.access_count, most.memory.revision) = (MAX_RECORD_COUNT, MAX_RECORD_COUNT);
    for value in [MAX_RECORD_INPUT, -MAX_RECORD_INPUT, 0.0] {
        input(&mut most, "age_days", value);
        let passed = checked(most.clone()).unwrap();
        assert_eq!(passed.score.as_ref().unwrap().inputs["age_days"].to_bits(), value.to_bits());
        assert_eq!((passed.helpful, passed.memory.revision), (MAX_RECORD_COUNT, MAX_RECORD_COUNT));
    }
}

#[test]
fn stored_time_that_equals_the_creation_is_the_same_as_none() {
    let (sent, mut stored) = (record(), record());
    stored.memory.draft.occurred_at = Some(stored.memory.created_at);
    assert!(sent.says_the_same_as(&stored) && stored.says_the_same_as(&sent));
    stored.memory.draft.occurred_at = Some(stored.memory.created_at.plus(Span::days(1)));
    assert!(!sent.says_the_same_as(&stored) && !stored.says_the_same_as(&sent));
}

/// Changes a valid record so that it must be refused.
type Spoil = fn(&mut MemoryRecord);

#[test]
fn every_field_is_held_to_its_bounds() {
    let cases: [(&str, Spoil); 26] = [
        ("memory.id", |r| r.memory.id = MemoryId(Uuid::from_u128(7))),
        ("memory.content", |r| r.memory.draft.content.clear()),
        ("memory.metadata.tags[0]", |r| {
            r.memory.draft.metadata = Metadata { tags: vec!["x".repeat(65)], ..Metadata::default() };
        }),
        ("memory.score", |r| r.memory.score = f64::NAN),
        ("memory.etag", |r| r.memory.revision = 0),
        ("memory.etag", |r| r.memory.revision = u64::MAX),
        ("memory.schema_version", |r| r.memory.schema_version = SCHEMA_VERSION + 1),
        ("memory.schema_version", |r| r.memory.schema_version = 0),
        ("memory.created_at", |r| r.memory.created_at = NOW.plus(Span::days(2))),
        ("memory.updated_at", |r| r.memory.updated_at = NOW.plus(Span::days(2))),
        ("memory.last_seen_at", |r| r.memory.last_seen_at = NOW.plus(Span::days(2))),
        ("memory.archived_at", |r| r.memory.archived_at = Some(NOW)),
        ("memory.delete_after", |r| r.memory.delete_after = Some(NOW)),
        ("score_explanation.scoring_version", |r| r.score.as_mut().unwrap().version = "v1".to_owned()),
        ("score_explanation.score", |r| r.score.as_mut().unwrap().score = 1.1),
        ("score_explanation.recency_freq", |r| r.score.as_mut().unwrap().signals.recency_freq = -0.1),
        ("score_explanation.weights.emotional_weight", |r| {
            r.score.as_mut().unwrap().weights.emotional_weight = f64::INFINITY;
        }),
        ("score_explanation.inputs", |r| input(r, "free text", 1.0)),
        ("score_explanation.inputs", |r| input(r, "", 1.0)),
        ("score_explanation.inputs", |r| input(r, "age_days", f64::NAN)),
        ("score_explanation.inputs", |r| input(r, "age_days", f64::MAX)),
        ("score_explanation.inputs", |r| input(r, "access_count", -1.1 * MAX_RECORD_INPUT)),
        ("memory.access_count", |r| r.memory.access_count = MAX_RECORD_COUNT + 1),
        ("memory.etag", |r| r.memory.revision = MAX_RECORD_COUNT + 1),
        ("helpful_count", |r| r.helpful = MAX_RECORD_COUNT + 1),
        ("unhelpful_count", |r| r.unhelpful = u64::MAX),
    ];
    for (field, spoil) in cases {
        let mut bad = record();
        spoil(&mut bad);
        let Err(Error::Invalid(found)) = checked(bad) else { panic!("{field} passed") };
        assert!(found.iter().all(|v| v.field == format!("item.record.{field}")), "{field}: {found:?}");
    }
}

#[test]
fn state_and_its_times_must_agree() {
    let cases: [(&str, Spoil); 4] = [
        ("archived_at", |r| r.memory.archived_at = None),
        ("delete_after", |r| r.memory.delete_after = None),
        ("delete_after", |r| r.memory.delete_after = Some(NOW.minus(Span::days(2)))),
        ("delete_after", |r| r.memory.delete_after = Some(Timestamp::MAX)),
    ];
    for (field, spoil) in cases {
        let mut bad = archived();
        spoil(&mut bad);
        let Err(Error::Invalid(found)) = checked(bad) else { panic!("{field} passed") };
        assert_eq!(found[0].field, format!("item.record.memory.{field}"));
    }
}

#[test]
fn what_a_vault_adds_about_consent_is_no_difference() {
    let (old, mut stored) = (record(), record());
    stored.memory.draft.consent_id = Some(crate::ids::ConsentId(Uuid::from_u128(1)));
    stored.memory.draft.consent = true;
    stored.memory.withheld = true;
    assert!(old.says_the_same_as(&stored), "an export from before there were records of consent");
    let mut other = stored.clone();
    other.memory.draft.consent_id = Some(crate::ids::ConsentId(Uuid::from_u128(2)));
    assert!(!other.says_the_same_as(&stored), "another record is another memory");
}

#[test]
fn any_difference_is_seen_but_for_what_the_vault_adds() {
    let (one, mut other) = (record(), record());
    other.memory.seq = Seq(9);
    other.memory.size_bytes = 9;
    assert!(one.says_the_same_as(&other));
    other.memory.access_count += 1;
    assert!(!one.says_the_same_as(&other));
    assert!(!one.says_the_same_as(&MemoryRecord { helpful: 9, ..record() }));
    assert!(!one.says_the_same_as(&MemoryRecord { score: None, ..record() }));
}

fn version(number: u64, content: &str) -> Version {
    Version {
        memory: MemoryId(Uuid::nil()),
        number,
        written_at: NOW.minus(Span::days(2)),
        changed_at: NOW.minus(Span::days(1)),
        action: "memory.edit".to_owned(),
        author: "bot".to_owned(),
        reason: None,
        redacted_at: None,
        bytes: 0,
        content: Some(content.to_owned()),
        detail: None,
    }
}

/// A refused field, and a change that makes it invalid.
type Case = (&'static str, fn(&mut Past));

#[test]
fn what_a_record_was_is_checked_and_belongs_to_it() {
    let mut with = record();
    with.past.versions = vec![version(1, "I love rowing"), version(2, "I love boats")];
    with.past.endings = vec![Ending { memory: MemoryId(Uuid::nil()), at: NOW, until: None, why: "why".to_owned() }];
    let passed = checked(with.clone()).unwrap();
    assert_eq!(passed.past.versions.iter().map(|one| (one.number, one.bytes)).collect::<Vec<_>>(), [(2, 12), (1, 13)]);
    assert!(passed.past.versions.iter().all(|one| one.memory == passed.memory.id));
    assert_eq!(passed.past.endings[0].memory, passed.memory.id);

    let cases: [Case; 9] = [
        ("versions[0].version.version", |past| past.versions[0].number = 3),
        ("versions", |past| past.versions[0].number = 2),
        ("versions[1].version.action", |past| past.versions[1].action = "Some words".to_owned()),
        ("versions[1].version.author", |past| past.versions[1].author = "\n".to_owned()),
        ("versions[1].version.changed_at", |past| past.versions[1].changed_at = NOW.plus(Span::days(9))),
        ("versions[1].content", |past| past.versions[1].redacted_at = Some(NOW)),
        ("versions[1].content", |past| past.versions[1].content = Some("\0".to_owned())),
        ("endings[0].reason", |past| past.endings[0].why = "\0".to_owned()),
        ("endings", |past| past.endings = vec![past.endings[0].clone(); 101]),
    ];
    for (field, spoil) in cases {
        let mut spoiled = with.clone();
        spoil(&mut spoiled.past);
        let Err(Error::Invalid(found)) = checked(spoiled) else { panic!("{field} passed") };
        assert_eq!(found[0].field, format!("item.record.{field}"), "{found:?}");
    }
}
