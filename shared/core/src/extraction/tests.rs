//! Tests of extraction as a whole. The texts are invented.

use proptest::prelude::*;

use super::*;
use crate::Timestamp;
use crate::memory::Role;

/// 2025-11-24T16:00:00Z, a Monday.
const AT: Timestamp = Timestamp(1_764_000_000_000_000);
/// The first second of that Monday.
const MONDAY: i64 = 1_763_942_400;
const DAY: i64 = 86_400;

fn said<'m>(name: &'m str, content: &'m str) -> Said<'m> {
    Said { role: Role::User, name, content, at: Some(AT) }
}

fn found(text: &str) -> Extraction {
    extract(Language::english(), &said("Ana", text), &[], Options { sensitive: true })
}

fn one(text: &str) -> Candidate {
    let mut found = found(text);
    assert_eq!(found.candidates.len(), 1, "{text}: {found:?}");
    found.candidates.remove(0)
}

fn whys(text: &str) -> Vec<Why> {
    found(text).left_out.into_iter().map(|left| left.why).collect()
}

#[test]
fn the_first_person_becomes_the_speaker_where_that_is_safe() {
    for (text, content) in [
        ("I'm a nurse at St. Mary's and love it.", "Ana is a nurse at St. Mary's and loves it."),
        ("I don't like cilantro", "Ana doesn't like cilantro."),
        ("My sister Lea lives in Rome.", "Ana's sister Lea lives in Rome."),
        ("Well, I've moved to Lisbon with my dog!", "Ana has moved to Lisbon with their dog."),
        ("We adopted a puppy yesterday.", "Ana: We adopted a puppy yesterday."),
    ] {
        assert_eq!(one(text).content.trim_end_matches('!'), content.trim_end_matches('!'), "{text}");
    }
    let unnamed = extract(Language::english(), &said("", "I live in Ghent."), &[], Options::default());
    assert_eq!(unnamed.candidates[0].content, "The user lives in Ghent.");
}

#[test]
fn each_claim_of_a_sentence_is_one_candidate_with_its_own_span() {
    for (text, claims) in [
        ("I live in Oslo and I have two cats.", &["Ana lives in Oslo.", "Ana has two cats."][..]),
        ("I'm a nurse and I work at St. Mary's.", &["Ana is a nurse.", "Ana works at St. Mary's."]),
        ("I like tea, but I don't like coffee.", &["Ana likes tea.", "Ana doesn't like coffee."]),
        ("If I lived in Oslo and I had two cats, I'd be happy.", &[]),
        ("Do you know that I live in Oslo and I have two cats?", &[]),
    ] {
        let found = found(text).candidates;
        let contents: Vec<&str> = found.iter().map(|one| one.content.as_str()).collect();
        assert_eq!(contents, claims, "{text}");
        for pair in found.windows(2) {
            assert!(pair[0].span.end <= pair[1].span.start, "{text}: {:?} {:?}", pair[0].span, pair[1].span);
        }
    }
    let german = said("Ana", "Ich wohne in Bremen und ich habe zwei Katzen.");
    let german = extract(german.language(&[]), &german, &[], Options::default());
    assert_eq!(german.candidates.len(), 2, "{german:?}");
}

#[test]
fn classes_natures_and_keys_are_distinguished() {
    for (text, class, nature, key) in [
        ("My name is Ana.", Class::Fact, Nature::State, Some("ana/name")),
        ("I live in Ghent.", Class::Fact, Nature::State, Some("ana/home")),
        ("My favorite color is green.", Class::Preference, Nature::State, Some("ana/favorite.color")),
        ("I prefer dark mode.", Class::Preference, Nature::State, None),
        ("From now on, answer in French.", Class::Preference, Nature::Instruction, None),
        ("We decided to go with Postgres for billing.", Class::Decision, Nature::Instruction, None),
        ("I'm flying to Oslo next week.", Class::Decision, Nature::Plan, None),
        ("Our staging server runs on port 8081.", Class::Knowledge, Nature::State, None),
    ] {
        let candidate = one(text);
        assert_eq!((candidate.class, candidate.nature, candidate.exclusive.as_deref()), (class, nature, key), "{text}");
    }
}

#[test]
fn what_is_no_statement_yields_nothing_and_says_why() {
    for (text, why) in [
        ("Thanks so much!", Why::Greeting),
        ("Do you know where I live?", Why::Question),
        ("If I had a dog, I would call it Rex.", Why::Hypothetical),
        ("She said \"I live in Rome\" and left.", Why::Quoted),
        ("```\nI live in Rome.\n```", Why::Code),
        ("| name | I live in Rome |", Why::ToolNoise),
        ("> I live in Rome.", Why::Quoted),
        ("My password is hunter2.", Why::Secret),
    ] {
        assert_eq!(found(text).candidates, [], "{text}");
        assert_eq!(whys(text), [why], "{text}");
    }
    let tool = Said { role: Role::Tool, ..said("", "I live in Rome.") };
    assert_eq!(extract(Language::english(), &tool, &[], Options::default()).left_out[0].why, Why::ToolNoise);
}

