//! Decisions about several memories, whose numbers may not reveal those out of reach.

use kimberly_core::meditation::kinds::{BYTES, Body};
use kimberly_core::meditation::{Change, Kind, RecordedDecision, Subject};
use kimberly_core::memory::{Memory, Tier};

use super::{draft_in, limited, rows};
use crate::conformance::Bed;
use crate::conformance::fixtures::{at, decide, memory_id, run_id, user};

/// Decisions whose bytes are a sum over their memories, and those about one of them alone.
fn decisions(mine: &Memory, theirs: &Memory) -> Vec<Change> {
    let subjects = [mine, theirs].map(|memory| Subject { id: memory.id.0, seq: memory.seq });
    let sum = Body::default().whole(BYTES, mine.size_bytes + theirs.size_bytes);
    let several =
        [Kind::Contradict, Kind::Resolve, Kind::Merge, Kind::Conclude, Kind::Describe, Kind::Tag, Kind::Weigh];
    let several =
        several.map(|kind| Change { kind, subjects: subjects.to_vec(), body: sum.clone(), ..decide(mine, kind) });
    // A subject that changed in the meantime was dropped from it, but not from the sum.
    let left = Change { subjects: vec![subjects[0]], ..several[5].clone() };
    several.into_iter().chain([left, decide(mine, Kind::Spare)]).collect()
}

/// A limited caller sees the size of a memory in decisions about it alone, and no sum with memories out of reach.
pub async fn sizes_of_decisions_are_of_the_memory_alone(bed: &Bed) {
    let long = Tier::LongTerm;
    bed.remember("u", [draft_in("work", long, false, "mine"), draft_in("home", long, false, "hidden")]).await;
    let (mine, theirs) = (bed.memory("u", 1).await.unwrap(), bed.memory("u", 2).await.unwrap());
    let made = decisions(&mine, &theirs);
    let count = made.len();
    bed.decide("u", 1, Vec::new(), at(1)).await;
    bed.write("u", move |tx| {
        let made = made.clone();
        Box::pin(async move { tx.record_decisions(run_id(1), &made, at(2)).await })
    })
    .await;
    let limited = limited(bed, rows(&["work"], &[], false));
    let seen: Vec<RecordedDecision> =
        limited.read(&user("u"), |r| Box::pin(r.decisions_about(memory_id(1), 50))).await.unwrap();
    assert_eq!(seen.len(), count);
    for decision in seen.iter().map(|seen| &seen.decision) {
        assert_eq!(decision.subjects.len(), 1, "{decision:?}");
        let alone = if decision.kind == Kind::Spare { mine.size_bytes } else { 0 };
        assert_eq!(decision.size_bytes(), alone, "{decision:?}");
        let score: f64 = if alone > 0 { mine.score } else { 0.0 };
        assert_eq!(decision.score().to_bits(), score.to_bits(), "{decision:?}");
    }
}
