//! Room for a write: what to archive so that a tier fits its limit.

use super::order::sort_by_worth;
use super::{Body, Change, Kind, Reason, RetentionItem};
use crate::meditation::kinds::{ALLOWED, HELD};

/// Archives as many items of an overfull tier as needed, the smallest score first, for a write that finds no room. Items of `last` follow, in the given order.
pub(crate) fn until_fits(items: &[RetentionItem], last: &[RetentionItem], held: u64, allowed: u64) -> Vec<Change> {
    let mut first: Vec<&RetentionItem> = items.iter().collect();
    sort_by_worth(&mut first);
    let (mut bytes, mut changes) = (held, Vec::new());
    for item in first.into_iter().chain(last).filter(|item| !item.protected) {
        if bytes <= allowed {
            break;
        }
        let numbers = Body::default().whole(HELD, bytes).whole(ALLOWED, allowed);
        changes.push(Change::of(item, Kind::Archive, Reason::OverQuota, numbers));
        bytes = bytes.saturating_sub(item.size_bytes);
    }
    changes
}
