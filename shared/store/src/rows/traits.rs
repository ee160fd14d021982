//! Traits derived by another version of the rules.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::text::TextTraits;

use super::{ReadRow, opened};
use crate::sealed::Seals;
use crate::tables::memories::CONTENT;

/// The query that [`derived_traits`] reads, to be completed with the current version of the rules. The upper four of
/// the eight bits of `traits` are the version.
pub(crate) const OF_OTHER_RULES: &str = "SELECT seq, id, content, sealed_content FROM memories WHERE traits >> 4 <> ";

/// Derives a memory's traits by the current rules.
pub(crate) fn derived_traits<'r>(c: &mut impl ReadRow<'r>, seals: Option<&Seals>) -> Result<(Seq, TextTraits)> {
    let (seq, id, plain) = (Seq(c.int()?), MemoryId(c.uuid()?), c.str()?);
    let sealed = c.opt_bytes()?.map(|sealed| opened(seals, id, CONTENT, sealed)).transpose()?;
    Ok((seq, TextTraits::of(sealed.as_deref().unwrap_or(plain))))
}
