//! The rows of an index as a change sees them: dense, so that removing one moves the last one into its place.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kimberly_core::embedding::{EmbeddedItem, VectorSubject};
use kimberly_core::error::Result;

use crate::block::Meta;
use crate::quantize::Quantized;
use crate::store::Snapshot;

/// Rows with what was changed so far.
pub(crate) struct Table<'s, 't> {
    stored: &'s Snapshot<'t>,
    metas: Vec<Meta>,
    rows: HashMap<VectorSubject, Vec<u32>>,
    /// Vectors that rows have now and had not when they were stored.
    vectors: BTreeMap<u32, Quantized>,
    /// Rows of which anything changed, those that are no more among them.
    changed: BTreeSet<u32>,
    /// Subjects whose rows changed.
    moved: BTreeSet<VectorSubject>,
    /// Vectors that were replaced or removed.
    erased: u64,
}

impl<'s, 't> Table<'s, 't> {
    /// The rows as stored.
    pub(crate) fn new(stored: &'s Snapshot<'t>) -> Result<Self> {
        let metas = stored.metas()?;
        let mut rows: HashMap<VectorSubject, Vec<u32>> = HashMap::with_capacity(metas.len());
        for (row, meta) in (0..).zip(&metas) {
            rows.entry(meta.subject).or_default().push(row);
        }
        let (vectors, changed, moved) = Default::default();
        Ok(Self { stored, metas, rows, vectors, changed, moved, erased: 0 })
    }

    /// Puts an item's vectors in the place of those that it had.
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
                Some(place) => *place = meta,
                None => self.metas.push(meta),
            }
            self.vectors.insert(row, vector);
            self.changed.insert(row);
            rows.push(row);
        }
        self.rows.insert(item.subject, rows);
        self.remove_rows(surplus)
    }

    /// Removes all that a subject has.
    pub(crate) fn remove(&mut self, subject: &VectorSubject) -> Result<()> {
        let Some(rows) = self.rows.remove(subject) else { return Ok(()) };
        self.erased += rows.len() as u64;
        self.moved.insert(*subject);
        self.remove_rows(rows)
    }

    /// Notes the revision of a subject whose text is the same.
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

    /// Removes rows that no subject has any more, the last first, so that none of them is moved.
    fn remove_rows(&mut self, mut rows: Vec<u32>) -> Result<()> {
        rows.sort_unstable();
        for row in rows.into_iter().rev() {
            let last = self.count() - 1;
            if row != last {
                let vector = self.vector(last)?;
                self.vectors.insert(row, vector);
                let moved = self.metas[last as usize];
                self.metas[row as usize] = moved;
                for place in self.rows.get_mut(&moved.subject).into_iter().flatten().filter(|place| **place == last) {
                    *place = row;
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

    /// What a row stands for; `None` behind the last.
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

    /// Vectors that were replaced or removed.
    pub(crate) fn erased(&self) -> u64 {
        self.erased
    }

    /// Rows of which anything changed, in order; some of them may be behind the last by now.
    pub(crate) fn changed(&self) -> &BTreeSet<u32> {
        &self.changed
    }

    /// Rows whose vector is another one, or that are no more.
    pub(crate) fn revectored(&self) -> impl Iterator<Item = u32> {
        let gone = self.changed.iter().copied().filter(|row| *row >= self.count());
        self.vectors.keys().copied().chain(gone)
    }

    /// Subjects whose rows changed, with the rows that they have now.
    pub(crate) fn moved(&self) -> impl Iterator<Item = (&VectorSubject, Option<&Vec<u32>>)> {
        self.moved.iter().map(|subject| (subject, self.rows.get(subject)))
    }

    /// All subjects with their rows.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&VectorSubject, &Vec<u32>)> {
        self.rows.iter()
    }
}
