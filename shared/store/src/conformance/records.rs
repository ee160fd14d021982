//! Records read back as written.

use std::collections::BTreeMap;

use kimberly_core::Error;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{
    Creator, DecisionDetail, Detail, EmbedMark, Feedback, Memory, MemoryDraft, MemoryFilter, Metadata, RecordKind,
    Scope, Source, SourceType, Tier,
};
use kimberly_core::ports::NewMemory;
use kimberly_core::text::TextTraits;
use kimberly_core::time::Timestamp;

use super::Bed;
use super::fixtures::{any_of, as_stored, at, draft, goal_id, memory_id, new_memory, score, user};

/// A draft in which no field has its default.
fn full_draft() -> MemoryDraft {
    MemoryDraft {
        tier: Tier::Permanent,
        content: "Der Hund heißt \"Rex\" 🐕, \\n % _ ' ; -- \u{1}\ttab\nline".to_owned(),
        metadata: Metadata {
            tags: vec!["dogs".to_owned(), "ünï \"q\"".to_owned()],
            source: Source::Upload,
            channels: vec!["slack".to_owned()],
            sensitive: true,
            scope: Scope::Public,
            user_feedback: Some(Feedback::Rating(4)),
            version: "v7".to_owned(),
        },
        attributes: Some("{\"a\":[1,2.5,{\"b\":null}]}".to_owned()),
        session_id: Some("42".to_owned()),
        protected: true,
        speaker: Some("Jürgen".to_owned()),
        occurred_at: Some(Timestamp::MIN),
        created_by: Creator::Agent,
        consent: true,
        namespace: "büro".to_owned(),
        consent_id: None,
        embed: EmbedMark::Never,
        kind: RecordKind::Decision,
        detail: Some(decision("ferry")),
        subject: Some("Überfahrt".to_owned()),
        importance: 9,
        confidence: None,
        source_type: Some(SourceType::Inference),
        valid_from: Some(at(-5)),
        valid_to: Some(Timestamp::MAX),
        source_ref: Some("mailto:a@example.org".to_owned()),
        name: Some("büro/Übersicht.md".to_owned()),
    }
}

/// A detail with a choice.
fn decision(choice: &str) -> Detail {
    let alternatives = vec!["der \"Zug\" 🚆".to_owned(), "to stay".to_owned()];
    Detail::Decision(DecisionDetail { choice: choice.to_owned(), alternatives, rationale: String::new() })
}

/// A memory with every field set, one with none, and one per kind of feedback.
pub async fn every_field_of_a_memory_reads_back(bed: &Bed) {
    let mut news = vec![new_memory(1, full_draft()), new_memory(2, draft("plain"))];
    for (n, feedback) in (3..).zip([Feedback::ThumbsUp, Feedback::ThumbsDown, Feedback::Rating(1), Feedback::Rating(5)])
    {
        let mut with = draft("feedback");
        with.metadata.user_feedback = Some(feedback);
        news.push(new_memory(n, with));
    }
    news[1].score.score = 0.1 + 0.2;
    news[1].sentiment = -1.0 / 3.0;
    "bot".clone_into(&mut news[0].author);
    let seqs = bed.insert("u", news.clone()).await;
    assert_eq!(seqs, (1..=6).map(Seq).collect::<Vec<_>>());
    for (seq, new) in (1..).map(Seq).zip(news) {
        let stored = bed.memory("u", new.id.0.as_u128()).await.unwrap();
        assert_eq!(stored, new.into_memory(seq).0);
    }
    assert_eq!(bed.memory("u", 99).await, None);
}

/// Renews traits that another version of the rules derived, also of sealed memories; nothing else changes.
pub async fn traits_of_other_rules_are_derived_again(bed: &Bed) {
    let by_rules = |n, draft: MemoryDraft, rules| NewMemory {
        traits: TextTraits { rules, ..TextTraits::default() },
        ..new_memory(n, draft)
    };
    let wish = || MemoryDraft { content: "Always answer in French.".to_owned(), ..full_draft() };
    let news = vec![
        by_rules(1, wish(), 0),
        by_rules(2, draft("I prefer trains."), 0),
        by_rules(3, draft("Is it?"), TextTraits::RULES),
    ];
    bed.insert("u", news).await;
    let renew = |limit| bed.write("u", move |tx| Box::pin(async move { tx.renew_traits(limit).await }));
    let before = bed.memory("u", 1).await.unwrap();
    assert_eq!((renew(1).await, renew(9).await, renew(9).await), (1, 1, 0));
    for n in [1, 2] {
        let memory = bed.memory("u", n).await.unwrap();
        assert!(memory.traits.directs && memory.traits == TextTraits::of(&memory.draft.content), "{n}: {memory:?}");
    }
    assert_eq!(bed.memory("u", 3).await.unwrap().traits.words, 0, "these are by the rules that hold");
    let after = bed.memory("u", 1).await.unwrap();
    assert_eq!(Memory { traits: before.traits, ..after }, before);
}

