//! The items of a piece, checked and analysed before the vault is read.

use super::super::App;
use super::super::covering::Covering;
use super::super::masking::mask_secrets;
use super::super::prepared::Prepared;
use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::memory::{MemoryDraft, MemoryReceipt, MemoryRecord, MemoryState, Tier};
use crate::scoring::Scorer;
use crate::time::Timestamp;

/// One item of an import.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "few are held at a time, and most of an import are of one kind")]
pub enum ImportItem {
    /// A draft, as a caller writes it.
    Draft(MemoryDraft),
    /// A record, as an export wrote it.
    Record(Box<MemoryRecord>),
}

/// Outcome of one item.
#[derive(Debug)]
pub struct ImportResult {
    /// Its index.
    pub index: u64,
    /// Its outcome, or why it can never be stored as it is.
    pub outcome: Result<ItemOutcome>,
}

/// What happened to an item.
#[derive(Debug, PartialEq)]
pub enum ItemOutcome {
    /// It is stored.
    Stored(MemoryReceipt),
    /// All that it says was forgotten at this time, so that it is left out.
    Forgotten(Timestamp),
}

/// A piece of an import, with everything that can be computed without the vault.
pub struct PreparedImport {
    pub(super) first: u64,
    pub(super) len: u64,
    pub(super) now: Timestamp,
    /// Items that may be stored, by index.
    pub(super) items: Vec<(u64, Ready)>,
    /// Items that can never be stored, by index.
    pub(super) refused: Vec<(u64, Error)>,
}

/// An item that may be stored.
pub(super) enum Ready {
    Draft(Box<Prepared>),
    Record(Box<MemoryRecord>),
}

impl PreparedImport {
    pub(super) fn new(app: &App, first: u64, items: Vec<Result<ImportItem>>) -> Self {
        let now = app.clock.now();
        let limits = app.defaults.draft_limits;
        let mut prepared =
            Self { first, len: items.len() as u64, now, items: Vec::with_capacity(items.len()), refused: Vec::new() };
        for (index, item) in (first..).zip(items) {
            let ready = item.and_then(|item| match item {
                ImportItem::Draft(mut draft) => {
                    let masked = mask_secrets(&mut draft, &app.defaults);
                    let draft = draft.normalized("item.draft", limits)?;
                    let id = MemoryId(app.ids.new_id(now));
                    let prepared = Prepared::new(draft, id, now, app.caller.as_deref());
                    Ok(Ready::Draft(Box::new(prepared.noting(masked))))
                }
                ImportItem::Record(record) => {
                    record.checked("item.record", limits, now).map(|record| Ready::Record(Box::new(record)))
                }
            });
            match ready {
                Ok(ready) => prepared.items.push((index, ready)),
                Err(error) => prepared.refused.push((index, error)),
            }
        }
        prepared
    }
}

impl Ready {
    /// When it was said or written, as far as is known.
    pub(super) fn said_at(&self) -> Option<Timestamp> {
        match self {
            Self::Draft(prepared) => prepared.memory.draft.occurred_at,
            Self::Record(record) => record.memory.draft.occurred_at.or(Some(record.memory.created_at)),
        }
    }

    /// Returns the id of a record, which may exist already; `None` for a draft.
    pub(super) fn id_of_record(&self) -> Option<MemoryId> {
        match self {
            Self::Draft(_) => None,
            Self::Record(record) => Some(record.memory.id),
        }
    }

    pub(super) fn state(&self) -> MemoryState {
        match self {
            Self::Draft(_) => MemoryState::Active,
            Self::Record(record) => record.memory.state,
        }
    }

    pub(super) fn tier(&self) -> Tier {
        match self {
            Self::Draft(prepared) => prepared.memory.draft.tier,
            Self::Record(record) => record.memory.draft.tier,
        }
    }

    pub(super) fn size_bytes(&self) -> u64 {
        match self {
            Self::Draft(prepared) => prepared.memory.size_bytes,
            Self::Record(record) => record.memory.size_bytes,
        }
    }

    /// Returns the bytes of the versions that come with it.
    pub(super) fn version_bytes(&self) -> u64 {
        match self {
            Self::Draft(_) => 0,
            Self::Record(record) => record.past.versions.iter().map(|version| version.bytes).sum(),
        }
    }

    /// Reports whether secrets were masked in it.
    pub(super) fn is_masked(&self) -> bool {
        matches!(self, Self::Draft(prepared) if prepared.masked)
    }

    /// Returns its original draft.
    pub(super) fn draft(&self) -> &MemoryDraft {
        match self {
            Self::Draft(prepared) => &prepared.memory.draft,
            Self::Record(record) => &record.memory.draft,
        }
    }

    /// Returns the record to store, under the consent record that covers it.
    pub(super) fn record(&self, scorer: &mut Scorer, covering: &Covering) -> Result<MemoryRecord> {
        match self {
            Self::Draft(prepared) => {
                let draft = covering.covered(prepared.memory.draft.clone(), "item.draft")?;
                Ok(prepared.scored(scorer, draft).into_record())
            }
            Self::Record(record) => {
                let memory = covering.covered_again(record.memory.clone(), "item.record")?;
                Ok(MemoryRecord { memory, ..(**record).clone() })
            }
        }
    }
}
