//! Sessions, positions, speakers, neighbours.

use kimberly_core::ids::Seq;
use kimberly_core::meditation::Kind;
use kimberly_core::memory::{MemoryDraft, MemoryFilter, MemoryState};
use kimberly_core::ports::SessionSpot;

use super::Bed;
use super::fixtures::{any_of, any_state, at, decide, draft, new_memory};

fn said(session: &str, speaker: &str) -> MemoryDraft {
    MemoryDraft {
        session_id: (!session.is_empty()).then(|| session.to_owned()),
        speaker: (!speaker.is_empty()).then(|| speaker.to_owned()),
        ..draft("placed heron")
    }
}

/// Returns number and spot of all memories that a search finds.
async fn spots(bed: &Bed) -> Vec<(i64, Option<(i64, i64)>)> {
    let hits = bed
        .read("u", |r| {
            Box::pin(async move {
                let query = kimberly_core::ports::LexicalQuery { filter: any_state(), ..any_of(&["heron"]) };
                r.lexical(&query, 100).await
            })
        })
        .await;
    let mut spots: Vec<_> =
        hits.iter().map(|hit| (hit.seq.0, hit.spot.map(|spot| (spot.session, spot.position)))).collect();
    spots.sort_unstable();
    spots
}

/// Positions count up within one batch, and continue after the previous batch.
pub async fn positions_count_up_within_a_session(bed: &Bed) {
    bed.remember("u", [said("a", ""), said("b", ""), said("a", ""), said("", "")]).await;
    bed.insert("u", vec![new_memory(9, said("a", "")), new_memory(10, said("b", ""))]).await;
    let (a, b) = bed
        .read("u", |r| {
            Box::pin(async move { Ok((r.session_number("a").await?.unwrap(), r.session_number("b").await?.unwrap())) })
        })
        .await;
    assert_ne!(a, b);
    assert_eq!(
        spots(bed).await,
        [(1, Some((a, 0))), (2, Some((b, 0))), (3, Some((a, 1))), (4, None), (5, Some((a, 2))), (6, Some((b, 1)))]
    );
    assert_eq!(bed.read("u", |r| Box::pin(r.session_number("c"))).await, None);
}

/// Gaps stay; the last position is not reused while the session exists.
pub async fn erased_positions_stay_empty(bed: &Bed) {
    bed.remember("u", [said("a", ""), said("a", ""), said("a", "")]).await;
    for n in [2, 3] {
        let memory = bed.memory("u", n).await.unwrap();
        bed.decide("u", 1, vec![decide(&memory, Kind::Delete)], at(9)).await;
    }
    bed.insert("u", vec![new_memory(9, said("a", ""))]).await;
    let positions: Vec<_> = spots(bed).await.into_iter().map(|(seq, spot)| (seq, spot.unwrap().1)).collect();
    assert_eq!(positions, [(1, 0), (4, 3)]);
}

/// A memory moves to another session, out of all, and back; its old positions are not reused.
pub async fn a_memory_that_moves_takes_the_next_position(bed: &Bed) {
    bed.remember("u", [said("a", ""), said("a", ""), said("b", "")]).await;
    for (session, expected) in [(Some("b"), Some(1)), (None, None), (Some("a"), Some(2))] {
        let mut memory = bed.memory("u", 1).await.unwrap();
        memory.draft.session_id = session.map(str::to_owned);
        bed.write("u", move |tx| {
            let memory = memory.clone();
            Box::pin(async move { tx.update_memory(&memory, None).await })
        })
        .await;
        assert_eq!(spots(bed).await[0].1.map(|spot| spot.1), expected);
        assert_eq!(bed.memory("u", 1).await.unwrap().draft.session_id.as_deref(), session);
    }
    let mut last = bed.memory("u", 1).await.unwrap();
    last.draft.session_id = None;
    bed.write("u", move |tx| {
        let last = last.clone();
        Box::pin(async move { tx.update_memory(&last, None).await })
    })
    .await;
    bed.insert("u", vec![new_memory(9, said("a", ""))]).await;
    assert_eq!(spots(bed).await[3].1.map(|spot| spot.1), Some(3));
}

/// ANNA and Anna have one number; each memory reads back as written; the latest speaker comes first.
pub async fn speakers_are_distinguished_without_case_and_read_back_as_written(bed: &Bed) {
    let names = ["Anna", "Ömer", "ANNA", "ömer", "Ben", "", "anna"];
    bed.remember("u", names.map(|name| said("", name))).await;
    for (n, name) in (1..).zip(names) {
        let stored = bed.memory("u", n).await.unwrap().draft.speaker;
        assert_eq!(stored.as_deref(), (!name.is_empty()).then_some(name));
    }
    let speakers = bed.read("u", |r| Box::pin(r.speakers())).await;
    let listed: Vec<_> = speakers.iter().map(|(_, name)| name.to_lowercase()).collect();
    assert_eq!(listed.len(), 3, "{listed:?}");
    let hits = bed.read("u", |r| Box::pin(async move { r.lexical(&any_of(&["heron"]), 10).await })).await;
    let number = |seq: i64| hits.iter().find(|hit| hit.seq.0 == seq).unwrap().speaker;
    assert_eq!((number(1), number(2), number(6)), (number(3), number(4), None));
    assert_eq!(number(1), number(7));
    assert!(speakers.iter().any(|(no, name)| Some(*no) == number(5) && name == "Ben"));
    bed.insert("u", vec![new_memory(20, said("", "ben"))]).await;
    assert_eq!(bed.read("u", |r| Box::pin(r.speakers())).await.len(), 3);
}

