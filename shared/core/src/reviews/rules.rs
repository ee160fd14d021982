//! The rules by which items arise, and the changes they propose.

use super::{Alike, Ground, Review, ReviewChange, ReviewId, ReviewKind};
use crate::bounds::{FORGET_BELOW, UNCERTAIN_BELOW};
use crate::context::day;
use crate::links::Link;
use crate::memory::{DraftLimits, Layer, Memory, MemoryFilter, Tier};
use crate::merging::{mergeable, merged};
use crate::retention::Salience;
use crate::time::{Span, Timestamp};

/// Ages from which a record that was never recalled or read is clutter: with importance 1, and with importance 2 or
/// none given.
const LEAST: Span = Span::days(60);
const LITTLE: Span = Span::days(90);

impl ReviewKind {
    /// Returns the filter for records that items of this kind may be about.
    pub fn filter(self, now: Timestamp) -> MemoryFilter {
        let mut filter = MemoryFilter::default().holding(now);
        match self {
            Self::Stale => filter.stale = true,
            Self::Uncertain => filter.below_confidence = UNCERTAIN_BELOW,
            Self::Clutter => filter.tiers = vec![Tier::ShortTerm, Tier::LongTerm],
            Self::Promotion => filter.kinds = Ground::KINDS.to_vec(),
            Self::Merge => filter = mergeable(now),
            Self::Contradiction | Self::Duplicate | Self::Replaced => {}
        }
        if matches!(self, Self::Clutter | Self::Duplicate) {
            filter.layers = vec![Layer::Episodes, Layer::Knowledge, Layer::Identity];
        }
        filter
    }
}

impl Review {
    /// Returns the item of a kind about one record, if there is one.
    pub fn of(kind: ReviewKind, memory: Memory, now: Timestamp) -> Option<Self> {
        if !kind.filter(now).passes(&memory) {
            return None;
        }
        let (proposes, reason, at) = match kind {
            ReviewKind::Stale => {
                let since = memory.belief.stale_since?;
                (ReviewChange::Confirm, "some of its sources were erased".to_owned(), since)
            }
            ReviewKind::Uncertain => {
                let changed = memory.belief.history.last().map_or(memory.created_at, |change| change.changed_at);
                (ReviewChange::Confirm, format!("its confidence is {:.2}", memory.belief.confidence), changed)
            }
            ReviewKind::Clutter => {
                let since = clutter_since(&memory, now)?;
                (ReviewChange::Archive, "it is old, of little importance, and was never recalled".to_owned(), since)
            }
            ReviewKind::Contradiction
            | ReviewKind::Duplicate
            | ReviewKind::Promotion
            | ReviewKind::Merge
            | ReviewKind::Replaced => return None,
        };
        Some(Self { id: ReviewId::of(kind, memory.id), memories: vec![memory], reason, proposes, at, ground: None })
    }

    /// Returns the item for two records that a link says contradict each other.
    pub fn contradiction(link: &Link, from: Memory, to: Memory) -> Self {
        let id = ReviewId { kind: ReviewKind::Contradiction, first: from.id, second: to.id };
        let at = link.verified_at.unwrap_or(link.created_at);
        Self::about(id, [from, to], "both cannot be true", at)
    }

    /// Returns the item for a record that ended by itself and the one that replaced it, with the words that did.
    pub fn replaced((old, new): (Memory, Memory), words: Option<String>, at: Timestamp) -> Self {
        let id = ReviewId { kind: ReviewKind::Replaced, first: old.id, second: new.id };
        let since = old.draft.valid_to.map(day).unwrap_or_default();
        let reason = match words {
            Some(words) => format!("ended {since}: {words}"),
            None => format!("ended {since}"),
        };
        Self { id, memories: vec![old, new], reason, proposes: ReviewChange::KeepBoth, at, ground: None }
    }

    /// Returns the item for two records that say the same, if they do; the older one comes first.
    pub fn duplicate(older: Memory, newer: Memory, now: Timestamp) -> Option<Self> {
        let filter = ReviewKind::Duplicate.filter(now);
        let both = filter.passes(&older) && filter.passes(&newer);
        if !both || !Alike::of(&older)?.is_near(&Alike::of(&newer)?) {
            return None;
        }
        let id = ReviewId { kind: ReviewKind::Duplicate, first: older.id, second: newer.id };
        let at = newer.created_at;
        Some(Self::about(id, [older, newer], "both say the same", at))
    }

