//! Implements the port `VectorReader`, for api and worker, and for the writer's own reads.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::embedding::{ModelKey, VectorHit, VectorSubject};
use kimberly_core::error::Result;
use kimberly_core::ports::{IndexState, VectorReader};

use crate::active::Active;
use crate::check::Version;
use crate::directory;
use crate::environment::{Access, Environment};
use crate::errors::is_corrupt;
use crate::layout::{LOCK, UserFolder};
use crate::pool::{Options, Pool};
use crate::quantize::{Quantized, cosine};
use crate::scan;
use crate::store::Snapshot;
use crate::tree;

/// Reads indices that this or another process writes.
#[derive(Clone, Debug)]
pub struct IndexReader {
    data: PathBuf,
    pool: Arc<Pool>,
}

impl IndexReader {
    /// A reader over the data folder `data`; opens nothing yet. Use one per process: LMDB refuses to open an index
    /// twice.
    pub fn new(data: impl Into<PathBuf>, options: Options) -> Self {
        Self::of(data.into(), Access::Read, options)
    }

    pub(crate) fn of(data: PathBuf, access: Access, options: Options) -> Self {
        Self { data, pool: Pool::new(access, options) }
    }

    /// The number of open indices.
    pub fn open_indices(&self) -> usize {
        self.pool.open_count()
    }

    /// Closes indices that were idle for too long; also happens automatically.
    pub fn close_idle(&self) {
        self.pool.close_idle();
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    pub(crate) fn folder(&self, user: &UserId) -> UserFolder {
        UserFolder::new(&self.data, user)
    }

    /// Runs `work` on a model's index, active or not; `None` if it is missing.
    pub(crate) fn with<T>(
        &self,
        folder: &UserFolder,
        model: &ModelKey,
        mut work: impl FnMut(&Snapshot<'_>, &Environment) -> Result<T>,
    ) -> Result<Option<T>> {
        self.pool.read(&folder.index(model), |snapshot, env| {
            snapshot.is_of(model)?;
            work(snapshot, env)
        })
    }

    /// The state of a model's index; `None` if it is missing.
    pub(crate) fn state_of(&self, folder: &UserFolder, model: &ModelKey) -> Result<Option<IndexState>> {
        let lock = folder.index(model).join(LOCK);
        self.with(folder, model, |snapshot, env| state(snapshot, env, &lock))
    }

    /// The active models; `None` if there are none.
    fn answering(&self, user: &UserFolder) -> Result<Option<Active>> {
        let path = user.active();
        Active::read(&path).inspect_err(|error| {
            if let Ok(Some(version)) = Version::at(&path) {
                self.pool.note(&path, version, error);
            }
        })
    }

    /// The state of one active model's index; `None` if it is missing or unreadable.
    fn state_of_one(&self, user: &UserId, which: impl Fn(Active) -> Option<ModelKey>) -> Result<Option<IndexState>> {
        let folder = self.folder(user);
        let read = match self.answering(&folder).map(|active| active.and_then(which)) {
            Ok(Some(model)) => self.state_of(&folder, &model),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        unless_damaged(read)
    }

    /// Runs `work` on the active index; `None` if it is missing.
    fn with_active<T>(
        &self,
        user: &UserId,
        work: impl FnMut(&Snapshot<'_>, &Environment) -> Result<T>,
    ) -> Result<Option<T>> {
        let folder = self.folder(user);
        match self.answering(&folder)? {
            Some(active) => self.with(&folder, &active.model, work),
            None => Ok(None),
        }
    }
}

impl VectorReader for IndexReader {
    fn active(&self, user: &UserId) -> Result<Option<IndexState>> {
        self.state_of_one(user, |active| Some(active.model))
    }

    fn building(&self, user: &UserId) -> Result<Option<IndexState>> {
        self.state_of_one(user, |active| active.next)
    }

    fn nearest(&self, user: &UserId, model: &ModelKey, query: &[f32], limit: usize) -> Result<Vec<VectorHit>> {
        let quantized = Quantized::of_query(model, query)?;
        let found = self.with(&self.folder(user), model, |snapshot, _| {
            if limit == 0 {
                return Ok(Vec::new());
            }
            let scored = match tree::propose(snapshot, query, limit)? {
                Some(rows) => scan::some(snapshot, &quantized, &rows)?,
                None => scan::all(snapshot, &quantized)?,
            };
            scan::memories(snapshot, scored, limit)
        });
        unless_damaged(found).map(Option::unwrap_or_default)
    }

    fn centre(&self, user: &UserId, model: &ModelKey) -> Result<Option<Vec<f32>>> {
        unless_damaged(self.with(&self.folder(user), model, |snapshot, _| scan::centre(snapshot))).map(Option::flatten)
    }

    fn contains(&self, user: &UserId, model: &ModelKey, subjects: &[VectorSubject]) -> Result<Vec<bool>> {
        let found = self.with(&self.folder(user), model, |snapshot, _| {
            Ok(directory::rows_of(snapshot, subjects)?.iter().map(|rows| !rows.is_empty()).collect())
        });
        Ok(unless_damaged(found)?.unwrap_or_else(|| vec![false; subjects.len()]))
    }

    fn cosines(
        &self,
        user: &UserId,
        memories: &[VectorSubject],
        others: &[VectorSubject],
    ) -> Result<Vec<Vec<Option<f32>>>> {
        let found = self.with_active(user, |snapshot, _| {
            let (ours, theirs) = (chunks(snapshot, memories)?, chunks(snapshot, others)?);
            Ok(ours.iter().map(|own| theirs.iter().map(|other| nearest_chunks(own, other)).collect()).collect())
        });
        Ok(unless_damaged(found)?.unwrap_or_else(|| vec![vec![None; others.len()]; memories.len()]))
    }
}

/// The vectors of each subject.
fn chunks(snapshot: &Snapshot<'_>, subjects: &[VectorSubject]) -> Result<Vec<Vec<Quantized>>> {
    let vector = |row: &u32| {
        let (_, components, inverse_length) = snapshot.row(*row)?;
        Ok(Quantized { components: components.to_vec(), inverse_length })
    };
    directory::rows_of(snapshot, subjects)?.iter().map(|rows| rows.iter().map(vector).collect()).collect()
}

fn nearest_chunks(own: &[Quantized], other: &[Quantized]) -> Option<f32> {
    let pairs = own.iter().flat_map(|a| other.iter().map(move |b| cosine(a, &b.components, b.inverse_length)));
    pairs.max_by(f32::total_cmp)
}

fn state(snapshot: &Snapshot<'_>, env: &Environment, lock: &Path) -> Result<IndexState> {
    let stamp = &snapshot.stamp;
    // The file, and the whole index, may be gone by now.
    let lock_bytes = std::fs::metadata(lock).map_or(0, |meta| meta.len());
    Ok(IndexState {
        model: stamp.model.clone(),
        items: stamp.items,
        vectors: u64::from(stamp.vectors),
        in_sync_at: stamp.in_sync_at,
        disk_bytes: env.page_bytes()?.1 + lock_bytes,
    })
}

/// Treats an unreadable index as missing; it was logged already.
fn unless_damaged<T>(read: Result<Option<T>>) -> Result<Option<T>> {
    match read {
        Err(error) if is_corrupt(&error) => Ok(None),
        other => other,
    }
}
