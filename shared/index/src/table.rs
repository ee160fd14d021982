//! The rows of an index during a change: dense, so that removing one moves the last row to its position.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kimberly_core::embedding::{EmbeddedItem, VectorSubject};
use kimberly_core::error::Result;

use crate::block::Meta;
use crate::quantize::Quantized;
use crate::store::Snapshot;

/// Rows with the changes so far.
pub(crate) struct Table<'s, 't> {
    stored: &'s Snapshot<'t>,
    metas: Vec<Meta>,
    rows: HashMap<VectorSubject, Vec<u32>>,
    /// New vectors by row.
    vectors: BTreeMap<u32, Quantized>,
    /// Changed rows, including removed ones.
    changed: BTreeSet<u32>,
    /// Subjects whose rows changed.
    moved: BTreeSet<VectorSubject>,
    /// Number of replaced or removed vectors.
    erased: u64,
}

impl<'s, 't> Table<'s, 't> {
    /// Loads the stored rows.
    pub(crate) fn new(stored: &'s Snapshot<'t>) -> Result<Self> {
        let metas = stored.metas()?;
        let mut rows: HashMap<VectorSubject, Vec<u32>> = HashMap::with_capacity(metas.len());
        for (row, meta) in (0..).zip(&metas) {
            rows.entry(meta.subject).or_default().push(row);
        }
        let (vectors, changed, moved) = Default::default();
        Ok(Self { stored, metas, rows, vectors, changed, moved, erased: 0 })
    }

    /// Replaces an item's vectors.
    pub(crate) fn put(&mut self, item: &EmbeddedItem, vectors: Vec<Quantized>) -> Result<()> {
        let mut old = self.rows.remove(&item.subject).unwrap_or_default();
        self.erased += old.len() as u64;
        self.moved.insert(item.subject);
        let surplus = if old.len() > vectors.len() { old.split_off(vectors.len()) } else { Vec::new() };
        let mut reused = old.into_iter();
        let mut rows = Vec::with_capacity(vectors.len());
        for (chunk, vector) in (0..).zip(vectors) {
            let meta = Meta { subject: item.subject, chunk, revision: item.revision, fingerprint: item.fingerprint };
            let row = reused.next().unwrap_or_else(|| self.count());
            match self.metas.get_mut(row as usize) {
                Some(slot) => *slot = meta,
                None => self.metas.push(meta),
            }
            self.vectors.insert(row, vector);
            self.changed.insert(row);
            rows.push(row);
        }
        self.rows.insert(item.subject, rows);
        self.remove_rows(surplus)
    }

    /// Removes all rows of a subject.
    pub(crate) fn remove(&mut self, subject: &VectorSubject) -> Result<()> {
        let Some(rows) = self.rows.remove(subject) else { return Ok(()) };
        self.erased += rows.len() as u64;
        self.moved.insert(*subject);
        self.remove_rows(rows)
    }

    /// Updates the revision of a subject with unchanged text.
    pub(crate) fn unchanged(&mut self, subject: &VectorSubject, revision: u64) {
        for &row in self.rows.get(subject).into_iter().flatten() {
            if let Some(meta) = self.metas.get_mut(row as usize)
                && meta.revision != revision
            {
                meta.revision = revision;
                self.changed.insert(row);
            }
        }
    }

    /// Removes rows without a subject, the last first, so that none of them is moved.
    fn remove_rows(&mut self, mut rows: Vec<u32>) -> Result<()> {
        rows.sort_unstable();
        for row in rows.into_iter().rev() {
            let last = self.count() - 1;
            if row != last {
                let vector = self.vector(last)?;
                self.vectors.insert(row, vector);
                let moved = self.metas[last as usize];
                self.metas[row as usize] = moved;
                for slot in self.rows.get_mut(&moved.subject).into_iter().flatten().filter(|slot| **slot == last) {
                    *slot = row;
                }
                self.moved.insert(moved.subject);
            }
            self.metas.pop();
            self.vectors.remove(&last);
            self.changed.extend([row, last]);
        }
        Ok(())
    }

    /// The vector of a row.
    pub(crate) fn vector(&self, row: u32) -> Result<Quantized> {
        if let Some(vector) = self.vectors.get(&row) {
            return Ok(vector.clone());
        }
        let (_, components, inverse_length) = self.stored.row(row)?;
        Ok(Quantized { components: components.to_vec(), inverse_length })
    }

    /// The meta of a row; `None` if the row is past the end.
    pub(crate) fn meta(&self, row: u32) -> Option<&Meta> {
        self.metas.get(row as usize)
    }

    /// Number of rows.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.metas.len()).unwrap_or(u32::MAX)
    }

    /// Number of subjects.
    pub(crate) fn items(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Number of rows of goals.
    pub(crate) fn goal_vectors(&self) -> u32 {
        let goals = self.rows.iter().filter(|(subject, _)| matches!(subject, VectorSubject::Goal(_)));
        u32::try_from(goals.map(|(_, rows)| rows.len()).sum::<usize>()).unwrap_or(u32::MAX)
    }

    /// Number of replaced or removed vectors.
    pub(crate) fn erased(&self) -> u64 {
        self.erased
    }

    /// Changed rows in order; some may be past the end now.
    pub(crate) fn changed(&self) -> &BTreeSet<u32> {
        &self.changed
    }

    /// Rows with another vector, and removed rows.
    pub(crate) fn revectored(&self) -> impl Iterator<Item = u32> {
        let gone = self.changed.iter().copied().filter(|row| *row >= self.count());
        self.vectors.keys().copied().chain(gone)
    }

    /// Subjects whose rows changed, with their present rows.
    pub(crate) fn moved(&self) -> impl Iterator<Item = (&VectorSubject, Option<&Vec<u32>>)> {
        self.moved.iter().map(|subject| (subject, self.rows.get(subject)))
    }

    /// All subjects with their rows.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&VectorSubject, &Vec<u32>)> {
        self.rows.iter()
    }
}
