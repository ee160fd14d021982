//! Reads and writes of scoring and retention.

use kimberly_core::ids::Seq;
use kimberly_core::meditation::{RetentionItem, SCORING_PAGE_BYTES, Scored, ScoringItem, TagOutcomes};
use kimberly_core::memory::{Creator, Feedback, MemoryDraft, MemoryState, RecordKind, SourceType};
use kimberly_core::ports::Touch;

use super::Bed;
use super::fixtures::{as_stored, at, draft, new_memory, score};

async fn to_score(bed: &Bed, full: bool, after: Option<Seq>, limit: usize) -> Vec<i64> {
    let items = bed.read("u", move |r| Box::pin(r.scoring_items(full, after, limit))).await;
    items.iter().map(|item| item.seq.0).collect()
}

async fn apply(bed: &Bed, scores: Vec<(i64, f64)>) {
    bed.write("u", move |tx| {
        let items: Vec<_> =
            scores.iter().map(|(n, value)| Scored { seq: Seq(*n), record: score(*value, *n) }).collect();
        Box::pin(async move { tx.apply_scores(&items).await })
    })
    .await;
}

async fn touch(bed: &Bed, touches: Vec<(i64, u64, i64)>) {
    bed.write("u", move |tx| {
        let touches: Vec<_> =
            touches.iter().map(|(n, times, when)| Touch { seq: Seq(*n), times: *times, at: at(*when) }).collect();
        Box::pin(async move { tx.touch(&touches).await })
    })
    .await;
}

/// Due are new memories, then only changed ones; all on request; never deleted ones.
pub async fn new_touched_and_changed_memories_are_scored_again(bed: &Bed) {
    bed.remember("u", (0..6).map(|n| draft(&format!("memory {n}")))).await;
    assert_eq!(to_score(bed, false, None, 10).await, [1, 2, 3, 4, 5, 6]);
    assert_eq!(to_score(bed, false, Some(Seq(2)), 3).await, [3, 4, 5]);
    apply(bed, (1..=6).map(|n| (n, 0.5)).collect()).await;
    assert_eq!(to_score(bed, false, None, 10).await, [0_i64; 0]);
    assert_eq!(to_score(bed, true, None, 10).await, [1, 2, 3, 4, 5, 6]);
    touch(bed, vec![(2, 1, 50)]).await;
    bed.write("u", |tx| Box::pin(async move { tx.add_outcomes(&[Seq(3)], 1, 0).await })).await;
    let mut changed = bed.memory("u", 4).await.unwrap();
    changed.draft.content = String::from("changed");
    bed.write("u", move |tx| {
        let changed = changed.clone();
        Box::pin(async move { tx.update_memory(&changed, None).await })
    })
    .await;
    bed.set_state("u", Seq(5), MemoryState::Deleted).await;
    bed.set_state("u", Seq(6), MemoryState::Archived).await;
    assert_eq!(to_score(bed, false, None, 10).await, [2, 3, 4, 6]);
    assert_eq!(to_score(bed, true, None, 10).await, [1, 2, 3, 4, 6]);
}

/// A page ends where its contents get long, but has at least one memory; only an empty one is the end.
pub async fn pages_to_score_have_few_bytes(bed: &Bed) {
    let lengths = [60_000, 60_000, 60_000, SCORING_PAGE_BYTES + 1, 10, 10];
    bed.remember("u", lengths.map(|length| draft(&"x".repeat(length)))).await;
    let mut pages = Vec::new();
    let mut after = None;
    loop {
        let page = to_score(bed, true, after, 10).await;
        let Some(last) = page.last() else { break };
        after = Some(Seq(*last));
        pages.push(page);
    }
    assert_eq!(pages, [vec![1, 2], vec![3], vec![4], vec![5, 6]]);
}

