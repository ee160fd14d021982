//! Finds all copies of what memories state: the learned records and the spans of turns that link them, equal statements
//! of the same speaker and scope, and an assistant's echo. Reads only what the reader reaches, and writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::elsewhere::Saying;
use crate::bounds::MAX_COPIES;
use crate::error::Result;
use crate::extraction::{Domain, StatementRow};
use crate::ids::MemoryId;
use crate::links::{Direction, Link};
use crate::memory::{Detail, Memory, MemoryState, Role, SourceType};
use crate::ports::VaultReader;
use crate::statements::{Statement, part_of, says_nothing, states_something, voice};
use crate::tables::{TableRow as _, find};

/// All copies of what some memories state.
#[derive(Clone, Debug, Default)]
pub(in crate::usecases) struct Copies {
    /// Memories that go as a whole, besides those asked for.
    pub(in crate::usecases) whole: BTreeSet<MemoryId>,
    /// What is struck from memories that say more, in order and apart.
    pub(in crate::usecases) spans: BTreeMap<MemoryId, Vec<Range<usize>>>,
    /// Links of other records that quote what goes, with their quotes.
    pub(in crate::usecases) quotes: Vec<Link>,
    /// Memories that name the same and stay.
    pub(in crate::usecases) mentions: Vec<MemoryId>,
    /// What is said, as far as it is distinctive.
    pub(super) said: Vec<Saying>,
}

/// A search for copies, while it runs.
pub(super) struct Search<'r> {
    pub(super) reader: &'r mut dyn VaultReader,
    pub(super) states: &'r [MemoryState],
    /// Memories that go as a whole.
    pub(super) gone: BTreeMap<MemoryId, Memory>,
    /// Memories from which a part goes.
    pub(super) parts: BTreeMap<MemoryId, (Memory, Vec<Range<usize>>)>,
    /// What is to be looked for in other memories.
    pub(super) sayings: Vec<Saying>,
    /// Deleted memories, which no index finds; `None` until they are needed.
    pub(super) deleted: Option<Vec<Memory>>,
    /// Memories that go as a whole and are still to be followed.
    next: Vec<MemoryId>,
}

impl Copies {
    /// Finds the copies of memories among those in some states.
    pub(in crate::usecases) async fn of(
        reader: &mut dyn VaultReader,
        asked: &[MemoryId],
        states: &[MemoryState],
    ) -> Result<Self> {
        let (gone, parts, sayings, next) = Default::default();
        let mut search = Search { reader, states, gone, parts, sayings, deleted: None, next };
        for id in asked {
            let Some(memory) = search.reader.memory(*id).await? else { continue };
            if is_turn(&memory) {
                search.follow_turn(&memory).await?;
            }
            search.take(memory);
        }
        search.follow_all().await?;
        search.find_echoes().await?;
        search.follow_all().await?;
        search.found(asked).await
    }

    /// Ids of everything that it touches: first what goes as a whole, then what loses a part.
    pub(in crate::usecases) fn ids(&self) -> impl Iterator<Item = MemoryId> {
        self.whole.iter().chain(self.spans.keys()).copied()
    }
}

