//! Reads the audit unverified: entries that were tampered with are returned too, so that a check can locate them.

use kimberly_core::audit::AuditRecord;
use kimberly_core::error::Result;
use kimberly_core::ports::AuditQuery;

use super::Stored;
use super::segments::segments;

/// Entries of segments and rows, in the requested order. Exceeds the limit only if several entries share a number,
/// because a reader that continues after that number would miss the others.
pub(crate) async fn entries(stored: &mut dyn Stored, query: &AuditQuery) -> Result<Vec<AuditRecord>> {
    let mut found;
    if query.newest_first {
        found = stored.rows(query).await?;
        let low = found.last().filter(|_| found.len() >= query.limit).map(|last| last.no.saturating_sub(1));
        let behind = AuditQuery { after: query.after.max(low.unwrap_or(0)), ..query.clone() };
        found.extend(segments(stored, &behind).await?);
        found.sort_by_key(|entry| std::cmp::Reverse(entry.no));
    } else {
        found = segments(stored, query).await?;
        let bound = query.limit.checked_sub(1).and_then(|at| found.get(at)).map(|last| last.no.saturating_add(1));
        let up_to = AuditQuery { before: bound.or(query.before), ..query.clone() };
        found.extend(stored.rows(&up_to).await?);
        found.sort_by_key(|entry| entry.no);
    }
    let last = query.limit.checked_sub(1).and_then(|at| found.get(at)).map(|last| last.no);
    let same = |entry: &&AuditRecord| Some(entry.no) == last;
    let more = found.iter().skip(query.limit).take_while(same).count();
    found.truncate(query.limit.saturating_add(more));
    Ok(found)
}
