//! Generates the memories: the same texts in every run.

use kimberly_core::MemoryId;
use kimberly_core::memory::{MemoryDraft, Metadata};
use kimberly_core::ports::{Clock, NewMemory};
use kimberly_core::scoring::{ScoreRecord, Signals, Weights};
use kimberly_core::text::TextTraits;
use kimberly_core::time::{Span, Timestamp};

pub(crate) struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(1_800_000_000_000_000)
    }
}

/// A small random generator, so that every run measures the same texts.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// Returns a word; the minimum of several rolls makes some words common.
    pub(crate) fn word(&mut self) -> String {
        let n = self.roll(4_000).min(self.roll(4_000)).min(self.roll(4_000));
        Self::nth(if self.roll(3) == 0 { self.roll(60) } else { n })
    }

    pub(crate) fn nth(n: u64) -> String {
        let mut rest = n + 7;
        let mut word = String::new();
        while rest > 0 {
            word.push_str(["ka", "lo", "mi", "ne", "ru", "so", "ti", "va", "wen", "dor"][(rest % 10) as usize]);
            rest /= 10;
        }
        word
    }

    fn text(&mut self, bytes: usize) -> String {
        let mut text = self.word();
        while text.len() < bytes {
            text.push(' ');
            text.push_str(&self.word());
        }
        text
    }
}

pub(crate) fn memory(dice: &mut Dice, n: u128, bytes: usize) -> NewMemory {
    let at = FixedClock.now().plus(Span(i64::try_from(n).unwrap_or(0)));
    let content = dice.text(bytes);
    let traits = TextTraits { words: u32::try_from(content.split(' ').count()).unwrap_or(0), ..TextTraits::default() };
    let inputs = [("age_days", 0.0), ("access_count", 0.0), ("sentiment", 0.3)];
    NewMemory {
        author: String::new(),
        id: MemoryId(uuid::Uuid::from_u128((1 << 100) + n)),
        size_bytes: content.len() as u64,
        draft: MemoryDraft {
            content,
            session_id: Some(format!("session-{}", n / 40)),
            speaker: Some(if n & 1 == 0 { "Anna" } else { "Ben" }.to_owned()),
            metadata: Metadata { version: "v1".to_owned(), ..Metadata::default() },
            ..MemoryDraft::default()
        },
        sentiment: 0.3,
        traits,
        score: ScoreRecord {
            version: "scoring/v2".to_owned(),
            scored_at: at,
            score: 0.46,
            signals: Signals {
                relevance_to_goals: 0.5,
                emotional_weight: 0.3,
                predictive_value: 0.5,
                recency_freq: 0.6,
            },
            weights: Weights::new([0.4, 0.3, 0.2, 0.1]),
            inputs: inputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            best_goal: None,
        },
        created_at: at,
    }
}
