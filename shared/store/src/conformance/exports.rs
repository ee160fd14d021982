//! Records leave a vault and return with all their data.

use std::sync::Arc;

use kimberly_core::bounds::MAX_IMPORTS;
use kimberly_core::ids::Seq;
use kimberly_core::meditation::Kind;
use kimberly_core::memory::{ChangeKind, MemoryFilter, MemoryRecord, MemoryState, Tier};
use kimberly_core::ports::{ChangeQuery, ImportProgress, LexicalQuery};
use kimberly_core::time::Span;

use super::Bed;
use super::changes::range;
use super::fixtures::{any_of, any_state, at, decide, draft, memory_id, new_memory};

async fn page(bed: &Bed, who: &str, after: Option<Seq>, bounds: (usize, usize)) -> Vec<MemoryRecord> {
    bed.read(who, move |r| Box::pin(async move { r.export(&any_state(), after, bounds.0, bounds.1).await })).await
}

async fn everything(bed: &Bed, who: &str) -> Vec<MemoryRecord> {
    page(bed, who, None, (1_000, 1 << 20)).await
}

async fn insert(bed: &Bed, who: &str, records: Vec<MemoryRecord>) -> Vec<Seq> {
    let records = Arc::new(records);
    bed.write(who, move |tx| {
        let records = Arc::clone(&records);
        Box::pin(async move { tx.insert_records(&records, at(5_000)).await })
    })
    .await
}

/// Writes memories of all states, with sessions, speakers, touches and outcomes.
async fn lived_in(bed: &Bed) {
    let drafts = (0..6).map(|n| {
        let mut draft = draft(&format!("memory {n} of sailing"));
        draft.session_id = (n % 2 == 0).then(|| "s".to_owned());
        draft.speaker = Some(if n < 3 { "Ann" } else { "ANN" }.to_owned());
        draft.tier = Tier::ALL[n % 3];
        draft
    });
    let seqs = bed.remember("u", drafts).await;
    bed.set_state("u", seqs[0], MemoryState::Archived).await;
    bed.set_state("u", seqs[1], MemoryState::Deleted).await;
    bed.set_state("u", seqs[2], MemoryState::Archived).await;
    bed.set_state("u", seqs[2], MemoryState::Active).await;
    let going = bed.memory("u", 6).await.unwrap();
    bed.decide("u", 1, vec![decide(&going, Kind::Delete)], at(30)).await;
    bed.write("u", |tx| Box::pin(async move { tx.add_outcomes(&[Seq(4)], 3, 1).await })).await;
}

/// Records imported into another vault are equal except for their numbers, and are counted and found like there.
pub async fn records_come_back_with_everything_they_say(bed: &Bed) {
    lived_in(bed).await;
    let out = everything(bed, "u").await;
    assert_eq!(out.len(), 5);
    assert_eq!((out[3].helpful, out[3].unhelpful), (3, 1));
    let lives: Vec<_> = out.iter().map(|record| (record.was_archived, record.was_deleted)).collect();
    assert_eq!(lives, [(true, false), (false, true), (true, false), (false, false), (false, false)]);
    assert!(out.iter().all(|record| record.score.is_some()));
    bed.insert("v", vec![new_memory(99, draft("there before"))]).await;
    let seqs = insert(bed, "v", out.clone()).await;
    assert_eq!(seqs, (2..=6).map(Seq).collect::<Vec<_>>());
    let back = everything(bed, "v").await.split_off(1);
    assert!(out.iter().zip(&back).all(|(before, after)| before.says_the_same_as(after)), "{out:?}\n{back:?}");
    let usage = bed.usage("v").await;
    assert_eq!((usage.created, usage.archived, usage.deleted), (6, 2, 1));
    let in_any_state = LexicalQuery { filter: any_state(), ..any_of(&["sailing"]) };
    let mut found = bed.found("v", in_any_state).await;
    found.sort_unstable();
    assert_eq!(found, [2, 4, 5, 6], "all but the deleted one");
    positions_and_speakers_are_retained(bed).await;
}

async fn positions_and_speakers_are_retained(bed: &Bed) {
    let hits = bed.read("v", |r| {
        Box::pin(async move {
            let filter = MemoryFilter { session_id: Some("s".to_owned()), ..any_state() };
            let query = LexicalQuery { filter, ..any_of(&["sailing"]) };
            r.lexical(&query, 10).await
        })
    });
    let mut spots: Vec<_> = hits.await.iter().map(|hit| (hit.seq.0, hit.spot.map(|spot| spot.position))).collect();
    spots.sort_unstable();
    assert_eq!(spots, [(2, Some(0)), (4, Some(1)), (6, Some(2))]);
    let written: Vec<_> = everything(bed, "v").await.into_iter().map(|record| record.memory.draft.speaker).collect();
    assert_eq!(written[1].as_deref(), Some("Ann"));
    assert_eq!(written[5].as_deref(), Some("ANN"));
}

