//! arroy's trees over the rows of a large index: they propose candidates, which are then compared exactly as int8.
//!
//! Rows have the same numbers in the trees. Trees store one bit per component, 48 bytes for 384 dimensions besides
//! the 384 of the row itself; proposing more rows than requested compensates for the lost precision.

use std::num::NonZeroUsize;
use std::ops::Bound;
use std::path::Path;

use arroy::distances::BinaryQuantizedCosine;
use arroy::internals::{KeyCodec, NodeCodec};
use heed::{RoTxn, RwTxn};
use kimberly_core::error::Result;
use rand_seeded::SeedableRng as _;
use rand_seeded::rngs::Xoshiro256PlusPlus;

use crate::environment::Environment;
use crate::errors::{WriteFailure, lmdb, tree, write, write_trees};
use crate::quantize::to_floats;
use crate::store::{DIRECTORY, Snapshot, Store, TREE_INDEX};

/// Number of rows above which trees are used. Measured (`tests/bench/run vectors`): a full scan takes about 20 ns per
/// row, and at 50,000 and 100,000 rows less time than trees with a recall of .97. The time for trees grows more
/// slowly; extrapolated, the two meet near here.
pub const SWITCH: u32 = 250_000;
/// Rows that trees inspect: the maximum of a number per requested memory, a fraction of all rows, and a minimum.
const LOOKED_AT_PER_HIT: usize = 40;
const ROWS_PER_LOOKED_AT: usize = 32;
const LEAST_LOOKED_AT: usize = 2_000;
/// One in this many inspected rows is proposed: the nearest by their bits. Proposing more does not improve recall.
const LOOKED_AT_PER_PROPOSED: usize = 4;
/// A fixed seed makes trees deterministic.
const SEED: u64 = 0x6b69_6d62;

type Distance = BinaryQuantizedCosine;
type Database = arroy::Database<'static, Distance>;

fn database(store: Store) -> Database {
    store.remap_types::<KeyCodec, NodeCodec<Distance>>()
}

/// Rows near a query, sorted by number; `None` if a full scan is as good.
pub(crate) fn propose(snapshot: &Snapshot<'_>, query: &[f32], limit: usize) -> Result<Option<Vec<u32>>> {
    let rows = snapshot.stamp.vectors as usize;
    let hits = limit.saturating_add(snapshot.stamp.goal_vectors as usize);
    let look_at = hits.saturating_mul(LOOKED_AT_PER_HIT).max(rows / ROWS_PER_LOOKED_AT).max(LEAST_LOOKED_AT);
    if snapshot.stamp.large.is_none() || look_at >= rows / 4 {
        return Ok(None);
    }
    let failed = |error| tree("searching", snapshot.path, &error);
    let reader = arroy::Reader::open(snapshot.txn, TREE_INDEX, database(snapshot.store)).map_err(failed)?;
    let mut search = reader.nns(look_at / LOOKED_AT_PER_PROPOSED);
    if let Some(look_at) = NonZeroUsize::new(look_at) {
        search.search_k(look_at).oversampling(NonZeroUsize::MIN);
    }
    let found = search.by_vector(snapshot.txn, query).map_err(failed)?;
    let mut proposed: Vec<u32> = found.into_iter().map(|(row, _)| row).filter(|&row| (row as usize) < rows).collect();
    proposed.sort_unstable();
    Ok(Some(proposed))
}

/// Adds stored rows to the trees, removes rows past the end, and rebuilds what changed.
pub(crate) fn update(
    txn: &mut RwTxn<'_>,
    env: &Environment,
    rows: impl Iterator<Item = u32>,
) -> Result<(), WriteFailure> {
    let failed = |error| write_trees(env.path(), &error);
    let stamp = Snapshot::new(txn, env.store, env.path())?.stamp;
    let mut writer = arroy::Writer::<Distance>::new(database(env.store), TREE_INDEX, stamp.dimension());
    // The writer's temporary files hold traces of vectors, so they belong beside the index.
    writer.set_tmpdir(env.path().parent().unwrap_or(env.path()));
    for row in rows {
        if row >= stamp.vectors {
            writer.del_item(txn, row).map_err(failed)?;
            continue;
        }
        let snapshot = Snapshot { txn, store: env.store, path: env.path(), stamp: stamp.clone() };
        let vector = to_floats(snapshot.components(row)?);
        writer.add_item(txn, row, &vector).map_err(failed)?;
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
    writer.builder(&mut rng).build(txn).map_err(failed)
}

/// Removes trees and directory.
pub(crate) fn clear(txn: &mut RwTxn<'_>, env: &Environment, dimension: usize) -> Result<(), WriteFailure> {
    let writer = arroy::Writer::<Distance>::new(database(env.store), TREE_INDEX, dimension);
    writer.clear(txn).map_err(|error| write_trees(env.path(), &error))?;
    let (first, behind) = ([DIRECTORY], [DIRECTORY + 1]);
    let range = (Bound::Included(first.as_slice()), Bound::Excluded(behind.as_slice()));
    env.store.delete_range(txn, &range).map(drop).map_err(|error| write(env.path(), &error))
}

/// The checksum of trees and directory, in order of keys.
pub(crate) fn checksum(txn: &RoTxn<'_>, store: Store, path: &Path) -> Result<u32> {
    let mut sum = crc32fast::Hasher::new();
    for prefix in [TREE_INDEX.to_be_bytes().as_slice(), &[DIRECTORY]] {
        let entries = store.prefix_iter(txn, prefix).map_err(|error| lmdb("reading", path, &error))?;
        for entry in entries {
            let (key, value) = entry.map_err(|error| lmdb("reading", path, &error))?;
            sum.update(key);
            sum.update(value);
        }
    }
    Ok(sum.finalize())
}