/// Of more than 256 speakers only the latest are returned, including an old one who speaks again.
pub async fn the_latest_speakers_are_known(bed: &Bed) {
    for hundred in [0, 100, 200, 300] {
        let batch = (hundred..hundred + 100).map(|n| new_memory(n, said("", &format!("Speaker {n}"))));
        bed.insert("u", batch.collect()).await;
    }
    bed.insert("u", (400..500).map(|n| new_memory(n, said("", ""))).collect()).await;
    bed.insert("u", vec![new_memory(900, said("", "speaker 7"))]).await;
    let speakers = bed.read("u", |r| Box::pin(r.speakers())).await;
    assert_eq!(speakers.len(), 256);
    for name in ["Speaker 7", "Speaker 399", "Speaker 200"] {
        assert!(speakers.iter().any(|(_, known)| known == name), "{name}");
    }
    assert!(!speakers.iter().any(|(_, known)| known == "Speaker 8"));
}

/// Only the requested spots, filtered, with all fields of a hit.
pub async fn neighbours_are_found_by_spot(bed: &Bed) {
    let mut drafts: Vec<_> = (0..12).map(|_| said("a", "Anna")).collect();
    drafts[4].metadata.sensitive = true;
    drafts[5].occurred_at = Some(at(-7));
    bed.remember("u", drafts).await;
    let hits = bed
        .read("u", |r| {
            Box::pin(async move {
                let session = r.session_number("a").await?.unwrap();
                let spots: Vec<_> =
                    [3, 4, 5, 5, 11, 12, 99, -1].map(|position| SessionSpot { session, position }).into();
                let filter = MemoryFilter {
                    sensitivity: kimberly_core::memory::SensitivityFilter::Exclude,
                    ..MemoryFilter::default()
                };
                r.at_spots(&spots, &filter).await
            })
        })
        .await;
    let mut seqs: Vec<_> = hits.iter().map(|hit| hit.seq.0).collect();
    seqs.sort_unstable();
    assert_eq!(seqs, [4, 6, 12]);
    let sixth = hits.iter().find(|hit| hit.seq.0 == 6).unwrap();
    let new = new_memory(6, draft(""));
    assert_eq!((sixth.occurred_at, sixth.created_at), (at(-7), at(6)));
    assert_eq!((sixth.traits, sixth.score.to_bits()), (new.traits, new.score.score.to_bits()));
    assert_eq!((sixth.bm25.to_bits(), sixth.speaker.is_some()), (0.0_f64.to_bits(), true));
    let none = bed.read("u", |r| Box::pin(async move { r.at_spots(&[], &MemoryFilter::default()).await })).await;
    assert!(none.is_empty());
}

/// Each memory once, with all fields of a hit except BM25 equal to those of a search.
pub async fn memories_are_found_by_number_as_the_filter_lets_them(bed: &Bed) {
    bed.remember("u", (0..12).map(|_| said("a", "Anna"))).await;
    bed.set_state("u", Seq(3), MemoryState::Archived).await;
    bed.set_state("u", Seq(4), MemoryState::Deleted).await;
    let by_number = |filter: MemoryFilter| async move {
        let mut hits = bed
            .read("u", move |r| {
                let (filter, seqs) = (filter.clone(), [12, 1, 3, 1, 4, 13, 0, -1, i64::MAX, i64::MIN].map(Seq));
                Box::pin(async move { r.at_seqs(&seqs, &filter).await })
            })
            .await;
        hits.sort_by_key(|hit| hit.seq);
        hits
    };
    let active = by_number(MemoryFilter::default()).await;
    assert_eq!(active.iter().map(|hit| hit.seq.0).collect::<Vec<_>>(), [1, 12]);
    let all = by_number(any_state()).await;
    assert_eq!(all.iter().map(|hit| hit.seq.0).collect::<Vec<_>>(), [1, 3, 4, 12]);
    // A filter by session bypasses the cache that a backend may have.
    let of_session = MemoryFilter { session_id: Some("a".to_owned()), ..MemoryFilter::default() };
    assert_eq!(by_number(of_session).await, active);
    let searched = bed.read("u", |r| Box::pin(async move { r.lexical(&any_of(&["heron"]), 100).await })).await;
    for hit in active {
        let mut same = searched.iter().find(|other| other.seq == hit.seq).cloned().unwrap();
        same.bm25 = 0.0;
        assert_eq!(hit, same);
    }
    let none = bed.read("u", |r| Box::pin(async move { r.at_seqs(&[], &any_state()).await })).await;
    assert!(none.is_empty());
}