/// An imported record counts as created at import, and is due for scoring.
pub async fn imported_records_are_reported_and_due(bed: &Bed) {
    lived_in(bed).await;
    let out = everything(bed, "u").await;
    insert(bed, "v", out.clone()).await;
    let query = ChangeQuery { filter: any_state(), limit: 100, max_bytes: 1 << 20, ..Default::default() };
    let told = bed
        .read("v", move |r| {
            let query = query.clone();
            Box::pin(async move { r.changes(&query).await })
        })
        .await;
    assert_eq!(told.len(), out.len());
    for (seen, record) in told.iter().zip(&out) {
        let change = &seen.change;
        assert_eq!((change.kind, change.memory_id, change.at), (ChangeKind::Created, record.memory.id, at(5_000)));
        assert_eq!(change.revision, record.memory.revision);
    }
    let due = bed.read("v", |r| Box::pin(async move { r.scoring_items(false, None, 100).await })).await;
    assert_eq!(due.len(), 4, "all but the deleted one");
    assert_eq!(insert(bed, "v", Vec::new()).await, []);
    assert_eq!(range(bed).await.newest, 11, "the other vault was not touched");
}

/// Pages are ordered by number, whatever the creation times.
pub async fn exports_go_on_by_number(bed: &Bed) {
    let news = (1..=7).map(|n| {
        let mut new = new_memory(n, draft("numbered"));
        new.created_at = at(100 - i64::from(n));
        new.size_bytes = 100;
        new
    });
    bed.insert("u", news.collect()).await;
    for bounds in [(1, 10_000), (3, 10_000), (100, 250), (100, 0), (7, 700)] {
        let (mut numbers, mut after) = (Vec::new(), None);
        loop {
            let records = page(bed, "u", after, bounds).await;
            let Some(last) = records.last() else { break };
            after = Some(last.memory.seq);
            numbers.extend(records.iter().map(|record| record.memory.seq.0));
        }
        assert_eq!(numbers, (1..=7).collect::<Vec<_>>(), "{bounds:?}");
    }
    assert_eq!(page(bed, "u", None, (100, 250)).await.len(), 2);
}

/// Records are found by id; unknown ids are omitted.
pub async fn records_are_found_by_id(bed: &Bed) {
    bed.remember("u", [draft("one"), draft("two")]).await;
    let found =
        bed.read("u", |r| Box::pin(async move { r.records(&[memory_id(2), memory_id(7), memory_id(2)]).await })).await;
    assert_eq!(found.iter().map(|record| record.memory.seq.0).collect::<Vec<_>>(), [2]);
    assert_eq!(Some(&found[0].memory), bed.memory("u", 2).await.as_ref());
    assert!(bed.read("u", |r| Box::pin(async move { r.records(&[]).await })).await.is_empty());
}

/// Progress is stored with the transaction, replaced, and pruned by age.
pub async fn progress_of_imports_is_stored_until_forgotten(bed: &Bed) {
    let progress = |id: &'static str| async move {
        bed.read("u", move |r| Box::pin(async move { r.import_progress(id).await })).await
    };
    assert_eq!(progress("a").await, None);
    let of = |done, refused| ImportProgress { done, refused };
    for (id, progress, seconds) in [("a", of(5, 0), 1), ("b", of(7, 7), 2), ("a", of(9, 2), 3)] {
        bed.write("u", move |tx| Box::pin(async move { tx.put_import_progress(id, progress, at(seconds)).await }))
            .await;
    }
    assert_eq!((progress("a").await, progress("b").await, progress("A").await), (Some(of(9, 2)), Some(of(7, 7)), None));
    let forgotten = bed.write("u", |tx| Box::pin(tx.prune_imports(at(3)))).await;
    assert_eq!((forgotten, progress("a").await, progress("b").await), (1, Some(of(9, 2)), None));
    assert_eq!(bed.write("u", |tx| Box::pin(tx.prune_imports(at(3).plus(Span::days(1))))).await, 1);
}

/// Imports without progress for longest are forgotten, never the one stored last.
pub async fn imports_are_remembered_up_to_a_bound(bed: &Bed) {
    let put = |from: usize, to: usize| async move {
        bed.write("u", move |tx| {
            Box::pin(async move {
                for n in from..to {
                    let seconds = i64::try_from(n).unwrap_or(0);
                    tx.put_import_progress(&format!("import {n}"), ImportProgress::default(), at(seconds)).await?;
                }
                Ok(())
            })
        })
        .await;
    };
    let known = |n: usize| async move {
        let id = format!("import {n}");
        let progress = bed.read("u", move |r| {
            let id = id.clone();
            Box::pin(async move { r.import_progress(&id).await })
        });
        progress.await.is_some()
    };
    put(1, MAX_IMPORTS + 1).await;
    assert!(known(1).await && known(MAX_IMPORTS).await);
    put(MAX_IMPORTS + 1, MAX_IMPORTS + 3).await;
    assert!(!known(1).await && !known(2).await && known(3).await && known(MAX_IMPORTS + 2).await);
    // As if clocks were set back.
    put(0, 1).await;
    assert!(known(0).await && !known(3).await && known(4).await);
}
