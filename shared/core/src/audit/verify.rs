//! Checks a chain entry by entry, in order, and says where it does not fit.
//!
//! Each entry keeps its own hash, so one that does not fit is distinguished from those after it, which do: they are checked
//! against the hash that stands before them. Numbers without an entry are reported as a range. An account that can write the file
//! can also hash the whole chain again; that shows against a head that was noted elsewhere, before.

use super::chain::{AuditHead, AuditRecord, PRUNED};
use crate::time::Timestamp;

/// Findings that are reported one by one; further ones are only counted.
const MAX_FINDINGS: usize = 100;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditFindingKind {
    /// The entry is not what was written there: it was changed, moved, or put in.
    Altered,
    /// Entries were taken out, from the number told up to the next one that is there.
    Missing,
    /// The entry stands behind one with a higher number.
    Reordered,
    /// The chain ends before an entry that it had: entries were cut off its end.
    Truncated,
    /// The entry with the number told has another hash than the one that was noted.
    Rewritten,
}

impl AuditFindingKind {
    /// Its name in messages and exports.
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

/// A place where the chain does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFinding {
    /// What is wrong.
    pub kind: AuditFindingKind,
    /// At which number, and for missing ones up to which.
    pub first: u64,
    /// The last number that is concerned.
    pub last: u64,
    /// When the entry says it was written, if it is there.
    pub at: Option<Timestamp>,
    /// The entry of the system's audit that says otherwise, if it is one that does.
    pub anchor: Option<u64>,
}

/// Where the audit of a vault stood, as that of the system tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The number of the entry that tells it.
    pub entry: u64,
    /// The end of the vault's chain then.
    pub head: AuditHead,
}

/// A head that a chain must hold, and the entry of the system's audit that says so, if it is one that does.
#[derive(Clone, Copy, Debug)]
struct Noted {
    head: AuditHead,
    anchor: Option<u64>,
}

/// The outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditVerification {
    /// Entries of the chain that were looked at.
    pub entries: u64,
    /// The end of the chain as it is.
    pub head: AuditHead,
    /// What does not fit, in order; at most 100.
    pub findings: Vec<AuditFinding>,
    /// How many there are.
    pub found: u64,
}

impl AuditVerification {
    /// Whether everything fits.
    pub fn is_intact(&self) -> bool {
        self.found == 0
    }
}

/// Checks a chain. Give it every entry in order, then ask for the outcome.
#[derive(Clone, Debug)]
pub struct AuditVerifier {
    last: AuditHead,
    /// The mark of entries that were pruned.
    pruned: Option<AuditHead>,
    /// What the chain tells of that last.
    told: Option<AuditHead>,
    entries: u64,
    /// Heads that the chain must hold, the first one last: those ahead.
    noted: Vec<Noted>,
    findings: Vec<AuditFinding>,
    found: u64,
}

impl AuditVerifier {
    /// For a chain whose first entry follows `begins`: the genesis of its log, or the last entry that was pruned.
    pub fn new(begins: AuditHead) -> Self {
        Self { last: begins, pruned: None, told: None, entries: 0, noted: Vec::new(), findings: Vec::new(), found: 0 }
    }

    /// For a log whose entries up to `mark` were pruned: the chain must tell so.
    pub fn behind_pruned(mark: AuditHead) -> Self {
        Self { pruned: Some(mark), ..Self::new(mark) }
    }

    /// Also checks that the chain holds a head that was noted before.
    #[must_use]
    pub fn expecting(mut self, noted: AuditHead) -> Self {
        self.expect(Noted { head: noted, anchor: None });
        self.sorted()
    }

    /// Also checks that the chain holds what the system's audit says of it. What lies before its beginning cannot be checked.
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

    /// Looks at the next entry.
    pub fn push(&mut self, record: &AuditRecord) {
        self.entries += 1;
        let due = self.last.no.saturating_add(1);
        if record.no < due {
            return self.find(AuditFindingKind::Reordered, (record.no, record.no), Some(record.at), None);
        }
        if record.no > due {
            // Behind a gap the hash before is not known.
            self.find(AuditFindingKind::Missing, (due, record.no - 1), None, None);
        } else if record.hash != record.hash_after(&self.last.hash) {
            self.find(AuditFindingKind::Altered, (record.no, record.no), Some(record.at), None);
        }
        // Of those behind which the chain goes on, the ones with other numbers lie in a gap, which is reported.
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

    /// The outcome, given the number that the log itself names as that of its last entry.
    pub fn finish(mut self, last: u64) -> AuditVerification {
        let end = self.last.no;
        if let Some(mark) = self.pruned.filter(|mark| self.told != Some(*mark)) {
            // Somebody has taken the oldest out, and not the policy.
            let first = self.told.map_or(1, |told| told.no.saturating_add(1)).min(mark.no);
            self.find(AuditFindingKind::Missing, (first, mark.no), None, None);
        }
        // Those that are left lie behind the end.
        let furthest = self.noted.first().copied();
        let expected = last.max(furthest.map_or(0, |noted| noted.head.no));
        if expected > end {
            let anchor = furthest.and_then(|noted| noted.anchor);
            self.find(AuditFindingKind::Truncated, (end.saturating_add(1), expected), None, anchor);
        }
        if last < end {
            // Entries behind the last one that the log knows of.
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
