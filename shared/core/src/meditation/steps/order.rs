//! The order in which memories are given up.

use super::RetentionItem;

/// Smallest score first; of equals the oldest, then the one with the smallest number (K-4.1).
pub(super) fn sort_by_worth(items: &mut [&RetentionItem]) {
    items.sort_unstable_by(|a, b| {
        a.score.total_cmp(&b.score).then(a.created_at.cmp(&b.created_at)).then(a.seq.cmp(&b.seq))
    });
}
