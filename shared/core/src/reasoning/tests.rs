//! Tests of what is concluded and what is not.

use uuid::Uuid;

use super::*;
use crate::ids::{ConsentId, Seq};
use crate::memory::{MemoryDraft, RecordKind};
use crate::time::Span;

const NOW: Timestamp = Timestamp(1_763_640_000_000_000);

/// A numbered record from `days` days ago.
fn record(n: u128, speaker: Option<&str>, content: &str, days: i64) -> Memory {
    let draft = MemoryDraft {
        tier: Tier::LongTerm,
        content: content.to_owned(),
        speaker: speaker.map(str::to_owned),
        occurred_at: Some(NOW.minus(Span::days(days))),
        ..MemoryDraft::default()
    };
    Memory::new(MemoryId(Uuid::from_u128(n)), Seq(i64::try_from(n).unwrap()), draft, NOW.minus(Span::days(days)))
}

fn told(texts: &[&str]) -> Vec<Memory> {
    (1..).zip(texts).map(|(n, text)| record(n, None, text, 1)).collect()
}

/// Statements by Ana, a week apart.
fn weekly(texts: &[&str]) -> Vec<Memory> {
    (1..).zip(texts).map(|(n, text)| record(n, Some("Ana"), text, 7 * i64::try_from(n).unwrap())).collect()
}

fn all(records: &[Memory]) -> Vec<Conclusion> {
    let mut fresh = crate::entities::Fresh::default();
    for memory in records {
        fresh.read(memory, NOW);
    }
    let graph = fresh.graph(NOW);
    let known = Known::new(&graph, records, NOW);
    graph.entities.iter().flat_map(|entity| known.conclusions(entity)).collect()
}

fn texts(records: &[Memory]) -> Vec<String> {
    let mut texts: Vec<String> = all(records).into_iter().map(|one| one.text).collect();
    texts.sort();
    texts
}

/// Conclusions from texts without a speaker.
fn from(told_texts: &[&str]) -> Vec<String> {
    texts(&told(told_texts))
}

const ACME: [&str; 2] = ["Ana works at Acme Corp.", "Acme Corp is based in Porto."];

#[test]
fn what_passes_on_is_deduced_from_its_premises_and_names_them() {
    for (texts, expected) in [
        (&ACME[..], "Ana works in Porto."),
        (&["Ana lives in Porto.", "Porto is in Portugal."], "Ana lives in Portugal."),
        (&["Porto is in Portugal.", "Portugal is in Europe."], "Porto is in Europe."),
        (&["Ana works at Acme Corp.", "Acme Corp is a part of Zentra Inc."], "Ana works for Zentra Inc."),
    ] {
        let found = all(&told(texts));
        let one = found.iter().find(|one| one.text == expected);
        let one = one.unwrap_or_else(|| panic!("{texts:?}: {found:?}"));
        assert_eq!(one.rests_on().len(), 2, "{expected}");
        assert!((0.80..=0.90).contains(&one.confidence), "{expected}");
        for premise in &one.premises {
            let memory = told(texts).into_iter().find(|memory| memory.id == premise.memory).unwrap();
            let span = premise.span.start as usize..premise.span.end as usize;
            assert_eq!(&memory.draft.content[span], memory.draft.content, "the sentence that says it");
        }
    }
}

#[test]
fn conclusions_are_two_steps_from_statements_and_no_further() {
    let chain = ["Ana lives in Porto.", "Porto is in Portugal.", "Portugal is in Europe.", "Europe is in Asia."];
    let found = from(&chain);
    assert!(found.contains(&"Ana lives in Portugal.".to_owned()) && found.contains(&"Ana lives in Europe.".to_owned()));
    assert!(!found.contains(&"Ana lives in Asia.".to_owned()), "{found:?}");
}

#[test]
fn nothing_follows_from_what_is_denied_doubted_asked_wished_or_over() {
    for premise in [
        "Ana does not work at Acme Corp.",
        "Ana no longer works at Acme Corp.",
        "Ana never worked at Acme Corp.",
        "It is not true that Ana works at Acme Corp.",
        "Does Ana work at Acme Corp.?",
        "If Ana works at Acme Corp., call her.",
        "Ana might work at Acme Corp.",
        "Ana wants to work at Acme Corp.",
        "Ana used to work at Acme Corp.",
        "Ana worked at Acme Corp.",
    ] {
        assert!(from(&[premise, ACME[1]]).is_empty(), "{premise}: {:?}", from(&[premise, ACME[1]]));
    }
    for premise in ["Ana grew up in Porto.", "Ana is from Porto.", "Ana lived in Porto.", "Ana was born in Porto."] {
        assert!(!from(&[premise, "Porto is in Portugal."]).iter().any(|text| text.starts_with("Ana")), "{premise}");
    }
    assert!(from(&["I visited Porto, Lisbon and Madrid.", "Madrid is in Spain."]).is_empty(), "a list of places");
}

