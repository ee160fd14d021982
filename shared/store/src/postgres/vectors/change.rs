//! One write to an index: replaces the items of subjects, removes others and notes revisions, in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use kimberly_core::embedding::{EmbeddedItem, ModelKey, Quantized, VectorSubject};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::IndexChange;

use super::index::{self, Answering, Index, Which};
use super::subjects;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};

/// Vectors per INSERT.
const BATCH: usize = 500;

const MAKE_USER: &str = "INSERT INTO vector_users (user_id) VALUES ($1) \
     ON CONFLICT (user_id) DO UPDATE SET user_id = excluded.user_id RETURNING active, building";
const MAKE_INDEX: &str = "INSERT INTO vector_indices AS new (user_id, no, model, dimension) \
     SELECT v.user_id, (SELECT coalesce(max(no), 0) + 1 FROM vector_indices WHERE user_id = $1), $2, $3 \
     FROM vaults v WHERE v.user_id = $1 RETURNING new.no";
const REMOVE: &str = "WITH gone AS (DELETE FROM vectors WHERE user_id = $1 AND no = $2 AND subject = ANY($3::bytea[]) \
         RETURNING chunk) SELECT count(*), count(*) FILTER (WHERE chunk = 0) FROM gone";
const INSERT: &str = "INSERT INTO vectors \
         (user_id, no, subject, chunk, revision, fingerprint, graph, inverse_length, direction) \
     SELECT v.user_id, $2, subject, chunk, revision, fingerprint, \
         CASE WHEN subject < '\\x01'::bytea THEN $3::bigint END, inverse_length, direction::halfvec \
     FROM vaults v CROSS JOIN unnest($4::bytea[], $5::bigint[], $6::bigint[], $7::bigint[], $8::real[], $9::text[]) \
         AS new (subject, chunk, revision, fingerprint, inverse_length, direction) WHERE v.user_id = $1";
const NOTE: &str = "UPDATE vectors v SET revision = new.revision \
     FROM unnest($3::bytea[], $4::bigint[]) AS new (subject, revision) \
     WHERE v.user_id = $1 AND v.no = $2 AND v.subject = new.subject AND v.revision <> new.revision";
const COUNT: &str = "UPDATE vector_indices SET items = items + $3, vectors = vectors + $4, \
         in_sync_at = coalesce($5, in_sync_at) WHERE user_id = $1 AND no = $2";
const BUILD: &str = "UPDATE vector_users SET building = $2 WHERE user_id = $1";

/// A change whose vectors were checked and quantized.
pub(super) struct Change<'c> {
    model: &'c ModelKey,
    asked: &'c IndexChange,
    vectors: Vec<Vec<Quantized>>,
}

/// A row to insert.
struct Row<'r> {
    item: &'r EmbeddedItem,
    chunk: i64,
    vector: &'r Quantized,
}

impl<'r> Row<'r> {
    /// Returns the rows of an item.
    fn all(item: &'r EmbeddedItem, vectors: &'r [Quantized]) -> impl Iterator<Item = Self> {
        (0..).zip(vectors).map(move |(chunk, vector)| Self { item, chunk, vector })
    }
}

impl<'c> Change<'c> {
    /// Checks the change; an error names the item and what is allowed.
    pub(super) fn new(model: &'c ModelKey, asked: &'c IndexChange) -> Result<Self> {
        let quantized = |(index, item)| Quantized::of_item(model, index, item);
        let vectors = asked.put.iter().enumerate().map(quantized).collect::<Result<_>>()?;
        Ok(Self { model, asked, vectors })
    }

    /// Applies the change; returns the resulting index.
    pub(super) async fn apply(&self, conn: &mut Conn) -> Result<Index> {
        let answering = held(conn).await?;
        let mut index = match index::find(conn, Which::Of(self.model)).await? {
            Some(index) => index,
            None => make(conn, self.model).await?,
        };
        let (gone_vectors, gone_items) = self.remove(conn, &index).await?;
        let (new_vectors, new_items) = self.insert(conn, &index).await?;
        self.note(conn, &index).await?;
        let (items, vectors) = (new_items - gone_items, new_vectors - gone_vectors);
        let args = conn.args().with(index.no).with(items).with(vectors);
        let args = args.with(self.asked.in_sync_at.map(u64::cast_signed));
        if items != 0 || vectors != 0 || self.asked.in_sync_at.is_some() {
            conn.run("counting vectors", COUNT, args).await?;
        }
        index.vectors = index.vectors.saturating_add_signed(vectors);
        index.items = index.items.saturating_add_signed(items);
        stand_beside(conn, &answering, self.model).await?;
        Ok(index)
    }

