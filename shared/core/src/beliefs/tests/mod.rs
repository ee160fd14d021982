//! Tests of contradictions. The texts are invented.

mod asking;
mod ended;
mod groups;
mod implied;
mod losing;
mod never;
mod subjects;

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::Timestamp;
use crate::ids::{MemoryId, Seq};
use crate::memory::{Detail, FactDetail, Memory, MemoryDraft, Polarity, PreferenceDetail};
use crate::time::Span;

const NOON: Timestamp = Timestamp(1_763_640_000_000_000);
/// A person decides.
const ASKS: bool = true;

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

/// The contradiction of two records, the second one a day later.
fn found(one: MemoryDraft, two: MemoryDraft) -> Option<Conflict> {
    let pair = [at(1, one), at(2, two)];
    let found = conflicts(&[&pair[0], &pair[1]]).pop().map(|(.., conflict)| conflict);
    let rows: Vec<ClaimRow> = pair.iter().flat_map(ClaimRow::all_of).collect();
    let numbers = pair.iter().map(|memory| (memory.id, memory.seq)).collect();
    let groups = ClaimRow::groups(&rows, &numbers, &[pair[1].id].into());
    assert!(found.is_none() || groups.contains(&vec![pair[1].seq, pair[0].seq]), "rows lead to it");
    found
}

fn assert_may_both_be(pairs: impl IntoIterator<Item = (MemoryDraft, MemoryDraft)>) {
    for (one, two) in pairs {
        assert_eq!(found(one.clone(), two.clone()), None, "{one:?} {two:?}");
    }
}

#[test]
fn two_objects_of_what_has_one_contradict_each_other_however_it_is_said() {
    for (one, two, may_change, asks) in [
        (fact("Ana", "lives_in", "Porto"), fact("ana", "lives in", "Lisbon, Portugal"), true, ASKS),
        (of("Ana", "Ana lives in Porto."), of("Ana", "Ana now lives in Lisbon with her dog."), true, ASKS),
        (of("the user", "The user lives in Ghent."), said("I live in Oslo"), true, ASKS),
        (said("I was born in Ghent"), fact("user", "born in", "Oslo"), false, ASKS),
        (fact("Ana", "works at", "Acme Corp"), of("Ana", "Ana works for Beta Labs"), true, false),
        (said("My birthday is May 3rd"), said("My birthday is on 4 June 1990."), false, false),
        (said("My birthday is May 3, 1990"), said("My birthday is 3 May 1991."), false, false),
        (of("Ana", "Ana's favorite color is green."), of("Ana", "Ana's favorite color is blue."), true, false),
        (fact("Ana", "favorite color", "green"), of("Ana", "Ana's favorite color is blue."), true, false),
        (fact("Ana", "age", "30"), fact("Ana", "age", "34"), true, false),
        (said("My name is Ana"), said("My name is Bea."), true, false),
        (said("Ich wohne in Bremen."), said("Ich wohne in Kiel."), true, ASKS),
        (said("Mein Geburtstag ist am 3 Mai"), said("My birthday is on May 4"), false, false),
    ] {
        assert_eq!(found(one.clone(), two.clone()), Some(Conflict { may_change, asks }), "{one:?} {two:?}");
    }
}

#[test]
fn what_may_both_be_is_no_contradiction() {
    assert_may_both_be([
        (fact("Ana", "lives in", "Lisbon"), fact("Ana", "lives in", "Lisbon, Portugal")),
        (fact("Ana", "lives in", "Lisbon"), fact("Ana", "lives in", "Portugal")),
        (fact("Ana", "lives in", "Porto"), fact("Ben", "lives in", "Lisbon")),
        (fact("Ana", "works at", "Acme"), fact("Ana", "works at", "Acme Corp")),
        (fact("Ana", "lives in", "Porto and Lisbon"), fact("Ana", "lives in", "Ghent")),
        (fact("Ana", "speaks", "French"), fact("Ana", "speaks", "German")),
        (fact("Ana", "age", "30"), fact("Ana", "age", "31")),
        (said("My birthday is May 3"), said("My birthday is on 3 May 1990 at 8")),
        (said("My birthday is May 3"), said("My birthday is in 5 days")),
        (said("My favorite color is green"), said("My favorite food is pizza")),
        (said("My favorite part is green"), said("My favorite part is blue")),
        (said("My favorite color is green"), said("My favorite color is not blue")),
        (said("I work at Acme"), said("I also work at Beta")),
        (said("My name is Ana"), said("My name is Ana Silva")),
        (said("I am called Ana"), said("I go by Bea")),
        (said("I live in Porto"), MemoryDraft { speaker: Some("Ben".to_owned()), ..said("I live in Lisbon") }),
        (said("I live in Porto"), MemoryDraft { namespace: "work".to_owned(), ..said("I live in Lisbon") }),
    ]);
}