/// An update changes the data and keeps the session position.
pub async fn an_update_reads_back_and_retains_the_position(bed: &Bed) {
    let other = MemoryDraft { name: Some("other".to_owned()), ..full_draft() };
    bed.remember("u", [full_draft(), other, draft("other")]).await;
    let mut changed = bed.memory("u", 2).await.unwrap();
    changed.draft.content = String::from("now it is called Bello");
    changed.draft.tier = Tier::ShortTerm;
    changed.draft.metadata.tags.clear();
    changed.draft.speaker = None;
    changed.draft.occurred_at = None;
    changed.draft.kind = RecordKind::Unset;
    changed.draft.detail = None;
    changed.draft.valid_to = None;
    changed.draft.source_type = None;
    changed.belief.verify(changed.created_at, at(490));
    changed.belief.stale_since = Some(at(495));
    changed.size_bytes = 77;
    changed.score = 0.75;
    changed.sentiment = 0.5;
    changed.traits = TextTraits { asks: true, is_question: true, names_time: true, directs: true, words: 5, rules: 3 };
    changed.updated_at = at(500);
    changed.last_seen_at = at(501);
    changed.access_count = 12;
    changed.revision = 2;
    let spot_before = spot(bed, "called").await;
    let (to_write, record) = (changed.clone(), score(0.75, 9));
    bed.write("u", move |tx| {
        let (memory, record) = (to_write.clone(), record.clone());
        Box::pin(async move { tx.update_memory(&memory, Some(&record)).await })
    })
    .await;
    assert_eq!(bed.memory("u", 2).await.unwrap(), changed);
    assert_eq!(spot_before, None);
    assert_eq!(spot(bed, "called").await, Some(1));
    let record = bed.read("u", |r| Box::pin(r.score_record(Seq(2)))).await.unwrap();
    assert_eq!(record, as_stored(&score(0.75, 9)));
    bed.usage("u").await;
}

/// Returns the session position of the memory with this word.
async fn spot(bed: &Bed, word: &'static str) -> Option<i64> {
    let hits = bed.read("u", move |r| Box::pin(async move { r.lexical(&any_of(&[word]), 10).await })).await;
    hits.first().and_then(|hit| hit.spot).map(|spot| spot.position)
}

/// Texts of details are searchable like contents until they are removed, sealed or not.
pub async fn texts_of_details_are_found_as_long_as_they_are_there(bed: &Bed) {
    let with = |sensitive, choice: &str| {
        let mut new = draft("crossing the sea");
        new.metadata.sensitive = sensitive;
        new.kind = RecordKind::Decision;
        new.detail = Some(decision(choice));
        new
    };
    bed.remember("u", [with(false, "steamer"), with(true, "hovercraft"), draft("steamers alone")]).await;
    let found = async |word: &'static str| {
        let hits = bed.read("u", move |r| Box::pin(async move { r.lexical(&any_of(&[word]), 10).await })).await;
        let mut seqs: Vec<_> = hits.iter().map(|hit| hit.seq.0).collect();
        seqs.sort_unstable();
        seqs
    };
    assert_eq!((found("steamer").await, found("hovercraft").await), (vec![1, 3], vec![2]));
    assert_eq!((found("zug").await, found("crossing").await), (vec![1, 2], vec![1, 2]));
    let within = |text: &'static str| {
        bed.read("u", move |r| Box::pin(async move { r.substring(text, &MemoryFilter::default(), 10).await }))
    };
    assert_eq!(within("OVERCRAF").await.len(), 1);
    assert_eq!(within("teamer").await.len(), 2);
    for (id, detail) in [(1, Some(decision("rowing boat"))), (2, None)] {
        let mut changed = bed.memory("u", id).await.unwrap();
        changed.draft.detail = detail;
        changed.revision += 1;
        bed.write("u", move |tx| {
            let memory = changed.clone();
            Box::pin(async move { tx.update_memory(&memory, None).await })
        })
        .await;
    }
    assert_eq!((found("steamer").await, found("hovercraft").await), (vec![3], vec![]));
    assert_eq!((found("rowing").await, found("zug").await), (vec![1], vec![1]));
    assert!(within("OVERCRAF").await.is_empty());
}

/// An update that matches nothing is an error.
pub async fn an_update_of_an_unknown_memory_fails(bed: &Bed) {
    bed.remember("u", [draft("one")]).await;
    let mut ghost = bed.memory("u", 1).await.unwrap();
    ghost.seq = Seq(9);
    let result = bed
        .vaults
        .transact(&user("u"), "test", move |tx| {
            let ghost = ghost.clone();
            Box::pin(async move { tx.update_memory(&ghost, None).await })
        })
        .await;
    assert!(matches!(result, Err(Error::NotFound { .. })), "{result:?}");
}

/// The explanation of a score reads back with inputs and goal.
pub async fn score_records_read_back(bed: &Bed) {
    let mut new = new_memory(1, draft("scored"));
    new.score.inputs = BTreeMap::from([("access_count".to_owned(), 3.0), ("age_days".to_owned(), 0.1)]);
    new.score.best_goal = Some(goal_id(7));
    let expected = as_stored(&new.score);
    assert_eq!((expected.inputs["access_count"].to_bits(), expected.best_goal), (3.0_f64.to_bits(), Some(goal_id(7))));
    bed.insert("u", vec![new]).await;
    assert_eq!(bed.read("u", |r| Box::pin(r.score_record(Seq(1)))).await, Some(expected));
    assert_eq!(bed.read("u", |r| Box::pin(r.score_record(Seq(2)))).await, None);
}

/// By number: requested order, missing ones omitted. By id: unknown ones omitted.
pub async fn memories_come_in_the_order_asked(bed: &Bed) {
    bed.remember("u", (0..5).map(|n| draft(&format!("memory {n}")))).await;
    let memories =
        bed.read("u", |r| Box::pin(async move { r.memories(&[Seq(4), Seq(77), Seq(1), Seq(5), Seq(4)]).await })).await;
    assert_eq!(memories.iter().map(|m| m.seq.0).collect::<Vec<_>>(), [4, 1, 5, 4]);
    let seqs =
        bed.read("u", |r| Box::pin(async move { r.seqs(&[memory_id(3), memory_id(88), memory_id(2)]).await })).await;
    assert_eq!(seqs, [(memory_id(3), Seq(3)), (memory_id(2), Seq(2))]);
}
