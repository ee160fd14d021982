//! `entities`: whom and what records name is noted, each record once as it is (Y-2). Which names are one is put together when
//! entities are asked for.

use async_trait::async_trait;

use super::{Body, Change, Context, Kind, Reason, RetentionItem, Step, Trigger};
use crate::entities::{ReadMark, mentions_of};
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::meditation::kinds::NAMES;
use crate::memory::{Memory, MemoryState};

/// Records read at a time.
const PAGE: usize = 128;

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
        let read = |item: &RetentionItem, memory: &Memory| {
            Change::of(item, Kind::Recognize, Reason::Unread, Body::default().whole(NAMES, count(memory)))
        };
        unread(context, self.name(), Self::RULES, read).await
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

/// What is to be done about each active record that a step has not read as it is: those that the run is kept to, at most as many
/// as the step may change, page by page.
pub(super) async fn unread(
    context: &Context<'_>,
    step: &'static str,
    rules: i64,
    read: impl Fn(&RetentionItem, &Memory) -> Change,
) -> Result<Vec<Change>> {
    let picture = context.picture;
    let known = context.read(move |reader| Box::pin(ReadMark::read_by(reader, step, rules))).await?;
    let asked = |item: &&RetentionItem| picture.only.is_empty() || picture.only.binary_search(&item.id).is_ok();
    let due = picture.items.iter().filter(|item| item.state == MemoryState::Active && !known.contains(&item.id));
    let cap = picture.settings.steps.of(step).cap.map_or(usize::MAX, |cap| usize::try_from(cap).unwrap_or(usize::MAX));
    let due: Vec<&RetentionItem> = due.filter(asked).take(cap).collect();
    let mut changes = Vec::new();
    for page in due.chunks(PAGE) {
        let seqs: Vec<Seq> = page.iter().map(|item| item.seq).collect();
        let memories = context.read(move |reader| {
            let seqs = seqs.clone();
            Box::pin(async move { reader.memories(&seqs).await })
        });
        let memories = memories.await?;
        let item_of = |memory: &Memory| page.iter().copied().find(|item| item.seq == memory.seq);
        changes.extend(memories.iter().filter_map(|memory| item_of(memory).map(|item| read(item, memory))));
    }
    Ok(changes)
}