#[test]
fn what_is_no_plain_statement_contradicts_nothing() {
    for text in [
        "If I live in Lisbon I need a car",
        "Do I live in Lisbon?",
        "I want to live in Lisbon",
        "I may live in Lisbon",
        "I think I live in Lisbon",
        "I lived in Lisbon",
        "I live in Lisbon. It is dry.",
        "She said: \"I live in Lisbon\"",
    ] {
        assert_eq!(found(said("I live in Porto"), said(text)), None, "{text}");
    }
    let content = "Ana might live in Lisbon".to_owned();
    let unsure = MemoryDraft { content, ..fact("Ana", "lives in", "Lisbon") };
    assert_eq!(found(fact("Ana", "lives in", "Porto"), unsure), None);
}

#[test]
fn capitals_behind_an_article_or_before_further_words_are_no_name() {
    for text in [
        "I live in the Lisbon district",
        "I live in Lisbon style housing",
        "I live in a Bauhaus",
        "I live in Ana's house",
        "I live in downtown Lisbon",
        "I live in Lisbon half of the year",
        "I live in Lisbon and Ghent",
    ] {
        assert_eq!(found(said("I live in Porto"), said(text)), None, "{text}");
    }
    for text in ["I work at the Lisbon office", "I work at a hospital", "I work at Beta on Mondays"] {
        assert_eq!(found(said("I work at Acme"), said(text)), None, "{text}");
    }
    for text in
        ["I live in Lisbon", "I live in New York City", "I live in Lisbon, near the sea", "I live in Lisbon now"]
    {
        assert!(found(said("I live in Porto"), said(text)).is_some(), "{text}");
    }
}

#[test]
fn a_statement_and_its_negation_contradict_each_other() {
    for (one, two) in [
        (fact("Ana", "eats", "meat"), fact("Ana", "does not eat", "meat")),
        (likes("window seats", Polarity::Positive), likes("Window seats", Polarity::Negative)),
        (of("Ana", "Ana likes hiking."), of("Ana", "Ana doesn't like hiking.")),
        (said("I love cilantro"), said("I hate cilantro")),
        (of("Ana", "Ana has a dog"), of("Ana", "Ana does not have a dog")),
        (said("I have pets"), said("I have no pets")),
        (said("I am allergic to nuts"), said("I'm not allergic to nuts")),
        (said("I eat meat"), said("I never eat meat")),
        (said("Ich esse Fleisch"), said("Ich esse kein Fleisch")),
    ] {
        let conflict = Some(Conflict { may_change: true, asks: false });
        assert_eq!(found(one.clone(), two.clone()), conflict, "{one:?} {two:?}");
    }
}

#[test]
fn what_is_so_at_all_times_is_denied_by_a_plain_denial_and_preferences_by_the_opposite_one() {
    for (one, two) in [
        (said("I drink coffee every morning"), said("I don't drink coffee")),
        (of("Ana", "Ana plays tennis on Sundays."), of("Ana", "Ana doesn't play tennis.")),
        (said("I prefer tea over coffee"), said("I prefer coffee over tea")),
    ] {
        assert!(found(one.clone(), two.clone()).is_some(), "{one:?} {two:?}");
    }
    assert_may_both_be([
        (said("I prefer tea over coffee"), said("I prefer tea over water")),
        (said("I have a dog this weekend"), said("I don't have a dog")),
        (said("I drink coffee only on Sundays"), said("I don't drink coffee")),
        (said("I drink coffee on Sundays only"), said("I don't drink coffee")),
        (said("I play tennis tomorrow"), said("I don't play tennis")),
        (said("I drive a rental car this weekend"), said("I don't drive a rental car")),
    ]);
}

