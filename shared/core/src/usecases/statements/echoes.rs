//! Finds where an assistant repeated, later in the same session, what a person said.

use super::copies::{Search, role};
use crate::error::Result;
use crate::links::{Direction, Link, Relation};
use crate::memory::{ListOrder, Memory, MemoryFilter, RecordKind, Role};
use crate::ports::ListKey;
use crate::statements::Gist;
use crate::tables::find;
use crate::text::sentences;

/// Most turns, and most bytes of them, that are read after one.
const TURNS: usize = 200;
const BYTES: usize = 512 * 1024;
/// Most statements of a turn whose echoes are looked for.
const GISTS: usize = 256;
/// Longest sentence.
const LONGEST: usize = 4_000;

impl Search<'_> {
    /// Strikes the echoes of everything that goes from turns of persons, with what was learned from an echo alone.
    pub(super) async fn find_echoes(&mut self) -> Result<()> {
        for (turn, said) in self.said_by_persons() {
            let gists: Vec<Gist> = said.iter().flat_map(|text| Gist::all_of(text)).take(GISTS).collect();
            for answer in self.answers(&turn).await? {
                for range in sentences::of(&answer.draft.content, LONGEST) {
                    let sentence = &answer.draft.content[range.clone()];
                    let stems = Gist::stems(sentence);
                    if gists.iter().any(|gist| gist.is_echoed_by(&stems)) {
                        self.take_learned(&answer, &range).await?;
                        self.strike(&answer, range);
                    }
                }
            }
        }
        Ok(())
    }

    /// Turns of persons of which something goes, and the texts that go.
    fn said_by_persons(&self) -> Vec<(Memory, Vec<String>)> {
        let whole = self.gone.values().map(|turn| {
            let content = &turn.draft.content;
            let said = sentences::of(content, LONGEST).into_iter().map(|range| content[range].to_owned());
            (turn.clone(), said.filter(|text| !text.trim_end().ends_with('?')).collect())
        });
        let parts = self.parts.values().map(|(turn, ranges)| {
            let said = ranges.iter().filter_map(|range| turn.draft.content.get(range.clone()).map(str::to_owned));
            (turn.clone(), said.collect())
        });
        let all = whole.chain(parts).filter(|(turn, _)| role(turn) == Some(Role::User));
        all.filter(|(turn, _)| turn.draft.session_id.is_some()).collect()
    }

    /// The assistant's turns after one, in its session.
    async fn answers(&mut self, turn: &Memory) -> Result<Vec<Memory>> {
        let filter = MemoryFilter {
            session_id: turn.draft.session_id.clone(),
            kinds: vec![RecordKind::Turn],
            namespaces: vec![turn.draft.namespace.clone()],
            states: self.states.to_vec(),
            any_time: true,
            ..MemoryFilter::default()
        };
        let after = ListKey { created_at: turn.created_at, seq: turn.seq };
        let turns = self.reader.list(&filter, ListOrder::OldestFirst, Some(after), TURNS, BYTES).await?;
        Ok(turns.into_iter().filter(|turn| role(turn) == Some(Role::Assistant)).collect())
    }

    /// Takes records that were learned from an echo and from nothing else.
    async fn take_learned(&mut self, answer: &Memory, echo: &std::ops::Range<usize>) -> Result<()> {
        for link in self.learned_from(answer.id).await? {
            let inside = link.span.is_some_and(|at| echo.start <= at.start as usize && at.end as usize <= echo.end);
            let query = Link::of([link.from], Direction::Out).is("relation", Relation::DerivedFrom.name());
            if inside && find::<Link>(self.reader, &query.without(&["evidence"])).await?.len() == 1 {
                self.take_id(link.from).await?;
            }
        }
        Ok(())
    }
}
