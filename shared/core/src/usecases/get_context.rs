//! Assembles what belongs in the next prompt: core memory, wishes, goals, summaries of what was said before, relevant
//! memories, and the last turns, within a budget of tokens. Returns what is handed out, so that the caller can touch
//! it, and records the digests of its sentences, so that returning sentences are not learned.

mod gather;
mod input;
mod recalled;
mod relief;

pub use input::ContextInput;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::support::entry;
use super::{App, SemanticStatus};
use crate::bounds::MAX_QUERY_BYTES;
use crate::boxed;
use crate::context::{Assembled, HandedOut, Item, Part, Share, Why, assemble, zones};
use crate::error::{Error, Result};
use crate::ids::{MemoryId, Seq, UserId};
use crate::ports::Touch;
use crate::recall::stages::rewrite;
use crate::time::Timestamp;
use gather::{Gathered, Wanted};
use input::CheckedContext;
use recalled::Found;

/// The context for the next prompt.
#[derive(Debug, Default)]
pub struct ContextOutput {
    /// The text, and the items that it is made of.
    pub context: Assembled,
    /// The budget, in tokens.
    pub budget: usize,
    /// The query that was searched for; empty if there was none.
    pub query: String,
    /// Whether vectors took part in the search, and if not, why.
    pub semantic: SemanticStatus,
    /// Touches of the records handed out, which the caller writes in batches, off the request's path.
    pub touches: Vec<Touch>,
    /// Why the sentences handed out were not recorded, if so: then returning ones may be learned.
    pub unnoted: Option<Error>,
}

impl App {
    /// Returns what belongs in the next prompt of a session.
    #[boxed]
    pub async fn get_context(&self, user: &UserId, input: ContextInput) -> Result<ContextOutput> {
        let now = self.clock.now();
        let peek = input.peek;
        let asked = input.checked(now)?;
        let wanted = Wanted::of(&asked, now, self.is_limited());
        let mut gathered = self.gather(user, &wanted).await?;
        if !peek && self.relieve(user, &asked, &gathered).await {
            gathered = self.gather(user, &wanted).await?;
        }
        let Found { query, items, semantic, stated_by } = self.recalled(user, &asked, &gathered).await?;
        let parts = parts(&asked, &gathered, items, now);
        let context = assemble(parts, asked.budget, asked.estimator);
        // A turn or a snapshot is handed out for its position in the session, and what is only perhaps relevant for the
        // room that is left. Neither says anything about its worth.
        let worth = |item: &Item| !item.part.is_one_piece() && item.why != Why::Perhaps;
        let taken = context.taken.iter().filter(|taken| worth(&taken.item));
        let found = taken.filter_map(|taken| taken.item.seq);
        let found = found.flat_map(|seq| stated_by.get(&seq).into_iter().flatten().copied().chain([seq]));
        let found: BTreeSet<Seq> = found.collect();
        let touches = found.into_iter().map(|seq| Touch { seq, times: 1, at: now }).collect();
        let unnoted = if peek { None } else { self.note(user, &context, now).await.err() };
        Ok(ContextOutput { context, budget: asked.budget.tokens, query, semantic, touches, unnoted })
    }

    async fn gather(&self, user: &UserId, wanted: &Wanted) -> Result<Gathered> {
        let wanted = wanted.clone();
        let gathered = self.vaults.read(user, move |vault| {
            let wanted = wanted.clone();
            Box::pin(async move { gather::read(vault, &wanted).await })
        });
        gathered.await
    }

    /// Notes what is handed out, so that it is recognized when it comes back. Mostly all of it is known, and nothing is written.
    async fn note(&self, user: &UserId, context: &Assembled, now: Timestamp) -> Result<()> {
        let said = Arc::new(HandedOut::of(&context.taken, &self.fingerprints(user), now));
        if said.is_empty() {
            return Ok(());
        }
        let asked = Arc::clone(&said);
        let unknown = self.vaults.read(user, move |vault| {
            let asked = Arc::clone(&asked);
            Box::pin(async move { HandedOut::unknown(vault, &asked).await })
        });
        let unknown = Arc::new(unknown.await?);
        if unknown.is_empty() {
            return Ok(());
        }
        let noted = self.vaults.transact(user, "note_handed_out", move |tx| {
            let unknown = Arc::clone(&unknown);
            Box::pin(async move {
                // Skip what was erased meanwhile.
                let ids: Vec<MemoryId> = unknown.iter().filter_map(|one| one.memory).collect();
                let there: HashSet<MemoryId> = tx.seqs(&ids).await?.into_iter().map(|(id, _)| id).collect();
                let is_there = |one: &&HandedOut| one.memory.is_none_or(|id| there.contains(&id));
                let said: Vec<HandedOut> = unknown.iter().filter(is_there).cloned().collect();
                if said.is_empty() {
                    return Ok(());
                }
                HandedOut::note(tx, &said).await?;
                tx.audit(&entry(now, "context.hand_out", None, said.len() as u64)).await
            })
        });
        noted.await
    }
}

