//! The digests of sentences that were handed out: a bounded table of a vault. A row belongs to the record that says the
//! sentence, and is erased and hidden with it.

use uuid::Uuid;

use super::{Digest, Fingerprints, Taken, sentences};
use crate::bounds::MAX_HANDED_OUT;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::ports::{VaultReader, VaultTransaction};
use crate::tables::{self, Cells, Column, Condition, Row, Table, TableRow};
use crate::time::{Span, Timestamp};

/// A sentence is recorded again only after this time.
const RENEWED_AFTER: Span = Span::days(1);
/// Maximum sentences of a context that are recorded.
const MOST: usize = 2_000;
/// Digests per query.
const AT_ONCE: usize = 512;
/// The table is trimmed once it exceeds its bound by this many rows.
const SLACK: usize = 256;

/// A sentence of a record that was handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedOut {
    /// The digest of the sentence.
    pub digest: Digest,
    /// The record or goal that says it.
    pub source: Uuid,
    /// The record; `None` for a goal.
    pub memory: Option<MemoryId>,
    /// When it was last handed out, to a day.
    pub at: Timestamp,
}

impl TableRow for HandedOut {
    const TABLE: &'static Table = &Table {
        name: "handed_out",
        keys: 2,
        columns: &[
            Column::id("digest"),
            Column::id("source"),
            Column::memory("memory_id").or_null(),
            Column::int("handed_out_at"),
        ],
        indices: &[&["handed_out_at"]],
    };

    fn to_row(&self) -> Row {
        vec![Uuid::from_bytes(self.digest).into(), self.source.into(), self.memory.into(), self.at.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { digest: c.id()?.into_bytes(), source: c.id()?, memory: c.opt_id()?.map(MemoryId), at: c.time()? })
    }
}

impl HandedOut {
    /// Returns the rows of a context, each sentence once.
    pub fn of(taken: &[Taken], prints: &Fingerprints, at: Timestamp) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for item in taken.iter().map(|taken| &taken.item) {
            let said = sentences(&item.words).into_iter().map(|sentence| prints.of(&sentence));
            all.extend(said.map(|digest| Self { digest, source: item.source, memory: item.memory(), at }));
        }
        all.sort_by_key(|one| (one.digest, one.source));
        all.dedup_by_key(|one| (one.digest, one.source));
        all.truncate(MOST);
        all
    }

    /// Reads the rows of some digests.
    pub async fn among(reader: &mut dyn VaultReader, digests: &[Digest]) -> Result<Vec<Self>> {
        let mut found = Vec::new();
        for piece in digests.chunks(AT_ONCE) {
            let query = Self::query().among(&["digest"], piece.iter().map(|digest| Uuid::from_bytes(*digest)));
            found.extend(tables::find::<Self>(reader, &query).await?);
        }
        Ok(found)
    }

    /// Returns the rows of a context that are not yet stored, or are old enough to be renewed.
    pub async fn unknown(reader: &mut dyn VaultReader, said: &[Self]) -> Result<Vec<Self>> {
        let mut digests: Vec<Digest> = said.iter().map(|one| one.digest).collect();
        digests.dedup();
        let known = Self::among(reader, &digests).await?;
        let is_noted = |one: &&Self| {
            let same = |other: &&Self| (other.digest, other.source) == (one.digest, one.source);
            known.iter().find(same).is_some_and(|other| one.at < other.at.plus(RENEWED_AFTER))
        };
        Ok(said.iter().filter(|one| !is_noted(one)).cloned().collect())
    }

    /// Stores what was handed out. Without room, drops what was handed out longest ago.
    pub async fn note(tx: &mut dyn VaultTransaction, said: &[Self]) -> Result<()> {
        tables::put(tx, said).await?;
        let has = usize::try_from(tables::count(tx.as_reader(), &Self::query()).await?).unwrap_or(usize::MAX);
        if has <= MAX_HANDED_OUT + SLACK {
            return Ok(());
        }
        let oldest = Self::query().by(&["handed_out_at"]).at_most(has - MAX_HANDED_OUT);
        if let Some(last) = tables::find::<Self>(tx.as_reader(), &oldest).await?.last() {
            let end = Timestamp(last.at.0 + 1);
            tables::delete(tx, &Self::query().that(Condition::Before("handed_out_at", end.into()))).await?;
        }
        Ok(())
    }
}