/// Values with all their bits are stored without rounding, in large batches; revisions stay.
pub async fn scores_arrive_bit_by_bit(bed: &Bed) {
    bed.remember("u", (0..150).map(|n| draft(&format!("scored heron {n}")))).await;
    let value = |n: i64| {
        let kind = usize::try_from(n % 5).unwrap();
        let n = f64::from(u32::try_from(n).unwrap());
        [1.0 / (n + 2.0), 1.0 - 1.0 / (n + 3.0), 1e-9 / (n + 7.0), 0.0, 1.0][kind]
    };
    apply(bed, (1..=150).map(|n| (n, value(n))).collect()).await;
    let (items, hits, near) = bed
        .read("u", |r| {
            Box::pin(async move {
                let hits = r.lexical(&super::fixtures::any_of(&["heron"]), 1_000).await?;
                let near = r.substring("heron", &super::fixtures::any_state(), 1_000).await?;
                Ok((r.retention_items().await?, hits, near))
            })
        })
        .await;
    assert_eq!((items.len(), hits.len(), near.len()), (150, 150, 150));
    for item in &items {
        assert_eq!(item.score.to_bits(), value(item.seq.0).to_bits(), "{}", item.seq.0);
    }
    for hit in hits.iter().chain(&near) {
        assert_eq!(hit.score.to_bits(), value(hit.seq.0).to_bits(), "{}", hit.seq.0);
    }
    let memory = bed.memory("u", 1).await.unwrap();
    assert_eq!((memory.score.to_bits(), memory.revision), (value(1).to_bits(), 1));
    assert_eq!(bed.read("u", |r| Box::pin(r.score_record(Seq(7)))).await, Some(as_stored(&score(value(7), 7))));
}

/// The same memory twice, an unknown one, and a touch from the past.
pub async fn touches_add_up_and_never_move_time_back(bed: &Bed) {
    bed.remember("u", [draft("one"), draft("two")]).await;
    touch(bed, vec![(1, 2, 50), (1, 3, 40), (77, 1, 60)]).await;
    touch(bed, vec![(1, 1, 30), (2, 1, -5)]).await;
    let (one, two) = (bed.memory("u", 1).await.unwrap(), bed.memory("u", 2).await.unwrap());
    assert_eq!((one.access_count, one.last_seen_at, one.revision), (6, at(50), 1));
    assert_eq!((two.access_count, two.last_seen_at), (1, at(2)));
    touch(bed, Vec::new()).await;
}

/// Outcomes are stored per memory and summed per tag.
pub async fn outcomes_are_summed_by_tag(bed: &Bed) {
    let tags = [vec!["a", "b"], vec!["b"], vec!["c"], vec![]];
    let drafts = tags.map(|tags| {
        let mut new = draft("tagged");
        new.metadata.tags = tags.into_iter().map(str::to_owned).collect();
        new.metadata.user_feedback = Some(Feedback::Rating(2));
        new
    });
    bed.remember("u", drafts).await;
    bed.write("u", |tx| {
        Box::pin(async move {
            tx.add_outcomes(&[Seq(1), Seq(2), Seq(4)], 2, 0).await?;
            tx.add_outcomes(&[Seq(2), Seq(77)], 0, 3).await
        })
    })
    .await;
    let (by_tag, items) = bed
        .read("u", |r| Box::pin(async move { Ok((r.tag_outcomes().await?, r.scoring_items(true, None, 10).await?)) }))
        .await;
    let tag = |tag: &str, helpful, unhelpful| TagOutcomes { tag: tag.to_owned(), helpful, unhelpful };
    assert_eq!(by_tag, [tag("a", 2, 0), tag("b", 4, 3)]);
    let new = new_memory(2, draft("tagged"));
    let expected = ScoringItem {
        seq: Seq(2),
        content: "tagged".to_owned(),
        tags: vec!["b".to_owned()],
        sentiment: new.sentiment,
        feedback: Some(-0.5),
        helpful: 2,
        unhelpful: 3,
        created_at: at(2),
        last_seen_at: at(2),
        access_count: 0,
    };
    assert_eq!(items[1], expected);
}

