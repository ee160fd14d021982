//! Decisions are applied once, recorded in order, and stored without content.

use kimberly_core::Error;
use kimberly_core::ids::MemoryId;
use kimberly_core::meditation::{Change, Kind, RecordedDecision, Subject};
use kimberly_core::memory::MemoryState;
use kimberly_core::time::Span;

use super::Bed;
use super::fixtures::{any_of, at, decide, draft, memory_id, new_memory, run, run_id, user};

async fn of_run(bed: &Bed, n: u128, after: u64, limit: usize) -> Vec<RecordedDecision> {
    bed.read("u", move |r| Box::pin(r.decisions(run_id(n), after, limit))).await
}

async fn about(bed: &Bed, id: MemoryId) -> Vec<RecordedDecision> {
    bed.read("u", move |r| Box::pin(r.decisions_about(id, 10))).await
}

/// Archive, erase, spare: positions continue from batch to batch, and every field reads back.
pub async fn decisions_are_carried_out_and_stored_in_order(bed: &Bed) {
    bed.remember("u", (0..4).map(|n| draft(&format!("decided {n}")))).await;
    let mut memories = Vec::new();
    for n in 1..=4 {
        memories.push(bed.memory("u", n).await.unwrap());
    }
    let first = vec![decide(&memories[0], Kind::Archive), decide(&memories[1], Kind::Spare)];
    let second = vec![decide(&memories[2], Kind::Delete), decide(&memories[3], Kind::Archive)];
    assert_eq!(bed.decide("u", 1, first.clone(), at(10)).await, first);
    assert_eq!(bed.decide("u", 1, second.clone(), at(20)).await, second);
    let recorded = of_run(bed, 1, 0, 10).await;
    let expected: Vec<_> = [(1, &first[0], 10), (2, &first[1], 10), (3, &second[0], 20), (4, &second[1], 20)]
        .map(|(position, decision, when)| RecordedDecision {
            decision: decision.clone(),
            meditation_id: run_id(1),
            position,
            decided_at: at(when),
        })
        .into();
    assert_eq!(recorded, expected);
    assert_eq!(of_run(bed, 1, 1, 2).await, expected[1..3]);
    let archived = bed.memory("u", 1).await.unwrap();
    assert_eq!((archived.state, archived.revision), (MemoryState::Archived, 2));
    assert_eq!((archived.archived_at, archived.delete_after), (Some(at(10)), Some(at(10).plus(Span::days(30)))));
    assert_eq!(bed.memory("u", 2).await.unwrap(), memories[1]);
    assert_eq!(bed.memory("u", 3).await, None);
    let usage = bed.usage("u").await;
    assert_eq!((usage.archived, usage.deleted), (2, 1));
    // Newest first, across runs.
    bed.decide("u", 2, vec![decide(&archived, Kind::Spare)], at(30)).await;
    let history: Vec<_> = about(bed, memory_id(1)).await.iter().map(|d| d.decided_at).collect();
    assert_eq!(history, [at(30), at(10)]);
    assert!(about(bed, memory_id(9)).await.is_empty());
}

/// A decision applied twice, or after the memory was restored or deleted, is skipped, so a resumed run ends the same.
pub async fn a_decision_about_a_changed_memory_is_passed_over(bed: &Bed) {
    let seqs = bed.remember("u", (0..3).map(|n| draft(&format!("decided {n}")))).await;
    let mut decisions = Vec::new();
    for n in 1..=3 {
        decisions.push(decide(&bed.memory("u", n).await.unwrap(), Kind::Archive));
    }
    bed.set_state("u", seqs[1], MemoryState::Deleted).await;
    let done = bed.decide("u", 1, decisions.clone(), at(10)).await;
    assert_eq!(done.iter().map(Change::seq).collect::<Vec<_>>(), [seqs[0], seqs[2]]);
    assert!(bed.decide("u", 1, decisions.clone(), at(11)).await.is_empty());
    assert_eq!(of_run(bed, 1, 0, 10).await.len(), 2);
    assert_eq!(bed.memory("u", 1).await.unwrap().revision, 2);
    // Twice in one batch: the second sees the effect of the first.
    let memory = bed.memory("u", 1).await.unwrap();
    let twice = vec![decide(&memory, Kind::Delete), decide(&memory, Kind::Delete)];
    assert_eq!(bed.decide("u", 1, twice, at(12)).await.len(), 1);
    // The number alone does not identify a memory.
    let mut mistaken = decide(&bed.memory("u", 3).await.unwrap(), Kind::Delete);
    mistaken.subjects[0].id = memory_id(99).0;
    assert!(bed.decide("u", 1, vec![mistaken], at(13)).await.is_empty());
    bed.usage("u").await;
}

