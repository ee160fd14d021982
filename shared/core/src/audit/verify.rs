//! Verifies a chain entry by entry and reports where it is inconsistent.
//!
//! Each entry stores its own hash, so an altered entry is distinguished from the intact ones after it: those are
//! checked against the stored hash before them. Gaps in the numbers are reported as ranges. An account that can write
//! the file can also rehash the whole chain; only a head noted elsewhere earlier reveals that.

use super::chain::{AuditHead, PRUNED};
use super::record::AuditRecord;
use crate::time::Timestamp;

/// Findings reported one by one; further ones are only counted.
const MAX_FINDINGS: usize = 100;

/// The kind of an inconsistency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditFindingKind {
    /// The entry differs from what was written there: it was changed, moved or inserted.
    Altered,
    /// Entries were removed, from the reported number up to the next existing entry.
    Missing,
    /// The entry comes after one with a higher number.
    Reordered,
    /// The chain ends too early: entries were cut off its end.
    Truncated,
    /// The entry with the reported number has another hash than the saved head.
    Rewritten,
}

impl AuditFindingKind {
    /// Name in messages and exports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Altered => "altered",
            Self::Missing => "missing",
            Self::Reordered => "reordered",
            Self::Truncated => "truncated",
            Self::Rewritten => "rewritten",
        }
    }
}

/// A position where the chain is inconsistent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFinding {
    /// The kind of inconsistency.
    pub kind: AuditFindingKind,
    /// The first number concerned.
    pub first: u64,
    /// The last number concerned.
    pub last: u64,
    /// The time in the entry, if it exists.
    pub at: Option<Timestamp>,
    /// The entry of the system's audit that contradicts it, if any.
    pub anchor: Option<u64>,
}

/// A head of a vault's audit, as recorded in the system's audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The number of the recording entry in the system's audit.
    pub entry: u64,
    /// The recorded head of the vault's chain.
    pub head: AuditHead,
}

/// A head that the chain must contain, and the system audit entry that recorded it, if any.
#[derive(Clone, Copy, Debug)]
struct Noted {
    head: AuditHead,
    anchor: Option<u64>,
}

/// The outcome of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditVerification {
    /// Number of entries checked.
    pub entries: u64,
    /// The actual end of the chain.
    pub head: AuditHead,
    /// The inconsistencies, in order; at most 100.
    pub findings: Vec<AuditFinding>,
    /// Number of all inconsistencies, reported or not.
    pub found: u64,
}

impl AuditVerification {
    /// Reports whether no inconsistency was found.
    pub fn is_intact(&self) -> bool {
        self.found == 0
    }
}

/// Verifies a chain. Push every entry in order, then call `finish`.
#[derive(Clone, Debug)]
pub struct AuditVerifier {
    last: AuditHead,
    /// The last pruned entry, according to the log.
    pruned: Option<AuditHead>,
    /// The last pruned entry, according to the latest pruning entry in the chain.
    told: Option<AuditHead>,
    entries: u64,
    /// Heads still ahead that the chain must contain, nearest last.
    noted: Vec<Noted>,
    findings: Vec<AuditFinding>,
    found: u64,
}

impl AuditVerifier {
    /// Returns a verifier for a chain that follows `begins`: the log's genesis or its last pruned entry.
    pub fn new(begins: AuditHead) -> Self {
        Self { last: begins, pruned: None, told: None, entries: 0, noted: Vec::new(), findings: Vec::new(), found: 0 }
    }

    /// Returns a verifier for a log whose entries up to `head` were pruned: the chain must record that pruning.
    pub fn behind_pruned(head: AuditHead) -> Self {
        Self { pruned: Some(head), ..Self::new(head) }
    }

    /// Also checks that the chain contains a head saved before.
    #[must_use]
    pub fn expecting(mut self, noted: AuditHead) -> Self {
        self.expect(Noted { head: noted, anchor: None });
        self.sorted()
    }

    /// Also checks that the chain contains the heads recorded in the system's audit. Heads before its beginning cannot
    /// be checked.
    #[must_use]
    pub fn anchored(mut self, anchors: &[Anchor]) -> Self {
        for anchor in anchors {
            self.expect(Noted { head: anchor.head, anchor: Some(anchor.entry) });
        }
        self.sorted()
    }

    fn expect(&mut self, noted: Noted) {
        if noted.head.no > self.last.no {
            self.noted.push(noted);
        } else if noted.head.no == self.last.no && noted.head.hash != self.last.hash {
            self.rewritten(noted, None);
        }
    }

    fn sorted(mut self) -> Self {
        self.noted.sort_by_key(|noted| std::cmp::Reverse((noted.head.no, noted.anchor)));
        self
    }

    /// Checks the next entry.
    pub fn push(&mut self, record: &AuditRecord) {
        self.entries += 1;
        let due = self.last.no.saturating_add(1);
        if record.no < due {
            return self.find(AuditFindingKind::Reordered, (record.no, record.no), Some(record.at), None);
        }
        if record.no > due {
            // After a gap the previous hash is unknown.
            self.find(AuditFindingKind::Missing, (due, record.no - 1), None, None);
        } else if record.hash != record.hash_after(&self.last.hash) {
            self.find(AuditFindingKind::Altered, (record.no, record.no), Some(record.at), None);
        }
        // Heads passed over with other numbers lie in a gap, which is reported already.
        while let Some(noted) = self.noted.pop_if(|noted| noted.head.no <= record.no) {
            if noted.head.no == record.no && noted.head.hash != record.hash {
                self.rewritten(noted, Some(record.at));
            }
        }
        if record.action == PRUNED {
            self.told = record.subject.as_deref().and_then(|head| head.parse().ok());
        }
        self.last = record.head();
    }

    /// Returns the outcome. `last` is the number of the last entry according to the log.
    pub fn finish(mut self, last: u64) -> AuditVerification {
        let end = self.last.no;
        if let Some(head) = self.pruned.filter(|head| self.told != Some(*head)) {
            // The oldest entries were removed by hand, not by the retention policy.
            let first = self.told.map_or(1, |told| told.no.saturating_add(1)).min(head.no);
            self.find(AuditFindingKind::Missing, (first, head.no), None, None);
        }
        // Heads left over lie after the end.
        let furthest = self.noted.first().copied();
        let expected = last.max(furthest.map_or(0, |noted| noted.head.no));
        if expected > end {
            let anchor = furthest.and_then(|noted| noted.anchor);
            self.find(AuditFindingKind::Truncated, (end.saturating_add(1), expected), None, anchor);
        }
        if last < end {
            // Entries after the last one that the log knows.
            self.find(AuditFindingKind::Altered, (last.saturating_add(1), end), None, None);
        }
        let Self { entries, last: head, findings, found, .. } = self;
        AuditVerification { entries, head, findings, found }
    }

    fn rewritten(&mut self, noted: Noted, at: Option<Timestamp>) {
        self.find(AuditFindingKind::Rewritten, (noted.head.no, noted.head.no), at, noted.anchor);
    }

    fn find(&mut self, kind: AuditFindingKind, (first, last): (u64, u64), at: Option<Timestamp>, anchor: Option<u64>) {
        self.found += 1;
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(AuditFinding { kind, first, last, at, anchor });
        }
    }
}
