//! Tests of what a summary takes.

use std::borrow::Cow;

use proptest::prelude::*;

use super::spoken::lines;
use super::*;
use crate::ids::{MemoryId, Seq};
use crate::memory::{Creator, Memory, MemoryDraft, RecordKind, SourceType};
use crate::time::Timestamp;

fn said<'t>(who: &'static str, text: &'t str) -> Spoken<'t> {
    Spoken { who: Cow::Borrowed(who), text, by_person: who != "assistant" }
}

#[test]
fn decisions_are_retained_with_their_speaker_and_small_talk_is_not() {
    let talk = [
        said("Ana", "Hi! How are you doing today?"),
        said("assistant", "I am fine, thank you. How can I help you with that?"),
        said("Ana", "We decided to move to Lisbon in May because Bruno starts at the Gulbenkian there. It rains here."),
        said("assistant", "That sounds great! Is there anything else?"),
        said("Ana", "The flat in Lisbon must allow for two cats. Hm, well, and so on and so forth."),
    ];
    let summary = summarize(&talk, 200);
    assert!(summary.starts_with("Ana: We decided to move to Lisbon in May because Bruno"), "{summary}");
    assert!(summary.contains("Ana: The flat in Lisbon must allow for two cats."), "{summary}");
    assert!(!summary.contains("fine") && !summary.contains("so forth"), "{summary}");
}

#[test]
fn code_and_secrets_stay_out_and_nothing_is_said_twice() {
    let key = "My key is sk-proj-Qb7Vw2Zk9Xc4Rt8Lm1Np5Hs3Jd6Gf0Ty for the shop.";
    let talk = [
        said("Ana", key),
        said(
            "assistant",
            "Put this into the file:\n```\nlet lisbon = important(decided);\n```\nThen run the tests again.",
        ),
        said("Ana", "The train to Porto leaves at 9:40 on Friday."),
        said("assistant", "The train to Porto leaves on Friday at 9:40!"),
    ];
    let summary = summarize(&talk, 1_000);
    assert!(!summary.contains("sk-proj") && !summary.contains("important"), "{summary}");
    assert_eq!(summary.matches("Porto").count(), 1, "{summary}");
}

#[test]
fn a_summary_is_summarized_again_by_its_lines() {
    let talk = [said("Ana", "Bruno lives in Porto with Rex."), said("assistant", "Porto is lovely in May.")];
    let summary = summarize(&talk, 1_000);
    let read: Vec<Spoken<'_>> = lines(&summary).collect();
    assert_eq!(read, [talk[0].clone(), talk[1].clone()]);
    assert_eq!(summarize(&read, 1_000), summary);
}

#[test]
fn a_brief_is_the_sentences_of_a_text_that_carry_most() {
    let text = "Hi there, well.\nWe decided to move to Lisbon in May because Bruno starts at the Gulbenkian. It rains here. \
                The flat must allow for two cats. Oh well, and so on.\nThe lease in Porto ends on 30 April 2027.";
    let short = brief(text);
    assert_eq!(
        short,
        "We decided to move to Lisbon in May because Bruno starts at the Gulbenkian. The flat must allow for two cats. \
         The lease in Porto ends on 30 April 2027."
    );
    assert_eq!(brief("I like tea"), "I like tea");
    assert_eq!((brief(""), brief(" ok ")), (String::new(), "ok".to_owned()));
    let code = format!("```\n{}\n```", "ü".repeat(300));
    assert!(brief(&code).len() <= 200 && code.starts_with(&brief(&code)));
}

#[test]
fn only_what_compacting_made_says_what_it_covers() {
    let covers = Covers { first: 20, last: 39 };
    let draft = MemoryDraft {
        content: "Ana: tea".to_owned(),
        kind: RecordKind::Summary,
        created_by: Creator::System,
        source_type: Some(SourceType::Consolidation),
        source_ref: Some(covers.to_source()),
        ..MemoryDraft::default()
    };
    let of = |draft: MemoryDraft| Covers::of(&Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), draft, Timestamp(1)));
    assert_eq!(of(draft.clone()), Some(covers));
    assert_eq!(of(MemoryDraft { created_by: Creator::User, ..draft.clone() }), None);
    assert_eq!(of(MemoryDraft { source_ref: Some("turns x to 3".to_owned()), ..draft }), None);
    assert_eq!(covers.with(Covers { first: 0, last: 19 }), Covers { first: 0, last: 39 });
}

proptest! {
    #[test]
    fn every_word_of_a_summary_was_said_and_it_fits_its_budget(
        texts in prop::collection::vec("[A-Za-z0-9 .!?\n]{0,200}", 0..12),
        room in 100..1_000_usize,
    ) {
        let talk: Vec<Spoken<'_>> = texts.iter().map(|text| said("Ana", text)).collect();
        let summary = summarize(&talk, room);
        prop_assert!(summary.len() <= room.max(410), "{} of {room}", summary.len());
        for line in lines(&summary) {
            for word in line.text.split_whitespace() {
                prop_assert!(texts.iter().any(|text| text.contains(word)), "{word}");
            }
        }
    }
}