/// Row, words, speaker and session are gone; decisions remain, by id.
pub async fn erased_memories_leave_nothing_but_their_decisions(bed: &Bed) {
    let mut secret = draft("unforgettable quokka");
    secret.speaker = Some("Quentin".to_owned());
    secret.session_id = Some("quiet".to_owned());
    bed.remember("u", [secret, draft("other")]).await;
    let memory = bed.memory("u", 1).await.unwrap();
    bed.decide("u", 1, vec![decide(&memory, Kind::Delete)], at(10)).await;
    assert_eq!(bed.memory("u", 1).await, None);
    assert!(bed.found("u", any_of(&["quokka"])).await.is_empty());
    let (known, words, speakers, session) = bed
        .read("u", |r| {
            Box::pin(async move {
                let known = r.known_words(&["quokka".to_owned()], None).await?;
                let words = r.vocabulary(&['q', 'u'], 1, 40).await?;
                Ok((known, words, r.speakers().await?, r.session_number("quiet").await?))
            })
        })
        .await;
    assert_eq!((known, words, speakers, session), (vec![false], vec![], vec![], None));
    assert_eq!(about(bed, memory_id(1)).await.len(), 1);
    // Numbers are never reused.
    assert_eq!(bed.insert("u", vec![new_memory(5, draft("new"))]).await[0].0, 3);
}

/// The daily cap counts only what the system erases, not what owners deleted.
pub async fn only_what_the_system_erased_counts_for_the_day(bed: &Bed) {
    let seqs = bed.remember("u", (0..3).map(|_| draft("ten bytes!"))).await;
    bed.set_state("u", seqs[1], MemoryState::Deleted).await;
    let mut decisions = Vec::new();
    for n in 1..=3 {
        decisions.push(decide(&bed.memory("u", n).await.unwrap(), Kind::Delete));
    }
    bed.decide("u", 1, decisions[..2].to_vec(), at(10)).await;
    bed.decide("u", 1, decisions[2..].to_vec(), at(20)).await;
    let day = at(10).day();
    let pruned = bed
        .read("u", move |r| Box::pin(async move { Ok((r.pruned_on(day).await?, r.pruned_on(day + 1).await?)) }))
        .await;
    assert_eq!(pruned, (20, 0));
}

/// Decisions require an existing run.
pub async fn decisions_need_their_run(bed: &Bed) {
    bed.remember("u", [draft("one")]).await;
    let decision = decide(&bed.memory("u", 1).await.unwrap(), Kind::Archive);
    let result = bed
        .vaults
        .transact(&user("u"), "test", move |tx| {
            let decision = decision.clone();
            Box::pin(async move { tx.record_decisions(run_id(404), &[decision], at(1)).await })
        })
        .await;
    assert!(matches!(result, Err(Error::NotFound { .. })), "{result:?}");
    bed.write("u", |tx| Box::pin(async move { tx.put_meditation(&run(404)).await })).await;
    assert!(of_run(bed, 404, 0, 10).await.is_empty());
}

/// A decision about several subjects counts once, is found by each of them, and reads back with all, in order.
pub async fn decision_about_several_is_one_and_is_found_by_each(bed: &Bed) {
    let seqs = bed.remember("u", (0..3).map(|n| draft(&format!("decided {n}")))).await;
    let mut decisions = Vec::new();
    for n in 1..=3 {
        decisions.push(decide(&bed.memory("u", n).await.unwrap(), Kind::Spare));
    }
    let other = Subject { id: memory_id(3).0, seq: seqs[2] };
    decisions[0].subjects.push(other);
    assert_eq!(bed.decide("u", 1, decisions.clone(), at(10)).await, decisions);
    let recorded: Vec<Change> = of_run(bed, 1, 0, 10).await.into_iter().map(|recorded| recorded.decision).collect();
    assert_eq!(recorded, decisions);
    assert_eq!(of_run(bed, 1, 0, 1).await[0].decision, decisions[0]);
    assert_eq!(of_run(bed, 1, 1, 2).await.len(), 2);
    let positions: Vec<u64> = about(bed, memory_id(3)).await.iter().map(|recorded| recorded.position).collect();
    assert_eq!(positions, [3, 1]);
    assert_eq!(about(bed, memory_id(1)).await[0].decision.subjects, decisions[0].subjects);
}
