//! Looks for a statement in memories that nothing links: equal sentences, and texts that name the same.

use std::collections::BTreeMap;
use std::ops::Range;

use super::copies::{Search, is_alike, is_turn};
use crate::bounds::MAX_STILL_MENTIONS;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::memory::{ListOrder, Memory, MemoryFilter, MemoryState, RecordKind};
use crate::ports::{LexicalQuery, LexicalTerm};
use crate::statements::{Gist, Statement, states_something};

/// Most statements that are looked for in other memories.
const SAYINGS: usize = 64;
/// Most memories that one phrase finds.
const HITS: usize = 100;
/// Most deleted memories that are compared, and most bytes of them.
const DELETED: usize = 2_000;
const DELETED_BYTES: usize = 8 * 1024 * 1024;
/// Most words of a phrase.
const PHRASE: usize = 12;
/// Most names that another text must share.
const NAMES: usize = 6;

/// What a memory says, to be found in others.
#[derive(Clone, Debug)]
pub(super) struct Saying {
    pub(super) by: Memory,
    pub(super) statement: Statement,
}

impl Search<'_> {
    /// Notes a statement that is to be looked for.
    pub(super) fn say(&mut self, by: &Memory, statement: Statement) {
        let known = |saying: &Saying| saying.statement == statement && is_alike(&saying.by, by);
        if self.sayings.len() < SAYINGS && !self.sayings.iter().any(known) {
            self.sayings.push(Saying { by: by.clone(), statement });
        }
    }

    /// Takes memories that say the same, and strikes equal sentences from those that say more.
    pub(super) async fn find_elsewhere(&mut self, saying: &Saying) -> Result<()> {
        let words = saying.statement.words().iter().take(PHRASE).cloned().collect();
        let any = vec![LexicalTerm { words, prefix: false }];
        let (states, namespaces) = (self.states.to_vec(), vec![saying.by.draft.namespace.clone()]);
        let filter = MemoryFilter { states, namespaces, any_time: true, ..MemoryFilter::default() };
        let query = LexicalQuery { any, all: Vec::new(), filter };
        let mut found = self.hits(&query).await?;
        found.extend(self.deleted_with(&saying.statement).await?);
        for memory in found {
            if !self.may_take(&memory) || !is_alike(&saying.by, &memory) {
                continue;
            }
            let said = saying.statement.found_in(&memory.draft.content);
            for range in &said {
                self.take_learned_within(&memory, range).await?;
            }
            if saying.statement.is_all_of(&memory.draft.content) {
                self.take(memory);
            } else {
                for range in said {
                    self.strike(&memory, range);
                }
            }
        }
        Ok(())
    }

    /// Takes what was learned from sentences of a turn that go.
    async fn take_learned_within(&mut self, turn: &Memory, range: &Range<usize>) -> Result<()> {
        if !is_turn(turn) {
            return Ok(());
        }
        for link in self.learned_from(turn.id).await? {
            let within = |span: &Range<u32>| range.start <= span.start as usize && span.end as usize <= range.end;
            if link.span.as_ref().is_some_and(within) {
                self.take_id(link.from).await?;
            }
        }
        Ok(())
    }

    /// Deleted memories that have these words.
    async fn deleted_with(&mut self, statement: &Statement) -> Result<Vec<Memory>> {
        if !self.states.contains(&MemoryState::Deleted) {
            return Ok(Vec::new());
        }
        if self.deleted.is_none() {
            let states = vec![MemoryState::Deleted];
            let filter = MemoryFilter { states, any_time: true, ..MemoryFilter::default() };
            let all = self.reader.list(&filter, ListOrder::NewestFirst, None, DELETED, DELETED_BYTES).await?;
            self.deleted = Some(all);
        }
        let all = self.deleted.iter().flatten();
        Ok(all.filter(|memory| statement.is_within(&memory.draft.content)).cloned().collect())
    }

    async fn hits(&mut self, query: &LexicalQuery) -> Result<Vec<Memory>> {
        let seqs: Vec<Seq> = self.reader.lexical(query, HITS).await?.into_iter().map(|hit| hit.seq).collect();
        self.reader.memories(&seqs).await
    }

    /// Returns the memories that stay and name the same, at most [`MAX_STILL_MENTIONS`].
    pub(super) async fn mentions(&mut self, spans: &BTreeMap<MemoryId, Vec<Range<usize>>>) -> Result<Vec<MemoryId>> {
        let mut found: Vec<MemoryId> = Vec::new();
        let texts: Vec<String> = self.sayings.iter().map(|saying| saying.statement.words().join(" ")).collect();
        let written = self.gone.values().filter(|memory| states_something(&memory.draft));
        let gists: Vec<Gist> = written.map(|memory| Gist::of(&memory.draft.content)).collect();
        let mut topics: Vec<Vec<String>> = gists.iter().map(|gist| gist.topics(NAMES)).collect();
        if topics.iter().all(Vec::is_empty) {
            topics = texts.iter().map(|text| Gist::of(text).topics(NAMES)).collect();
        }
        topics.sort();
        topics.dedup();
        for topic in topics.into_iter().filter(|topic| !topic.is_empty()).take(SAYINGS) {
            let all: Vec<LexicalTerm> = topic.iter().map(|word| LexicalTerm::word(word)).collect();
            let states = vec![MemoryState::Active, MemoryState::Archived];
            let filter = MemoryFilter { states, any_time: true, ..MemoryFilter::default() };
            let query = LexicalQuery { any: all.clone(), all, filter };
            for memory in self.hits(&query).await? {
                let made = [RecordKind::Summary, RecordKind::Insight, RecordKind::Profile].contains(&memory.draft.kind);
                let goes = self.gone.contains_key(&memory.id) || spans.contains_key(&memory.id) || made;
                if !goes && !found.contains(&memory.id) && found.len() < MAX_STILL_MENTIONS {
                    found.push(memory.id);
                }
            }
        }
        Ok(found)
    }
}