    /// Returns the rows to insert: those of the last item of each subject, unless the subject is removed.
    fn rows(&self) -> Vec<Row<'_>> {
        let gone: BTreeSet<&VectorSubject> = self.asked.gone.iter().collect();
        let items = self.asked.put.iter().zip(&self.vectors).map(|both| (both.0.subject, both));
        let last: BTreeMap<_, _> = items.filter(|(subject, _)| !gone.contains(subject)).collect();
        last.into_values().flat_map(|(item, vectors)| Row::all(item, vectors)).collect()
    }

    /// Removes the subjects to delete or replace; returns the numbers of vectors and items removed.
    async fn remove(&self, conn: &mut Conn, index: &Index) -> Result<(i64, i64)> {
        let put = self.asked.put.iter().map(|item| item.subject);
        let touched: BTreeSet<VectorSubject> = put.chain(self.asked.gone.iter().copied()).collect();
        if touched.is_empty() {
            return Ok((0, 0));
        }
        let args = conn.args().with(index.no).with(touched.iter().map(subjects::encode).collect::<Vec<_>>());
        let counts = |row: &_| {
            let c = &mut Cells::new(row);
            Ok((c.int()?, c.int()?))
        };
        Ok(conn.row("removing vectors", REMOVE, args, counts).await?.unwrap_or_default())
    }

    async fn insert(&self, conn: &mut Conn, index: &Index) -> Result<(i64, i64)> {
        let rows = self.rows();
        for batch in rows.chunks(BATCH) {
            insert(conn, index, batch).await?;
        }
        let items = rows.iter().filter(|row| row.chunk == 0).count();
        Ok((i64::try_from(rows.len()).unwrap_or(i64::MAX), i64::try_from(items).unwrap_or(i64::MAX)))
    }

    /// Notes the revisions of subjects whose texts are unchanged.
    async fn note(&self, conn: &mut Conn, index: &Index) -> Result<()> {
        let last: BTreeMap<VectorSubject, u64> = self.asked.unchanged.iter().copied().collect();
        if last.is_empty() {
            return Ok(());
        }
        let subjects: Vec<Vec<u8>> = last.keys().map(subjects::encode).collect();
        let revisions: Vec<i64> = last.values().map(|revision| revision.cast_signed()).collect();
        let args = conn.args().with(index.no).with(subjects).with(revisions);
        conn.run("recording revisions of vectors", NOTE, args).await.map(drop)
    }
}

async fn insert(conn: &mut Conn, index: &Index, rows: &[Row<'_>]) -> Result<()> {
    let ints = |of: &dyn Fn(&Row<'_>) -> i64| rows.iter().map(of).collect::<Vec<_>>();
    let args = conn
        .args()
        .with(index.no)
        .with(index.graph)
        .with(rows.iter().map(|row| subjects::encode(&row.item.subject)).collect::<Vec<_>>())
        .with(ints(&|row| row.chunk))
        .with(ints(&|row| row.item.revision.cast_signed()))
        .with(ints(&|row| row.item.fingerprint.cast_signed()))
        .with(rows.iter().map(|row| row.vector.inverse_length).collect::<Vec<_>>())
        .with(rows.iter().map(|row| literal(&row.vector.components)).collect::<Vec<_>>());
    conn.run("inserting vectors", INSERT, args).await.map(drop)
}

/// Formats components as Postgres expects them.
fn literal(components: &[i8]) -> String {
    let numbers: Vec<String> = components.iter().map(i8::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// Waits for other writers of the user's vectors; fails if there is no vault.
async fn held(conn: &mut Conn) -> Result<Answering> {
    let locked = index::lock(conn).await?;
    match locked.vault {
        None => return Err(Error::Purging),
        Some(false) => {
            let detail = "there is no vault, so no vectors were written";
            return Err(Error::storage(StorageFailure::Unavailable, detail));
        }
        Some(true) => {}
    }
    if let Some(answering) = locked.answering {
        return Ok(answering);
    }
    let args = conn.args();
    Ok(conn.row("locking vectors", MAKE_USER, args, index::answering).await?.unwrap_or_default())
}

/// Creates an empty index.
async fn make(conn: &mut Conn, model: &ModelKey) -> Result<Index> {
    let args = conn.args().with(model.slug()).with(i64::from(model.dimension()));
    let no = conn.row("creating an index of vectors", MAKE_INDEX, args, |row| Cells::new(row).int()).await?;
    let (no, model) = (no.unwrap_or_default(), model.clone());
    Ok(Index { model, no, items: 0, vectors: 0, in_sync_at: None, graph: None, graph_is_ready: false })
}

/// Lets an index answer beside the active one, unless it is the active one.
async fn stand_beside(conn: &mut Conn, answering: &Answering, model: &ModelKey) -> Result<()> {
    let slug = model.slug();
    let is_other = answering.active.as_ref().is_some_and(|active| *active != slug);
    if is_other && answering.building.as_ref() != Some(&slug) {
        let args = conn.args().with(slug);
        conn.run("activating an index of vectors", BUILD, args).await?;
    }
    Ok(())
}