#[test]
fn nothing_follows_if_several_places_are_possible() {
    assert!(from(&["Ana works at Acme Corp.", ACME[1], "Acme Corp is based in Berlin."]).is_empty());
    assert!(from(&["Ana works at Acme Corp.", "Ana works at Zentra Inc.", ACME[1]]).is_empty());
    let nested =
        from(&["Ana lives in Porto.", "Ana lives in Portugal.", "Porto is in Portugal.", "Portugal is in Europe."]);
    assert!(
        nested.contains(&"Ana lives in Europe.".to_owned()),
        "the nearer of two that lie in each other: {nested:?}"
    );
    assert!(!nested.contains(&"Ana lives in Portugal.".to_owned()), "what was said is not concluded");
}

/// A change to a premise, and its name.
type Trap = (&'static str, fn(&mut Memory));

#[test]
fn premises_that_are_retired_hidden_or_unlike_conclude_nothing() {
    assert_eq!(from(&ACME), ["Ana works in Porto."]);
    let traps: [Trap; 12] = [
        ("ended", |memory| memory.draft.valid_to = Some(NOW.minus(Span::days(1)))),
        ("not yet", |memory| memory.draft.valid_from = Some(NOW.plus(Span::days(1)))),
        ("archived", |memory| memory.state = MemoryState::Archived),
        ("deleted", |memory| memory.state = MemoryState::Deleted),
        ("sensitive", |memory| memory.draft.metadata.sensitive = true),
        ("withheld", |memory| memory.withheld = true),
        ("stale", |memory| memory.belief.stale_since = Some(NOW)),
        ("edited in place", |memory| memory.draft.name = Some("notes/acme".to_owned())),
        ("another namespace", |memory| memory.draft.namespace = "work".to_owned()),
        ("another consent", |memory| memory.draft.consent_id = Some(ConsentId(Uuid::from_u128(7)))),
        ("another tier", |memory| memory.draft.tier = Tier::Permanent),
        ("concluded", |memory| memory.draft.kind = RecordKind::Insight),
    ];
    for (trap, spring) in traps {
        for at in 0..2 {
            let mut records = told(&ACME);
            spring(&mut records[at]);
            assert!(texts(&records).is_empty(), "{trap}");
        }
    }
}

#[test]
fn conclusions_hold_while_all_premises_do() {
    let mut records = told(&ACME);
    let day = |days: i64| Some(NOW.plus(Span::days(days)));
    (records[0].draft.valid_from, records[0].draft.valid_to) = (day(-9), day(9));
    (records[1].draft.valid_from, records[1].draft.valid_to) = (day(-3), day(30));
    let found = all(&records);
    assert_eq!((found[0].valid_from, found[0].valid_to), (day(-3), day(9)));
}

#[test]
fn family_is_concluded_from_the_other_side_and_by_way_of_a_third() {
    let said = [
        record(1, Some("Ana"), "My sister Clara lives here.", 3),
        record(2, Some("Ana"), "My mother Rita is a nurse.", 2),
        record(3, None, "Rita's brother Paul is a doctor.", 1),
    ];
    let found = texts(&said);
    for expected in ["Clara's sibling is Ana.", "Rita's child is Ana.", "Ana's aunt or uncle is Paul."] {
        assert!(found.contains(&expected.to_owned()), "{expected}: {found:?}");
    }
    assert!(
        !found.iter().any(|text| text.starts_with("Clara's parent")),
        "half siblings have other parents: {found:?}"
    );
    for trap in [
        "My sister-in-law Clara lives here.",
        "Clara is not my sister.",
        "Is Clara my sister?",
        "My ex-wife Clara lives here.",
    ] {
        assert!(texts(&[record(1, Some("Ana"), trap, 3)]).is_empty(), "{trap}");
    }
}

#[test]
fn what_always_falls_on_one_day_is_induced_from_three_weeks() {
    let yoga = ["I went to yoga.", "I had a lesson of yoga today.", "I did yoga and it was great."];
    let found = all(&weekly(&yoga));
    assert_eq!(found.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["For Ana, yoga falls on Thursdays."]);
    assert_eq!((found[0].premises.len(), found[0].confidence.to_bits()), (3, 0.60_f64.to_bits()));
    assert!(texts(&weekly(&yoga[..2])).is_empty(), "two are too few");
    let mut one_off = weekly(&yoga);
    one_off.push(record(9, Some("Ana"), "I went to yoga.", 30));
    assert!(texts(&one_off).is_empty(), "another day");
    let mut denied = weekly(&yoga);
    denied[2].draft.content = "I did not go to yoga.".to_owned();
    assert!(texts(&denied).is_empty(), "it did not happen");
    let told_later = ["I went to yoga yesterday.", "I went to yoga yesterday.", "I went to yoga yesterday."];
    assert!(texts(&weekly(&told_later)).is_empty(), "the day of telling is not that of the event");
    let named = ["On Tuesday I went to yoga.", "I had yoga on Tuesday.", "I did yoga on Tuesday."];
    assert_eq!(texts(&weekly(&named)), ["For Ana, yoga falls on Tuesdays."]);
}

/// Draws each conclusion again from its premises alone.
fn again(records: &[Memory]) -> Vec<Option<Conclusion>> {
    let mut fresh = crate::entities::Fresh::default();
    for memory in records {
        fresh.read(memory, NOW);
    }
    let graph = fresh.graph(NOW);
    let one = |conclusion: &Conclusion| {
        let rests_on = conclusion.rests_on();
        let own: Vec<Memory> = records.iter().filter(|memory| rests_on.contains(&memory.id)).cloned().collect();
        let about = graph.entity(conclusion.about).unwrap();
        Known::new(&graph, &own, NOW).concluded(about, conclusion.rule, digest_of(&conclusion.text))
    };
    all(records).iter().map(one).collect()
}

#[test]
fn a_conclusion_follows_again_only_from_its_own_premises() {
    let both = ["I went to yoga and pottery.", "I did yoga, then pottery.", "I enjoyed yoga and pottery today."];
    let mut records = weekly(&both);
    let longest = "For Ana, pottery falls on Thursdays.";
    assert_eq!(texts(&records), [longest], "the same sentences count once");
    records.push(record(9, Some("Ana"), "I went to pottery.", 30));
    assert_eq!(texts(&records), ["For Ana, yoga falls on Thursdays."], "pottery falls on another day too");
    let classes: Vec<String> = (0..12).map(|n| format!("I went to {} today.", ["classes", "class"][n % 2])).collect();
    let many = weekly(&classes.iter().map(String::as_str).collect::<Vec<_>>());
    let family = [
        record(1, Some("Ana"), "My sister Clara lives here.", 3),
        record(2, Some("Ana"), "My mother Rita is a nurse.", 2),
        record(3, None, "Rita's brother Paul is a doctor.", 1),
    ];
    let nested =
        told(&["Ana lives in Porto.", "Ana lives in Portugal.", "Porto is in Portugal.", "Portugal is in Europe."]);
    for records in [&records[..], &many, &family, &nested] {
        let expected: Vec<Option<Conclusion>> = all(records).into_iter().map(Some).collect();
        assert!(!expected.is_empty(), "{records:?}");
        assert_eq!(again(records), expected);
    }
}

#[test]
fn what_is_liked_three_times_and_never_disliked_is_induced() {
    let tea = ["I love green tea.", "I like black tea.", "I really enjoy tea."];
    let likes = "Ana likes tea, as was said again and again.";
    let records = |texts: &[&str]| {
        let mut all = weekly(texts);
        for (memory, days) in all.iter_mut().zip([1, 3, 8, 12]) {
            memory.draft.occurred_at = Some(NOW.minus(Span::days(days)));
        }
        all
    };
    assert!(texts(&records(&tea)).contains(&likes.to_owned()), "{:?}", texts(&records(&tea)));
    for trap in ["I do not like black tea.", "I hate black tea.", "Do I like black tea?", "Bob says I like black tea?"]
    {
        let found = texts(&records(&[tea[0], trap, tea[2]]));
        assert!(!found.contains(&likes.to_owned()), "{trap}: {found:?}");
    }
    let mixed = [tea[0], tea[1], tea[2], "I hate tea."];
    assert!(!texts(&records(&mixed)).contains(&likes.to_owned()), "once the contrary");
}

#[test]
fn who_is_together_on_three_days_is_so_often_and_told_once() {
    let met = ["I went hiking with Bob.", "I cooked dinner with Bob.", "I played chess with Bob."];
    let records = |texts: &[&str], days: [i64; 3]| {
        let mut all = weekly(texts);
        for (memory, days) in all.iter_mut().zip(days) {
            memory.draft.occurred_at = Some(NOW.minus(Span::days(days)));
        }
        all
    };
    let found = texts(&records(&met, [1, 4, 9]));
    let together = |found: &[String]| found.iter().filter(|text| text.ends_with("are often together.")).count();
    assert_eq!(together(&found), 1, "{found:?}");
    assert_eq!(together(&texts(&records(&met, [1, 1, 1]))), 0, "one day");
    let trap = [met[0], met[1], "I did not play chess with Bob."];
    assert_eq!(together(&texts(&records(&trap, [1, 4, 9]))), 0, "they were not");
}

#[test]
fn the_same_is_concluded_in_the_same_order_whatever_the_order_of_reading() {
    let mut records = told(&[
        "Ana lives in Porto.",
        "Porto is in Portugal.",
        "Portugal is in Europe.",
        "Ana works at Acme Corp.",
        ACME[1],
    ]);
    let first = all(&records);
    records.reverse();
    let again = all(&records);
    assert_eq!(first, again);
    assert!(first.len() > 3);
}

const FACTS: [&str; 5] = [
    "Ana works at Acme Corp.",
    "Ana lives in Porto.",
    "Ana likes green tea.",
    "Ana plays the cello.",
    "Ana speaks four languages.",
];

/// The description of Ana.
fn narrative(records: &[Memory]) -> Option<Narrative> {
    let mut fresh = crate::entities::Fresh::default();
    for memory in records {
        fresh.read(memory, NOW);
    }
    let graph = fresh.graph(NOW);
    let known = Known::new(&graph, records, NOW);
    graph.entities.iter().find(|entity| entity.name == "Ana").and_then(|entity| known.narrative(entity))
}

#[test]
fn five_facts_become_sentences_that_each_rest_on_a_record() {
    let told_of = narrative(&told(&FACTS)).expect("enough is known");
    let text =
        "Ana works at Acme Corp, lives in Porto and likes green tea. Ana plays the cello. Ana speaks four languages.";
    assert_eq!(told_of.text, text);
    assert_eq!(told_of.rests_on(), told(&FACTS).iter().map(|memory| memory.id).collect());
    assert_eq!(narrative(&told(&FACTS[..4])), None, "four are too few");
    assert_eq!(narrative(&[told(&FACTS[..4]), told(&FACTS[..4])].concat()), None, "said twice is one fact");
}

#[test]
fn what_is_no_plain_fact_is_not_told() {
    for trap in
        ["Ana does not speak Greek.", "Ana used to dance.", "Does Ana dance?", "Ana might dance.", "We saw Ana dance."]
    {
        let facts = [&FACTS[..4], &[trap]].concat();
        assert_eq!(narrative(&told(&facts)), None, "{trap}");
    }
    let hidden: [fn(&mut Memory); 3] = [
        |memory| memory.draft.metadata.sensitive = true,
        |memory| memory.draft.valid_to = Some(NOW.minus(Span::days(1))),
        |memory| memory.draft.consent_id = Some(ConsentId(Uuid::from_u128(7))),
    ];
    for hide in hidden {
        let mut records = told(&FACTS);
        hide(&mut records[2]);
        assert_eq!(narrative(&records), None);
    }
}

#[test]
fn names_of_profiles_are_paths_of_one_folder() {
    assert_eq!(Narrative::record_of("AC/DC"), "profiles/AC DC");
}

/// These records and three more in another tier, which use another name for Ana.
fn with_others(mut records: Vec<Memory>) -> Vec<Memory> {
    for n in 100..103 {
        let mut other = record(n, None, "We met Ana Silva at the station.", 1);
        other.draft.tier = Tier::ShortTerm;
        records.push(other);
    }
    records
}

#[test]
fn conclusions_and_descriptions_name_people_only_as_premises_do() {
    let [one] = &all(&with_others(told(&ACME)))[..] else { panic!("one follows") };
    assert_eq!((one.text.as_str(), one.subject.as_str()), ("Ana works in Porto.", "Ana"));
    let kin = [record(1, Some("Clara"), "My sister Ana lives here.", 3)];
    let found = texts(&with_others(kin.to_vec()));
    assert_eq!(found, ["Ana's sibling is Clara."]);
    let facts = with_others(told(&FACTS));
    let mut fresh = crate::entities::Fresh::default();
    for memory in &facts {
        fresh.read(memory, NOW);
    }
    let graph = fresh.graph(NOW);
    let ana = graph.entities.iter().find(|entity| entity.is_called("ana")).expect("she is known");
    let mostly = Entity { name: "Ana Silva".to_owned(), ..ana.clone() };
    let told_of = Known::new(&graph, &facts, NOW).narrative(&mostly).expect("enough is known");
    assert_eq!((told_of.subject.as_str(), told_of.text.contains("Silva")), ("Ana", false), "{}", told_of.text);
}

#[test]
fn the_owner_of_a_vault_is_called_so_at_the_beginning_and_within_sentences() {
    let said = ["My sister Clara lives here."];
    assert_eq!(from(&said), ["Clara's sibling is the user."]);
    assert_eq!(begun("the user likes tea.".to_owned()), "The user likes tea.");
}