#[test]
fn what_is_to_be_remembered_is_kept_without_the_request() {
    for (text, content) in [
        ("Remember that the gate code changes on Monday.", "Ana: The gate code changes on Monday."),
        ("Please keep in mind that the spare key is with Bo.", "The spare key is with Bo."),
        ("Merk dir bitte, dass ich um neun anfange.", "Ana: Merk dir bitte, dass ich um neun anfange."),
    ] {
        let found = extract(Language::guess(text), &said("Ana", text), &[], Options::default());
        let kept: Vec<_> = found.candidates.iter().map(|one| (one.content.as_str(), one.importance)).collect();
        assert_eq!(kept, [(content, 8)], "{text}");
    }
}

#[test]
fn what_is_denied_or_over_is_kept_as_such() {
    let denied = one("I don't eat meat.");
    assert_eq!((denied.content.as_str(), denied.ends, denied.exclusive), ("Ana doesn't eat meat.", false, None));
    let ended = one("I no longer work at SAP.");
    assert_eq!((ended.content.as_str(), ended.ends, ended.exclusive), ("Ana no longer works at SAP.", true, None));
    let of_others = found("My sister no longer works at SAP.").candidates;
    assert!(of_others.iter().all(|one| !one.ends || one.subject != "Ana"), "{of_others:?}");
}

#[test]
fn what_comes_along_is_neither_secret_nor_sensitive() {
    for text in
        ["I have hepatitis. It makes travelling to Rome hard for me.", "My PIN: 4711. It is for the card of my bank."]
    {
        let found = extract(Language::english(), &said("Ana", text), &[], Options::default());
        let contents = found.candidates.iter().map(|one| one.content.as_str());
        assert!(contents.clone().all(|told| !told.contains("hepatitis") && !told.contains("4711")), "{found:?}");
    }
}

#[test]
fn health_needs_leave() {
    assert!(!one("I'm allergic to peanuts.").sensitive, "a host asks that");
    let text = said("Ana", "I was diagnosed with diabetes.");
    let without = extract(Language::english(), &text, &[], Options::default());
    assert_eq!((without.candidates.len(), without.left_out[0].why), (0, Why::Sensitive));
    assert!(one(text.content).sensitive);
}

#[test]
fn a_question_yields_the_statement_before_it() {
    let candidate = one("I live at 5 Main Street, can you tell me where the pharmacy is?");
    assert_eq!(candidate.content, "Ana lives at 5 Main Street.");
    assert_eq!(one("I prefer short answers, how can I set that.").content, "Ana prefers short answers.");
}

#[test]
fn what_is_left_out_around_an_extraction_is_not_joined() {
    let found = found("Fog again. I live in Ghent. Fog again.");
    let spans: Vec<_> = found.left_out.iter().map(|left| left.span.clone()).collect();
    assert_eq!(spans, [0..10, 28..38]);
    assert_eq!(found.candidates[0].span, 11..27);
}

#[test]
fn times_are_relative_to_the_message() {
    let day = |from: i64, days: i64| Period {
        from: Timestamp((MONDAY + from * DAY) * 1_000_000),
        to: Timestamp((MONDAY + (from + days) * DAY) * 1_000_000),
    };
    for (text, period) in [
        ("I moved to Porto yesterday.", day(-1, 1)),
        ("I sold my old car three weeks ago.", day(-21, 7)),
        ("I'm flying to Oslo next week.", day(7, 7)),
        ("I moved to Porto on 20 November 2025.", day(-4, 1)),
        ("I moved to Porto on Friday.", day(-3, 1)),
        ("I'm flying to Oslo on Friday.", day(4, 1)),
    ] {
        assert_eq!(one(text).period, Some(period), "{text}");
    }
    assert_eq!(one("I moved to Porto yesterday.").valid.from, Some(day(-1, 1).from));
    assert_eq!(one("I'm flying to Oslo next week.").valid, ValidTime::default(), "a plan holds at once");
    let undated = Said { at: None, ..said("Ana", "I moved to Porto yesterday.") };
    assert_eq!(extract(Language::english(), &undated, &[], Options::default()).candidates[0].period, None);
}

