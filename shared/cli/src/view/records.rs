//! A record's properties besides its content: kind, subject, confidence, and the detail of its kind.

use kimberly_proto::v1;
use kimberly_proto::v1::detail::Kind;

use super::{Short, decimal, right, table};
use crate::{names, text, time};

/// Confidence below which a list shows it.
const UNCERTAIN: f64 = 0.5;
/// Maximum length of a subject and a content in a list, in characters.
const SUBJECT: usize = 40;
const SHOWN: usize = 240;

/// Uncertain memories, the least certain first.
pub(crate) fn uncertain(list: &[v1::Memory]) -> String {
    let short = Short::of(list.iter().map(|memory| memory.id.as_str()));
    let mut rows = table(&["id", "confidence", "verified", "memory"]);
    for memory in list {
        rows.add_row([
            short.id(&memory.id).into(),
            decimal(memory.confidence()),
            right(memory.verification_count),
            text::line(&memory.content, SHOWN).into(),
        ]);
    }
    rows.trim_fmt()
}

/// Memories that may be forgotten, the least salient first.
pub(crate) fn candidates(list: &[v1::ForgettingCandidate]) -> String {
    let short = Short::of(list.iter().filter_map(|one| Some(one.memory.as_ref()?.id.as_str())));
    let mut rows = table(&["id", "salience", "confidence", "accessed", "days ago", "memory"]);
    for candidate in list {
        let memory = candidate.memory.clone().unwrap_or_default();
        let salience = candidate.salience.unwrap_or_default();
        rows.add_row([
            short.id(&memory.id).into(),
            decimal(salience.value),
            decimal(salience.confidence),
            right(salience.access_count),
            right(format!("{:.0}", salience.days_since_access)),
            text::line(&memory.content, SHOWN).into(),
        ]);
    }
    rows.trim_fmt()
}

/// Memories that were or would be archived.
pub(crate) fn forgotten(list: &[v1::ForgottenMemory]) -> String {
    let mut rows = table(&["id", "salience", "bytes"]);
    for one in list {
        rows.add_row([one.id.as_str().into(), decimal(one.salience), right(one.size_bytes)]);
    }
    rows.trim_fmt()
}

/// A memory's salience, in a sentence.
pub(crate) fn salience(salience: &v1::Salience) -> String {
    let v1::Salience { value, confidence, access_count, days_since_access, half_life_days, lasts } = salience;
    let decay = if *lasts {
        "it never decays".to_owned()
    } else {
        format!("last {days_since_access:.0} days ago, half-life {half_life_days:.0} days")
    };
    let accessed = text::count(*access_count, "time", "times");
    format!("{value:.3}: confidence {confidence:.2}, accessed {accessed}, {decay}")
}

/// A memory's temperature, in a sentence.
pub(crate) fn warmth(warmth: &v1::Warmth) -> String {
    let v1::Warmth { decay, priority, connections, recent_connections, days_since_access, .. } = warmth;
    let temperature = names::temperature(warmth.temperature);
    let connected = text::count(*connections, "connection", "connections");
    format!(
        "{temperature} by {}: decay {decay:.2}, priority {priority:.2}, {connected} ({recent_connections} new), last used \
         {days_since_access:.0} days ago",
        warmth.reason
    )
}

/// Playbooks with their steps, the best first.
pub(crate) fn playbooks(list: &[v1::FoundPlaybook]) -> String {
    let ids = list.iter().filter_map(|found| Some(found.memory.as_ref()?.id.as_str()));
    let short = Short::of(ids);
    let mut rows = table(&["id", "relevance", "used", "well", "memory"]);
    for found in list {
        let memory = found.memory.clone().unwrap_or_default();
        let detail = match memory.detail.and_then(|detail| detail.kind) {
            Some(Kind::Playbook(playbook)) => playbook,
            _ => v1::PlaybookDetail::default(),
        };
        let mut lines = vec![text::line(&memory.content, SHOWN)];
        let numbered = detail.steps.iter().enumerate();
        lines.extend(numbered.map(|(index, step)| format!("{}. {}", index + 1, text::line(step, SHOWN))));
        rows.add_row([
            short.id(&memory.id).into(),
            decimal(found.relevance),
            right(detail.used),
            right(detail.succeeded),
            lines.join("\n").into(),
        ]);
    }
    rows.trim_fmt()
}

/// A record's properties for a list, on a separate line; empty for an ordinary memory.
pub(super) fn line(memory: &v1::Memory) -> String {
    let kind = names::kind(memory.kind);
    let subject = text::line(&memory.subject, SUBJECT);
    let mut said = Vec::new();
    match (kind.is_empty(), subject.is_empty()) {
        (true, true) => {}
        (false, true) => said.push(kind),
        (true, false) => said.push(format!("about {subject}")),
        (false, false) => said.push(format!("{kind} about {subject}")),
    }
    if !said.is_empty() || memory.confidence() < UNCERTAIN {
        said.push(format!("confidence {:.2}", memory.confidence()));
    }
    if memory.stale_since.is_some() {
        said.push("stale".to_owned());
    }
    if said.is_empty() { String::new() } else { format!("\n{}", said.join(", ")) }
}

/// All properties of one record; unset values are empty.
pub(super) fn facts(memory: &v1::Memory) -> Vec<(&'static str, String)> {
    let (kind, layer) = (names::kind(memory.kind), names::layer(memory.layer));
    let importance = if memory.importance == 0 { String::new() } else { memory.importance.to_string() };
    let mut facts = vec![
        ("name", memory.name.clone()),
        ("kind", if kind.is_empty() { kind } else { format!("{kind} (layer {layer})") }),
        ("about", memory.subject.clone()),
        ("importance", importance),
        ("confidence", confidence(memory)),
        ("valid", valid(memory)),
        (
            "stale",
            memory.stale_since.as_ref().map(|at| format!("since {}", time::minute(Some(at)))).unwrap_or_default(),
        ),
        ("source", memory.source_ref.clone()),
        ("author", memory.author.clone()),
    ];
    facts.extend(memory.detail.clone().and_then(|detail| detail.kind).map(of).unwrap_or_default());
    facts
}

