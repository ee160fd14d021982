//! Adjusts importance by use (B-3): up for memories often retrieved, down for those never retrieved, one step at a
//! time. Also finds memories so unimportant that they are archived. An importance that a person gave stays, and so do
//! records that last.

use crate::error::Result;
use crate::ids::MemoryId;
use crate::meditation::RetentionItem;
use crate::memory::{Memory, Tier};
use crate::tables::{Cells, Column, Row, Table, TableRow};
use crate::time::{Span, Timestamp};

/// The shortest time between two moves of a memory's importance. It falls only if the memory was not written or
/// retrieved for this long.
const EVERY: Span = Span::days(30);
/// Retrievals since the last move from which a memory counts as often retrieved.
const OFTEN: u64 = 10;
/// The most that importance rises above the original value.
const MOST_ABOVE: i32 = 3;
/// Importance at or below which a memory that was never retrieved is archived, and after how long.
const GOES: [(i32, Span); 2] = [(1, Span::days(60)), (2, Span::days(90))];

/// The row that notes a move of a memory's importance. Numbers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recalibration {
    /// The memory.
    pub memory: MemoryId,
    /// When it moved.
    pub at: Timestamp,
    /// The importance before the first move.
    pub given: i32,
    /// The importance since this move; 0 if its owner gave it, which then stays.
    pub importance: i32,
    /// Number of retrievals at that time.
    pub retrieved: u64,
}

impl Recalibration {
    /// Returns the row for an importance that the owner just gave.
    pub fn by_hand(memory: &Memory, now: Timestamp) -> Self {
        let (given, retrieved) = (memory.draft.importance, memory.access_count);
        Self { memory: memory.id, at: now, given, importance: 0, retrieved }
    }
}

/// What to do with a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recalibrated {
    /// The importance rises by one to this value, because the memory is often retrieved.
    Raised(i32),
    /// The importance falls by one to this value, because the memory is never retrieved.
    Lowered(i32),
    /// The memory moves to the archive.
    Goes,
}

/// Decides what to do with a memory; `None` for nothing. `last` is the last move of its importance.
pub fn recalibrated(item: &RetentionItem, last: Option<&Recalibration>, now: Timestamp) -> Option<Recalibrated> {
    let importance = item.importance;
    if item.protected || importance == 0 {
        return None;
    }
    let (never, unused) = (item.access_count == 0, now.since(item.updated_at));
    let rests = last.is_some_and(|last| now.since(last.at) < EVERY);
    if never
        && !rests
        && item.tier != Tier::Permanent
        && GOES.iter().any(|(most, after)| importance <= *most && unused >= *after)
    {
        return Some(Recalibrated::Goes);
    }
    let by_hand = item.by_hand || last.is_some_and(|last| last.importance != importance);
    if by_hand || rests {
        return None;
    }
    let (given, before) = last.map_or((importance, 0), |last| (last.given, last.retrieved));
    let highest = crate::bounds::MAX_IMPORTANCE.min(given.saturating_add(MOST_ABOVE));
    if item.access_count.saturating_sub(before) >= OFTEN && importance < highest {
        return Some(Recalibrated::Raised(importance + 1));
    }
    (never && unused >= EVERY && importance > 1).then_some(Recalibrated::Lowered(importance - 1))
}

impl TableRow for Recalibration {
    const TABLE: &'static Table = &Table {
        name: "recalibrations",
        keys: 1,
        columns: &[
            Column::memory("memory_id"),
            Column::int("at"),
            Column::int("given"),
            Column::int("importance"),
            Column::int("retrieved"),
        ],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        let retrieved = i64::try_from(self.retrieved).unwrap_or(i64::MAX);
        vec![
            self.memory.into(),
            self.at.into(),
            i64::from(self.given).into(),
            i64::from(self.importance).into(),
            retrieved.into(),
        ]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        let memory = c.memory()?;
        let at = c.time()?;
        let (given, importance) = (small(c.int()?), small(c.int()?));
        Ok(Self { memory, at, given, importance, retrieved: u64::try_from(c.int()?).unwrap_or_default() })
    }
}

