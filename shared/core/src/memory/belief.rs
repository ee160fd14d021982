//! Confidence of a record: its value, source and changes.

use serde::{Deserialize, Serialize};

use super::{Creator, Memory, MemoryDraft, names};
use crate::bounds::MAX_CONFIDENCE_HISTORY;
use crate::error::{Error, Result, StorageFailure};
use crate::time::Timestamp;

/// Share of the confidence kept per week without reinforcement.
const WEEKLY_RETENTION: f64 = 0.98;
/// The confidence does not decay below this.
const FLOOR: f64 = 0.3;

/// How a record's content became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    /// The assistant observed it.
    DirectExperience,
    /// Concluded from other records.
    Inference,
    /// The user said so.
    ToldByUser,
    /// An agent said so.
    ToldByAgent,
    /// Merged from several records.
    Consolidation,
    /// The user corrected an earlier record.
    Correction,
    /// A bulk import.
    Import,
    /// A connected source.
    Connector,
    /// Extracted from a conversation or a document.
    Extraction,
    /// The user decided between records that contradicted each other.
    UserResolved,
}
names!(SourceType {
    DirectExperience => "direct_experience",
    Inference => "inference",
    ToldByUser => "told_by_user",
    ToldByAgent => "told_by_agent",
    Consolidation => "consolidation",
    Correction => "correction",
    Import => "import",
    Connector => "connector",
    Extraction => "extraction",
    UserResolved => "user_resolved",
});

impl SourceType {
    /// Trust in the source: a given confidence is multiplied by it.
    pub const fn weight(self) -> f64 {
        match self {
            Self::Correction | Self::UserResolved => 1.0,
            Self::DirectExperience | Self::ToldByUser => 0.95,
            Self::ToldByAgent | Self::Consolidation | Self::Import => 0.8,
            Self::Connector => 0.7,
            Self::Inference | Self::Extraction => 0.6,
        }
    }

    /// Reports whether its confidence never decays: the user said it about other records.
    pub const fn never_decays(self) -> bool {
        matches!(self, Self::Correction | Self::UserResolved)
    }

    /// The default source of memories by a creator.
    pub const fn of(creator: Creator) -> Self {
        match creator {
            Creator::Agent => Self::ToldByAgent,
            Creator::User | Creator::System => Self::ToldByUser,
        }
    }
}

/// Why a confidence changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceReason {
    /// It was given with a write.
    Written,
    /// The record was verified.
    Verified,
    /// It was stated again.
    Corroborated,
}
names!(ConfidenceReason { Written => "written", Verified => "verified", Corroborated => "corroborated" });

/// A change of a record's confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceChange {
    /// Time of the change.
    pub changed_at: Timestamp,
    /// The confidence from then on, in [0, 1].
    pub confidence: f64,
    /// Reason for the change.
    pub reason: ConfidenceReason,
}

/// A record's confidence and what it is based on.
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    /// Stored confidence, in [0, 1].
    pub confidence: f64,
    /// Time of the last verification.
    pub last_verified_at: Option<Timestamp>,
    /// Number of verifications.
    pub verification_count: u64,
    /// When a source it was derived from was erased on request; `None` if none was, or it was verified since.
    pub stale_since: Option<Timestamp>,
    /// Changes of the confidence, oldest first, limited to the newest; empty until the first change after creation.
    pub history: Vec<ConfidenceChange>,
    /// The name of the credential that created it; empty if there was none.
    pub author: String,
}

impl Belief {
    /// The initial belief of a draft: the given confidence (default 1) times the weight of its source.
    pub(super) fn in_draft(draft: &MemoryDraft) -> Self {
        Self {
            confidence: given(draft),
            last_verified_at: None,
            verification_count: 0,
            stale_since: None,
            history: Vec::new(),
            author: String::new(),
        }
    }

    /// Replaces the confidence, valid since `since`, by the one a draft gives.
    pub fn rewrite(&mut self, draft: &MemoryDraft, since: Timestamp, now: Timestamp) {
        self.change(given(draft), ConfidenceReason::Written, since, now);
    }

