//! Packs many hits into one value. A row of eleven columns costs more on its way through sqlx than the query that finds
//! it; the same numbers in one text cost almost nothing.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::memory::Tier;
use kimberly_core::ports::{LexicalHit, SessionSpot};

use super::errors;
use super::rows::{from_code, traits};
use crate::columns::{Entry, Further};

/// Units per 1 of BM25, which is transferred as an integer.
const BM25_UNITS: f64 = 1e15;
/// 2^53: multiplication by it is exact.
const UNIT: f64 = 9_007_199_254_740_992.0;

/// SQL expression for one row of [`hits`] on `memories m`; `bm25` is an expression for BM25 in integer units.
pub(crate) fn row(bm25: &str) -> String {
    // The score as two integers, its first and next 53 bits, so that it is transferred exactly.
    format!(
        "m.seq || ',' || {bm25} || ',' || coalesce(m.session, '') || ',' || coalesce(m.position, '') || \
         ',' || coalesce(m.speaker, '') || ',' || coalesce(m.occurred_at, m.created_at) || ',' || m.created_at || \
         ',' || m.traits || ',' || m.words || ',' || CAST(m.score * 9007199254740992.0 AS INTEGER) || ',' || \
         CAST((m.score * 9007199254740992.0 - CAST(m.score * 9007199254740992.0 AS INTEGER)) * 9007199254740992.0 \
         AS INTEGER) || ',' || (m.tier + (m.stale_since IS NOT NULL) * 8)"
    )
}

/// Packs the rows of `query`, whose only column must be named `hit`. `query` must end with a LIMIT: otherwise SQLite
/// would merge it into the aggregate, where BM25 cannot be computed.
pub(crate) fn pack(query: &str) -> String {
    format!("SELECT group_concat(hit, ';') FROM ({query})")
}

/// BM25 of the current row of `search` in integer units.
pub(crate) const BM25: &str = "CAST(-1e15 * bm25(search) AS INTEGER)";
/// Placeholder for hits without BM25.
pub(crate) const NO_BM25: &str = "0";

/// Columns that follow a [`row`] for [`entries`]: state, sensitivity, source, scope, withheld flag and kind in one
/// number, then the namespace, then start and end of validity.
pub(crate) const MORE: &str = "(m.state + m.sensitive * 4 + m.source * 8 + m.scope * 32 + (m.withheld > 0) * 128 + \
     coalesce(m.kind, 0) * 256) || \
     ',' || m.namespace || ',' || coalesce(m.valid_from, '') || ',' || coalesce(m.valid_to, '')";

/// Decodes numbers of memories with their BM25, packed by [`pack`] from `rowid || ',' || BM25`.
#[expect(clippy::cast_precision_loss, reason = "BM25 needs no more digits")]
pub(crate) fn scored(packed: &str) -> Result<Vec<(i64, f64)>> {
    Ok(pairs(packed)?.into_iter().map(|(seq, bm25)| (seq, bm25 as f64 / BM25_UNITS)).collect())
}

/// Decodes rows followed by [`MORE`].
pub(crate) fn entries(packed: &str) -> Result<Vec<Entry>> {
    let bad = || errors::corrupt("a packed row is not readable");
    let entry = |row: &str| {
        let mut from_behind = row.rsplitn(5, ',');
        let mut optional = || {
            let field = from_behind.next().ok_or_else(bad)?;
            if field.is_empty() { Ok(None) } else { field.parse().map(Some).map_err(|_| bad()) }
        };
        let (valid_to, valid_from) = (optional()?, optional()?);
        let (namespace, more) = (optional()?.ok_or_else(bad)?, optional()?.ok_or_else(bad)?);
        let packed = from_behind.next().ok_or_else(bad)?;
        Entry::new(&hit(packed)?, Further { more, namespace, valid_from, valid_to }).ok_or_else(bad)
    };
    packed.split(';').filter(|row| !row.is_empty()).map(entry).collect()
}

/// Decodes the result of [`pack`].
pub(crate) fn hits(packed: &str) -> Result<Vec<LexicalHit>> {
    packed.split(';').filter(|row| !row.is_empty()).map(hit).collect()
}

#[expect(clippy::cast_precision_loss, reason = "halves of a score are below 2^53; BM25 needs no more digits")]
fn hit(row: &str) -> Result<LexicalHit> {
    let mut fields = row.split(',').map(|field| field.parse::<i64>().ok());
    let mut optional = || fields.next().ok_or_else(|| errors::corrupt("a packed row is too short"));
    let mut number = || optional()?.ok_or_else(|| errors::corrupt("a packed row holds no number"));
    let (seq, bm25) = (Seq(number()?), number()? as f64 / BM25_UNITS);
    let (session, position, speaker) = (optional()?, optional()?, optional()?);
    let mut number = || optional()?.ok_or_else(|| errors::corrupt("a packed row holds no number"));
    let mut hit = LexicalHit {
        seq,
        bm25,
        spot: session.zip(position).map(|(session, position)| SessionSpot { session, position }),
        speaker,
        occurred_at: Timestamp(number()?),
        created_at: Timestamp(number()?),
        traits: traits(number()?, number()?),
        score: number()? as f64 / UNIT + number()? as f64 / UNIT / UNIT,
        tier: Tier::default(),
        stale: false,
    };
    let tier_and_stale = number()?;
    (hit.tier, hit.stale) = (from_code(tier_and_stale & 7)?, tier_and_stale >> 3 != 0);
    Ok(hit)
}

/// Decodes pairs of integers: `a,b;a,b`.
pub(crate) fn pairs(packed: &str) -> Result<Vec<(i64, i64)>> {
    let bad = || errors::corrupt("a packed pair is not readable");
    packed
        .split(';')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (a, b) = pair.split_once(',').ok_or_else(bad)?;
            Ok((a.parse().map_err(|_| bad())?, b.parse().map_err(|_| bad())?))
        })
        .collect()
}
