//! Finds quotes, in links of records that stay, of what goes: extraction quotes the sentence before, too.

use std::collections::BTreeMap;
use std::ops::Range;

use super::copies::{Search, is_turn};
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Direction, Link, Relation};
use crate::memory::{ListOrder, Memory, MemoryFilter, RecordKind};
use crate::ports::ListKey;
use crate::tables::find;
use crate::text::sentences;
use crate::text::words::{fold, words};

/// Words by which a quote of a sentence is recognized: its last ones, as long quotes are cut at the front.
const LAST_WORDS: usize = 3;
/// Longest sentence, and most bytes read of the turn after one.
const LONGEST: usize = 4_000;
const BYTES: usize = 64 * 1024;

impl Search<'_> {
    /// Returns the links that quote what goes from turns.
    pub(super) async fn quotes(
        &mut self,
        spans: &BTreeMap<MemoryId, (Memory, Vec<Range<usize>>)>,
    ) -> Result<Vec<Link>> {
        let gone = self.gone.values().filter(|memory| is_turn(memory));
        let whole = gone.map(|turn| (turn.clone(), std::iter::once(0..turn.draft.content.len()).collect::<Vec<_>>()));
        let all: Vec<(Memory, Vec<Range<usize>>)> = whole.chain(spans.values().cloned()).collect();
        let mut quotes: Vec<Link> = Vec::new();
        for (turn, ranges) in all {
            let ends: Vec<String> = ranges.iter().flat_map(|range| ends_of(&turn.draft.content, range)).collect();
            for source in std::iter::once(turn.id).chain(self.turn_after(&turn).await?) {
                let query = Link::of([source], Direction::In).is("relation", Relation::DerivedFrom.name());
                for link in find::<Link>(self.reader, &query).await? {
                    let stays = !self.gone.contains_key(&link.from);
                    let known = quotes.iter().any(|quote| quote.key() == link.key());
                    if stays && !known && link.evidence.as_deref().is_some_and(|quote| is_quoted(quote, &ends)) {
                        quotes.push(link);
                    }
                }
            }
        }
        Ok(quotes)
    }

    async fn turn_after(&mut self, turn: &Memory) -> Result<Option<MemoryId>> {
        if turn.draft.session_id.is_none() {
            return Ok(None);
        }
        let filter = MemoryFilter {
            session_id: turn.draft.session_id.clone(),
            kinds: vec![RecordKind::Turn],
            namespaces: vec![turn.draft.namespace.clone()],
            states: crate::memory::MemoryState::ALL.to_vec(),
            any_time: true,
            ..MemoryFilter::default()
        };
        let after = ListKey { created_at: turn.created_at, seq: turn.seq };
        let next = self.reader.list(&filter, ListOrder::OldestFirst, Some(after), 1, BYTES).await?;
        Ok(next.first().map(|turn| turn.id))
    }
}

/// The last words of each sentence in a range.
fn ends_of(content: &str, range: &Range<usize>) -> Vec<String> {
    let Some(text) = content.get(range.clone()) else { return Vec::new() };
    let cut = sentences::of(text, LONGEST).into_iter().map(|at| words(&text[at]).map(fold).collect::<Vec<_>>());
    cut.filter(|words| !words.is_empty())
        .map(|words| phrase(&words[words.len().saturating_sub(LAST_WORDS)..]))
        .collect()
}

fn is_quoted(quote: &str, ends: &[String]) -> bool {
    let quote = phrase(&words(quote).map(fold).collect::<Vec<_>>());
    ends.iter().any(|end| quote.contains(end))
}

/// Words between spaces, so that only whole words match.
fn phrase(words: &[String]) -> String {
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_recognized_by_the_last_words() {
        let said = "I live in Oslo. My cat is ill.";
        let ends = ends_of(said, &(0..15));
        assert_eq!(ends, [" live in oslo "]);
        assert!(is_quoted("User: …live in Oslo. My cat is ill.", &ends));
        assert!(!is_quoted("User: I live in Oslofjord.", &ends));
    }
}
