//! Rules that hold however blocks are written: all of them fit into a prompt, and a read-only block stays.

use crate::access::Caller;
use crate::bounds::MAX_CORE_BYTES;
use crate::core_memory::PREFIX;
use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::memory::{BlockDetail, Detail, MemoryDraft, MemoryFilter};
use crate::ports::{NamesQuery, VaultReader};
use crate::settings::EffectiveSettings;

/// Fails if the write would make the blocks of a namespace exceed their total size. `id` is the record being written.
pub(in crate::usecases) async fn hold_total(
    reader: &mut dyn VaultReader,
    settings: &EffectiveSettings,
    draft: &MemoryDraft,
    id: MemoryId,
) -> Result<()> {
    if !draft.name.as_deref().is_some_and(|name| name.starts_with(PREFIX)) {
        return Ok(());
    }
    let filter = MemoryFilter { namespaces: vec![draft.namespace.clone()], ..MemoryFilter::default() };
    // A block has at least one byte or is of no use to a prompt, so no more blocks than bytes are read.
    let query = NamesQuery { filter, prefix: PREFIX.to_owned(), limit: MAX_CORE_BYTES, ..NamesQuery::default() };
    let others = reader.names(&query).await?;
    let held: u64 = others.iter().filter(|one| one.id != id).map(|one| one.content_bytes).sum();
    let (bytes, most) = (held + draft.content.len() as u64, settings.core_memory.value);
    if bytes > most {
        let left = most.saturating_sub(held);
        let problem = format!(
            "would make all blocks {bytes} bytes; at most {most} are allowed in total, so this block may have {left}"
        );
        return Err(Error::conflict("content", problem));
    }
    Ok(())
}

/// Fails if a write changes a read-only block or removes it (`after` is `None`), unless the same write makes it
/// writable. An agent may not make it writable.
pub(in crate::usecases) fn may_change(
    before: &MemoryDraft,
    after: Option<&MemoryDraft>,
    caller: Option<&Caller>,
) -> Result<()> {
    if !is_read_only(before) {
        return Ok(());
    }
    let same = |after: &MemoryDraft| {
        let held = |draft: &MemoryDraft| (draft.content.clone(), draft.detail.clone(), draft.name.clone());
        held(before) == held(after)
    };
    let is_agent = caller.is_some_and(|caller| caller.agent);
    if after.is_some_and(|after| same(after) || (!is_read_only(after) && !is_agent)) {
        return Ok(());
    }
    let lift = if is_agent { "ask a person to make it writable" } else { "make it writable first" };
    Err(Error::conflict("label", format!("names a block that is read-only; {lift}")))
}

fn is_read_only(draft: &MemoryDraft) -> bool {
    matches!(&draft.detail, Some(Detail::Block(BlockDetail { read_only: true, .. })))
}