#[test]
fn a_correction_restates_what_the_speaker_said() {
    let before = [said("Ana", "I live in Porto."), said("Bo", "I live in Ghent.")];
    for text in ["No, it's Lisbon.", "It's Lisbon, not Porto.", "Not Porto but Lisbon."] {
        let found = extract(Language::english(), &said("Ana", text), &before, Options::default());
        assert_eq!(found.candidates.len(), 1, "{text} {found:?}");
        let candidate = &found.candidates[0];
        assert_eq!(candidate.content, "Ana lives in Lisbon.", "{text}");
        assert!(candidate.corrects && candidate.exclusive.as_deref() == Some("ana/home"), "{text}");
        assert_eq!(candidate.corrected.as_deref(), Some("Porto"), "{text}");
        assert_eq!(candidate.span, 0..text.len());
    }
    let secret = [said("Ana", "My PIN is 4711.")];
    let none = extract(Language::english(), &said("Ana", "No, it's 4712."), &secret, Options::default());
    assert_eq!(none.candidates, [], "a secret stays one");
    let none = extract(Language::english(), &said("Ana", "No, it's Lisbon."), &[], Options::default());
    assert_eq!(none.candidates, [], "nothing that it could correct");
}

#[test]
fn a_pronoun_is_the_only_person_that_fits_or_left() {
    let found = found("My brother Tom is 40. He lives in Oslo and plays the drums.");
    assert_eq!(
        found.candidates.last().map(|last| last.content.as_str()),
        Some("Tom lives in Oslo and plays the drums.")
    );
    assert_eq!(whys("She lives in Rome."), [Why::Nothing]);
}

#[test]
fn german_is_read_by_its_own_words() {
    let german = |text| extract(Language::german(), &said("Ana", text), &[], Options::default());
    for (text, content, class) in [
        ("Ich wohne in Köln.", "Ana wohnt in Köln.", Class::Fact),
        ("Meine Schwester heißt Lea.", "Anas Schwester heißt Lea.", Class::Fact),
        ("Ich mag keinen Koriander.", "Ana mag keinen Koriander.", Class::Preference),
        ("Antworte bitte immer auf Deutsch.", "Antworte bitte immer auf Deutsch.", Class::Preference),
        ("Wir haben uns für Postgres entschieden.", "Ana: Wir haben uns für Postgres entschieden.", Class::Decision),
    ] {
        let found = german(text);
        let first = found.candidates.first().map(|one| (one.content.as_str(), one.class));
        assert_eq!(first, Some((content, class)), "{text}: {found:?}");
    }
    for text in ["Wenn ich einen Hund hätte, würde ich ihn Rex nennen.", "Wie geht es dir?", "Danke dir!"] {
        assert_eq!(german(text).candidates, [], "{text}");
    }
    assert_eq!(Language::guess("Ich habe das nicht gewusst").tag(), "de");
    assert!(Language::of("de-AT").is_some() && Language::of("xx").is_none());
}

#[test]
fn the_data_files_are_sound() {
    for text in [include_str!("words/en.txt"), include_str!("words/de.txt")] {
        assert_eq!(Language::parse(text).map(|_| ()), Ok(()));
    }
}

#[test]
fn what_was_masked_is_a_secret_still() {
    let masked = "My OpenAI key is [masked]. I live in Porto.";
    let found = extract(Language::english(), &said("Ana", masked), &[], Options::default());
    let kept: Vec<&str> = found.candidates.iter().map(|one| &masked[one.span.clone()]).collect();
    assert_eq!(kept, ["I live in Porto."]);
    assert_eq!(found.left_out[0].why, Why::Secret);
}

#[test]
fn a_correction_of_what_only_corrects_ends() {
    let before = [said("Ana", "No, it's 4.")];
    let found = extract(Language::english(), &said("Ana", "No, it's 5."), &before, Options::default());
    assert_eq!(found.candidates, []);
}

proptest! {
    #[test]
    fn no_text_breaks_it_and_each_span_is_in_the_text(
        pieces in proptest::collection::vec("\\PC{0,12}|[ .,?!'’\"\\n{}`-]{1,3}|I'm |I don't |my |ich |not |but |No, it's |4111 |DE89 |password: |today |in |🙂|ß|İ", 0..24),
        sensitive: bool,
    ) {
        let text = pieces.concat();
        let before = [said("Ana", &text)];
        for language in [Language::english(), Language::german()] {
            let found = extract(language, &said("Ana", &text), &before, Options { sensitive });
            for span in found.candidates.iter().map(|one| &one.span).chain(found.left_out.iter().map(|left| &left.span)) {
                prop_assert!(text.get(span.clone()).is_some_and(|part| !part.is_empty()));
            }
        }
        for span in secrets(&text) {
            prop_assert!(text.get(span).is_some());
        }
        let masked = mask(&text).into_owned();
        prop_assert_eq!(mask(&masked).into_owned(), masked);
    }
}
