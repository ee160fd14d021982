//! Pages of record names on any backend, and the uniqueness of names.
//!
//! A plain name is found by its bytes and sorted by them. A sealed name is found by keyed hashes, which have no order,
//! so a page opens all sealed names.

use std::collections::HashSet;

use kimberly_core::error::{Error, Result};
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{Memory, MemoryState};
use kimberly_core::ports::{Named, NamesQuery};
use kimberly_crypto::SEALED_OVERHEAD;

use crate::codes::from_code;
use crate::filter::behind;
use crate::name_refs::NameRefs;
use crate::rows::{ReadRow, opened};
use crate::sealed::Seals;
use crate::tables::memories::NAME;

/// The columns of `memories m` that [`named`] reads.
pub(crate) fn columns() -> String {
    format!(
        "m.seq, m.id, m.tier, m.sensitive, m.updated_at, m.revision, \
         coalesce(octet_length(m.sealed_content) - {SEALED_OVERHEAD}, octet_length(m.content)), m.name, m.sealed_name"
    )
}

/// Reads an active record with its name from [`columns`].
pub(crate) fn named(c: &mut dyn ReadRow<'_>, seals: Option<&Seals>) -> Result<Named> {
    let (seq, id) = (Seq(c.int()?), MemoryId(c.uuid()?));
    let (tier, sensitive) = (from_code(c.int()?)?, c.flag()?);
    let (updated_at, revision, content_bytes) = (c.time()?, c.count()?, c.count()?);
    let (plain, sealed) = (c.opt_text()?, c.opt_bytes()?);
    let name = match sealed {
        Some(sealed) => opened(seals, id, NAME, sealed)?,
        None => plain.unwrap_or_default(),
    };
    Ok(Named { name, id, seq, tier, sensitive, content_bytes, updated_at, revision })
}

/// Returns the bounds of the plain names of a page: exclusive lower and exclusive upper. `None` means unbounded.
pub(crate) fn range(query: &NamesQuery) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    let after = Some(&query.after).filter(|after| !after.is_empty()).map(|after| after.clone().into_bytes());
    let end = Some(&query.prefix).filter(|prefix| !prefix.is_empty()).map(|prefix| behind(prefix));
    (after, end)
}

/// Merges a page of plain names with all sealed names.
pub(crate) fn page(mut plain: Vec<Named>, sealed: Vec<Named>, query: &NamesQuery) -> Vec<Named> {
    plain.extend(sealed.into_iter().filter(|one| one.name.starts_with(&query.prefix) && one.name > query.after));
    plain.sort_by(|one, next| one.name.cmp(&next.name));
    plain.truncate(query.limit);
    plain
}

/// A name that must be unique in its namespace, ignoring the record with the number `but`.
pub(crate) struct Wanted<'a> {
    pub(crate) namespace: i64,
    pub(crate) name: &'a str,
    pub(crate) but: i64,
}

/// Returns the names of the active ones among these memories. Fails if two of them share a name.
pub(crate) fn wanted<'a>(memories: impl Iterator<Item = (&'a Memory, &'a NameRefs, i64)>) -> Result<Vec<Wanted<'a>>> {
    let mut taken = HashSet::new();
    let mut wanted = Vec::new();
    for (memory, refs, but) in memories.filter(|(memory, ..)| memory.state == MemoryState::Active) {
        let Some(name) = memory.draft.name.as_deref() else { continue };
        if !taken.insert((refs.namespace, name)) {
            return Err(Error::NameTaken);
        }
        wanted.push(Wanted { namespace: refs.namespace, name, but });
    }
    Ok(wanted)
}
