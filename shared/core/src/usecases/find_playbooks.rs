//! Finds playbooks for a situation: recalls them, and ranks equally relevant ones by their success rate.

use std::cmp::Ordering;

use super::page::limit;
use super::{App, QueryInput, Recalled};
use crate::bounds::{DEFAULT_PLAYBOOKS, MAX_QUERY_BYTES, MAX_TOP_K};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory::{Detail, Memory, MemoryFilter, RecordKind};
use crate::ports::Touch;

/// Relevance is compared in steps of 1/100: playbooks that round to the same step are equally relevant.
const STEPS: f64 = 100.0;

/// The situation to find playbooks for.
#[derive(Clone, Debug, Default)]
pub struct PlaybooksInput {
    /// The situation in words, 1-8,192 bytes.
    pub situation: String,
    /// Restricts the search; must name no kinds.
    pub filter: MemoryFilter,
    /// Most playbooks to return; 0 for the default.
    pub limit: i32,
}

/// The playbooks found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundPlaybooks {
    /// The playbooks, best first.
    pub playbooks: Vec<Recalled>,
    /// Touches of these playbooks, which the caller writes in batches.
    pub touches: Vec<Touch>,
}

impl App {
    /// Returns playbooks for a situation.
    #[boxed]
    pub async fn find_playbooks(&self, user: &UserId, input: PlaybooksInput) -> Result<FoundPlaybooks> {
        let (query, limit) = input.checked()?;
        let output = self.query_memories(user, query).await?;
        let (mut playbooks, mut touches) = (output.results, output.touches);
        playbooks.sort_by(better);
        playbooks.truncate(limit);
        touches.retain(|touch| playbooks.iter().any(|one| one.memory.seq == touch.seq));
        Ok(FoundPlaybooks { playbooks, touches })
    }
}

impl PlaybooksInput {
    /// Returns the recall query, and how many of its results to return. The query asks for more, so that equals of the
    /// last one are compared with it.
    fn checked(self) -> Result<(QueryInput, usize)> {
        let bytes = self.situation.len();
        if bytes == 0 || bytes > MAX_QUERY_BYTES {
            let problem = format!("has {bytes} bytes; 1 to {MAX_QUERY_BYTES} are allowed: describe the task");
            return Err(Error::invalid("situation", problem));
        }
        let limit = limit(self.limit, DEFAULT_PLAYBOOKS, MAX_TOP_K)?;
        if !self.filter.kinds.is_empty() {
            return Err(Error::invalid("filter.kinds", "must be empty: this call finds playbooks only"));
        }
        let filter = MemoryFilter { kinds: vec![RecordKind::Playbook], ..self.filter };
        let top_k = i32::try_from((2 * limit).min(MAX_TOP_K)).unwrap_or_default();
        Ok((QueryInput { query: self.situation, top_k, filter, ..QueryInput::default() }, limit))
    }
}

/// Orders by relevance, then by success rate; otherwise recall's order stays.
fn better(one: &Recalled, other: &Recalled) -> Ordering {
    let steps = |found: &Recalled| libm::round(found.relevance * STEPS);
    let by_relevance = steps(other).total_cmp(&steps(one));
    by_relevance.then_with(|| rate(&other.memory).total_cmp(&rate(&one.memory)))
}

/// Success rate with two more uses added, of which one succeeded: an unused playbook stands between good and bad.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 53 bits")]
fn rate(memory: &Memory) -> f64 {
    match &memory.draft.detail {
        Some(Detail::Playbook(playbook)) => (playbook.succeeded as f64 + 1.0) / (playbook.used as f64 + 2.0),
        _ => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::{MemoryDraft, PlaybookDetail};
    use crate::time::Timestamp;

    fn found(seq: i64, relevance: f64, used: i64, succeeded: i64) -> Recalled {
        let detail = Detail::Playbook(PlaybookDetail { used, succeeded, ..PlaybookDetail::default() });
        let draft = MemoryDraft { detail: Some(detail), ..MemoryDraft::default() };
        let memory = Memory::new(MemoryId(uuid::Uuid::nil()), Seq(seq), draft, Timestamp(0));
        Recalled {
            memory,
            score: 0.0,
            relevance,
            highlights: Vec::new(),
            passages: Vec::new(),
            ended_at: None,
            gave_way: false,
            superseded_by: None,
            stated_by: Vec::new(),
            explanation: None,
            parts: Vec::new(),
        }
    }

    #[test]
    fn what_went_well_more_often_comes_first_among_equals_alone() {
        let mut all = [
            found(1, 0.301, 10, 1),
            found(2, 0.302, 10, 9),
            found(3, 0.300, 0, 0),
            found(4, 0.9, 10, 0),
            found(5, 0.1, 10, 10),
        ];
        all.sort_by(better);
        assert_eq!(all.map(|one| one.memory.seq.0), [4, 2, 3, 1, 5]);
    }

    #[test]
    fn situation_number_and_kinds_are_held_to_their_bounds() {
        let of = |bytes: usize, limit| {
            let situation = "x".repeat(bytes);
            PlaybooksInput { situation, limit, ..PlaybooksInput::default() }.checked()
        };
        assert_eq!(of(1, 0).unwrap().1, DEFAULT_PLAYBOOKS);
        assert_eq!(of(MAX_QUERY_BYTES, 100).unwrap().0.top_k, 100);
        for (bytes, limit, field) in
            [(0, 0, "situation"), (MAX_QUERY_BYTES + 1, 0, "situation"), (1, 101, "limit"), (1, -1, "limit")]
        {
            let Err(Error::Invalid(refused)) = of(bytes, limit) else { panic!("{field} passed") };
            assert_eq!(refused[0].field, field);
        }
        let filter = MemoryFilter { kinds: vec![RecordKind::Fact], ..MemoryFilter::default() };
        let kinds = PlaybooksInput { situation: "x".to_owned(), filter, limit: 0 }.checked();
        assert!(kinds.unwrap_err().to_string().contains("filter.kinds"));
    }
}
