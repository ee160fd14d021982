//! Recalls what a context hands out for its query: what is likely to matter, then, as far as the budget goes, what may.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::{App, QueryInput, Recalled, SemanticStatus};
use super::gather::Gathered;
use super::input::CheckedContext;
use crate::context::{Item, Part, Why};
use crate::error::Result;
use crate::extraction::is_courtesy;
use crate::ids::{Seq, UserId};
use crate::memory::{ListOrder, Memory, MemoryFilter, RecordKind};
use crate::recall::Stage;

/// Tokens of the budget per recalled result; and the least and the most results.
const TOKENS_PER_RESULT: usize = 20;
const RESULTS: std::ops::RangeInclusive<usize> = 8..=100;
/// Kinds of records that fill a budget when they are new: what holds for long. Wishes are a part of their own.
const LASTING: [RecordKind; 7] = [
    RecordKind::Unset,
    RecordKind::Fact,
    RecordKind::Decision,
    RecordKind::Knowledge,
    RecordKind::Belief,
    RecordKind::Note,
    RecordKind::Relationship,
];
/// Most bytes of new records that are read.
const MAX_BYTES: usize = 256 * 1024;

/// What was recalled for a context.
#[derive(Default)]
pub(super) struct Found {
    /// The query; empty for none.
    pub(super) query: String,
    /// The items to hand out, best first.
    pub(super) items: Vec<Item>,
    /// Whether vectors took part.
    pub(super) semantic: SemanticStatus,
    /// For each turn among them the records that state what it was found for.
    pub(super) stated_by: HashMap<Seq, Vec<Seq>>,
}

impl App {
    /// Recalls what to hand out. Leaves out what other parts hold. A query that only greets or thanks recalls nothing.
    pub(super) async fn recalled(&self, user: &UserId, asked: &CheckedContext, gathered: &Gathered) -> Result<Found> {
        let query = asked.query(gathered);
        if query.trim().is_empty() || is_courtesy(&query) || !asked.parts.contains(&Part::Recalled) {
            return Ok(Found { semantic: SemanticStatus::NotNeeded, ..Found::default() });
        }
        let top_k = (asked.budget.tokens / TOKENS_PER_RESULT).clamp(*RESULTS.start(), *RESULTS.end());
        let input = QueryInput {
            query: query.clone(),
            top_k: i32::try_from(top_k).unwrap_or_default(),
            filter: asked.filter.clone(),
            active_session_id: asked.session.clone().unwrap_or_default(),
            min_score: Some(if asked.fills { 0.0 } else { asked.likely }),
            // Off, as the turns that the query refers to were read above.
            stages: BTreeMap::from([(Stage::Rewrite.name().to_owned(), false)]),
            ..QueryInput::default()
        };
        let mut found = self.query_memories(user, input).await?;
        if found.nothing_relevant && !asked.fills {
            found.results.clear();
        }
        // What ended is of no use in a prompt, unless its past was asked for.
        found.results.retain(|one| !one.gave_way);
        let elsewhere: HashSet<Seq> = gathered.all().map(|memory| memory.seq).collect();
        found.results.retain(|one| !elsewhere.contains(&one.memory.seq));
        let mut items = items(&found.results, asked.likely);
        if asked.fills && asked.tokens(&items) < asked.budget.tokens {
            let taken = elsewhere.into_iter().chain(found.results.iter().map(|one| one.memory.seq)).collect();
            let new = self.new_memories(user, &asked.filter, top_k, taken).await?;
            let items_of =
                |(memory, position): (&Memory, i64)| Item::recalled(memory, &[], (Why::Perhaps, 0.0), position);
            let position = i64::try_from(items.len()).unwrap_or_default();
            items.extend(new.iter().zip(position..).map(items_of));
        }
        let stated_by = found.results.into_iter().map(|one| (one.memory.seq, one.stated_by)).collect();
        Ok(Found { query, items, semantic: found.semantic, stated_by })
    }

    /// Reads the newest lasting records, most important first, without those that are taken.
    async fn new_memories(
        &self,
        user: &UserId,
        filter: &MemoryFilter,
        most: usize,
        taken: HashSet<Seq>,
    ) -> Result<Vec<Memory>> {
        let filter = MemoryFilter { kinds: LASTING.to_vec(), ..filter.clone() };
        let listed = self.vaults.read(user, move |vault| {
            let filter = filter.clone();
            Box::pin(async move { vault.list(&filter, ListOrder::NewestFirst, None, most, MAX_BYTES).await })
        });
        let mut listed = listed.await?;
        listed.retain(|memory| !taken.contains(&memory.seq));
        listed.sort_by_key(|memory| Reverse((memory.draft.importance, memory.seq)));
        Ok(listed)
    }
}

impl CheckedContext {
    fn tokens(&self, items: &[Item]) -> usize {
        items.iter().map(|item| self.estimator.tokens(&item.text)).sum()
    }
}

/// Returns the results as items: likely ones before those that are only perhaps relevant, each in the order found.
fn items(found: &[Recalled], likely: f64) -> Vec<Item> {
    let (sure, perhaps): (Vec<_>, Vec<_>) = found.iter().partition(|one| one.relevance >= likely);
    let sure = sure.into_iter().map(|one| (one, Why::Relevant));
    let perhaps = perhaps.into_iter().map(|one| (one, Why::Perhaps));
    let item = |((one, why), position): ((&Recalled, Why), i64)| {
        let passages: Vec<&str> = one.passages.iter().map(|passage| passage.text.as_str()).collect();
        Item::recalled(&one.memory, &passages, (why, one.relevance), position)
    };
    sure.chain(perhaps).zip(0..).map(item).collect()
}
