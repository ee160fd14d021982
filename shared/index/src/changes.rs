//! Applies one change to an index in one transaction: planned from the stored state, then written.

use std::collections::BTreeSet;

use heed::RwTxn;
use kimberly_core::embedding::{ModelKey, VectorSubject};
use kimberly_core::error::Result;
use kimberly_core::ports::IndexChange;

use crate::block;
use crate::directory;
use crate::environment::Environment;
use crate::errors::{WriteFailure, write};
use crate::quantize::Quantized;
use crate::stamp::Stamp;
use crate::store::{STAMP, Snapshot, block_key};
use crate::table::Table;
use crate::tree;

/// A change with checked and quantized vectors.
pub(crate) struct Change<'c> {
    model: &'c ModelKey,
    asked: &'c IndexChange,
    vectors: Vec<Vec<Quantized>>,
    switch_at: u32,
}

impl<'c> Change<'c> {
    /// Validates the change; the error names the item and what is allowed.
    pub(crate) fn new(model: &'c ModelKey, asked: &'c IndexChange, switch_at: u32) -> Result<Self> {
        let vectors = asked
            .put
            .iter()
            .enumerate()
            .map(|(index, item)| Quantized::of_item(model, index, item))
            .collect::<Result<_>>()?;
        Ok(Self { model, asked, vectors, switch_at })
    }

    /// An upper bound of the bytes that the change adds.
    pub(crate) fn room(&self) -> usize {
        self.vectors.iter().flatten().map(|vector| vector.components.len() * 2 + 256).sum()
    }

    /// Applies the change; returns `false` if nothing changed.
    pub(crate) fn apply(&self, env: &Environment) -> Result<bool, WriteFailure> {
        let mut txn = env.write_txn().map_err(|error| write(env.path(), &error))?;
        let Some(plan) = self.plan(&Snapshot::new(&txn, env.store, env.path())?)? else { return Ok(false) };
        plan.write(&mut txn, env)?;
        txn.commit().map_err(|error| write(env.path(), &error))?;
        Ok(true)
    }

    /// Creates an index from the change in an empty environment.
    pub(crate) fn begin(&self, env: &Environment) -> Result<(), WriteFailure> {
        let failed = |error| write(env.path(), &error);
        let mut txn = env.write_txn().map_err(failed)?;
        env.store.put(&mut txn, STAMP, &Stamp::new(self.model.clone()).encode()).map_err(failed)?;
        if let Some(plan) = self.plan(&Snapshot::new(&txn, env.store, env.path())?)? {
            plan.write(&mut txn, env)?;
        }
        txn.commit().map_err(failed)
    }

    fn plan(&self, stored: &Snapshot<'_>) -> Result<Option<Plan>> {
        stored.is_of(self.model)?;
        let mut table = Table::new(stored)?;
        for (item, vectors) in self.asked.put.iter().zip(&self.vectors) {
            table.put(item, vectors.clone())?;
        }
        for subject in &self.asked.gone {
            table.remove(subject)?;
        }
        for (subject, revision) in &self.asked.unchanged {
            table.unchanged(subject, *revision);
        }
        let in_sync_at = self.asked.in_sync_at.or(stored.stamp.in_sync_at);
        if table.changed().is_empty() && in_sync_at == stored.stamp.in_sync_at {
            return Ok(None);
        }
        let was_large = stored.stamp.large.is_some();
        let is_large = table.count() > if was_large { self.switch_at / 4 * 3 } else { self.switch_at };
        let stamp = Stamp {
            model: stored.stamp.model.clone(),
            items: table.items(),
            vectors: table.count(),
            goal_vectors: table.goal_vectors(),
            in_sync_at,
            erased: stored.stamp.erased + table.erased(),
            large: stored.stamp.large.filter(|_| is_large),
        };
        let trees = match (was_large, is_large) {
            (false, false) => Trees::None,
            (true, false) => Trees::Clear,
            (false, true) => Trees::Make(table.all().map(|(subject, rows)| (*subject, rows.clone())).collect()),
            (true, true) => Trees::Update {
                rows: table.revectored().collect(),
                moved: table.moved().map(|(subject, rows)| (*subject, rows.cloned())).collect(),
            },
        };
        Ok(Some(Plan { blocks: blocks(stored, &table)?, stamp, trees }))
    }
}

/// The planned writes.
struct Plan {
    /// Blocks by number; `None` removes the block.
    blocks: Vec<(u32, Option<Vec<u8>>)>,
    stamp: Stamp,
    trees: Trees,
}

/// The update of trees and directory.
enum Trees {
    None,
    Clear,
    Make(Vec<(VectorSubject, Vec<u32>)>),
    Update { rows: BTreeSet<u32>, moved: Vec<(VectorSubject, Option<Vec<u32>>)> },
}

impl Plan {
    fn write(mut self, txn: &mut RwTxn<'_>, env: &Environment) -> Result<(), WriteFailure> {
        let failed = |error| write(env.path(), &error);
        for (number, block) in &self.blocks {
            match block {
                Some(bytes) => env.store.put(txn, &block_key(*number), bytes).map_err(failed)?,
                None => drop(env.store.delete(txn, &block_key(*number)).map_err(failed)?),
            }
        }
        // Written first, since building the trees reads the stamp.
        env.store.put(txn, STAMP, &self.stamp.encode()).map_err(failed)?;
        let large = match &self.trees {
            Trees::None => return Ok(()),
            Trees::Clear => return tree::clear(txn, env, self.stamp.dimension()),
            Trees::Make(subjects) => {
                tree::clear(txn, env, self.stamp.dimension())?;
                for (subject, rows) in subjects {
                    directory::note(txn, env.store, subject, Some(rows)).map_err(failed)?;
                }
                0..self.stamp.vectors
            }
            Trees::Update { rows, moved } => {
                for (subject, rows) in moved {
                    directory::note(txn, env.store, subject, rows.as_ref()).map_err(failed)?;
                }
                tree::update(txn, env, rows.iter().copied())?;
                0..0
            }
        };
        if !large.is_empty() {
            tree::update(txn, env, large)?;
        }
        self.stamp.large = Some(tree::checksum(txn, env.store, env.path())?);
        env.store.put(txn, STAMP, &self.stamp.encode()).map_err(failed)
    }
}

/// The blocks with changed rows.
fn blocks(stored: &Snapshot<'_>, table: &Table<'_, '_>) -> Result<Vec<(u32, Option<Vec<u8>>)>> {
    let numbers: BTreeSet<u32> = table.changed().iter().map(|row| stored.slot_of(*row).0).collect();
    let per_block = u32::try_from(stored.per_block()).unwrap_or(u32::MAX);
    let block = |number: u32| {
        let first = number * per_block;
        let rows = first..table.count().min(first.saturating_add(per_block));
        let vectors = rows.clone().map(|row| table.vector(row)).collect::<Result<Vec<_>>>()?;
        let metas = rows.filter_map(|row| table.meta(row));
        Ok((number, (!vectors.is_empty()).then(|| block::encode(metas.zip(&vectors)))))
    };
    numbers.into_iter().map(block).collect()
}
