//! `believe`: records of which not both can hold are found (Y-6). Where one is believed less by far it ends, in a way that can be taken
//! back; else a person decides.
//!
//! A record is compared when it is read: with what is known to claim something about the same. So a night over unchanged memories
//! compares nothing. What could not be compared, as more was found than a night may find, stays unread.

mod found;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use self::found::{Found, Pair};
use super::reading::{left, unread};
use super::{Body, Change, Context, Kind, Step};
use crate::beliefs::ClaimRow;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::links::{Direction, Ending, Link};
use crate::meditation::kinds::{BYTES, CLAIMS, Stated};
use crate::memory::Memory;
use crate::tables::{RowQuery, TableRow as _, find};

/// Most contradictions that a night finds.
const MOST: usize = 20;
/// Subjects whose claims are read at a time,
const SUBJECTS: usize = 512;
/// and records that are compared at a time, but a whole group of them at least.
const RECORDS: usize = 256;

/// Finds contradictions.
#[derive(Clone, Copy, Debug)]
pub struct Believe;

#[async_trait]
impl Step for Believe {
    fn name(&self) -> &'static str {
        "believe"
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let mut fresh = Fresh::default();
        let count = |memory: &Memory| fresh.take(memory, context);
        let read = unread(context, (self.name(), Self::RULES), (Kind::Weigh, CLAIMS), count).await?;
        // First of all: a run that is cut between them finds them again while what it read is not noted.
        let mut changes = self.contradictions(context, &mut fresh).await?;
        changes.extend(read.into_iter().filter_map(|change| fresh.without_waiting(change)));
        Ok(changes)
    }
}

impl Believe {
    /// The version of the rules: raise it when what they find changes, so that records are read again.
    pub const RULES: i64 = 1;

    /// What is to be done about contradictions of what was just read.
    async fn contradictions(&self, context: &Context<'_>, fresh: &mut Fresh) -> Result<Vec<Change>> {
        let picture = context.picture;
        let done = picture.done_here.get(self.name()).copied().unwrap_or_default();
        // Bounds of a run count records, of which a contradiction has two. What does not fit stays unread.
        let most = MOST.saturating_sub(usize::try_from(done / 2).unwrap_or(MOST));
        let most = most.min(left(picture, self.name(), usize::MAX) / 2);
        let numbers: BTreeMap<MemoryId, Seq> = picture.reached().map(|item| (item.id, item.seq)).collect();
        fresh.take_asked(context).await?;
        let rows = fresh.with_known(context).await?;
        let claiming: BTreeSet<MemoryId> = fresh.rows.iter().map(|row| row.memory).collect();
        let groups = ClaimRow::groups(&rows, &numbers, &claiming);
        let (mut found, mut rest) = (Found::new(most), groups.as_slice());
        while !rest.is_empty() && !found.is_full() {
            let (now, later) = rest.split_at(at_a_time(rest));
            let memories = stated(context, now).await?;
            let pairs = found::compare(now, &memories);
            let ids: BTreeSet<MemoryId> = pairs.iter().flat_map(Pair::ids).collect();
            if !ids.is_empty() {
                let (links, endings) = decided(context, ids).await?;
                found.add(pairs, &links, &endings, picture.as_of);
            }
            rest = later;
        }
        if found.is_full() {
            // What is behind the last one that fitted may be among the last ones compared.
            let compared: BTreeSet<&Seq> = groups.iter().flatten().collect();
            fresh.waiting.extend(numbers.iter().filter(|(_, seq)| compared.contains(seq)).map(|(id, _)| *id));
        }
        Ok(found.into_changes())
    }
}

/// How many groups are compared at a time.
fn at_a_time(groups: &[Vec<Seq>]) -> usize {
    let mut records = 0;
    let fit = groups.iter().take_while(|group| {
        records += group.len();
        records <= RECORDS
    });
    fit.count().max(1)
}

/// The records of groups that state what holds.
async fn stated(context: &Context<'_>, groups: &[Vec<Seq>]) -> Result<BTreeMap<Seq, Memory>> {
    let seqs: Arc<BTreeSet<Seq>> = Arc::new(groups.iter().flatten().copied().collect());
    let read = context.read(move |reader| {
        let seqs: Vec<Seq> = seqs.iter().copied().collect();
        Box::pin(async move { reader.memories(&seqs).await })
    });
    let all = read.await?.into_iter().filter(|memory| Stated::is(memory, context.picture.as_of));
    Ok(all.map(|memory| (memory.seq, memory)).collect())
}