fn small(number: i64) -> i32 {
    i32::try_from(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Seq;
    use crate::memory::{Creator, MemoryDraft, RecordKind};

    const NOW: Timestamp = Timestamp(1_763_640_000_000_000);

    fn item(importance: i32, days: i64, retrieved: u64) -> RetentionItem {
        let draft = MemoryDraft { importance, created_by: Creator::System, ..MemoryDraft::default() };
        let memory = Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), draft, NOW.minus(Span::days(days)));
        RetentionItem::of(&Memory { access_count: retrieved, ..memory })
    }

    fn last(given: i32, importance: i32, days: i64, retrieved: u64) -> Recalibration {
        let at = NOW.minus(Span::days(days));
        Recalibration { memory: MemoryId(uuid::Uuid::nil()), at, given, importance, retrieved }
    }

    #[test]
    fn importance_follows_use_one_step_at_a_time_within_bounds() {
        for (item, last, expected) in [
            (item(5, 30, 0), None, Some(Recalibrated::Lowered(4))),
            (item(5, 29, 0), None, None),
            (item(5, 90, 1), None, None),
            (item(5, 1, 10), None, Some(Recalibrated::Raised(6))),
            (item(10, 1, 10), None, None),
            (item(0, 300, 0), None, None),
            (item(4, 60, 0), Some(last(5, 4, 29, 0)), None),
            (item(4, 60, 0), Some(last(5, 4, 30, 0)), Some(Recalibrated::Lowered(3))),
            (item(6, 60, 19), Some(last(5, 6, 30, 10)), None),
            (item(6, 60, 20), Some(last(5, 6, 30, 10)), Some(Recalibrated::Raised(7))),
            (item(8, 60, 90), Some(last(5, 8, 30, 10)), None),
        ] {
            assert_eq!(recalibrated(&item, last.as_ref(), NOW), expected, "{item:?} {last:?}");
        }
    }

    #[test]
    fn what_is_of_little_importance_and_never_retrieved_goes_in_time() {
        assert_eq!(recalibrated(&item(2, 91, 0), Some(&last(5, 2, 1, 0)), NOW), None, "it was 3 yesterday");
        for (importance, days, retrieved, goes) in [
            (1, 60, 0, true),
            (1, 59, 0, false),
            (2, 90, 0, true),
            (2, 89, 0, false),
            (3, 900, 0, false),
            (1, 900, 1, false),
        ] {
            let item = item(importance, days, retrieved);
            assert_eq!(recalibrated(&item, None, NOW) == Some(Recalibrated::Goes), goes, "{item:?}");
            let lasting = RetentionItem { protected: true, ..item.clone() };
            assert_eq!(recalibrated(&lasting, None, NOW), None);
            let permanent = RetentionItem { tier: Tier::Permanent, ..item };
            assert_ne!(recalibrated(&permanent, None, NOW), Some(Recalibrated::Goes));
        }
    }

    #[test]
    fn what_a_person_gave_stays() {
        let by_hand = RetentionItem { by_hand: true, ..item(5, 300, 0) };
        assert_eq!(recalibrated(&by_hand, None, NOW), None);
        assert_eq!(recalibrated(&item(9, 300, 0), Some(&last(5, 4, 90, 0)), NOW), None, "it was set since");
        assert_eq!(recalibrated(&item(5, 300, 0), Some(&last(5, 0, 90, 0)), NOW), None, "its owner set it");
        let value = MemoryDraft { kind: RecordKind::Value, importance: 5, ..MemoryDraft::default() };
        let value = Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), value, NOW.minus(Span::days(300)));
        assert_eq!(recalibrated(&RetentionItem::of(&value), None, NOW), None);
        assert!(RetentionItem::of(&value).by_hand);
    }
}
