//! Notes what was forgotten, and leaves it out when it is sent again.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use uuid::Uuid;

use crate::context::Digest;
use crate::conversation::sent_digest;
use crate::error::Result;
use crate::memory::{Detail, MemoryDraft};
use crate::ports::{Ids, VaultReader, VaultTransaction};
use crate::statements::{Forgotten, Part, Recognizer, VaultKey, says_nothing, without};
use crate::tables::{TableRow as _, delete, find, put};
use crate::time::Timestamp;

/// Digests per query.
const AT_ONCE: usize = 512;

/// What is left of something that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::usecases) enum Rest {
    /// Nothing: all of it was forgotten, the last of it at this time.
    Nothing(Timestamp),
    /// A text with filler in place of what was forgotten.
    Text(String),
}

/// A draft that was sent, and when it was said as far as is known.
pub(in crate::usecases) struct Sent<'d> {
    pub(in crate::usecases) draft: &'d MemoryDraft,
    pub(in crate::usecases) at: Option<Timestamp>,
    /// Whether something without a time is from before, in any session.
    pub(in crate::usecases) is_import: bool,
}

/// Returns what makes the vault's digests; `None` before the first is made.
pub(in crate::usecases) async fn recognizer(reader: &mut dyn VaultReader) -> Result<Option<Recognizer>> {
    let key = find::<VaultKey>(reader, &VaultKey::query().at_most(1)).await?.pop();
    Ok(key.as_ref().map(Recognizer::new))
}

/// Returns what makes the vault's digests, with a new key if it has none.
pub(in crate::usecases) async fn made(
    tx: &mut dyn VaultTransaction,
    ids: &dyn Ids,
    now: Timestamp,
) -> Result<Recognizer> {
    if let Some(known) = recognizer(tx.as_reader()).await? {
        return Ok(known);
    }
    let key = VaultKey { one: ids.new_id(now), other: ids.new_id(now) };
    put(tx, &[key]).await?;
    Ok(Recognizer::new(&key))
}

/// Notes that a memory is forgotten, all of it or the parts that are struck.
pub(in crate::usecases) async fn note(
    tx: &mut dyn VaultTransaction,
    by: &Recognizer,
    (draft, parts): (&MemoryDraft, Option<&[Range<usize>]>),
    at: Timestamp,
) -> Result<()> {
    let session = by.session(draft);
    // A text may say the same twice, and Postgres takes each key once.
    let digests: BTreeSet<Digest> = by.of_gone(draft, parts).into_iter().collect();
    let rows: Vec<Forgotten> = digests.into_iter().map(|digest| Forgotten { digest, session, at }).collect();
    put(tx, &rows).await
}

/// Takes back that a memory, or parts of it, was forgotten.
pub(in crate::usecases) async fn take_back(
    tx: &mut dyn VaultTransaction,
    draft: &MemoryDraft,
    parts: Option<&[Range<usize>]>,
) -> Result<()> {
    let Some(by) = recognizer(tx.as_reader()).await? else { return Ok(()) };
    let digests = by.of_gone(draft, parts);
    for some in digests.chunks(AT_ONCE) {
        let ids = some.iter().map(|digest| Uuid::from_bytes(*digest));
        delete(tx, &Forgotten::query().among(&["digest"], ids)).await?;
    }
    Ok(())
}

/// Returns, by position, what is left of those that were forgotten in part or as a whole.
pub(in crate::usecases) async fn left_of(
    reader: &mut dyn VaultReader,
    by: &Recognizer,
    sent: &[(usize, Sent<'_>)],
) -> Result<HashMap<usize, Rest>> {
    let parts: Vec<Vec<Part>> = sent.iter().map(|(_, one)| by.of_sent(one.draft)).collect();
    let gone = among(reader, parts.iter().flatten().map(|(_, digest)| *digest)).await?;
    let mut left = HashMap::new();
    for ((position, one), parts) in sent.iter().zip(&parts).filter(|_| !gone.is_empty()) {
        let session = by.session(one.draft);
        let counts = |row: &&Forgotten| row.is_meant(one.at, session) || (one.is_import && one.at.is_none());
        let meant = parts.iter().filter_map(|(range, digest)| {
            let at = gone.get(digest)?.iter().filter(counts).map(|row| row.at).max()?;
            Some((range.clone(), at))
        });
        let meant: Vec<(Option<Range<usize>>, Timestamp)> = meant.collect();
        left.extend(rest(one.draft, &meant).map(|rest| (*position, rest)));
    }
    Ok(left)
}

/// Returns the rows with these digests.
async fn among(
    reader: &mut dyn VaultReader,
    digests: impl Iterator<Item = Digest>,
) -> Result<HashMap<Digest, Vec<Forgotten>>> {
    let (all, mut found): (Vec<Digest>, HashMap<Digest, Vec<Forgotten>>) = (digests.collect(), HashMap::new());
    for some in all.chunks(AT_ONCE) {
        let ids = some.iter().map(|digest| Uuid::from_bytes(*digest));
        for row in find::<Forgotten>(reader, &Forgotten::query().among(&["digest"], ids)).await? {
            found.entry(row.digest).or_default().push(row);
        }
    }
    Ok(found)
}

fn rest(draft: &MemoryDraft, meant: &[(Option<Range<usize>>, Timestamp)]) -> Option<Rest> {
    let last = meant.iter().map(|(_, at)| *at).max()?;
    let ranges: Vec<Range<usize>> = meant.iter().filter_map(|(range, _)| range.clone()).collect();
    let is_all = meant.iter().any(|(range, _)| range.is_none()) || says_nothing(&draft.content, &ranges);
    Some(if is_all { Rest::Nothing(last) } else { Rest::Text(without(&draft.content, &widest(&ranges))) })
}

/// Leaves out ranges within others.
fn widest(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let holds =
        |one: &Range<usize>, other: &Range<usize>| one != other && one.start <= other.start && other.end <= one.end;
    ranges.iter().filter(|range| !ranges.iter().any(|other| holds(other, range))).cloned().collect()
}

/// Notes in a turn that is about to lose text how its message was sent, so that it is known when it is sent again.
pub(in crate::usecases) fn mark_sent(draft: &mut MemoryDraft, by: &Recognizer) {
    let whole = sent_digest(&draft.content);
    if let Some(Detail::Turn(turn)) = &mut draft.detail {
        turn.sent_digest = by.keyed(if turn.sent_digest.is_empty() { &whole } else { &turn.sent_digest });
    }
}

/// Takes that back from a turn that has all its text again.
pub(in crate::usecases) fn unmark_sent(draft: &mut MemoryDraft, by: &Recognizer) {
    let whole = by.keyed(&sent_digest(&draft.content));
    if let Some(Detail::Turn(turn)) = &mut draft.detail
        && turn.sent_digest == whole
    {
        turn.sent_digest.clear();
    }
}