    /// Verifies the record: doubt falls by a quarter, so that a confidence c becomes c + (1 - c) / 4, and the record
    /// is no longer stale.
    /// `since` is when the record was created.
    pub fn verify(&mut self, since: Timestamp, now: Timestamp) {
        let verified = self.confidence + (1.0 - self.confidence) / 4.0;
        self.change(verified.clamp(0.0, 1.0), ConfidenceReason::Verified, since, now);
        self.last_verified_at = Some(now);
        self.verification_count = self.verification_count.saturating_add(1);
        self.stale_since = None;
    }

    /// Records that it was stated again: doubt falls by an eighth.
    pub fn corroborate(&mut self, since: Timestamp, now: Timestamp) {
        let confidence = self.confidence + (1.0 - self.confidence) / 8.0;
        self.change(confidence.clamp(0.0, 1.0), ConfidenceReason::Corroborated, since, now);
    }

    /// How often it was stated again; `None` if the history is full, and so may have lost some.
    pub fn corroborations(&self) -> Option<usize> {
        let stated_again = self.history.iter().filter(|change| change.reason == ConfidenceReason::Corroborated);
        (self.history.len() < MAX_CONFIDENCE_HISTORY).then(|| stated_again.count())
    }

    fn change(&mut self, confidence: f64, reason: ConfidenceReason, since: Timestamp, now: Timestamp) {
        if self.history.is_empty() {
            let first = ConfidenceReason::Written;
            self.history.push(ConfidenceChange { changed_at: since, confidence: self.confidence, reason: first });
        }
        self.history.push(ConfidenceChange { changed_at: now, confidence, reason });
        let surplus = self.history.len().saturating_sub(MAX_CONFIDENCE_HISTORY);
        self.history.drain(..surplus);
        self.confidence = confidence;
    }

    /// The history in its storage format, numbers only; `None` if it is empty.
    pub fn compact_history(&self) -> Option<String> {
        let code = |reason| ConfidenceReason::ALL.iter().position(|known| *known == reason);
        let changes: Vec<_> =
            self.history.iter().map(|one| (one.changed_at.0, one.confidence, code(one.reason))).collect();
        if changes.is_empty() { None } else { serde_json::to_string(&changes).ok() }
    }

    /// Parses the output of [`Self::compact_history`].
    ///
    /// # Errors
    ///
    /// [`StorageFailure::Corrupt`] for anything else.
    pub fn history_from(compact: Option<&str>) -> Result<Vec<ConfidenceChange>> {
        let bad = || Error::storage(StorageFailure::Corrupt, "a confidence history is not readable");
        let Some(compact) = compact else { return Ok(Vec::new()) };
        let changes: Vec<(i64, f64, usize)> = serde_json::from_str(compact).map_err(|_| bad())?;
        let change = |(at, confidence, reason): (i64, f64, usize)| {
            let reason = *ConfidenceReason::ALL.get(reason).ok_or_else(bad)?;
            Ok(ConfidenceChange { changed_at: Timestamp(at), confidence, reason })
        };
        changes.into_iter().map(change).collect()
    }
}

impl Memory {
    /// The confidence at a time: the stored value, reduced by 2 % for each whole week since it was last written,
    /// verified or stated again. The confidence of a correction never decays.
    pub fn confidence_at(&self, now: Timestamp) -> f64 {
        let stored = self.belief.confidence;
        if self.draft.source_type.is_some_and(SourceType::never_decays) {
            return stored;
        }
        let changed = self.belief.history.last().map_or(self.created_at, |change| change.changed_at);
        let weeks = (now.since(self.created_at.max(changed)).as_days() / 7.0).floor().max(0.0);
        (stored * libm::pow(WEEKLY_RETENTION, weeks)).max(stored.min(FLOOR))
    }
}

