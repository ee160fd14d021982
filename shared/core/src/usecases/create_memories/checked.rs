//! Checks drafts before the vault is read.

use crate::bounds::{MAX_BATCH, MAX_BATCH_BYTES};
use crate::error::{Error, Result};
use crate::memory::MemoryDraft;
use crate::settings::ServerDefaults;

pub(super) fn check_batch(drafts: &[MemoryDraft]) -> Result<()> {
    if drafts.is_empty() || drafts.len() > MAX_BATCH {
        let problem = format!("has {} entries; 1-{MAX_BATCH} are allowed", drafts.len());
        return Err(Error::invalid("memories", problem));
    }
    let bytes = |draft: &MemoryDraft| {
        let detail = draft.detail.as_ref().map_or(0, |detail| detail.to_json().len());
        draft.content.len() + draft.attributes.as_ref().map_or(0, String::len) + detail
    };
    let bytes: usize = drafts.iter().map(bytes).sum();
    if drafts.len() > 1 && bytes > MAX_BATCH_BYTES {
        let problem =
            format!("have {bytes} bytes in all; at most {MAX_BATCH_BYTES} are allowed: send them in several batches");
        return Err(Error::invalid("memories", problem));
    }
    Ok(())
}

/// Returns the path of a draft in the request.
pub(super) fn path(batch: bool, index: usize) -> String {
    if batch { format!("memories[{index}]") } else { "memory".to_owned() }
}

/// Normalizes every draft; reports the violations of all of them.
pub(super) fn normalized(drafts: Vec<MemoryDraft>, batch: bool, defaults: &ServerDefaults) -> Result<Vec<MemoryDraft>> {
    let (mut good, mut violations) = (Vec::with_capacity(drafts.len()), Vec::new());
    for (index, draft) in drafts.into_iter().enumerate() {
        let path = path(batch, index);
        let checked = draft.normalized(&path, defaults.draft_limits);
        match checked.and_then(|draft| draft.refuse_concluded(&path).map(|()| draft)) {
            Ok(draft) => good.push(draft),
            Err(Error::Invalid(found)) => violations.extend(found),
            Err(other) => return Err(other),
        }
    }
    if violations.is_empty() { Ok(good) } else { Err(Error::Invalid(violations)) }
}
