//! `believe`: finds records that cannot both be true (Y-6). If one has far less confidence, it ends, in a way that can be
//! undone; otherwise a person decides.
//!
//! A record is compared when it is read, with the known claims about the same subjects. So a run over unchanged
//! memories compares nothing. If a run finds more than it may, the records that were not fully compared stay unread.

mod found;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use uuid::Uuid;

use self::found::{Found, MOST, Pair};
use super::reading::{left, unread};
use super::{Body, Change, Context, Kind, Step};
use crate::beliefs::ClaimRow;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::links::{Direction, Ending, Link};
use crate::meditation::kinds::{BYTES, CLAIMS, Stated};
use crate::memory::Memory;
use crate::tables::{RowQuery, TableRow as _, find};

/// Subjects whose claims are read at a time.
const SUBJECTS: usize = 512;
/// Records that are compared at a time, but at least one whole group.
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
        // Contradictions come before the read marks: if a run is interrupted in between, the next one finds them again.
        let mut changes = self.contradictions(context, &mut fresh).await?;
        changes.extend(read.into_iter().filter_map(|change| fresh.without_waiting(change)));
        Ok(changes)
    }
}

impl Believe {
    /// The version of the rules. Raise it when their results change, so that records are read again.
    pub const RULES: i64 = 3;

    /// Returns what to do about contradictions of the records just read.
    async fn contradictions(&self, context: &Context<'_>, fresh: &mut Fresh) -> Result<Vec<Change>> {
        let picture = context.picture;
        let done = picture.done_here.get(self.name()).copied().unwrap_or_default();
        // A run's limits count records, of which a contradiction has two. What does not fit stays unread.
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
            // Contradictions beyond the limit may involve any of the compared records, so all of those stay unread.
            let compared: BTreeSet<&Seq> = groups.iter().flatten().collect();
            fresh.waiting.extend(numbers.iter().filter(|(_, seq)| compared.contains(seq)).map(|(id, _)| *id));
        }
        Ok(found.into_changes())
    }
}

/// Returns how many groups to compare at a time.
fn at_a_time(groups: &[Vec<Seq>]) -> usize {
    let mut records = 0;
    let fit = groups.iter().take_while(|group| {
        records += group.len();
        records <= RECORDS
    });
    fit.count().max(1)
}

/// Reads the records of groups that are active and hold.
async fn stated(context: &Context<'_>, groups: &[Vec<Seq>]) -> Result<BTreeMap<Seq, Memory>> {
    let seqs: Arc<BTreeSet<Seq>> = Arc::new(groups.iter().flatten().copied().collect());
    let read = context.read(move |reader| {
        let seqs: Vec<Seq> = seqs.iter().copied().collect();
        Box::pin(async move { reader.memories(&seqs).await })
    });
    let all = read.await?.into_iter().filter(|memory| Stated::is(memory, context.picture.as_of));
    Ok(all.map(|memory| (memory.seq, memory)).collect())
}

/// Reads the claims that a query finds.
async fn rows(context: &Context<'_>, query: Arc<RowQuery>) -> Result<Vec<ClaimRow>> {
    let read = context.read(move |reader| {
        let query = Arc::clone(&query);
        Box::pin(async move { find::<ClaimRow>(reader, &query).await })
    });
    read.await
}

/// Reads the links of records, and which of the records were ended before.
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

/// The records just read.
#[derive(Default)]
struct Fresh {
    rows: Vec<ClaimRow>,
    /// Bytes, and number of claims, by record.
    counts: HashMap<MemoryId, (u64, u64)>,
    /// Records that are not compared yet, and are read again later.
    waiting: BTreeSet<MemoryId>,
}

impl Fresh {
    /// Adds a record. Returns the number of its claims.
    fn take(&mut self, memory: &Memory, context: &Context<'_>) -> u64 {
        let rows = ClaimRow::all_of(memory);
        let claims = rows.len() as u64;
        self.rows.extend(rows);
        self.counts.insert(memory.id, (memory.size_bytes, claims));
        let soon = Stated::by(context.picture.as_of);
        // In a restricted run a record is compared with only a part of the others; if it holds only later, with none.
        if !context.picture.only.is_empty() || memory.draft.valid_from.is_some_and(|from| from > soon) {
            self.waiting.insert(memory.id);
        }
        claims
    }

    /// Adds the known claims of the records that the caller named, so that those are compared even if they are not new.
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

    /// Returns the claims of the records just read, and the known claims about the same subjects.
    async fn with_known(&self, context: &Context<'_>) -> Result<Vec<ClaimRow>> {
        let about: BTreeSet<Uuid> = self.rows.iter().map(|row| row.about).collect();
        let about: Vec<Uuid> = about.into_iter().collect();
        let mut all: Vec<ClaimRow> = Vec::new();
        for about in about.chunks(SUBJECTS) {
            let query = Arc::new(ClaimRow::query().among(&["about"], about.iter().copied()));
            all.extend(rows(context, query).await?);
        }
        // The stored claims of a record just read are outdated.
        all.retain(|row| !self.counts.contains_key(&row.memory));
        all.extend(&self.rows);
        Ok(all)
    }

    /// Returns a change without the waiting records; `None` if nothing is left of it.
    fn without_waiting(&self, mut change: Change) -> Option<Change> {
        change.subjects.retain(|subject| !self.waiting.contains(&MemoryId(subject.id)));
        let counts = change.subjects.iter().filter_map(|subject| self.counts.get(&MemoryId(subject.id)));
        let (bytes, claims) = counts.fold((0_u64, 0_u64), |all, one| (all.0.saturating_add(one.0), all.1 + one.1));
        change.body = Body::default().whole(BYTES, bytes).whole(CLAIMS, claims);
        (!change.subjects.is_empty()).then_some(change)
    }
}
