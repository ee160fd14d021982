//! Traits that other rules derived.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::text::TextTraits;

use super::{ReadRow, opened};
use crate::sealed::Seals;
use crate::tables::memories::CONTENT;

/// What [`derived_traits`] reads, but for the number of the rules that hold. `traits` has its rules in the upper four of eight bits.
pub(crate) const OF_OTHER_RULES: &str = "SELECT seq, id, content, sealed_content FROM memories WHERE traits >> 4 <> ";

/// A memory's traits by the rules that hold.
pub(crate) fn derived_traits<'r>(c: &mut impl ReadRow<'r>, seals: Option<&Seals>) -> Result<(Seq, TextTraits)> {
    let (seq, id, plain) = (Seq(c.int()?), MemoryId(c.uuid()?), c.str()?);
    let sealed = c.opt_bytes()?.map(|sealed| opened(seals, id, CONTENT, sealed)).transpose()?;
    Ok((seq, TextTraits::of(sealed.as_deref().unwrap_or(plain))))
}
