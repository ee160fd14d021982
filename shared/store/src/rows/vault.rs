//! Values of a vault: settings, consents, counters.

use std::collections::BTreeMap;

use kimberly_core::consent::ConsentRecord;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::memory::{MemoryState, Tier};
use kimberly_core::ports::Touch;
use kimberly_core::settings::StoredSettings;
use kimberly_core::usage::{Count, Usage};

use super::{ReadRow, WriteRow};
use crate::codes::unsigned;
use crate::{corrupt, slots};

/// Reads settings from their JSON and their revision.
pub(crate) fn stored_settings<'r>(c: &mut impl ReadRow<'r>) -> Result<StoredSettings> {
    let parsed = c.opt_str()?.map(serde_json::from_str).transpose();
    let settings = parsed.map_err(|_| corrupt("the settings are not readable"))?.unwrap_or_default();
    Ok(StoredSettings { settings, revision: c.count()? })
}

/// Adds id, times and JSON of a record of consent.
pub(crate) fn push_consent(args: &mut impl WriteRow, record: &ConsentRecord) -> Result<()> {
    let body = serde_json::to_string(record).map_err(|e| {
        Error::storage(StorageFailure::Defect, format!("a record of consent cannot be written as JSON: {e}"))
    })?;
    args.put_uuid(record.id.0);
    args.put_int(record.granted_at.0);
    args.put_opt_int(record.draft.expires_at.map(|at| at.0));
    args.put_opt_int(record.retracted_at.map(|at| at.0));
    args.put_text(body);
    Ok(())
}

/// Returns a vault's usage with its memories counted again.
pub(crate) fn recounted(counted: &Usage, counts: Vec<(Tier, MemoryState, Count)>) -> Usage {
    let mut usage =
        Usage { created: counted.created, deleted: counted.deleted, archived: counted.archived, ..Usage::default() };
    for (tier, state, count) in counts {
        *usage.count_mut(tier, state) = count;
    }
    usage
}

/// Returns the slots whose counts differ, and what to add to their items and bytes.
pub(crate) fn corrections(stored: &Usage, counted: &Usage) -> Vec<(usize, i64, i64)> {
    let slots = Tier::ALL.iter().flat_map(|tier| MemoryState::ALL.iter().map(move |state| (*tier, *state)));
    let differences = slots.map(|(tier, state)| {
        let (from, to) = (stored.count(tier, state), counted.count(tier, state));
        let more = |to: u64, from: u64| to.cast_signed().saturating_sub(from.cast_signed());
        (slots::of(tier, state), more(to.items, from.items), more(to.bytes, from.bytes))
    });
    differences.filter(|(_, items, bytes)| (*items, *bytes) != (0, 0)).collect()
}

/// Returns times and last time by memory: an UPDATE that finds two rows for one memory applies only one of them.
pub(crate) fn summed(touches: &[Touch]) -> BTreeMap<i64, (i64, i64)> {
    let mut sums: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for touch in touches {
        let sum = sums.entry(touch.seq.0).or_insert((0, i64::MIN));
        sum.0 = sum.0.saturating_add(unsigned(touch.times));
        sum.1 = sum.1.max(touch.at.0);
    }
    sums
}
