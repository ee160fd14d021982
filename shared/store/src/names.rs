//! Names of records: what a page of them is made of, on any backend, and which are to be free.
//!
//! A name that is not sealed is found by its bytes, and lies in their order. One that is sealed is found by keyed hashes, which
//! have no order: for a page all of them are opened.

use std::collections::HashSet;

use kimberly_core::error::{Error, Result};
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{Memory, MemoryState};
use kimberly_core::ports::{Named, NamesQuery};
use kimberly_crypto::SEALED_OVERHEAD;

use crate::codes::from_code;
use crate::filter::behind;
use crate::places::Place;
use crate::rows::{ReadRow, opened};
use crate::sealed::Seals;
use crate::tables::memories::NAME;

/// What [`named`] reads of `memories m`.
pub(crate) fn columns() -> String {
    format!(
        "m.seq, m.id, m.tier, m.sensitive, m.updated_at, m.revision, \
         coalesce(octet_length(m.sealed_content) - {SEALED_OVERHEAD}, octet_length(m.content)), m.name, m.sealed_name"
    )
}

/// An active record with its name, from [`columns`].
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

/// The bytes from which on and before which the names that are asked for lie, if they are not sealed: the first is excluded, and
/// without it, or the last, there is no such end.
pub(crate) fn range(query: &NamesQuery) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    let after = Some(&query.after).filter(|after| !after.is_empty()).map(|after| after.clone().into_bytes());
    let end = Some(&query.prefix).filter(|prefix| !prefix.is_empty()).map(|prefix| behind(prefix));
    (after, end)
}

/// A page of names that are not sealed, and of all that are.
pub(crate) fn page(mut plain: Vec<Named>, sealed: Vec<Named>, query: &NamesQuery) -> Vec<Named> {
    plain.extend(sealed.into_iter().filter(|one| one.name.starts_with(&query.prefix) && one.name > query.after));
    plain.sort_by(|one, next| one.name.cmp(&next.name));
    plain.truncate(query.limit);
    plain
}

/// A name that must be free, but for the record of this number: it, and the number of its namespace.
pub(crate) struct Wanted<'a> {
    pub(crate) namespace: i64,
    pub(crate) name: &'a str,
    pub(crate) but: i64,
}

/// The names of those that are active. Fails if two of them have one.
pub(crate) fn wanted<'a>(memories: impl Iterator<Item = (&'a Memory, &'a Place, i64)>) -> Result<Vec<Wanted<'a>>> {
    let mut taken = HashSet::new();
    let mut wanted = Vec::new();
    for (memory, place, but) in memories.filter(|(memory, ..)| memory.state == MemoryState::Active) {
        let Some(name) = memory.draft.name.as_deref() else { continue };
        if !taken.insert((place.namespace, name)) {
            return Err(Error::NameTaken);
        }
        wanted.push(Wanted { namespace: place.namespace, name, but });
    }
    Ok(wanted)
}