#[test]
fn different_objects_stay_separate() {
    assert_may_both_be([
        (said("I like this song"), said("I don't like that song")),
        (said("I like this song"), said("I don't like this song")),
        (said("I like it"), said("I don't like it")),
        (said("I like my bike"), said("I don't like her bike")),
        (said("I like hiking"), said("I don't like hiking in the rain")),
        (said("I speak to my boss"), said("I don't speak about my boss")),
        (said("I like tea with milk"), said("I don't like tea without milk")),
        (said("I drive to Porto"), said("I don't drive from Porto")),
        (said("I own the car"), said("I don't own a car")),
        (said("I am allergic to nuts"), said("I am not allergic to dogs")),
        (said("I love cilantro"), said("I can't stand it, and I hate cilantro")),
    ]);
    assert!(found(said("I like my bike"), said("I don't like my bike")).is_some());
    assert!(found(said("I own a car"), said("I don't own any car")).is_some());
}

#[test]
fn what_is_denied_in_part_or_changes_by_the_day_is_not_denied() {
    assert_may_both_be([
        (said("I eat meat"), said("I don't only eat meat")),
        (said("I eat meat"), said("I don't always eat meat")),
        (said("I eat meat"), said("I do not eat just meat")),
        (said("I eat meat"), said("I don't eat much meat")),
        (said("I like hiking"), said("I don't like hiking every weekend")),
        (said("I drink coffee"), said("I don't drink coffee at night")),
        (fact("Ana", "eats", "meat"), fact("Ana", "does not always eat", "meat")),
        (said("I have a meeting"), said("I don't have a meeting")),
        (said("I am tired"), said("I am not tired")),
        (said("I need milk"), said("I don't need milk")),
    ]);
    let content = "I don't like tea in the evening".to_owned();
    let in_part = MemoryDraft { content, ..likes("tea", Polarity::Negative) };
    assert_eq!(found(likes("tea", Polarity::Positive), in_part), None);
}

#[test]
fn nothing_is_claimed_by_what_is_sensitive_or_edited_in_place() {
    let mut secret = said("I live in Porto");
    secret.metadata.sensitive = true;
    let named = MemoryDraft { name: Some("notes/home".to_owned()), ..said("I live in Porto") };
    for draft in [secret, named] {
        assert_eq!(ClaimRow::all_of(&at(1, draft)), []);
    }
    assert!(!ClaimRow::all_of(&at(1, said("I live in Porto"))).is_empty());
}

#[test]
fn an_impossible_age_is_none() {
    for age in ["151", "9223372036854775807", "30s", "99999999999999999999"] {
        assert_eq!(found(said("I am 30 years old"), said(&format!("I am {age} years old"))), None, "{age}");
        assert_eq!(found(fact("Ana", "age", "30"), fact("Ana", "age", age)), None, "{age}");
    }
    assert!(found(said("I am 0 years old"), said("I am 150 years old")).is_some());
}

proptest! {
    #[test]
    fn no_text_breaks_it(
        pieces in proptest::collection::vec(
            "\\PC{0,8}|[ .,?!'’\"\\n]{1,3}|I |I'm |I've |never |my |Ana |birthday |is |lives in |works at |not |or |May |age |[0-9]{1,22} |years old|no |to |had |like |favorite |🙂|ß|İ",
            0..16,
        ),
        number: i64,
    ) {
        let text = pieces.concat();
        let (detail, half) = (text.clone(), text.chars().take(6).collect::<String>());
        for draft in [said(&text), of("Ana", &text), fact("Ana", &half, &detail), likes(&text, Polarity::Positive)] {
            let extreme = Memory::new(MemoryId(Uuid::nil()), Seq(number), draft.clone(), Timestamp(number));
            let other = at(1, said("I've never lived in Porto or seen May"));
            let count = ClaimRow::all_of(&extreme).len();
            prop_assert!(conflicts(&[&extreme, &other, &at(2, draft)]).len() <= 3 && count <= 8);
        }
    }
}