/// Memories of every state, in order, with the data that decides.
pub async fn retention_sees_every_memory(bed: &Bed) {
    let mut in_session = draft("one");
    in_session.session_id = Some("s".to_owned());
    in_session.protected = true;
    in_session.importance = 7;
    in_session.metadata.tags = vec!["a".to_owned()];
    in_session.kind = RecordKind::Fact;
    (in_session.valid_from, in_session.valid_to) = (Some(at(5)), Some(at(90_000)));
    let seqs = bed.remember("u", [draft("zero"), in_session, draft("two")]).await;
    bed.set_state("u", seqs[0], MemoryState::Deleted).await;
    let (items, session) = bed
        .read("u", |r| Box::pin(async move { Ok((r.retention_items().await?, r.session_number("s").await?)) }))
        .await;
    assert_eq!(
        items.iter().map(|item| item.state).collect::<Vec<_>>(),
        [MemoryState::Deleted, MemoryState::Active, MemoryState::Active]
    );
    let memory = bed.memory("u", 2).await.unwrap();
    let expected = RetentionItem {
        seq: memory.seq,
        id: memory.id,
        tier: memory.draft.tier,
        state: memory.state,
        protected: true,
        size_bytes: memory.size_bytes,
        score: memory.score,
        created_at: memory.created_at,
        delete_after: None,
        session,
        importance: 7,
        by_hand: memory.draft.created_by == Creator::User,
        access_count: memory.access_count,
        updated_at: memory.updated_at,
        last_seen_at: memory.last_seen_at,
        source_type: memory.draft.source_type(),
        tagged: true,
        kind: RecordKind::Fact,
        valid_from: Some(at(5)),
        valid_to: Some(at(90_000)),
    };
    assert_eq!(items[1], expected);
    assert!(!items[0].tagged && !items[2].tagged);
    assert_eq!(items[0].delete_after, Some(at(2_000)));
    let active = bed.memory("u", 3).await.unwrap();
    let mut movable = [0; 3];
    movable[active.draft.tier as usize] = active.size_bytes;
    assert_eq!(bed.read("u", |r| Box::pin(r.movable_bytes())).await, movable, "neither deleted nor protected ones");
    let mut lasting = [0; 3];
    lasting[memory.draft.tier as usize] = memory.size_bytes;
    assert_eq!(bed.read("u", |r| Box::pin(r.lasting_bytes())).await, lasting, "the protected one");
}

/// Like `lasts` in core: values, drives, corrections and protected memories last, all others do not.
pub async fn lasting_memories_are_distinguished(bed: &Bed) {
    let mut drafts = vec![draft("plain"), MemoryDraft { protected: true, ..draft("kept") }];
    drafts.extend(RecordKind::ALL.iter().map(|kind| MemoryDraft { kind: *kind, ..draft("of a kind") }));
    let from = |source: &SourceType| MemoryDraft { source_type: Some(*source), ..draft("of a source") };
    drafts.extend(SourceType::ALL.iter().map(from));
    bed.remember("u", drafts.clone()).await;
    let (items, movable, lasting) = bed
        .read("u", |r| {
            Box::pin(
                async move { Ok((r.retention_items().await?, r.movable_bytes().await?, r.lasting_bytes().await?)) },
            )
        })
        .await;
    let said: Vec<bool> = items.iter().map(|item| item.protected).collect();
    assert_eq!(said, drafts.iter().map(MemoryDraft::lasts).collect::<Vec<_>>());
    let bytes =
        |last: bool| items.iter().filter(|item| item.protected == last).map(|item| item.size_bytes).sum::<u64>();
    assert_eq!((movable.iter().sum::<u64>(), lasting.iter().sum::<u64>()), (bytes(false), bytes(true)));
}
