//! The ledger of a vault's vectors, and the registry's counts.

use kimberly_core::embedding::{EligibleSubject, EmbeddingLedger, EmbeddingReport, VectorSubject, Worth};
use kimberly_core::goals::{Goal, GoalDraft, GoalStatus};
use kimberly_core::ids::{GoalId, Seq};
use kimberly_core::memory::{EmbedMark, MemoryDraft, MemoryState, Metadata};
use kimberly_core::settings::UserSettings;

use super::Bed;
use super::fixtures::{at, draft};

/// A Wednesday.
const DAY: i64 = 20_418;

async fn ledger(bed: &Bed, day: i64) -> EmbeddingLedger {
    bed.read("u", move |r| Box::pin(async move { r.embedding_ledger(day).await })).await
}

async fn subjects(bed: &Bed) -> Vec<EligibleSubject> {
    bed.read("u", |r| Box::pin(async move { r.embedding_subjects().await })).await
}

async fn ask(bed: &Bed, asked_at: Option<i64>) -> bool {
    bed.write("u", move |tx| Box::pin(async move { tx.await_embedding(asked_at.map(at)).await })).await
}

/// One job waits until it begins; later writes need another one. A request stays until a sync that started after it ends.
pub async fn one_job_for_vectors_waits_at_a_time(bed: &Bed) {
    assert_eq!(ledger(bed, DAY).await, EmbeddingLedger::default(), "a user without a vault");
    assert!(ask(bed, None).await && !ask(bed, None).await && !ask(bed, Some(5)).await);
    let waiting = ledger(bed, DAY).await;
    assert_eq!((waiting.waiting, waiting.asked_at, waiting.report), (true, Some(at(5)), None));
    bed.write("u", |tx| Box::pin(async move { tx.begin_embedding().await })).await;
    assert!(!ledger(bed, DAY).await.waiting);
    assert!(ask(bed, Some(9)).await);
    assert!(!ask(bed, Some(7)).await, "the latest wish counts");
    let report = EmbeddingReport { at: at(8), needed: 3, missing: 2, failed: 1, version: 7 };
    let put = |answered: Option<i64>| {
        bed.write("u", move |tx| Box::pin(async move { tx.put_embedding_report(&report, answered.map(at)).await }))
    };
    put(Some(5)).await;
    let after = ledger(bed, DAY).await;
    assert_eq!((after.waiting, after.asked_at, after.report), (true, Some(at(9)), Some(report)));
    put(None).await;
    assert_eq!(ledger(bed, DAY).await.asked_at, Some(at(9)));
    put(Some(9)).await;
    assert_eq!(ledger(bed, DAY).await.asked_at, None);
    let renew = |rebuild| bed.write("u", move |tx| Box::pin(async move { tx.renew_embedding(rebuild).await }));
    renew(true).await;
    put(None).await;
    assert!(ledger(bed, DAY).await.rebuild, "a sync that began before does not fulfil it");
    renew(false).await;
    assert!(!ledger(bed, DAY).await.rebuild);
}

/// Counts by day and by week from Monday; older weeks are forgotten.
pub async fn computed_vectors_are_counted_by_day_and_week(bed: &Bed) {
    for (day, vectors) in [(DAY - 3, 100), (DAY - 2, 10), (DAY, 3), (DAY, 4)] {
        bed.write("u", move |tx| Box::pin(async move { tx.add_embedded(day, vectors).await })).await;
    }
    let today = ledger(bed, DAY).await;
    assert_eq!((today.today, today.this_week), (7, 17));
    let tomorrow = ledger(bed, DAY + 1).await;
    assert_eq!((tomorrow.today, tomorrow.this_week), (0, 17));
    let monday = ledger(bed, DAY - 2).await;
    assert_eq!((monday.today, monday.this_week), (10, 10));
    let next = ledger(bed, DAY + 5).await;
    assert_eq!((next.today, next.this_week), (0, 0));
}

