//! Decides which records last: they never decay, and only their owner's wish archives or erases them (N-3). This is the only
//! definition: the store uses it for what retention reads, and every change of every step is checked by [`permits`].

use crate::meditation::Kind;
use crate::meditation::kinds::Effect;
use crate::memory::{MemoryDraft, MemoryState, RecordKind, SourceType};

/// Kinds whose records last.
pub const LASTING_KINDS: &[RecordKind] = &[RecordKind::Value, RecordKind::Drive];

/// Sources whose records last.
pub const LASTING_SOURCES: &[SourceType] = &[SourceType::Correction];

/// Reports whether a record lasts. `said` is the source that was stated; a source inferred from the writer never makes
/// a record last.
pub fn lasts(protected: bool, kind: RecordKind, said: Option<SourceType>) -> bool {
    protected || LASTING_KINDS.contains(&kind) || said.is_some_and(|source| LASTING_SOURCES.contains(&source))
}

impl MemoryDraft {
    /// Reports whether the record lasts.
    pub fn lasts(&self) -> bool {
        lasts(self.protected, self.kind, self.source_type)
    }

    /// Reports whether the writer made the record last, by protection or kind. A correction also lasts, but is never
    /// refused for that.
    pub fn claims_to_last(&self) -> bool {
        lasts(self.protected, self.kind, None)
    }
}

/// Reports whether a change may be made to a record, whichever step proposed it.
pub fn permits(kind: Kind, lasts: bool, state: MemoryState) -> bool {
    // The owner deleted it, so the owner's wish is carried out.
    !lasts || state == MemoryState::Deleted || kind.rules().effect() == Effect::None
}

/// Returns the bytes of a tier that writers may mark as lasting: half of its quota.
pub const fn lasting_limit(quota: u64) -> u64 {
    quota / 2
}

/// Returns the smallest quota under which this many bytes may last.
pub const fn quota_for_lasting(bytes: u64) -> u64 {
    bytes.saturating_mul(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_drives_corrections_and_what_is_protected_last_and_nothing_else() {
        for &kind in RecordKind::ALL {
            let draft = MemoryDraft { kind, ..MemoryDraft::default() };
            assert_eq!(draft.lasts(), matches!(kind, RecordKind::Value | RecordKind::Drive), "{kind}");
            assert!(MemoryDraft { protected: true, ..draft }.claims_to_last());
        }
        for &source in SourceType::ALL {
            let draft = MemoryDraft { source_type: Some(source), ..MemoryDraft::default() };
            assert_eq!((draft.lasts(), draft.claims_to_last()), (source == SourceType::Correction, false), "{source}");
        }
    }

    #[test]
    fn half_of_a_quota_may_last_and_the_quota_that_is_named_is_enough() {
        for bytes in [0, 1, 511, 512, 513] {
            assert!(lasting_limit(quota_for_lasting(bytes)) >= bytes);
            assert!(bytes == 0 || lasting_limit(quota_for_lasting(bytes) - 1) < bytes);
        }
    }
}
