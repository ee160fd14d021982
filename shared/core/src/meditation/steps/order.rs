//! The order in which memories are archived or erased.

use super::RetentionItem;

/// Sorts by score, the smallest first. Ties go to the oldest, then to the smallest sequence number (K-4.1).
pub(super) fn sort_by_worth(items: &mut [&RetentionItem]) {
    items.sort_unstable_by(|a, b| {
        a.score.total_cmp(&b.score).then(a.created_at.cmp(&b.created_at)).then(a.seq.cmp(&b.seq))
    });
}
