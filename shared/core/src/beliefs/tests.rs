//! Claims about what contradicts what. The texts are made up here.

use uuid::Uuid;

use super::*;
use crate::Timestamp;
use crate::ids::{MemoryId, Seq};
use crate::memory::{Detail, FactDetail, Memory, MemoryDraft, Polarity, PreferenceDetail, SourceType};
use crate::time::Span;

const NOON: Timestamp = Timestamp(1_763_640_000_000_000);

fn at(number: i64, draft: MemoryDraft) -> Memory {
    let id = MemoryId(Uuid::from_u128(u128::from(number.unsigned_abs())));
    Memory::new(id, Seq(number), draft, NOON.plus(Span::days(number)))
}

fn said(content: &str) -> MemoryDraft {
    MemoryDraft { content: content.to_owned(), ..MemoryDraft::default() }
}

fn of(subject: &str, content: &str) -> MemoryDraft {
    MemoryDraft { subject: Some(subject.to_owned()), ..said(content) }
}

fn fact(subject: &str, predicate: &str, object: &str) -> MemoryDraft {
    let [subject, predicate, object] = [subject, predicate, object].map(str::to_owned);
    MemoryDraft { detail: Some(Detail::Fact(FactDetail { subject, predicate, object })), ..MemoryDraft::default() }
}

fn likes(what: &str, polarity: Polarity) -> MemoryDraft {
    let detail = PreferenceDetail { subject: what.to_owned(), polarity };
    MemoryDraft { detail: Some(Detail::Preference(detail)), ..MemoryDraft::default() }
}

/// The contradiction of two records, the second a day later.
fn found(one: MemoryDraft, two: MemoryDraft) -> Option<Conflict> {
    let pair = [at(1, one), at(2, two)];
    let found = conflicts(&pair).pop().map(|(.., conflict)| conflict);
    let rows = pair.iter().flat_map(ClaimRow::all_of).collect();
    assert!(found.is_none() || ClaimRow::groups(rows) == [[pair[0].id, pair[1].id]], "rows lead to it");
    found
}

#[test]
fn two_objects_of_what_has_one_contradict_each_other_however_it_is_said() {
    for (one, two, may_change) in [
        (fact("Ana", "lives_in", "Porto"), fact("ana", "lives in", "Lisbon, Portugal"), true),
        (of("Ana", "Ana lives in Porto."), of("Ana", "Ana now lives in Lisbon with her dog."), true),
        (fact("Ana", "works at", "Acme Corp"), of("Ana", "Ana works for Beta Labs"), true),
        (of("the user", "The user lives in Ghent."), said("I live in Oslo"), true),
        (said("My birthday is May 3rd"), said("My birthday is on 4 June 1990."), false),
        (of("Ana", "Ana's favorite color is green."), of("Ana", "Ana's favorite color is blue."), true),
        (fact("Ana", "age", "30"), fact("Ana", "age", "34"), true),
        (said("Ich wohne in Bremen."), said("Ich wohne in Kiel."), true),
    ] {
        assert_eq!(found(one.clone(), two.clone()), Some(Conflict { may_change }), "{one:?} {two:?}");
    }
}

#[test]
fn what_may_both_be_is_no_contradiction() {
    for (one, two) in [
        (fact("Ana", "lives in", "Lisbon"), fact("Ana", "lives in", "Lisbon, Portugal")),
        (fact("Ana", "lives in", "Lisbon"), fact("Ana", "lives in", "Portugal")),
        (fact("Ana", "lives in", "Porto"), fact("Ben", "lives in", "Lisbon")),
        (fact("Ana", "works at", "Acme"), fact("Ana", "works at", "Acme Corp")),
        (fact("Ana", "lives in", "Porto and Lisbon"), fact("Ana", "lives in", "Ghent")),
        (fact("Ana", "speaks", "French"), fact("Ana", "speaks", "German")),
        (fact("Ana", "age", "30"), fact("Ana", "age", "31")),
        (said("My birthday is May 3"), said("My birthday is on 3 May 1990")),
        (said("My favorite color is green"), said("My favorite food is pizza")),
        (said("I live in Porto"), said("If I live in Lisbon I need a car")),
        (said("I live in Porto"), said("Do I live in Lisbon?")),
        (said("I live in Porto"), said("I want to live in Lisbon")),
        (of("Ana", "Ana lives in Porto"), of("Ana", "Ana lived in Lisbon")),
        (said("I live in Porto. It rains."), said("I live in Lisbon. It is dry.")),
        (said("I live in Porto"), MemoryDraft { speaker: Some("Ben".to_owned()), ..said("I live in Lisbon") }),
        (said("I live in Porto"), MemoryDraft { namespace: "work".to_owned(), ..said("I live in Lisbon") }),
    ] {
        assert_eq!(found(one.clone(), two.clone()), None, "{one:?} {two:?}");
    }
}

