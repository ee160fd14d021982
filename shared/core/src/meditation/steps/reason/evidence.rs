//! The evidence for conclusions: entities, and the records about the most prominent ones.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::super::reading::{left, pages};
use super::{Context, RetentionItem};
use crate::entities::{Entity, Fresh, Graph, ReadMark};
use crate::error::Result;
use crate::ids::{EntityId, MemoryId, Seq};
use crate::meditation::steps::{Entities, Link, Step as _};
use crate::memory::{Memory, MemoryState};
use crate::reasoning::FOLLOWED;
use crate::time::Timestamp;

/// Most records read about an entity: the newest.
const TOLD: usize = 256;
/// Most records read about one relation between entities.
const OF_AN_EDGE: usize = 8;
/// The number of relations followed from an entity.
const HOPS: usize = 3;
/// Longer records are not treated as plain statements, in bytes.
const LONGEST: u64 = 8 * 1024;

/// The entities as they will be once the earlier steps have recorded their findings.
pub(in crate::meditation::steps) struct Evidence {
    pub(in crate::meditation::steps) graph: Arc<Graph>,
    /// Whether no active record is left unread, so that a missing statement is really missing.
    pub(in crate::meditation::steps) is_whole: bool,
}

/// The evidence that the steps of a plan share, read only once.
#[derive(Default)]
pub struct Shared(OnceLock<Arc<Evidence>>);

impl Shared {
    /// Returns the entities that the steps read, if any step requested them.
    pub(in crate::meditation) fn graph(&self) -> Option<Arc<Graph>> {
        self.0.get().map(|evidence| Arc::clone(&evidence.graph))
    }
}

impl Evidence {
    pub(in crate::meditation::steps) async fn read(context: &Context<'_>, now: Timestamp) -> Result<Arc<Self>> {
        if let Some(known) = context.shared.0.get() {
            return Ok(Arc::clone(known));
        }
        let (fresh, is_whole) = unread(context, now).await?;
        let fresh = Arc::new(fresh);
        let load = context.read(move |reader| {
            let fresh = Arc::clone(&fresh);
            Box::pin(async move { Graph::load_with(reader, &[], &fresh, now).await })
        });
        let graph = Arc::new(load.await?);
        Ok(Arc::clone(context.shared.0.get_or_init(|| Arc::new(Self { graph, is_whole }))))
    }

    /// Reads the records about entities, and about their relations to others.
    pub(in crate::meditation::steps) async fn told(
        &self,
        context: &Context<'_>,
        about: &[&Entity],
    ) -> Result<Vec<Memory>> {
        let mut ids: BTreeSet<MemoryId> = BTreeSet::new();
        for entity in about {
            let mut own: Vec<MemoryId> = self.graph.mentions_of(entity).iter().map(|mention| mention.memory).collect();
            own.dedup();
            ids.extend(own.into_iter().take(TOLD));
        }
        let mut reached: BTreeSet<EntityId> = about.iter().map(|entity| entity.id).collect();
        for _ in 0..HOPS {
            let mut further = reached.clone();
            for edge in self.graph.edges.iter().filter(|edge| FOLLOWED.contains(&edge.relation)) {
                if reached.contains(&edge.from) || reached.contains(&edge.to) {
                    further.extend([edge.from, edge.to]);
                    ids.extend(edge.evidence.iter().take(OF_AN_EDGE).map(|evidence| evidence.memory));
                }
            }
            reached = further;
        }
        let short = context.picture.items.iter().filter(|item| item.size_bytes <= LONGEST);
        let items = short.filter(|item| ids.contains(&item.id));
        memories(context, &items.collect::<Vec<_>>()).await
    }
}

/// Reads the records that the steps of this run will have noted, within their caps, before this step's changes are
/// carried out. Also returns whether no record is left unread then.
async fn unread(context: &Context<'_>, now: Timestamp) -> Result<(Fresh, bool)> {
    let (picture, mut fresh, mut is_whole) = (context.picture, Fresh::default(), true);
    let reads = super::reads(picture);
    let mut of_steps: Vec<(Vec<Seq>, BTreeSet<Seq>)> = Vec::new();
    for (step, rules) in [(Entities.name(), Entities::RULES), (Link.name(), Link::RULES)] {
        let unread = context.read(move |reader| Box::pin(ReadMark::unread_by(reader, step, rules))).await?;
        let is_unread = |item: &&RetentionItem| unread.binary_search(&item.seq).is_ok();
        let most = if reads { left(picture, step, usize::MAX) } else { 0 };
        let due: BTreeSet<Seq> = picture.reached().filter(is_unread).map(|item| item.seq).take(most).collect();
        let active = picture.items.iter().filter(|item| item.state == MemoryState::Active);
        is_whole &= active.filter(is_unread).all(|item| due.contains(&item.seq));
        of_steps.push((unread, due));
    }
    let is_due = |item: &&RetentionItem| {
        let by_one = of_steps.iter().any(|(_, due)| due.contains(&item.seq));
        by_one
            && of_steps.iter().all(|(unread, due)| due.contains(&item.seq) || unread.binary_search(&item.seq).is_err())
    };
    let items: Vec<&RetentionItem> = picture.reached().filter(is_due).collect();
    for page in pages(&items) {
        for memory in &memories(context, page).await? {
            fresh.read(memory, now);
        }
    }
    Ok((fresh, is_whole))
}

/// Reads the records of items, page by page.
pub(super) async fn memories(context: &Context<'_>, items: &[&RetentionItem]) -> Result<Vec<Memory>> {
    let mut all = Vec::with_capacity(items.len());
    for page in pages(items) {
        let seqs: Vec<Seq> = page.iter().map(|item| item.seq).collect();
        let read = context.read(move |reader| {
            let seqs = seqs.clone();
            Box::pin(async move { reader.memories(&seqs).await })
        });
        all.extend(read.await?);
    }
    Ok(all)
}
