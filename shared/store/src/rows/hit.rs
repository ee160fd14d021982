//! Hits of a search, and the further columns that are cached of each memory.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::ports::{LexicalHit, SessionSpot};

use super::{ReadRow, traits};
use crate::codes::from_code;
use crate::columns::{Entry, Further};
use crate::corrupt;

/// The columns of `memories m` that [`hit`] reads.
pub(crate) const HIT_COLUMNS: &str = "m.seq, m.session, m.position, m.speaker, \
     coalesce(m.occurred_at, m.created_at), m.created_at, m.traits, m.words, m.score, m.tier, \
     m.stale_since IS NOT NULL";

/// Reads a hit from [`HIT_COLUMNS`].
pub(crate) fn hit<'r>(c: &mut impl ReadRow<'r>, bm25: f64) -> Result<LexicalHit> {
    let (seq, session, position) = (Seq(c.int()?), c.opt_int()?, c.opt_int()?);
    Ok(LexicalHit {
        seq,
        bm25,
        spot: session.zip(position).map(|(session, position)| SessionSpot { session, position }),
        speaker: c.opt_int()?,
        occurred_at: c.time()?,
        created_at: c.time()?,
        traits: traits(c.int()?, c.int()?),
        score: c.real()?,
        tier: from_code(c.int()?)?,
        stale: c.flag()?,
    })
}

/// Reads an entry of the cache from [`HIT_COLUMNS`], then state, sensitivity, source, scope, withheld flag and kind in
/// one number, then the namespace, then start and end of validity.
pub(crate) fn entry<'r>(c: &mut impl ReadRow<'r>) -> Result<Entry> {
    let hit = hit(c, 0.0)?;
    let (more, namespace, valid_from, valid_to) = (c.int()?, c.int()?, c.opt_int()?, c.opt_int()?);
    let further = Further { more, namespace, valid_from, valid_to };
    Entry::new(&hit, further).ok_or_else(|| corrupt("a number of a memory is out of bounds"))
}

/// Reads the name and number of a namespace.
pub(crate) fn namespace<'r>(c: &mut impl ReadRow<'r>) -> Result<(String, u32)> {
    let (name, no) = (c.text()?, c.int()?);
    let no = u32::try_from(no).map_err(|_| corrupt("the number of a namespace is out of bounds"))?;
    Ok((name, no))
}