#[test]
fn a_statement_and_its_negation_contradict_each_other() {
    for (one, two) in [
        (fact("Ana", "eats", "meat"), fact("Ana", "does not eat", "meat")),
        (likes("window seats", Polarity::Positive), likes("Window seats", Polarity::Negative)),
        (of("Ana", "Ana likes hiking."), of("Ana", "Ana doesn't like hiking.")),
        (said("I love cilantro"), said("I can't stand it, and I hate cilantro")),
        (of("Ana", "Ana has a dog"), of("Ana", "Ana does not have a dog")),
        (said("I am allergic to nuts"), said("I am not allergic to nuts")),
    ] {
        let is_one_sentence = !two.content.contains("stand");
        assert_eq!(found(one.clone(), two.clone()).is_some(), is_one_sentence, "{one:?} {two:?}");
    }
    assert_eq!(found(said("I like hiking"), said("I don't like hiking in the rain")), None);
    assert_eq!(found(said("I am allergic to nuts"), said("I am not allergic to dogs")), None);
    assert_eq!(found(said("I eat meat"), said("I no longer eat meat")), None, "it changed");
}

#[test]
fn never_contradicts_what_was_done_before_and_not_what_came_later() {
    let never = || said("I've never attended any pottery class or ridden a horse");
    for done in
        ["I attended a pottery class on May 3", "I've just visited the pottery classes", "I rode a horse in Spain"]
    {
        assert_eq!(found(said(done), never()), Some(Conflict { may_change: false }), "{done}");
        assert_eq!(found(never(), said(done)), None, "{done} came later");
    }
    for done in ["I attended a cooking class", "I will attend a pottery class", "I didn't attend the pottery class"] {
        assert_eq!(found(said(done), never()), None, "{done}");
    }
    assert_eq!(found(said("I ate meat"), said("I've never eaten meat since May")), None);
    assert_eq!(found(said("I ate meat"), said("I never eat meat")), None, "a habit");
}

#[test]
fn nothing_is_claimed_by_what_is_sensitive_or_edited_in_place() {
    let mut secret = said("I live in Porto");
    secret.metadata.sensitive = true;
    let named = MemoryDraft { name: Some("notes/home".to_owned()), ..said("I live in Porto") };
    for draft in [secret, named] {
        assert_eq!(ClaimRow::all_of(&at(1, draft)), []);
    }
    assert_eq!(ClaimRow::all_of(&at(1, said("I live in Porto"))).len(), 1);
}

#[test]
fn the_less_believed_gives_way_unless_it_lasts_or_may_be_what_changed() {
    let unsure = |draft: MemoryDraft| MemoryDraft { confidence: Some(0.5), ..draft };
    let (changes, stays) = (Conflict { may_change: true }, Conflict { may_change: false });
    let lost = |conflict: Conflict, one: MemoryDraft, two: MemoryDraft, days: i64| {
        conflict.loser(&at(1, one), &at(2, two), NOON.plus(Span::days(days))).map(|memory| memory.seq.0)
    };
    assert_eq!(lost(changes, unsure(said("a")), said("b"), 2), Some(1));
    assert_eq!(lost(changes, said("a"), unsure(said("b")), 2), None, "it may have changed");
    assert_eq!(lost(stays, said("a"), unsure(said("b")), 2), Some(2));
    assert_eq!(lost(stays, said("a"), said("b"), 2), None);
    let corrected = |draft| MemoryDraft { source_type: Some(SourceType::Correction), ..draft };
    assert_eq!(lost(stays, corrected(unsure(said("a"))), said("b"), 2), None, "a correction never gives way");
    assert_eq!(
        lost(stays, said("a"), corrected(said("b")), 200),
        Some(1),
        "what nobody confirmed is believed less by then"
    );
}
