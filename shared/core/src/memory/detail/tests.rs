//! Tests of the bounds of details and of derived values.

use super::*;
use crate::bounds::{
    MAX_DETAIL_ENTRIES, MAX_DETAIL_TEXT_BYTES, MAX_PRIORITY, MAX_RECORD_COUNT, MAX_RELATION_BYTES, MAX_SUBJECT_BYTES,
    MAX_TOOL_BYTES,
};
use crate::ids::MemoryId;

fn text(bytes: usize) -> String {
    "x".repeat(bytes)
}

fn texts(count: usize) -> Vec<String> {
    vec!["x".to_owned(); count]
}

fn fields(mut detail: Detail) -> Vec<String> {
    let mut found = Vec::new();
    detail.check("detail", &mut found);
    found.into_iter().map(|violation| violation.field).collect()
}

/// Expects each detail to be refused only for the named field, or to pass.
fn hold(cases: Vec<(Detail, &str)>) {
    for (detail, field) in cases {
        let wanted: Vec<String> = if field.is_empty() { Vec::new() } else { vec![format!("detail.{field}")] };
        assert_eq!(fields(detail.clone()), wanted, "{detail:?}");
    }
}

fn turn(position: i64, tool: usize, call: usize) -> Detail {
    Detail::Turn(TurnDetail {
        role: Role::Tool,
        position,
        tool: text(tool),
        tool_call_id: text(call),
        sent_digest: String::new(),
    })
}

fn episode(objective: usize) -> EpisodeDetail {
    EpisodeDetail { objective: text(objective), ..EpisodeDetail::default() }
}

fn felt(valence: Option<f64>, arousal: Option<f64>) -> EpisodeDetail {
    EpisodeDetail { valence, arousal, ..episode(1) }
}

fn fact(subject: usize, predicate: usize, object: usize) -> Detail {
    Detail::Fact(FactDetail { subject: text(subject), predicate: text(predicate), object: text(object) })
}

fn playbook(steps: usize, used: i64, succeeded: i64) -> Detail {
    Detail::Playbook(PlaybookDetail { steps: texts(steps), used, succeeded, ..PlaybookDetail::default() })
}

fn relationship(entity: usize, relation: usize, trust: f64, sentiment: f64) -> Detail {
    let (entity, relation) = (text(entity), text(relation));
    Detail::Relationship(RelationshipDetail { entity, relation, trust, sentiment, interactions: 0 })
}

#[test]
fn turns_episodes_and_facts_are_held_to_both_sides_of_their_bounds() {
    let (most, long) = (MAX_DETAIL_ENTRIES, MAX_DETAIL_TEXT_BYTES);
    let count = i64::try_from(MAX_RECORD_COUNT).unwrap();
    let lessons = |n| Detail::Episode(EpisodeDetail { lessons: texts(n), ..episode(1) });
    let outcome = |n| Detail::Episode(EpisodeDetail { outcome: text(n), ..episode(1) });
    let valence = |v| Detail::Episode(felt(Some(v), None));
    let arousal = |v| Detail::Episode(felt(None, Some(v)));
    hold(vec![
        (turn(0, 0, 0), ""),
        (turn(count, MAX_TOOL_BYTES, MAX_TOOL_BYTES), ""),
        (turn(-1, 0, 0), "turn.position"),
        (turn(count + 1, 0, 0), "turn.position"),
        (turn(0, MAX_TOOL_BYTES + 1, 0), "turn.tool"),
        (turn(0, 0, MAX_TOOL_BYTES + 1), "turn.tool_call_id"),
        (Detail::Episode(episode(long)), ""),
        (Detail::Episode(episode(long + 1)), "episode.objective"),
        (Detail::Episode(episode(0)), "episode.objective"),
        (outcome(long), ""),
        (outcome(long + 1), "episode.outcome"),
        (lessons(most), ""),
        (lessons(most + 1), "episode.lessons"),
        (valence(-1.0), ""),
        (valence(1.0), ""),
        (valence(-1.01), "episode.valence"),
        (valence(f64::NAN), "episode.valence"),
        (arousal(0.0), ""),
        (arousal(1.0), ""),
        (arousal(-0.01), "episode.arousal"),
        (arousal(1.01), "episode.arousal"),
        (fact(MAX_SUBJECT_BYTES, 256, long), ""),
        (fact(MAX_SUBJECT_BYTES + 1, 1, 1), "fact.subject"),
        (fact(0, 1, 1), "fact.subject"),
        (fact(1, 257, 1), "fact.predicate"),
        (fact(1, 0, 1), "fact.predicate"),
        (fact(1, 1, long + 1), "fact.object"),
        (fact(1, 1, 0), "fact.object"),
    ]);
}

