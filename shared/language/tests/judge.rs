//! Plain behaviours of the trained judge, and that it never fails on any text.
#![expect(clippy::expect_used, reason = "helpers of tests")]
#![expect(clippy::single_range_in_vec_init, reason = "a message of one sentence")]

use std::ops::Range;

use kimberly_language::judge::{Certainty, Head, Judge, Kind, Message, Owner, Polarity, Role, Slot, Verdict};
use proptest::prelude::*;

const fn user(text: &str) -> Message<'_> {
    Message { role: Role::User, speaker: None, text }
}

fn judge() -> &'static Judge {
    Judge::trained().expect("the tree has weights")
}

/// The spans of sentences in a text, which follow each other.
fn spans(text: &str, sentences: &[&str]) -> Vec<Range<usize>> {
    let mut from = 0;
    let span = |sentence: &&str| {
        let begin = from + text[from..].find(sentence).expect("the text has the sentence");
        from = begin + sentence.len();
        begin..from
    };
    sentences.iter().map(span).collect()
}

/// The verdicts on a message of sentences that nothing was said before.
fn verdicts(sentences: &[&str]) -> Vec<Verdict> {
    let text = sentences.join(" ");
    judge().read(&[], &user(&text), &spans(&text, sentences))
}

fn verdict(sentence: &str) -> Verdict {
    verdicts(&[sentence])[0]
}

#[test]
fn what_people_say_about_themselves_is_kept() {
    for text in [
        "Ich wohne seit drei Jahren in Leipzig.",
        "We moved to Bristol in March.",
        "I'm allergic to peanuts.",
        "I'm a vegetarian.",
        "My brother lives in Graz.",
    ] {
        assert_eq!(verdict(text).keep.certainty, Certainty::Sure, "{text}");
    }
    for text in ["I live in Leeds.", "I don't have a car.", "Mein Hund heißt Rex."] {
        assert!(verdict(text).keep.certainty >= Certainty::Unsure, "{text}");
    }
}

#[test]
fn what_is_supposed_or_quoted_is_left() {
    let supposed = verdict("If I lived in Oslo, I would ski.");
    assert_eq!((supposed.keep.certainty, supposed.owner.value), (Certainty::Leave, Owner::Hypothetical));
    let quoted = verdict("She said \"I live in Oslo\".");
    assert_eq!((quoted.keep.certainty, quoted.owner.value), (Certainty::Leave, Owner::Quoted));
}

#[test]
fn endings_and_corrections_are_told_from_what_holds() {
    for text in ["Ich habe meinen Job gekündigt.", "I quit my job, I no longer work there."] {
        assert_eq!(verdict(text).polarity.value, Polarity::Ends, "{text}");
    }
    assert_eq!(verdict("My name isn't Sam, it's Pam.").polarity.value, Polarity::Corrects);
    assert_eq!(verdict("I don't have a car.").polarity.value, Polarity::Denies);
}

#[test]
fn greetings_thanks_questions_and_tasks_are_left() {
    for text in
        ["Hi there!", "Thanks a lot!", "What should I cook tonight?", "Danke dir!", "Can you translate this for me?"]
    {
        assert_eq!(verdict(text).keep.certainty, Certainty::Leave, "{text}");
    }
}

#[test]
fn what_an_assistant_says_is_left() {
    let text = "You live in Oslo and have two dogs.";
    let message = Message { role: Role::Assistant, speaker: None, text };
    let verdicts = judge().read(&[user("I live in Oslo with my dogs.")], &message, &[0..text.len()]);
    assert_eq!(verdicts[0].keep.certainty, Certainty::Leave);
}

#[test]
fn rules_of_a_project_are_kept() {
    assert_eq!(verdict("no more comments in generated files pls").kind.value, Kind::Rule);
    let rule = verdict("we never use unwrap outside tests");
    assert_eq!((rule.keep.certainty, rule.slot.value), (Certainty::Sure, Some(Slot::Convention)));
}

#[test]
fn questions_are_nobodys() {
    assert_eq!(verdict("Do I live in Oslo?").owner.value, Owner::Question);
}

#[test]
fn quoted_lines_are_left() {
    assert_eq!(verdict("> I quit my job in May.").keep.certainty, Certainty::Leave);
}

#[test]
fn denials_differ_from_what_holds() {
    assert_eq!(verdict("I don't have a car.").polarity.value, Polarity::Denies);
    assert_eq!(verdict("I live in Leeds.").polarity.value, Polarity::Holds);
}

#[test]
fn common_slots_are_found() {
    assert_eq!(verdict("I live in Leeds.").slot.value, Some(Slot::Residence));
    assert_eq!(verdict("I'm allergic to peanuts.").slot.value, Some(Slot::Allergy));
    assert_eq!(verdict("Hi there!").slot.value, None);
}

#[test]
fn what_holds_for_hours_is_momentary() {
    assert!(verdict("I'm in Rome this week.").momentary.value);
    assert!(!verdict("I have lived in Rome since 2009.").momentary.value);
}

#[test]
fn reasons_are_readable_and_strongest_first() {
    let text = "I'm allergic to peanuts.";
    let span = 0..text.len();
    let reasons = judge().explain(&[], &user(text), std::slice::from_ref(&span), Head::Slot).remove(0);
    assert_eq!(reasons.len(), 3);
    assert!(reasons.windows(2).all(|pair| pair[0].weight >= pair[1].weight), "{reasons:?}");
    assert!(reasons.iter().all(|reason| !reason.feature.is_empty()));
}

#[test]
fn a_message_is_read_the_same_every_time() {
    let sentences = ["Hi!", "I moved to Bristol in March.", "Any tips?"];
    assert_eq!(verdicts(&sentences), verdicts(&sentences));
    // A copy of the judge has nothing left over from other messages.
    let text = sentences.join(" ");
    let again = judge().clone().read(&[], &user(&text), &spans(&text, &sentences));
    assert_eq!(verdicts(&sentences), again);
}

#[test]
fn nothing_is_said_about_nothing() {
    assert!(judge().read(&[], &user(""), &[]).is_empty());
    assert_eq!(judge().read(&[], &user(""), &[0..0]).len(), 1);
    assert!(judge().explain(&[], &user(""), &[], Head::Keep).is_empty());
}

proptest! {
    #[test]
    fn any_text_with_any_spans_is_read(text in "(?s).{0,80}", before in "(?s).{0,40}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| places[cut.index(places.len())]).collect();
        cuts.sort_unstable();
        let spans: Vec<Range<usize>> = cuts.windows(2).map(|pair| pair[0]..pair[1]).collect();
        let earlier = [user(&before)];
        let verdicts = judge().read(&earlier, &user(&text), &spans);
        prop_assert_eq!(verdicts.len(), spans.len());
        for head in Head::ALL {
            prop_assert_eq!(judge().explain(&earlier, &user(&text), &spans, head).len(), spans.len());
        }
    }

    #[test]
    fn any_bytes_with_marks_are_read(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // Also spans that are out of order, overlap or end inside a character.
        let spans = [0..text.len(), text.len() / 2..text.len(), 1..text.len() + 3];
        prop_assert_eq!(judge().read(&[], &user(&text), &spans).len(), 3);
    }
}
