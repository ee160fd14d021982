//! Tests of the conversion of details in both directions.

use kimberly_core::Error;

use super::*;

fn converted(kind: Kind) -> Result<Option<Detail>, Vec<String>> {
    let mut problems = Problems::default();
    let taken = detail("memory.detail", v1::Detail { kind: Some(kind) }, &mut problems);
    match problems.finish(taken) {
        Ok(taken) => Ok(taken),
        Err(Error::Invalid(found)) => Err(found.into_iter().map(|violation| violation.field).collect()),
        Err(other) => panic!("{other:?}"),
    }
}

fn texts() -> Vec<String> {
    vec!["a".to_owned(), "b".to_owned()]
}

fn one_of_each() -> Vec<Kind> {
    let text = |text: &str| text.to_owned();
    vec![
        Kind::Turn(v1::TurnDetail {
            role: 4,
            position: 3,
            tool: text("calendar"),
            tool_call_id: text("c1"),
            sent_digest: text("d1"),
        }),
        Kind::Episode(v1::EpisodeDetail {
            objective: text("o"),
            outcome: text("done"),
            outcome_type: 2,
            lessons: texts(),
            valence: Some(-0.0),
            arousal: Some(0.5),
        }),
        Kind::Fact(v1::FactDetail { subject: text("Ana"), predicate: text("lives in"), object: text("Lisbon") }),
        Kind::Preference(v1::PreferenceDetail { subject: text("window seats"), polarity: 2 }),
        Kind::Decision(v1::DecisionDetail { choice: text("c"), alternatives: texts(), rationale: text("r") }),
        Kind::Note(v1::NoteDetail { r#type: 2, source: text("a book") }),
        Kind::Value(v1::ValueDetail { priority: 90 }),
        Kind::Drive(v1::DriveDetail { intensity: 0.25, focus: texts() }),
        Kind::Playbook(v1::PlaybookDetail {
            triggers: texts(),
            steps: texts(),
            failure_modes: texts(),
            used: 3,
            succeeded: 2,
        }),
        Kind::Relationship(v1::RelationshipDetail {
            entity: text("Bo"),
            r#type: text("colleague"),
            trust: 0.5,
            sentiment: -0.5,
            interactions: 7,
        }),
        Kind::Document(v1::DocumentDetail {
            title: text("Leave"),
            media_type: text("text/html"),
            attachment_id: text("att_0190f1f0-0000-7000-8000-000000000001"),
            text_bytes: 38,
            passages: 1,
        }),
        Kind::Insight(v1::InsightDetail {
            r#type: 1,
            premises: vec![text("mem_0190f1f0-0000-7000-8000-000000000001")],
        }),
    ]
}

#[test]
fn details_of_every_kind_come_back_as_they_went() {
    for kind in one_of_each() {
        let taken = converted(kind.clone()).unwrap().unwrap();
        assert_eq!(to_wire(taken).kind, Some(kind));
    }
}

#[test]
fn what_is_unset_has_its_default_or_is_refused() {
    let note = converted(Kind::Note(v1::NoteDetail::default())).unwrap().unwrap();
    assert_eq!(to_wire(note).kind, Some(Kind::Note(v1::NoteDetail { r#type: 1, source: String::new() })));
    for (kind, field) in [
        (Kind::Turn(v1::TurnDetail::default()), "turn.role"),
        (Kind::Episode(v1::EpisodeDetail { outcome_type: 4, ..Default::default() }), "episode.outcome_type"),
        (Kind::Preference(v1::PreferenceDetail { polarity: 3, ..Default::default() }), "preference.polarity"),
        (Kind::Note(v1::NoteDetail { r#type: -1, ..Default::default() }), "note.type"),
        (Kind::Insight(v1::InsightDetail::default()), "insight.type"),
        (Kind::Insight(v1::InsightDetail { r#type: 1, premises: vec!["goal_x".to_owned()] }), "insight.premises[0]"),
    ] {
        assert_eq!(converted(kind).unwrap_err(), [format!("memory.detail.{field}")]);
    }
    let mut problems = Problems::default();
    assert_eq!(detail("memory.detail", v1::Detail { kind: None }, &mut problems), None);
    assert!(problems.finish(()).is_err());
}