#[test]
fn other_kinds_are_held_to_both_sides_of_their_bounds() {
    let (most, long) = (MAX_DETAIL_ENTRIES, MAX_DETAIL_TEXT_BYTES);
    let preference = |n| Detail::Preference(PreferenceDetail { subject: text(n), polarity: Polarity::Negative });
    let decision = |choice, alternatives, rationale| {
        let (choice, alternatives, rationale) = (text(choice), texts(alternatives), text(rationale));
        Detail::Decision(DecisionDetail { choice, alternatives, rationale })
    };
    let note = |n| Detail::Note(NoteDetail { note_type: NoteType::Quote, source: text(n) });
    let value = |priority| Detail::Value(ValueDetail { priority });
    let drive = |intensity, focus| Detail::Drive(DriveDetail { intensity, focus: texts(focus) });
    let premises = |n| {
        let premises = vec![MemoryId(uuid::Uuid::nil()); n];
        Detail::Insight(InsightDetail { insight_type: InsightType::Induction, premises })
    };
    hold(vec![
        (preference(MAX_SUBJECT_BYTES), ""),
        (preference(MAX_SUBJECT_BYTES + 1), "preference.subject"),
        (preference(0), "preference.subject"),
        (decision(long, most, long), ""),
        (decision(0, 0, 0), "decision.choice"),
        (decision(long + 1, 0, 0), "decision.choice"),
        (decision(1, most + 1, 0), "decision.alternatives"),
        (decision(1, 0, long + 1), "decision.rationale"),
        (note(0), ""),
        (note(long), ""),
        (note(long + 1), "note.source"),
        (value(0), ""),
        (value(MAX_PRIORITY), ""),
        (value(-1), "value.priority"),
        (value(MAX_PRIORITY + 1), "value.priority"),
        (drive(0.0, 0), ""),
        (drive(1.0, most), ""),
        (drive(-0.01, 0), "drive.intensity"),
        (drive(1.01, 0), "drive.intensity"),
        (drive(1.0, most + 1), "drive.focus"),
        (playbook(1, 0, 0), ""),
        (playbook(most, 5, 5), ""),
        (playbook(0, 0, 0), "playbook.steps"),
        (playbook(most + 1, 0, 0), "playbook.steps"),
        (playbook(1, 4, 5), "playbook.succeeded"),
        (relationship(MAX_SUBJECT_BYTES, MAX_RELATION_BYTES, 0.0, -1.0), ""),
        (relationship(1, 0, 1.0, 1.0), ""),
        (relationship(0, 0, 0.0, 0.0), "relationship.entity"),
        (relationship(MAX_SUBJECT_BYTES + 1, 0, 0.0, 0.0), "relationship.entity"),
        (relationship(1, MAX_RELATION_BYTES + 1, 0.0, 0.0), "relationship.type"),
        (relationship(1, 0, 1.01, 0.0), "relationship.trust"),
        (relationship(1, 0, 0.0, -1.01), "relationship.sentiment"),
        (premises(most), ""),
        (premises(most + 1), "insight.premises"),
    ]);
}

#[test]
fn each_entry_of_a_list_is_held_to_the_bound_of_a_text() {
    let steps = vec!["x".to_owned(), " ".to_owned(), text(MAX_DETAIL_TEXT_BYTES + 1), "a\0b".to_owned()];
    let found = fields(Detail::Playbook(PlaybookDetail { steps, ..PlaybookDetail::default() }));
    assert_eq!(found, [1, 2, 3].map(|n| format!("detail.playbook.steps[{n}]")));
}

#[test]
fn a_detail_as_a_whole_has_a_bound() {
    let lessons = |last: usize| {
        let lessons = [vec![text(MAX_DETAIL_TEXT_BYTES); 3], vec![text(last)]].concat();
        Detail::Episode(EpisodeDetail { lessons, ..episode(1) })
    };
    let room = MAX_DETAIL_BYTES - (lessons(1).to_json().len() - 1);
    assert_eq!(lessons(room).to_json().len(), MAX_DETAIL_BYTES);
    hold(vec![(lessons(room), "")]);
    assert_eq!(fields(lessons(room + 1)), ["detail"]);
}

#[test]
fn details_come_back_from_json_as_they_went() {
    for detail in [
        turn(3, 4, 0),
        Detail::Episode(felt(Some(-0.1), Some(1.0 / 3.0))),
        fact(1, 2, 3),
        playbook(2, 5, 3),
        relationship(1, 2, 0.1, -0.7),
    ] {
        assert_eq!(Detail::from_json(&detail.to_json()).unwrap(), detail);
    }
    assert!(Detail::from_json("{\"poem\":{}}").is_err());
}

#[test]
fn emotion_is_as_strong_as_the_mean_of_both_and_signed_by_the_valence() {
    for (valence, arousal, emotion) in [
        (None, None, None),
        (Some(-0.5), None, Some(-0.5)),
        (None, Some(0.5), Some(0.5)),
        (Some(-1.0), Some(0.5), Some(-0.75)),
        (Some(0.0), Some(1.0), Some(0.5)),
        (Some(1.0), Some(1.0), Some(1.0)),
    ] {
        assert_eq!(felt(valence, arousal).emotion(), emotion);
    }
}

#[test]
fn texts_and_subjects_follow_from_details() {
    let decision = DecisionDetail {
        choice: "the ferry".to_owned(),
        alternatives: vec!["the train".to_owned()],
        rationale: String::new(),
    };
    let decision = Detail::Decision(decision);
    assert_eq!(decision.search_text().as_deref(), Some("the ferry\nthe train"));
    assert_eq!((decision.subject(), decision.kind()), (None, RecordKind::Decision));
    assert_eq!(relationship(3, 0, 0.0, 0.0).subject(), Some("xxx"));
    assert_eq!(Detail::Value(ValueDetail::default()).search_text(), None);
}

#[test]
fn counters_count_and_move_a_quarter_of_the_way() {
    let mut used = PlaybookDetail::default();
    used.count_use(true);
    used.count_use(false);
    assert_eq!((used.used, used.succeeded), (2, 1));
    let mut met = RelationshipDetail { trust: 0.5, sentiment: 0.0, ..RelationshipDetail::default() };
    met.count_interaction(Some(1.0), Some(-1.0));
    met.count_interaction(None, None);
    assert_eq!((met.trust.to_bits(), met.sentiment.to_bits()), (0.625_f64.to_bits(), (-0.25_f64).to_bits()));
    assert_eq!(met.interactions, 2);
}
