//! Which records last: they never decay, and nothing but their owner's wish archives or erases them (N-3). Said here alone: the store
//! asks it for what retention reads, and every change of every step passes by [`permits`].

use crate::meditation::Kind;
use crate::meditation::kinds::Effect;
use crate::memory::{MemoryDraft, MemoryState, RecordKind, SourceType};

/// Kinds whose records last.
pub const LASTING_KINDS: &[RecordKind] = &[RecordKind::Value, RecordKind::Drive];

/// Sources whose records last.
pub const LASTING_SOURCES: &[SourceType] = &[SourceType::Correction];

/// Whether a record lasts. Its source is what is said of it; one that follows from who wrote it never lasts.
pub fn lasts(protected: bool, kind: RecordKind, said: Option<SourceType>) -> bool {
    protected || LASTING_KINDS.contains(&kind) || said.is_some_and(|source| LASTING_SOURCES.contains(&source))
}

impl MemoryDraft {
    /// Whether it lasts.
    pub fn lasts(&self) -> bool {
        lasts(self.protected, self.kind, self.source_type)
    }

    /// Whether its writer has it last. A correction does so besides, and is never refused for that.
    pub fn claims_to_last(&self) -> bool {
        lasts(self.protected, self.kind, None)
    }
}

/// Whether a change may be made to a record, whichever step proposed it.
pub fn permits(kind: Kind, lasts: bool, state: MemoryState) -> bool {
    // What its owner deleted is theirs to lose.
    !lasts || state == MemoryState::Deleted || kind.rules().effect() == Effect::None
}

/// Bytes of a tier that writers may have last: half of its quota.
pub const fn lasting_limit(quota: u64) -> u64 {
    quota / 2
}

/// The smallest quota under which so many bytes may last.
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