fn given(draft: &MemoryDraft) -> f64 {
    // Rules state the confidence of their conclusions themselves.
    let weight = if draft.is_concluded() { 1.0 } else { draft.source_type().weight() };
    (draft.confidence.unwrap_or(1.0) * weight).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;

    fn belief(confidence: Option<f64>, source_type: Option<SourceType>) -> Belief {
        Belief::in_draft(&MemoryDraft { confidence, source_type, ..MemoryDraft::default() })
    }

    #[test]
    fn given_confidence_is_weighed_by_its_source() {
        for (given, source, kept) in [
            (None, None, 0.95),
            (Some(1.0), Some(SourceType::Correction), 1.0),
            (Some(0.5), Some(SourceType::Inference), 0.3),
            (Some(0.0), None, 0.0),
        ] {
            assert_eq!(belief(given, source).confidence.to_bits(), f64::to_bits(kept), "{given:?} {source:?}");
        }
        let agent = MemoryDraft { created_by: Creator::Agent, ..MemoryDraft::default() };
        assert_eq!(Belief::in_draft(&agent).confidence.to_bits(), 0.8_f64.to_bits());
    }

    #[test]
    fn confidence_falls_by_the_week_to_a_floor_and_that_of_a_correction_never() {
        let at = |weeks: i64| Timestamp(Span::days(7 * weeks).0 + 1);
        let of = |draft| Memory::new(crate::ids::MemoryId(uuid::Uuid::nil()), crate::ids::Seq(1), draft, at(0));
        let told = of(MemoryDraft::default());
        for (now, kept) in
            [(at(0), 0.95), (at(1).minus(Span(1)), 0.95), (at(1), 0.95 * 0.98), (at(10), 0.95 * 0.98_f64.powi(10))]
        {
            assert!((told.confidence_at(now) - kept).abs() < 1e-12, "{now:?}");
        }
        assert_eq!(told.confidence_at(at(500)).to_bits(), 0.3_f64.to_bits());
        let mut again = told.clone();
        again.belief.corroborate(at(0), at(9));
        assert_eq!((told.belief.corroborations(), again.belief.corroborations()), (Some(0), Some(1)));
        assert_eq!(again.confidence_at(at(9)).to_bits(), again.belief.confidence.to_bits());
        let unsure = of(MemoryDraft { confidence: Some(0.2), ..MemoryDraft::default() });
        assert_eq!(unsure.confidence_at(at(500)).to_bits(), unsure.belief.confidence.to_bits());
        let corrected = of(MemoryDraft { source_type: Some(SourceType::Correction), ..MemoryDraft::default() });
        assert_eq!(corrected.confidence_at(at(500)).to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn repetitions_are_not_counted_once_the_history_is_full() {
        let mut told = belief(None, None);
        for times in 1..MAX_CONFIDENCE_HISTORY + 3 {
            told.corroborate(Timestamp(1), Timestamp(2));
            let counted = (times + 1 < MAX_CONFIDENCE_HISTORY).then_some(times);
            assert_eq!(told.corroborations(), counted, "{times}");
        }
    }

    #[test]
    fn verification_takes_a_quarter_of_the_doubt() {
        let mut one = belief(Some(0.5), Some(SourceType::Correction));
        one.stale_since = Some(Timestamp(3));
        one.verify(Timestamp(1), Timestamp(5));
        assert_eq!(one.stale_since, None);
        assert_eq!((one.confidence.to_bits(), one.verification_count), (0.625_f64.to_bits(), 1));
        assert_eq!(one.last_verified_at, Some(Timestamp(5)));
        let reasons: Vec<_> = one.history.iter().map(|change| (change.changed_at.0, change.reason)).collect();
        assert_eq!(reasons, [(1, ConfidenceReason::Written), (5, ConfidenceReason::Verified)]);
        for n in 6..100 {
            one.verify(Timestamp(1), Timestamp(n));
        }
        assert!(one.confidence <= 1.0 && one.confidence > 0.999);
        assert_eq!((one.history.len(), one.history[0].changed_at), (MAX_CONFIDENCE_HISTORY, Timestamp(84)));
    }

    #[test]
    fn history_comes_back_to_the_bit_and_damage_is_reported() {
        let mut one = belief(None, None);
        assert_eq!(one.compact_history(), None);
        one.verify(Timestamp(1), Timestamp(2));
        one.rewrite(&MemoryDraft { confidence: Some(1.0 / 3.0), ..MemoryDraft::default() }, Timestamp(1), Timestamp(3));
        let compact = one.compact_history();
        assert_eq!(Belief::history_from(compact.as_deref()).unwrap(), one.history);
        for damaged in ["", "[[1,0.5]]", "[[1,0.5,9]]"] {
            assert!(Belief::history_from(Some(damaged)).is_err(), "{damaged}");
        }
    }
}