/// The claims that a query finds.
async fn rows(context: &Context<'_>, query: Arc<RowQuery>) -> Result<Vec<ClaimRow>> {
    let read = context.read(move |reader| {
        let query = Arc::clone(&query);
        Box::pin(async move { find::<ClaimRow>(reader, &query).await })
    });
    read.await
}

/// How records are linked, and which ones were ended before.
async fn decided(context: &Context<'_>, ids: BTreeSet<MemoryId>) -> Result<(Vec<Link>, BTreeSet<MemoryId>)> {
    let ids = Arc::new(ids);
    let read = context.read(move |reader| {
        let ids = Arc::clone(&ids);
        Box::pin(async move {
            let links = Link::of(ids.iter().copied(), Direction::Both).with_withheld();
            let endings = Ending::query().among(&["memory_id"], ids.iter().copied());
            Ok((find::<Link>(reader, &links).await?, find::<Ending>(reader, &endings).await?))
        })
    });
    let (links, endings) = read.await?;
    Ok((links, endings.into_iter().map(|ending| ending.memory).collect()))
}

/// What was just read.
#[derive(Default)]
struct Fresh {
    rows: Vec<ClaimRow>,
    /// Bytes and number of claims.
    counts: HashMap<MemoryId, (u64, u64)>,
    /// What is not compared yet, and read again.
    waiting: BTreeSet<MemoryId>,
}

impl Fresh {
    /// Takes a record; returns how much it claims.
    fn take(&mut self, memory: &Memory, context: &Context<'_>) -> u64 {
        let rows = ClaimRow::all_of(memory);
        let claims = rows.len() as u64;
        self.rows.extend(rows);
        self.counts.insert(memory.id, (memory.size_bytes, claims));
        let soon = Stated::by(context.picture.as_of);
        // What a run is kept to was compared with little, and what holds later with nothing.
        if !context.picture.only.is_empty() || memory.draft.valid_from.is_some_and(|from| from > soon) {
            self.waiting.insert(memory.id);
        }
        claims
    }

    /// Takes what is known of the records that a run is kept to: who names them wants them compared.
    async fn take_asked(&mut self, context: &Context<'_>) -> Result<()> {
        let asked = context.picture.only.iter().filter(|id| !self.counts.contains_key(id)).copied();
        let asked: Vec<MemoryId> = asked.collect();
        if asked.is_empty() {
            return Ok(());
        }
        let query = Arc::new(ClaimRow::query().among(&["memory_id"], asked));
        self.rows.extend(rows(context, query).await?);
        Ok(())
    }

    /// The claims of what was just read, and those that are known about the same.
    async fn with_known(&self, context: &Context<'_>) -> Result<Vec<ClaimRow>> {
        let about: BTreeSet<Uuid> = self.rows.iter().map(|row| row.about).collect();
        let about: Vec<Uuid> = about.into_iter().collect();
        let mut all: Vec<ClaimRow> = Vec::new();
        for about in about.chunks(SUBJECTS) {
            let query = Arc::new(ClaimRow::query().among(&["about"], about.iter().copied()));
            all.extend(rows(context, query).await?);
        }
        // What is known of a record that was just read is outdated.
        all.retain(|row| !self.counts.contains_key(&row.memory));
        all.extend(&self.rows);
        Ok(all)
    }

    /// A change without what waits; `None` if nothing is left of it.
    fn without_waiting(&self, mut change: Change) -> Option<Change> {
        change.subjects.retain(|subject| !self.waiting.contains(&MemoryId(subject.id)));
        let counts = change.subjects.iter().filter_map(|subject| self.counts.get(&MemoryId(subject.id)));
        let (bytes, claims) = counts.fold((0_u64, 0_u64), |all, one| (all.0.saturating_add(one.0), all.1 + one.1));
        change.body = Body::default().whole(BYTES, bytes).whole(CLAIMS, claims);
        (!change.subjects.is_empty()).then_some(change)
    }
}
