//! A memory to store, with everything that can be computed without the vault.

use crate::access::Caller;
use crate::ids::{MemoryId, Seq};
use crate::meditation::ScoringItem;
use crate::memory::{Feedback, MemoryDraft, size_bytes};
use crate::ports::NewMemory;
use crate::scoring::{ScoreRecord, Scorer, Signals, Weights};
use crate::text::TextTraits;
use crate::time::Timestamp;

/// A normalized draft, analysed and ready to be scored.
#[derive(Clone)]
pub(super) struct Prepared {
    /// The memory to store; its score is still open.
    pub(super) memory: NewMemory,
    /// Whether secrets were masked in it.
    pub(super) masked: bool,
    scoring: ScoringItem,
}

impl Prepared {
    /// Analyses a normalized draft, which takes about 20 µs of computing.
    pub(super) fn new(draft: MemoryDraft, id: MemoryId, now: Timestamp, caller: Option<&Caller>) -> Self {
        let sentiment = draft.sentiment();
        let scoring = ScoringItem {
            seq: Seq(0),
            content: draft.content.clone(),
            tags: draft.metadata.tags.clone(),
            sentiment,
            feedback: draft.metadata.user_feedback.map(Feedback::valence),
            helpful: 0,
            unhelpful: 0,
            created_at: now,
            last_seen_at: now,
            access_count: 0,
        };
        let memory = NewMemory {
            id,
            size_bytes: size_bytes(&draft),
            sentiment,
            traits: TextTraits::of(&draft.content),
            score: unscored(now),
            created_at: now,
            author: caller.map_or_else(String::new, |caller| caller.author().to_owned()),
            draft,
        };
        Self { memory, masked: false, scoring }
    }

    /// Notes whether secrets were masked in the draft.
    pub(super) fn noting(self, masked: bool) -> Self {
        Self { masked, ..self }
    }

    /// Scores the memory, stored as `draft`: its own draft, with what only the vault knows, such as its consent record.
    /// It has no outcomes yet, so its predictive value is the prior, of its text and of similar ones.
    pub(super) fn scored(&self, scorer: &mut Scorer, draft: MemoryDraft) -> NewMemory {
        let NewMemory { id, size_bytes, sentiment, traits, created_at, ref author, .. } = self.memory;
        let (score, author) = (scorer.score(&self.scoring), author.clone());
        NewMemory { id, draft, size_bytes, sentiment, traits, score, created_at, author }
    }
}

/// Placeholder for the score, which depends on the vault.
fn unscored(now: Timestamp) -> ScoreRecord {
    ScoreRecord {
        version: String::new(),
        scored_at: now,
        score: 0.0,
        signals: Signals::default(),
        weights: Weights { relevance_to_goals: 0.0, emotional_weight: 0.0, predictive_value: 0.0, recency_freq: 0.0 },
        inputs: std::collections::BTreeMap::new(),
        best_goal: None,
    }
}
