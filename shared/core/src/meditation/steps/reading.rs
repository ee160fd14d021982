//! Shared code of the steps that read each record once and note what they find.

use super::{Body, Change, Context, Kind, Reason, RetentionItem, Snapshot};
use crate::entities::ReadMark;
use crate::error::Result;
use crate::ids::Seq;
use crate::meditation::Subject;
use crate::meditation::kinds::BYTES;
use crate::memory::Memory;

/// The names of these steps.
pub const READING: [&str; 4] = ["tag", "entities", "link", "believe"];

/// Records read at a time.
const PAGE: usize = 128;
/// Bytes read at a time, unless a single record has more.
const PAGE_BYTES: u64 = 128 * 1024;

/// Proposes one change for each page of active records that a step has not read in their present form. Only records
/// within the run's restrictions, and at most as many as the step may change.
pub(super) async fn unread(
    context: &Context<'_>,
    (step, rules): (&'static str, i64),
    (kind, number): (Kind, &'static str),
    mut count: impl FnMut(&Memory) -> u64 + Send,
) -> Result<Vec<Change>> {
    let picture = context.picture;
    let unread = context.read(move |reader| Box::pin(ReadMark::unread_by(reader, step, rules))).await?;
    let due = picture.reached().filter(|item| unread.binary_search(&item.seq).is_ok());
    let due: Vec<&RetentionItem> = due.take(left(picture, step, usize::MAX)).collect();
    let mut changes = Vec::new();
    for page in pages(&due) {
        let seqs: Vec<Seq> = page.iter().map(|item| item.seq).collect();
        let memories = context.read(move |reader| {
            let seqs = seqs.clone();
            Box::pin(async move { reader.memories(&seqs).await })
        });
        let memories = memories.await?;
        let subjects: Vec<Subject> =
            memories.iter().map(|memory| Subject { id: memory.id.0, seq: memory.seq }).collect();
        let bytes: u64 = memories.iter().map(|memory| memory.size_bytes).sum();
        let body = Body::default().whole(BYTES, bytes).whole(number, memories.iter().map(&mut count).sum());
        if !subjects.is_empty() {
            changes.push(Change { step, kind, subjects, reason: Reason::Unread, body });
        }
    }
    Ok(changes)
}

/// Returns how many records a step may still read, or change, in this run: the operator's cap, or else `most`, minus
/// those done.
pub(in crate::meditation) fn left(picture: &Snapshot, step: &str, most: usize) -> usize {
    let whole = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let done = picture.done_here.get(step).copied().unwrap_or_default();
    picture.settings.steps.of(step).cap.map_or(most, whole).saturating_sub(whole(done))
}

/// Splits records into pages that are read, and carried out, at a time.
pub(super) fn pages<'p, 'i>(mut due: &'p [&'i RetentionItem]) -> Vec<&'p [&'i RetentionItem]> {
    let mut pages = Vec::new();
    while !due.is_empty() {
        let mut bytes = 0_u64;
        let fit = due.iter().take(PAGE).take_while(|item| {
            bytes = bytes.saturating_add(item.size_bytes);
            bytes <= PAGE_BYTES
        });
        let (page, rest) = due.split_at(fit.count().max(1));
        pages.push(page);
        due = rest;
    }
    pages
}