/// Lists memories of any tier that are not deleted, not sensitive and not marked `Never`, then active goals, with
/// revisions.
pub async fn what_has_vectors_is_listed_without_what_must_not(bed: &Bed) {
    let secret =
        MemoryDraft { metadata: Metadata { sensitive: true, ..Metadata::default() }, consent: true, ..draft("secret") };
    let never = MemoryDraft { embed: EmbedMark::Never, ..draft("never") };
    bed.remember("u", [draft("one"), secret, draft("archived"), draft("deleted"), never]).await;
    bed.set_state("u", Seq(3), MemoryState::Archived).await;
    bed.set_state("u", Seq(4), MemoryState::Deleted).await;
    for (n, status) in [(9, GoalStatus::Active), (8, GoalStatus::Done), (7, GoalStatus::Active)] {
        let goal = Goal {
            id: GoalId(uuid::Uuid::from_u128(n)),
            draft: GoalDraft { title: "reach it".to_owned(), importance: 1.0, status, ..GoalDraft::default() },
            created_at: at(1),
            updated_at: at(2),
            revision: 4,
        };
        bed.write("u", move |tx| {
            let goal = goal.clone();
            Box::pin(async move { tx.put_goal(&goal).await })
        })
        .await;
    }
    let memory =
        |seq, revision, archived| (VectorSubject::Memory(Seq(seq)), revision, Worth { archived, ..Worth::default() });
    let goal = |n| (VectorSubject::Goal(GoalId(uuid::Uuid::from_u128(n))), 4, Worth::default());
    let found = subjects(bed)
        .await
        .into_iter()
        .map(|one| (one.subject, one.revision, Worth { words: 0, score: 0.0, ..one.worth }));
    let expected = [memory(1, 1, false), memory(3, 2, true), goal(7), goal(9)];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

/// A changed setting reads back and affects the list.
pub async fn the_embed_setting_of_a_memory_can_be_changed(bed: &Bed) {
    bed.remember("u", [draft("one"), MemoryDraft { embed: EmbedMark::Never, ..draft("two") }]).await;
    let mark = |seq, embed| {
        bed.write("u", move |tx| {
            Box::pin(async move {
                let mut memory = tx.memories(&[Seq(seq)]).await?.remove(0);
                memory.draft.embed = embed;
                memory.revision += 1;
                tx.update_memory(&memory, None).await
            })
        })
    };
    let listed = async || subjects(bed).await.iter().map(|one| (one.subject, one.worth.always)).collect::<Vec<_>>();
    let of = |seq| VectorSubject::Memory(Seq(seq));
    assert_eq!(listed().await, [(of(1), false)]);
    mark(1, EmbedMark::Never).await;
    mark(2, EmbedMark::Always).await;
    assert_eq!(listed().await, [(of(2), true)]);
    let marks = [bed.memory("u", 1).await, bed.memory("u", 2).await].map(|memory| memory.unwrap().draft.embed);
    assert_eq!(marks, [EmbedMark::Never, EmbedMark::Always]);
    mark(1, EmbedMark::Auto).await;
    assert_eq!(listed().await, [(of(1), false), (of(2), true)]);
}

/// The list has words, score, and whether the memory is a turn: it has a session and a speaker.
pub async fn what_has_vectors_is_listed_with_what_it_is_worth(bed: &Bed) {
    let said = |session: Option<&str>, speaker: Option<&str>| MemoryDraft {
        session_id: session.map(str::to_owned),
        speaker: speaker.map(str::to_owned),
        ..draft("said")
    };
    let (s, ada) = (Some("s"), Some("ada"));
    bed.remember("u", [said(None, None), said(s, None), said(None, ada), said(s, ada)]).await;
    let memories = bed.read("u", |r| Box::pin(async move { r.memories(&[1, 2, 3, 4].map(Seq)).await })).await;
    let worths = subjects(bed).await.into_iter().map(|one| one.worth);
    let found: Vec<(bool, (u32, f64))> = worths.map(|worth| (worth.turn, (worth.words, worth.score))).collect();
    let stored = memories.iter().map(|memory| (memory.traits.words, memory.score));
    assert_eq!(found, [false, false, false, true].into_iter().zip(stored).collect::<Vec<_>>());
}

/// The version changes with everything that vectors depend on, and with nothing else.
pub async fn the_version_moves_with_what_vectors_hang_on(bed: &Bed) {
    let mut last = 0;
    bed.remember("u", [draft("one"), draft("two")]).await;
    let mut moved = |version: u64| std::mem::replace(&mut last, version) != version;
    assert!(moved(ledger(bed, DAY).await.version));
    bed.set_state("u", Seq(1), MemoryState::Deleted).await;
    assert!(moved(ledger(bed, DAY).await.version));
    bed.set_state("u", Seq(1), MemoryState::Active).await;
    assert!(moved(ledger(bed, DAY).await.version));
    bed.write("u", |tx| Box::pin(async move { tx.put_settings(&UserSettings::default()).await })).await;
    assert!(moved(ledger(bed, DAY).await.version));
    bed.write("u", |tx| {
        Box::pin(async move {
            let mut memory = tx.memories(&[Seq(2)]).await?.remove(0);
            memory.draft.metadata.sensitive = true;
            memory.revision += 1;
            tx.update_memory(&memory, None).await
        })
    })
    .await;
    assert!(moved(ledger(bed, DAY).await.version));
    bed.write("u", |tx| Box::pin(async move { tx.add_outcomes(&[Seq(1)], 1, 0).await })).await;
    bed.write("u", |tx| Box::pin(async move { tx.add_embedded(DAY, 1).await })).await;
    assert!(ask(bed, None).await);
    assert!(!moved(ledger(bed, DAY).await.version));
}

/// All takers together never exceed the budget.
pub async fn the_budget_of_a_day_is_given_out_once(bed: &Bed) {
    let registry = &bed.registry;
    assert_eq!(registry.embedded_on(DAY).await.unwrap(), 0);
    assert_eq!(registry.take_embedding_budget(DAY, 7, 10).await.unwrap(), 7);
    assert_eq!(registry.take_embedding_budget(DAY, 7, 10).await.unwrap(), 3);
    assert_eq!(registry.take_embedding_budget(DAY, 7, 10).await.unwrap(), 0);
    assert_eq!(registry.embedded_on(DAY).await.unwrap(), 10);
    assert_eq!(registry.take_embedding_budget(DAY, 7, 5).await.unwrap(), 0, "a budget that was lowered meanwhile");
    assert_eq!(registry.take_embedding_budget(DAY + 1, 20, 10).await.unwrap(), 10);
    let takers = (0..8).map(|_| registry.take_embedding_budget(DAY + 2, 3, 10));
    let taken: u64 = futures::future::join_all(takers).await.into_iter().map(Result::unwrap).sum();
    assert_eq!(taken, 10);
}
