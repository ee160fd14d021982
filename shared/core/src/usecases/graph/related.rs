//! Finds records that are related to one: by common tags and entities, and by their words.
//!
//! The weight is `.3 common tags + .4 common entities + .3 similarity of words`. Tags and entities count as a share of
//! the smaller of both sets, words as a share of the mean of both, so the sum is 0 to 1. It is computed on request and
//! not stored, so it covers what the caller sees.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::bounds::MAX_NEIGHBOURS;
use crate::boxed;
use crate::entities::{FRESH_FOR, Graph, GraphCache, Mention, MentionPosition, NameId};
use crate::error::{Error, Result};
use crate::ids::{EntityId, MemoryId, Seq, UserId};
use crate::memory::{Memory, MemoryFilter};
use crate::ports::{LexicalQuery, LexicalTerm, VaultReader};
use crate::text::lists::is_stop_word;
use crate::text::words::{fold, stem, words};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::page::limit;

/// Weight of each part.
const TAGS: f64 = 0.3;
const ENTITIES: f64 = 0.4;
const WORDS: f64 = 0.3;
/// Least weight of related records.
const THRESHOLD: f64 = 0.25;
/// Most records compared, for each way of finding them.
const COMPARED: usize = 64;
/// Number of the record's words, the longest, that others are looked for with.
const LOOKED_FOR: usize = 12;
/// Default number of results.
const DEFAULT: usize = 10;

/// The record whose related ones to list.
#[derive(Clone, Debug)]
pub struct RelatedInput {
    /// The record.
    pub id: MemoryId,
    /// Most records to return; 0 for the default.
    pub limit: i32,
}

/// A record that is related to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// The record.
    pub memory: Memory,
    /// How closely they are related, 0 to 1.
    pub weight: f64,
    /// Names of the entities that both name.
    pub entities: Vec<String>,
    /// Tags that both have.
    pub tags: Vec<String>,
    /// Similarity of their words, 0 to 1.
    pub similarity: f64,
}

impl App {
    /// Returns records that are related to one, most related first.
    #[boxed]
    pub async fn list_related(&self, user: &UserId, input: RelatedInput) -> Result<Vec<Related>> {
        let most = limit(input.limit, DEFAULT, MAX_NEIGHBOURS)?;
        let of = Arc::new((self.graphs.clone(), user.clone()));
        let (now, id) = (self.clock.now(), input.id);
        let find = self.vaults.read(user, move |reader| {
            let of = Arc::clone(&of);
            Box::pin(async move { related(reader, (&of.0, &of.1), id, now).await })
        });
        let mut all = find.await?;
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.memory.seq.cmp(&b.memory.seq)));
        all.truncate(most);
        Ok(all)
    }
}

async fn related(
    reader: &mut dyn VaultReader,
    (graphs, user): (&GraphCache, &UserId),
    id: MemoryId,
    now: Timestamp,
) -> Result<Vec<Related>> {
    let memory = reader.memory(id).await?.ok_or_else(|| Error::memory_not_found(id))?;
    let namespaces = vec![memory.draft.namespace.clone()];
    // Names of other namespaces are others, so the graph of all, which more calls share, says the same.
    let (_, graph) = graphs.load(reader, (user, &[]), (now.minus(FRESH_FOR), now)).await?;
    let ours = named(&graph, |mention| mention.memory == id).remove(&id).unwrap_or_default();
    let our_names = ours.iter().filter_map(|id| graph.entity(*id).ok()).flat_map(|entity| entity.names.iter().copied());
    let our_names: HashSet<NameId> = our_names.collect();
    let sharing = named(&graph, |mention| mention.memory != id && our_names.contains(&mention.name));
    let mut near: Vec<(MemoryId, usize)> = sharing.into_iter().map(|(other, shared)| (other, shared.len())).collect();
    near.sort_by(|a, b| b.1.cmp(&a.1).then(b.0.cmp(&a.0)));
    let ids: Vec<MemoryId> = near.into_iter().take(COMPARED).map(|(other, _)| other).collect();
    let mut seqs: BTreeSet<Seq> = reader.seqs(&ids).await?.into_iter().map(|(_, seq)| seq).collect();
    let filter = MemoryFilter { namespaces, ..MemoryFilter::default() }.holding(now);
    seqs.extend(alike(reader, &memory, filter.clone()).await?);
    seqs.remove(&memory.seq);
    let others = reader.memories(&seqs.into_iter().collect::<Vec<_>>()).await?;
    let found: HashSet<MemoryId> = others.iter().map(|other| other.id).collect();
    let (named, none) = (named(&graph, |mention| found.contains(&mention.memory)), BTreeSet::new());
    let compare = |other: Memory| {
        let theirs = named.get(&other.id).unwrap_or(&none);
        let shared = ours.intersection(theirs).copied().collect();
        compared(&memory, other, (shared, ours.len().min(theirs.len())), &graph)
    };
    let seen = others.into_iter().filter(|other| filter.passes(other));
    Ok(seen.map(compare).filter(|related| related.weight >= THRESHOLD).collect())
}

/// Returns the entities that each record's content names, by some of the mentions. Speakers are left out, as every
/// record has one.
fn named(graph: &Graph, by: impl Fn(&Mention) -> bool) -> HashMap<MemoryId, BTreeSet<EntityId>> {
    let mut all: HashMap<MemoryId, BTreeSet<EntityId>> = HashMap::new();
    let told = |mention: &&Mention| mention.position != MentionPosition::Speaker && by(mention);
    for mention in graph.mentions.iter().filter(told) {
        if let Some(entity) = graph.of_name(mention.name) {
            all.entry(mention.memory).or_default().insert(entity.id);
        }
    }
    all
}

/// Returns the records that the index finds by the longest words of one.
async fn alike(reader: &mut dyn VaultReader, memory: &Memory, filter: MemoryFilter) -> Result<Vec<Seq>> {
    let mut longest: Vec<String> = contents(memory, fold).into_iter().collect();
    longest.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    longest.truncate(LOOKED_FOR);
    let any = longest.iter().map(|word| LexicalTerm::word(word)).collect();
    let hits = reader.lexical(&LexicalQuery { any, all: Vec::new(), filter }, COMPARED).await?;
    Ok(hits.into_iter().map(|hit| hit.seq).collect())
}

/// Returns the words of a record that carry a topic.
fn contents(memory: &Memory, form: impl Fn(&str) -> String) -> BTreeSet<String> {
    let all = words(&memory.draft.content).map(form);
    all.filter(|word| word.len() > 2 && !is_stop_word(word)).collect()
}

fn compared(one: &Memory, other: Memory, (shared, fewest): (Vec<EntityId>, usize), graph: &Graph) -> Related {
    let (ours, theirs) = (&one.draft.metadata.tags, &other.draft.metadata.tags);
    let tags: Vec<String> = ours.iter().filter(|tag| theirs.contains(tag)).cloned().collect();
    let stemmed = |memory: &Memory| contents(memory, |word| stem(&fold(word)));
    let (mine, its) = (stemmed(one), stemmed(&other));
    let common = mine.intersection(&its).count();
    let similarity = share(common * 2, mine.len() + its.len());
    let weight = TAGS * share(tags.len(), ours.len().min(theirs.len()))
        + ENTITIES * share(shared.len(), fewest)
        + WORDS * similarity;
    let name = |id: &EntityId| graph.entity(*id).ok().map(|entity| entity.name.clone());
    let entities = shared.iter().filter_map(name).collect();
    Related { memory: other, weight, entities, tags, similarity }
}

#[expect(clippy::cast_precision_loss, reason = "words of a record are fewer than a double counts")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
