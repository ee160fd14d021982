//! `entities`: whom and what records name is noted, each record once as it is (Y-2). Which names are one is put together when
//! entities are asked for.

use async_trait::async_trait;

use super::{Body, Change, Context, Kind, Reason, RetentionItem, Step, Trigger};
use crate::entities::{ReadMark, mentions_of};
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::meditation::Subject;
use crate::meditation::kinds::{BYTES, NAMES};
use crate::memory::{Memory, MemoryState};

/// Records read at a time,
const PAGE: usize = 128;
/// of at most so many bytes, unless one alone has more.
const PAGE_BYTES: u64 = 512 * 1024;

/// Reads records for names.
#[derive(Clone, Copy, Debug)]
pub struct Entities;

#[async_trait]
impl Step for Entities {
    fn name(&self) -> &'static str {
        "entities"
    }

    fn runs_on(&self, trigger: Trigger) -> bool {
        matches!(trigger, Trigger::Schedule | Trigger::Request)
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let count = |memory: &Memory| mentions_of(memory).len() as u64;
        unread(context, (self.name(), Self::RULES), (Kind::Recognize, NAMES), count).await
    }
}

impl Entities {
    /// The version of the rules: raise it when what they find changes, so that records are read again.
    pub const RULES: i64 = 1;

    /// That a record was read.
    pub(in crate::meditation) fn mark(memory: MemoryId) -> ReadMark {
        ReadMark { step: Self.name().to_owned(), memory, rules: Self::RULES }
    }
}

/// One change for a page of active records that a step has not read as they are: of those that the run is kept to, at most as
/// many as the step may change.
pub(super) async fn unread(
    context: &Context<'_>,
    (step, rules): (&'static str, i64),
    (kind, number): (Kind, &'static str),
    count: impl Fn(&Memory) -> u64,
) -> Result<Vec<Change>> {
    let picture = context.picture;
    let known = context.read(move |reader| Box::pin(ReadMark::read_by(reader, step, rules))).await?;
    let asked = |item: &&RetentionItem| picture.only.is_empty() || picture.only.binary_search(&item.id).is_ok();
    let due = picture.items.iter().filter(|item| item.state == MemoryState::Active && !known.contains(&item.id));
    let cap = picture.settings.steps.of(step).cap.map_or(usize::MAX, |cap| usize::try_from(cap).unwrap_or(usize::MAX));
    let due: Vec<&RetentionItem> = due.filter(asked).take(cap).collect();
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
        let body = Body::default().whole(BYTES, bytes).whole(number, memories.iter().map(&count).sum());
        if !subjects.is_empty() {
            changes.push(Change { step, kind, subjects, reason: Reason::Unread, body });
        }
    }
    Ok(changes)
}

/// Cuts records into pages that are read, and carried out, at a time.
fn pages<'p, 'i>(mut due: &'p [&'i RetentionItem]) -> Vec<&'p [&'i RetentionItem]> {
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