    /// Returns the item for records that say the same and can be merged without loss, oldest first. Duplicates are
    /// no merge, as it is enough to keep one of them.
    pub fn merge(memories: Vec<Memory>) -> Option<Self> {
        let (first, second) = (memories.first()?.id, memories.get(1)?.id);
        let at = memories.iter().map(|memory| memory.created_at).max()?;
        let said: Vec<Alike> = memories.iter().filter_map(Alike::of).collect();
        let are_duplicates = said.windows(2).all(|pair| matches!(pair, [one, other] if one.is_near(other)));
        if are_duplicates || merged(&memories, DraftLimits::default()).is_none() {
            return None;
        }
        let id = ReviewId { kind: ReviewKind::Merge, first, second };
        let reason = format!("{} memories say the same, and one can replace them", memories.len());
        Some(Self { id, memories, reason, proposes: ReviewChange::Merge, at, ground: None })
    }

    /// Proposes to keep the record with more confidence; of equals, the newer one.
    fn about(id: ReviewId, [first, second]: [Memory; 2], reason: &str, at: Timestamp) -> Self {
        let weight = |memory: &Memory| (memory.belief.confidence.max(0.0).to_bits(), memory.occurred_at(), memory.seq);
        let proposes =
            if weight(&first) > weight(&second) { ReviewChange::KeepFirst } else { ReviewChange::KeepSecond };
        Self { id, memories: vec![first, second], reason: reason.to_owned(), proposes, at, ground: None }
    }
}

/// Returns the time since which a record is clutter, if it is.
fn clutter_since(memory: &Memory, now: Timestamp) -> Option<Timestamp> {
    let age = match memory.draft.importance {
        1 => LEAST,
        0 | 2 => LITTLE,
        _ => return None,
    };
    let low = memory.access_count == 0 && Salience::of(memory, age, now).is_below(FORGET_BELOW, memory, now);
    low.then(|| memory.updated_at.plus(age))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::MemoryDraft;

    const NOON: Timestamp = Timestamp(1_763_640_000_000_000);

    fn memory(content: &str, days_ago: i64) -> Memory {
        let draft = MemoryDraft { content: content.to_owned(), ..MemoryDraft::default() };
        let id = MemoryId(uuid::Uuid::from_u128(u128::from(days_ago.unsigned_abs()) + 1));
        Memory::new(id, Seq(1), draft, NOON.minus(Span::days(days_ago)))
    }

    fn important(importance: i32, days_ago: i64) -> Memory {
        let mut memory = memory("a receipt of the bakery", days_ago);
        memory.draft.importance = importance;
        memory
    }

    #[test]
    fn clutter_is_old_of_little_importance_and_was_never_recalled() {
        let is = |memory: Memory| Review::of(ReviewKind::Clutter, memory, NOON).is_some();
        assert!(is(important(1, 60)) && !is(important(1, 59)));
        assert!(is(important(2, 90)) && is(important(0, 90)) && !is(important(2, 89)));
        assert!(!is(important(3, 900)));
        assert!(!is(Memory { access_count: 1, ..important(1, 900) }));
        let mut kept = important(1, 900);
        kept.draft.protected = true;
        assert!(!is(kept));
    }

    #[test]
    fn what_was_verified_is_stale_no_more_and_what_is_certain_is_not_listed() {
        let mut one = memory("Ana moved to Lisbon", 3);
        assert!(Review::of(ReviewKind::Stale, one.clone(), NOON).is_none());
        one.belief.stale_since = Some(NOON);
        let review = Review::of(ReviewKind::Stale, one.clone(), NOON).expect("it is stale");
        assert_eq!((review.at, review.proposes), (NOON, ReviewChange::Confirm));
        one.belief.verify(one.created_at, NOON);
        assert!(Review::of(ReviewKind::Stale, one.clone(), NOON).is_none());
        assert!(Review::of(ReviewKind::Uncertain, one.clone(), NOON).is_none());
        one.belief.confidence = 0.3;
        assert!(Review::of(ReviewKind::Uncertain, one, NOON).is_some());
    }

    #[test]
    fn of_duplicates_the_more_certain_stays_and_of_equals_the_newer() {
        let (older, newer) = (memory("Ana drinks tea", 2), memory("ana drinks tea.", 1));
        let proposed = |older: &Memory, newer: &Memory| {
            Review::duplicate(older.clone(), newer.clone(), NOON).map(|review| review.proposes)
        };
        assert_eq!(proposed(&older, &newer), Some(ReviewChange::KeepSecond));
        let mut doubted = newer.clone();
        doubted.belief.confidence = 0.2;
        assert_eq!(proposed(&older, &doubted), Some(ReviewChange::KeepFirst));
        let mut elsewhere = newer.clone();
        elsewhere.draft.namespace = "work".to_owned();
        assert_eq!(proposed(&older, &elsewhere), None);
        let mut secret = newer;
        secret.draft.metadata.sensitive = true;
        assert_eq!(proposed(&older, &secret), None);
    }
}
