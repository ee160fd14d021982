//! `believe`: records of which not both can hold are found (Y-6). Where one is believed less by far it ends, in a way that can be taken
//! back; else a person decides.
//!
//! Of what records claim there are rows, so that a night compares those alone that claim something about the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;

use super::reading::unread;
use super::{Body, Change, Context, Kind, Reason, Step, Trigger};
use crate::beliefs::{ClaimRow, conflicts};
use crate::bounds::MAX_LINKS_PER_MEMORY;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::links::{Direction, Link, Relation};
use crate::meditation::Subject;
use crate::meditation::kinds::{BYTES, CLAIMS, OTHERS, OURS, Stated};
use crate::memory::{Memory, MemoryState, SourceType};
use crate::tables::{TableRow as _, find};

/// Most contradictions that a night finds.
const MOST: usize = 20;
/// Most records about the same that are compared: the newest.
const ABOUT_THE_SAME: usize = 64;

/// Finds contradictions.
#[derive(Clone, Copy, Debug)]
pub struct Believe;

#[async_trait]
impl Step for Believe {
    fn name(&self) -> &'static str {
        "believe"
    }

    fn runs_on(&self, trigger: Trigger) -> bool {
        matches!(trigger, Trigger::Schedule | Trigger::Request)
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let mut rows = Vec::new();
        let count = |memory: &Memory| {
            let claims = ClaimRow::all_of(memory);
            let count = claims.len() as u64;
            rows.extend(claims);
            count
        };
        let read = unread(context, (self.name(), Self::RULES), (Kind::Weigh, CLAIMS), count).await?;
        // First of all: a run that is cut between them finds them again while what it read is not noted.
        let mut changes = self.contradictions(context, rows).await?;
        changes.extend(read);
        Ok(changes)
    }
}

impl Believe {
    /// The version of the rules: raise it when what they find changes, so that records are read again.
    pub const RULES: i64 = 1;

    /// What is to be done about contradictions, with the claims that were just read.
    async fn contradictions(&self, context: &Context<'_>, mut rows: Vec<ClaimRow>) -> Result<Vec<Change>> {
        let picture = context.picture;
        let active = picture.items.iter().filter(|item| item.state == MemoryState::Active);
        let active: BTreeMap<MemoryId, Seq> = active.map(|item| (item.id, item.seq)).collect();
        rows.extend(
            context.read(|reader| Box::pin(async move { find::<ClaimRow>(reader, &ClaimRow::query()).await })).await?,
        );
        rows.retain(|row| active.contains_key(&row.memory));
        let done = picture.done_here.get(self.name()).copied().unwrap_or_default();
        let most = MOST.saturating_sub(usize::try_from(done).unwrap_or(MOST));
        let mut found = Found::default();
        for ids in ClaimRow::groups(rows) {
            if found.changes.len() >= most {
                break;
            }
            let newest = ids.iter().rev().take(ABOUT_THE_SAME).filter_map(|id| active.get(id)).copied();
            let seqs: Arc<Vec<Seq>> = Arc::new(newest.collect());
            let ids = Arc::new(ids);
            let read = context.read(move |reader| {
                let (seqs, ids) = (Arc::clone(&seqs), Arc::clone(&ids));
                Box::pin(async move {
                    let links = Link::of(ids.iter().copied(), Direction::Both);
                    Ok((reader.memories(&seqs).await?, find::<Link>(reader, &links).await?))
                })
            });
            let (mut memories, links) = read.await?;
            memories.retain(|memory| Stated::is(memory, picture.as_of));
            found.add(&memories, &links, picture.as_of);
        }
        found.changes.truncate(most);
        Ok(found.changes)
    }
}

/// What was found.
#[derive(Default)]
struct Found {
    changes: Vec<Change>,
    /// Pairs that were looked at, and records that end: what ends contradicts nothing else.
    seen: BTreeSet<(Seq, Seq)>,
    ended: BTreeSet<Seq>,
}

impl Found {
    /// Takes what records about the same contradict each other in.
    fn add(&mut self, memories: &[Memory], links: &[Link], now: crate::Timestamp) {
        for (one, two, conflict) in conflicts(memories) {
            let (Some(one), Some(two)) = (memories.get(one), memories.get(two)) else { continue };
            let ends = self.ended.contains(&one.seq) || self.ended.contains(&two.seq);
            let pair = (one.seq.min(two.seq), one.seq.max(two.seq));
            let Some(known) = known(links, one.id, two.id).filter(|_| !ends && self.seen.insert(pair)) else {
                continue;
            };
            let loser = conflict.loser(one, two, now);
            let (kind, reason) = match loser {
                Some(loser) => {
                    self.ended.insert(loser.seq);
                    (Kind::Resolve, Reason::LessBelieved)
                }
                None if known => continue,
                None => (Kind::Contradict, Reason::Contradicts),
            };
            let first_ends = loser.is_some_and(|loser| loser.seq == one.seq);
            let later = loser.is_none() && two.occurred_at() > one.occurred_at();
            let (ours, other) = if first_ends || later { (two, one) } else { (one, two) };
            self.changes.push(change(kind, reason, (ours, other), now));
        }
    }
}

/// Whether it is noted that two records contradict each other; `None` if nothing is to be done about them: a person decided, or one
/// holds in the place of the other, or was made of it, or there is no room for links.
fn known(links: &[Link], one: MemoryId, two: MemoryId) -> Option<bool> {
    let full =
        |id: MemoryId| links.iter().filter(|link| link.from == id || link.to == id).count() + 2 > MAX_LINKS_PER_MEMORY;
    let between = |link: &&Link| [(one, two), (two, one)].contains(&(link.from, link.to));
    let mut known = false;
    for link in links.iter().filter(between) {
        match link.relation {
            Relation::Contradicts if link.source == SourceType::Inference => known = true,
            Relation::Contradicts | Relation::Supersedes | Relation::DerivedFrom | Relation::Summarizes => return None,
            _ => {}
        }
    }
    (!full(one) && !full(two)).then_some(known)
}

fn change(kind: Kind, reason: Reason, (ours, other): (&Memory, &Memory), now: crate::Timestamp) -> Change {
    let subject = |memory: &Memory| Subject { id: memory.id.0, seq: memory.seq };
    let body = Body::default()
        .whole(BYTES, ours.size_bytes.saturating_add(other.size_bytes))
        .part(OURS.confidence, ours.confidence_at(now))
        .whole(OURS.revision, ours.revision)
        .part(OTHERS.confidence, other.confidence_at(now))
        .whole(OTHERS.revision, other.revision);
    Change { step: "", kind, subjects: vec![subject(ours), subject(other)], reason, body }
}
