//! Removes repetitions: a turn and a record extracted from it are one result, if the record is most of the turn. A
//! summary is dropped if any record that it covers is present, a conclusion if all of its premises are.

use crate::ids::MemoryId;
use crate::memory::{Memory, RecordKind, SourceType};

/// Share of a turn, by bytes, from which an extracted record makes the turn redundant.
const MOST: f64 = 0.6;

/// For each memory, the best first, returns whether it stays. It is dropped if a better one already says the same, or
/// if the records it was made from are present: any for a summary, all for a conclusion. `covers` pairs both.
pub fn retained(memories: &[&Memory], covers: &[(MemoryId, MemoryId)]) -> Vec<bool> {
    let repeats = |index: usize| memories[..index].iter().any(|better| is_one(better, memories[index]));
    let sums_up = |index: usize| {
        let mut covered = covers.iter().filter(|(summary, _)| *summary == memories[index].id).peekable();
        let is_there = |(_, record): &(MemoryId, MemoryId)| memories.iter().any(|memory| memory.id == *record);
        if memories[index].draft.is_concluded() {
            covered.peek().is_some() && covered.all(is_there)
        } else {
            covered.any(is_there)
        }
    };
    (0..memories.len()).map(|index| !repeats(index) && !sums_up(index)).collect()
}

/// Returns the summaries and conclusions among memories, whose links name their sources.
pub fn summaries(memories: &[&Memory]) -> Vec<MemoryId> {
    let is_made = |memory: &&&Memory| memory.draft.kind == RecordKind::Summary || memory.draft.is_concluded();
    memories.iter().filter(is_made).map(|memory| memory.id).collect()
}

fn is_one(a: &Memory, b: &Memory) -> bool {
    says(a, b) || says(b, a)
}

/// Reports whether a record was extracted from a turn and says most of it.
fn says(record: &Memory, turn: &Memory) -> bool {
    let source = record.draft.source_ref.as_deref().filter(|_| record.draft.source_type() == SourceType::Extraction);
    let is_source = source.is_some_and(|source| source == turn.id.to_string());
    is_source && share(record.draft.content.len(), turn.draft.content.len()) >= MOST
}

#[expect(clippy::cast_precision_loss, reason = "lengths of texts")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::MemoryDraft;
    use crate::time::Timestamp;

    fn memory(id: u128, content: &str, from: Option<u128>) -> Memory {
        let id_of = |n| MemoryId(uuid::Uuid::from_u128(n));
        let draft = MemoryDraft {
            content: content.to_owned(),
            source_type: from.map(|_| SourceType::Extraction),
            source_ref: from.map(|turn| id_of(turn).to_string()),
            ..MemoryDraft::default()
        };
        Memory::new(id_of(id), Seq(1), draft, Timestamp(1))
    }

    #[test]
    fn a_turn_and_what_says_most_of_it_share_one_rank() {
        let long = "I live in Porto. It has been raining for weeks, and the tram is on strike again.";
        let all = [
            memory(1, "I live in Porto!", None),
            memory(2, "Ana lives in Porto.", Some(1)),
            memory(3, "Ana lives in Porto.", Some(4)),
            memory(4, long, None),
            memory(5, "Ana lives in Porto.", None),
        ];
        let best: Vec<&Memory> = all.iter().collect();
        assert_eq!(retained(&best, &[]), [true, false, true, true, true]);
        let other_way: Vec<&Memory> = all.iter().rev().collect();
        assert_eq!(retained(&other_way, &[]), [true, true, true, true, false]);
    }

    #[test]
    fn a_summary_gives_way_to_what_it_covers_wherever_that_stands() {
        let all = [memory(1, "Ana: I live in Porto.", None), memory(2, "I live in Porto.", None)];
        let best: Vec<&Memory> = all.iter().collect();
        let covers = [(all[0].id, all[1].id), (all[0].id, MemoryId(uuid::Uuid::from_u128(9)))];
        assert_eq!(retained(&best, &covers), [false, true]);
        assert_eq!(retained(&best[..1], &covers), [true], "only the summary is left of it");
    }

    #[test]
    fn a_conclusion_gives_way_where_all_that_it_rests_on_is_there() {
        let mut all = [
            memory(1, "Ana works in Porto.", None),
            memory(2, "Ana is at Acme.", None),
            memory(3, "Acme: Porto.", None),
        ];
        all[0].draft.kind = RecordKind::Insight;
        all[0].draft.created_by = crate::memory::Creator::System;
        all[0].draft.source_type = Some(SourceType::Inference);
        all[0].draft.source_ref = Some("night/1".to_owned());
        let covers = [(all[0].id, all[1].id), (all[0].id, all[2].id)];
        let best: Vec<&Memory> = all.iter().collect();
        assert_eq!(retained(&best, &covers), [false, true, true]);
        assert_eq!(retained(&best[..2], &covers), [true, true], "it tells more than one of both");
        assert_eq!(retained(&best, &[]), [true, true, true], "what it rests on is not known");
    }
}