impl CheckedContext {
    /// Returns the query: the given one, or the beginning of what the person said last. If it refers to the turns before
    /// it, words from those are added, as far as they fit into a query.
    fn query(&self, gathered: &Gathered) -> String {
        let turns = gathered.said();
        let (mut query, before) = match &self.query {
            Some(query) => (query.clone(), &turns[..]),
            None => match turns.iter().position(|(by_person, _)| *by_person) {
                Some(last) => (turns[last].1.to_owned(), &turns[last + 1..]),
                None => return String::new(),
            },
        };
        query.truncate(query.floor_char_boundary(MAX_QUERY_BYTES));
        if rewrite::refers(&query) {
            let before: Vec<&str> = before.iter().map(|(_, said)| *said).take(rewrite::TURNS.len()).collect();
            for word in rewrite::taken(&query, &before) {
                if query.len() + word.len() < MAX_QUERY_BYTES {
                    query.extend([" ", &word]);
                }
            }
        }
        query
    }
}

/// Returns the candidates of each part, in the order in which the parts read.
fn parts(asked: &CheckedContext, gathered: &Gathered, found: Vec<Item>, now: Timestamp) -> Vec<Share> {
    let mut found = Some(found);
    let mut of = |part: Part| -> Vec<Item> {
        match part {
            Part::Core => gathered
                .core
                .iter()
                .zip(0..)
                .map(|((name, memory), position)| Item::core(memory, name, position))
                .collect(),
            Part::Wishes => gathered.wishes.iter().map(Item::wish).collect(),
            Part::Goals => {
                let goals = gathered.goals.iter().filter(|goal| goal.counts_at(now));
                // The newest goals are taken first but read last, so a new one changes nothing before it.
                goals.map(|goal| Item::goal(goal, goal.created_at.0)).collect()
            }
            Part::Recalled => found.take().unwrap_or_default(),
            Part::Snapshots => {
                gathered.snapshots.iter().map(|(covers, memory)| Item::snapshot(memory, covers.first)).collect()
            }
            Part::Turns => {
                let turns = gathered.last_turns().zip(zones(gathered.last_turns(), asked.budget.tokens)).zip(0..);
                turns.map(|((turn, zone), back)| Item::turn(turn, -back, zone)).collect()
            }
        }
    };
    asked.parts.iter().map(|part| (*part, of(*part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Seq;
    use crate::memory::{Detail, Memory, MemoryDraft, Role, TurnDetail};

    fn said(text: &str) -> Memory {
        let (role, position) = (Role::User, 0);
        let (tool, tool_call_id, sent_digest) = (String::new(), String::new(), String::new());
        let detail = Some(Detail::Turn(TurnDetail { role, position, tool, tool_call_id, sent_digest }));
        let draft = MemoryDraft { content: text.to_owned(), detail, ..MemoryDraft::default() };
        Memory::new(MemoryId(uuid::Uuid::from_u128(1)), Seq(1), draft, Timestamp(0))
    }

    /// The query of a context, for a given one and the last turns.
    fn searched(query: &str, turns: &[&str]) -> String {
        let asked = ContextInput { query: query.to_owned(), ..ContextInput::default() }.checked(Timestamp(0)).unwrap();
        asked.query(&Gathered { turns: turns.iter().map(|text| said(text)).collect(), ..Gathered::default() })
    }

    #[test]
    fn a_query_within_its_bound_is_searched_whole() {
        let long = "boat ".repeat(MAX_QUERY_BYTES / 5);
        assert_eq!(searched(&long, &[]), long);
        // It refers to the turns, but leaves no room for a word of them.
        let who = format!("{}she eat", "?".repeat(MAX_QUERY_BYTES - 8));
        let turns = ["We went swimming with Marta yesterday."];
        assert_eq!(searched(&who, &turns), who);
        assert_eq!(searched("What did she eat?", &turns), "What did she eat? Marta");
    }

    #[test]
    fn a_long_message_is_searched_by_its_beginning() {
        let long = "é".repeat(MAX_QUERY_BYTES);
        assert_eq!(searched("", &[&long]), "é".repeat(MAX_QUERY_BYTES / 2));
    }
}
