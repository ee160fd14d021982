//! Tests of the active session.

use super::{analyze, at, found, gather, hit, rank};
use crate::ids::{MemoryId, Seq};
use crate::memory::{Memory, MemoryDraft, MemoryFilter, MemoryState, Metadata, Scope, SensitivityFilter, Source, Tier};
use crate::recall::analysis::Analysis;
use crate::recall::stages::cut;
use crate::recall::stages::session::{SessionMatch, matches, prepared};
use crate::recall::{Plan, SessionMemory};
use crate::text::TextTraits;
use crate::time::Timestamp;

fn memory(seq: i64, content: &str) -> Memory {
    let draft = MemoryDraft {
        tier: Tier::ShortTerm,
        content: content.to_owned(),
        session_id: Some("s".to_owned()),
        speaker: Some("Ann".to_owned()),
        occurred_at: Some(at(2026, 11, 19)),
        metadata: Metadata { tags: vec!["a".to_owned(), "b".to_owned()], ..Metadata::default() },
        ..MemoryDraft::default()
    };
    let new = Memory::new(MemoryId(uuid::Uuid::from_u128(7)), Seq(seq), draft, at(2026, 11, 20));
    Memory { size_bytes: 1, score: 0.5, traits: TextTraits::of(content), ..new }
}

fn read(text: &str) -> Analysis {
    analyze(text, &[], at(2026, 11, 20))
}

fn matching(text: &str, memories: &[SessionMemory]) -> Vec<i64> {
    let replacements = std::iter::empty();
    matches(memories, &read(text), replacements, &MemoryFilter::default()).iter().map(|one| one.seq.0).collect()
}

#[test]
fn memories_of_the_session_match_by_stem_form_and_phrase() {
    let memories: Vec<_> =
        [memory(1, "We went hiking"), memory(2, "She bought a red boat")].into_iter().map(prepared).collect();
    assert_eq!(matching("any hikes?", &memories), [1]);
    assert_eq!(matching("what did she buy", &memories), [2]);
    assert_eq!(matching("\"red boats\"", &memories), [2]);
    assert!(matching("\"boat red\"", &memories).is_empty());
    assert!(matching("cars", &memories).is_empty());
    assert_eq!(matching("!", &memories), [1, 2], "a query without words asks for all");
    let replaced = matches(&memories, &read("baot"), std::iter::once("boat"), &MemoryFilter::default());
    assert_eq!(replaced.len(), 1);
}

#[test]
fn phrase_in_a_script_without_gaps_matches_in_any_case_and_composition() {
    // The second text is decomposed, as some systems write it.
    let memories = [memory(1, "東京Tower に行った"), memory(2, "カ\u{3099}イド 付き")].map(prepared);
    assert_eq!(matching("\"東京tower\"", &memories), [1]);
    assert_eq!(matching("\"ガイド\"", &memories), [2]);
    assert!(matching("\"大阪tower\"", &memories).is_empty());
}

#[test]
fn every_condition_of_the_filter_holds_for_the_cache_too() {
    let memory = memory(1, "x");
    let passing = [
        MemoryFilter::default(),
        MemoryFilter { tiers: vec![Tier::ShortTerm, Tier::Permanent], ..MemoryFilter::default() },
        MemoryFilter { tags_all: vec!["b".to_owned(), "a".to_owned()], ..MemoryFilter::default() },
        MemoryFilter { occurred_after: Some(at(2026, 11, 19)), ..MemoryFilter::default() },
        MemoryFilter { speakers: vec!["ANN".to_owned()], ..MemoryFilter::default() },
        MemoryFilter { session_id: Some("s".to_owned()), ..MemoryFilter::default() },
    ];
    let failing = [
        MemoryFilter { tiers: vec![Tier::Permanent], ..MemoryFilter::default() },
        MemoryFilter { tags_any: vec!["c".to_owned()], ..MemoryFilter::default() },
        MemoryFilter { tags_all: vec!["a".to_owned(), "c".to_owned()], ..MemoryFilter::default() },
        MemoryFilter { created_after: Some(at(2026, 11, 21)), ..MemoryFilter::default() },
        MemoryFilter { created_before: Some(at(2026, 11, 20)), ..MemoryFilter::default() },
        MemoryFilter { occurred_after: Some(at(2026, 11, 20)), ..MemoryFilter::default() },
        MemoryFilter { occurred_before: Some(at(2026, 11, 19)), ..MemoryFilter::default() },
        MemoryFilter { sensitivity: SensitivityFilter::Only, ..MemoryFilter::default() },
        MemoryFilter { sources: vec![Source::Upload], ..MemoryFilter::default() },
        MemoryFilter { scopes: vec![Scope::Public], ..MemoryFilter::default() },
        MemoryFilter { session_id: Some("t".to_owned()), ..MemoryFilter::default() },
        MemoryFilter { states: vec![MemoryState::Archived], ..MemoryFilter::default() },
        MemoryFilter { speakers: vec!["Bob".to_owned()], ..MemoryFilter::default() },
    ];
    assert!(passing.iter().all(|filter| filter.passes(&memory)));
    for filter in failing {
        assert!(!filter.passes(&memory), "{filter:?}");
    }
}

#[test]
fn session_comes_first_but_takes_at_most_half() {
    let hits = (1..=6_i32).map(|n| found(hit(i64::from(n), 10.0 - f64::from(n), None))).collect();
    let ranked = rank(&gather(hits, vec![]), &Analysis::default(), at(2026, 11, 20));
    let session: Vec<SessionMatch> = [(6, 1), (5, 1), (90, 2), (91, 1)]
        .map(|(seq, matched)| SessionMatch { seq: Seq(seq), matched, score: 0.5, occurred_at: Timestamp(0) })
        .into();
    let order = |top_k| -> Vec<i64> {
        cut::best(&mut ranked.clone(), &session, (top_k, 0), (at(2026, 11, 20), &Plan::default()))
            .iter()
            .map(|one| one.seq.0)
            .collect()
    };
    assert_eq!(order(4), [5, 6, 1, 2]);
    assert_eq!(order(7), [5, 6, 90, 91, 1, 2, 3]);
    assert_eq!(order(1), [5]);
    assert_eq!(order(100), [5, 6, 90, 91, 1, 2, 3, 4], "each once");
    let first = cut::best(&mut ranked.clone(), &session, (4, 0), (at(2026, 11, 20), &Plan::default()))[0];
    assert_eq!(first.parts.found_by.names(), ["term", "session"]);
}