fn confidence(memory: &v1::Memory) -> String {
    let source = names::source_type(memory.source_type).replace('_', " ");
    let verified = if memory.verification_count == 0 {
        String::new()
    } else {
        let times = text::count(memory.verification_count, "time", "times");
        format!("; verified {times}, last {}", time::ago(memory.last_verified_at.as_ref()))
    };
    format!("{:.3}, {source}{verified}", memory.confidence())
}

fn valid(memory: &v1::Memory) -> String {
    let edge =
        |word: &str, at: Option<&prost_types::Timestamp>| at.map(|at| format!("{word} {}", time::minute(Some(at))));
    let edges = [edge("from", memory.valid_from.as_ref()), edge("until", memory.valid_to.as_ref())];
    edges.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The members of a detail.
fn of(detail: Kind) -> Vec<(&'static str, String)> {
    match detail {
        Kind::Turn(turn) => vec![
            ("role", names::role(turn.role)),
            ("position", turn.position.to_string()),
            ("tool", turn.tool),
            ("tool call", turn.tool_call_id),
        ],
        Kind::Episode(episode) => vec![
            ("objective", episode.objective),
            ("outcome", episode.outcome),
            ("ended in", names::outcome_type(episode.outcome_type)),
            ("lessons", lines(&episode.lessons)),
            ("valence", share(episode.valence)),
            ("arousal", share(episode.arousal)),
        ],
        Kind::Fact(fact) => vec![("fact", format!("{} {} {}", fact.subject, fact.predicate, fact.object))],
        Kind::Preference(preference) => {
            vec![("prefers", format!("{} ({})", preference.subject, names::polarity(preference.polarity)))]
        }
        Kind::Decision(decision) => vec![
            ("choice", decision.choice),
            ("alternatives", lines(&decision.alternatives)),
            ("rationale", decision.rationale),
        ],
        Kind::Note(note) => vec![("note", names::note_type(note.r#type)), ("from", note.source)],
        Kind::Value(value) => vec![("priority", value.priority.to_string())],
        Kind::Drive(drive) => vec![("intensity", share(Some(drive.intensity))), ("focus", lines(&drive.focus))],
        Kind::Playbook(playbook) => playbook_rows(&playbook),
        Kind::Relationship(known) => vec![
            ("entity", known.entity),
            ("relation", known.r#type),
            ("trust", share(Some(known.trust))),
            ("sentiment", share(Some(known.sentiment))),
            ("met", text::count(known.interactions, "time", "times")),
        ],
        Kind::Block(block) => vec![
            ("for", block.description),
            ("read-only", if block.read_only { "yes".to_owned() } else { String::new() }),
        ],
        Kind::Document(document) => vec![
            ("title", document.title),
            ("original", format!("{} {}", document.media_type, document.attachment_id).trim().to_owned()),
            (
                "text",
                format!(
                    "{}, {}",
                    text::bytes(document.text_bytes),
                    text::count(document.passages, "passage", "passages")
                ),
            ),
        ],
        Kind::Insight(insight) => {
            vec![("drawn by", names::insight_type(insight.r#type)), ("premises", lines(&insight.premises))]
        }
    }
}

fn playbook_rows(playbook: &v1::PlaybookDetail) -> Vec<(&'static str, String)> {
    vec![
        ("triggers", lines(&playbook.triggers)),
        ("steps", lines(&playbook.steps)),
        ("fails when", lines(&playbook.failure_modes)),
        ("used", format!("{}, {} well", text::count(playbook.used, "time", "times"), playbook.succeeded)),
    ]
}

fn lines(texts: &[String]) -> String {
    texts.join("\n")
}

fn share(value: Option<f64>) -> String {
    value.map(|value| format!("{value:.3}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_nothing_more_of_an_ordinary_memory_that_is_certain() {
        let plain = v1::Memory { confidence: Some(0.95), ..v1::Memory::default() };
        assert_eq!(line(&plain), "");
        assert_eq!(line(&v1::Memory { confidence: Some(0.4), ..plain.clone() }), "\nconfidence 0.40");
        let decision = v1::Memory { kind: v1::Kind::Decision.into(), subject: "Ana".to_owned(), ..plain };
        assert_eq!(line(&decision), "\ndecision about Ana, confidence 0.95");
    }

    #[test]
    fn a_record_shows_the_members_of_its_detail() {
        let steps = vec!["look".to_owned(), "restart".to_owned()];
        let playbook = v1::PlaybookDetail { steps, used: 3, succeeded: 2, ..v1::PlaybookDetail::default() };
        let detail = Some(v1::Detail { kind: Some(Kind::Playbook(playbook)) });
        let memory =
            v1::Memory { kind: v1::Kind::Playbook.into(), detail, confidence: Some(0.95), ..v1::Memory::default() };
        let facts = facts(&memory);
        assert!(facts.contains(&("steps", "look\nrestart".to_owned())), "{facts:?}");
        assert!(facts.contains(&("used", "3 times, 2 well".to_owned())), "{facts:?}");
        let shown = playbooks(&[v1::FoundPlaybook { memory: Some(memory), relevance: 0.5 }]);
        assert!(shown.contains("1. look") && shown.contains("2. restart"), "{shown}");
    }
}
