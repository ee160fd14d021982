//! Records of all kinds.

use kimberly_proto::v1::detail::Kind as Of;
use kimberly_proto::v1::{self as pb, Kind};

use crate::drafts::draft;

/// A draft of a kind with its detail.
pub fn of_kind(content: &str, kind: Kind, detail: Option<Of>) -> pb::MemoryDraft {
    let detail = detail.map(|kind| pb::Detail { kind: Some(kind) });
    pb::MemoryDraft { kind: kind.into(), detail, ..draft(content) }
}

/// A playbook for a situation.
pub fn playbook(content: &str, trigger: &str, steps: &[&str]) -> pb::MemoryDraft {
    let steps = steps.iter().map(|step| (*step).to_owned()).collect();
    let detail = pb::PlaybookDetail { triggers: vec![trigger.to_owned()], steps, ..pb::PlaybookDetail::default() };
    of_kind(content, Kind::Playbook, Some(Of::Playbook(detail)))
}

/// A relationship to an entity.
pub fn relationship(entity: &str, trust: f64) -> pb::MemoryDraft {
    let detail = pb::RelationshipDetail { entity: entity.to_owned(), trust, ..pb::RelationshipDetail::default() };
    of_kind(&format!("I work with {entity}"), Kind::Relationship, Some(Of::Relationship(detail)))
}

/// A block of core memory.
pub fn block(label: &str, content: &str) -> pb::MemoryDraft {
    let detail = pb::BlockDetail { description: "who you are".to_owned(), read_only: false };
    let draft = of_kind(content, Kind::Block, Some(Of::Block(detail)));
    pb::MemoryDraft { name: format!("core/{label}"), tier: pb::Tier::Permanent.into(), protected: true, ..draft }
}

/// One draft of each kind, with a detail if the kind has one.
pub fn one_of_each() -> Vec<pb::MemoryDraft> {
    let text = str::to_owned;
    let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let turn = pb::TurnDetail { role: pb::Role::User.into(), position: 3, ..pb::TurnDetail::default() };
    let episode = pb::EpisodeDetail {
        objective: text("deploy the service"),
        outcome: text("it ran after a rollback"),
        outcome_type: pb::OutcomeType::Partial.into(),
        lessons: texts(&["test the migration first"]),
        valence: Some(-0.5),
        arousal: Some(0.75),
    };
    let fact = pb::FactDetail { subject: text("Ana"), predicate: text("lives in"), object: text("Lisbon") };
    let liked = pb::Polarity::Positive.into();
    let preference = pb::PreferenceDetail { subject: text("window seats"), polarity: liked };
    let decision = pb::DecisionDetail {
        choice: text("Fridays"),
        alternatives: texts(&["Mondays", "never"]),
        rationale: text("the week is over"),
    };
    let note = pb::NoteDetail { r#type: pb::NoteType::Quote.into(), source: text("a book on harbours") };
    let drive = pb::DriveDetail { intensity: 0.5, focus: texts(&["learning"]) };
    let insight = pb::InsightDetail { r#type: pb::InsightType::Induction.into(), premises: Vec::new() };
    vec![
        of_kind("The API seems slow", Kind::Raw, None),
        of_kind("Could you look at the logs?", Kind::Turn, Some(Of::Turn(turn))),
        of_kind("We deployed on Friday", Kind::Episode, Some(Of::Episode(episode))),
        of_kind("Ana moved", Kind::Fact, Some(Of::Fact(fact))),
        of_kind("Ana sits by the window", Kind::Preference, Some(Of::Preference(preference))),
        of_kind("We release weekly", Kind::Decision, Some(Of::Decision(decision))),
        of_kind("Tides follow the moon", Kind::Knowledge, None),
        of_kind("Small releases break less", Kind::Belief, None),
        of_kind("A harbour is safe, but ships are not built for it", Kind::Note, Some(Of::Note(note))),
        of_kind("Honesty before comfort", Kind::Value, Some(Of::Value(pb::ValueDetail { priority: 90 }))),
        of_kind("I want to understand", Kind::Drive, Some(Of::Drive(drive))),
        playbook("How to restart the service", "the service hangs", &["read the log", "restart it"]),
        relationship("Chen", 0.5),
        of_kind("The manual of the harbour", Kind::Document, None),
        of_kind("A week of releases in short", Kind::Summary, None),
        of_kind("Releases fail on Mondays", Kind::Insight, Some(Of::Insight(insight))),
        of_kind("Ana, in short", Kind::Profile, None),
        block("persona", "I am calm"),
    ]
}