impl Search<'_> {
    /// Takes a memory as a whole, in case it can still be taken.
    pub(super) fn take(&mut self, memory: Memory) {
        if self.gone.len() < MAX_COPIES && !self.gone.contains_key(&memory.id) {
            self.parts.remove(&memory.id);
            self.next.push(memory.id);
            self.gone.insert(memory.id, memory);
        }
    }

    /// Takes a record by id, if it exists in one of the states and states something by itself.
    pub(super) async fn take_id(&mut self, id: MemoryId) -> Result<()> {
        if !self.gone.contains_key(&id)
            && let Some(memory) = self.reader.memory(id).await?
            && self.may_take(&memory)
        {
            self.take(memory);
        }
        Ok(())
    }

    /// Reports whether a memory may go or be struck as a copy.
    pub(super) fn may_take(&self, memory: &Memory) -> bool {
        let is_merged = memory.draft.source_type == Some(SourceType::Consolidation);
        states_something(&memory.draft) && !is_merged && self.states.contains(&memory.state)
    }

    /// Strikes a part of a turn or note.
    pub(super) fn strike(&mut self, memory: &Memory, range: Range<usize>) {
        let fits = memory.draft.content.get(range.clone()).is_some_and(|text| !text.is_empty());
        if !fits || self.gone.contains_key(&memory.id) || !self.may_take(memory) {
            return;
        }
        if self.parts.len() < MAX_COPIES || self.parts.contains_key(&memory.id) {
            self.parts.entry(memory.id).or_insert_with(|| (memory.clone(), Vec::new())).1.push(range);
        }
    }

    /// Takes everything that was learned from a turn, and looks for its sentences elsewhere if a person said it.
    async fn follow_turn(&mut self, turn: &Memory) -> Result<()> {
        for link in self.learned_from(turn.id).await? {
            self.take_id(link.from).await?;
        }
        if role(turn) == Some(Role::User) {
            let said: Vec<Statement> = Statement::all_in(&turn.draft.content).map(|(_, statement)| statement).collect();
            for statement in said {
                self.say(turn, statement);
            }
        }
        Ok(())
    }

    async fn follow_all(&mut self) -> Result<()> {
        let mut asked = 0;
        loop {
            if let Some(id) = self.next.pop() {
                if let Some(memory) = self.gone.get(&id).cloned().filter(|memory| !is_turn(memory)) {
                    self.follow(&memory).await?;
                }
            } else if let Some(saying) = self.sayings.get(asked).cloned() {
                asked += 1;
                self.find_elsewhere(&saying).await?;
            } else {
                return Ok(());
            }
        }
    }

    /// Follows a record to the spans that state it, to records of the same statement, and to equal texts.
    async fn follow(&mut self, record: &Memory) -> Result<()> {
        let said = Statement::of(&record.draft.content);
        for link in super::spans(self.reader, [record.id], Direction::Out).await? {
            let Some(span) = link.span.clone() else { continue };
            let Some(turn) = self.reader.memory(link.to).await?.filter(is_turn) else { continue };
            self.strike_span(record, &turn, span.start as usize..span.end as usize).await?;
        }
        let Some(said) = said.filter(|_| states_something(&record.draft)) else { return Ok(()) };
        let rows = find::<StatementRow>(self.reader, &StatementRow::query().is("memory_id", record.id)).await?;
        for row in rows {
            for other in find::<StatementRow>(self.reader, &StatementRow::stating(row.digest)).await? {
                let Some(other) = self.reader.memory(other.memory).await? else { continue };
                // A slot has one digest, too, but what was in it before is another statement.
                if said.is_all_of(&other.draft.content) && self.may_take(&other) && is_alike(record, &other) {
                    self.take(other);
                }
            }
        }
        self.say(record, said);
        Ok(())
    }

    /// Strikes what a record states from the span that it was learned from: only its part, if others state the rest.
    async fn strike_span(&mut self, record: &Memory, turn: &Memory, span: Range<usize>) -> Result<()> {
        let Some(sentence) = turn.draft.content.get(span.clone()) else { return Ok(()) };
        let mut others = Vec::new();
        for link in self.learned_from(turn.id).await? {
            let same =
                link.span.as_ref().is_some_and(|at| at.start as usize == span.start && at.end as usize == span.end);
            if same && !self.gone.contains_key(&link.from) {
                others.extend(self.reader.memory(link.from).await?.map(|other| other.draft.content));
            }
        }
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        let part = part_of(sentence, &record.draft.content, &others);
        let is_apart = others.is_empty() || part != (0..sentence.len());
        let part = span.start + part.start..span.start + part.end;
        if is_apart
            && role(turn) == Some(Role::User)
            && let Some(statement) = turn.draft.content.get(part.clone()).and_then(Statement::of)
        {
            self.say(turn, statement);
        }
        self.strike(turn, part);
        Ok(())
    }

    /// Links of records to the spans of a turn that state them.
    pub(super) async fn learned_from(&mut self, turn: MemoryId) -> Result<Vec<Link>> {
        super::spans(self.reader, [turn], Direction::In).await
    }

    /// Returns the result: turns that say nothing else go as a whole.
    async fn found(mut self, asked: &[MemoryId]) -> Result<Copies> {
        let mut spans = BTreeMap::new();
        for (id, (memory, ranges)) in std::mem::take(&mut self.parts) {
            // A detail repeats the statement.
            let repeats = memory.draft.detail.as_ref().is_some_and(Detail::repeats_content);
            if repeats || says_nothing(&memory.draft.content, &ranges) {
                self.gone.insert(id, memory);
            } else {
                spans.insert(id, (memory, merged(ranges)));
            }
        }
        let asked: BTreeSet<MemoryId> = asked.iter().copied().collect();
        let quotes = self.quotes(&spans).await?;
        let spans: BTreeMap<_, _> = spans.into_iter().map(|(id, (_, ranges))| (id, ranges)).collect();
        let mentions = self.mentions(&spans).await?;
        let whole = self.gone.keys().copied().filter(|id| !asked.contains(id)).collect();
        Ok(Copies { whole, spans, quotes, mentions, said: self.sayings })
    }
}

/// Joins ranges that touch or overlap, in order.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match all.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => all.push(range),
        }
    }
    all
}

/// The role of a turn.
pub(super) fn role(memory: &Memory) -> Option<Role> {
    match &memory.draft.detail {
        Some(Detail::Turn(turn)) => Some(turn.role),
        _ => None,
    }
}

pub(super) fn is_turn(memory: &Memory) -> bool {
    role(memory).is_some()
}

/// Reports whether two memories have the same speaker and scope, so that equal words are the same statement.
pub(super) fn is_alike(one: &Memory, other: &Memory) -> bool {
    Domain::of(one) == Domain::of(other) && voice(&one.draft) == voice(&other.draft)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_are_struck_as_one() {
        assert_eq!(merged(vec![8..12, 0..4, 3..6, 12..14]), [0..6, 8..14]);
    }
}
