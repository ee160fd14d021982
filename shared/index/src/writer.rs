//! Implements the port `VectorWriter`, for the embedder only.

use std::path::{Path, PathBuf};

use kimberly_core::UserId;
use kimberly_core::embedding::{ModelKey, StoredItem, VectorHit, VectorSubject};
use kimberly_core::error::{Error, Result};
use kimberly_core::ports::{IndexChange, IndexState, VectorReader, VectorWriter};

use crate::active::Active;
use crate::changes::Change;
use crate::environment::{Access, Environment};
use crate::errors::{WriteFailure, is_corrupt, unavailable};
use crate::folders::Held;
use crate::layout::{DATA, UserFolder};
use crate::pool::Options;
use crate::reader::IndexReader;
use crate::rewrite;

/// How often the mapping may be enlarged for one transaction; it doubles each time.
const ATTEMPTS: u32 = 16;

/// Writes and reads indices.
#[derive(Clone, Debug)]
pub struct IndexWriter {
    reader: IndexReader,
    switch_at: u32,
}

impl IndexWriter {
    /// A writer over the data folder `data`; opens nothing yet. Use one per process, and no [`IndexReader`] beside
    /// it.
    pub fn new(data: impl Into<PathBuf>, options: Options) -> Self {
        Self { reader: IndexReader::of(data.into(), Access::Write, options), switch_at: options.switch_at }
    }

    /// The number of open indices.
    pub fn open_indices(&self) -> usize {
        self.reader.open_indices()
    }

    /// Compacts the user's index of `model`, if it exists. [`VectorWriter::write`] does so when it is cheap or
    /// worthwhile; this is for what remains in large indices.
    pub fn compact(&self, user: &UserId, model: &ModelKey) -> Result<()> {
        let folder = self.reader.folder(user);
        let target = folder.index(model);
        let Some(held) = Held::existing(&folder)? else { return Ok(()) };
        if !target.join(DATA).exists() {
            return Ok(());
        }
        self.on_open(&target, 0, |slot| rewrite::compact(&held, &target, slot))
    }

    /// Runs `work` with exclusive access in this process, with room for `room` more bytes.
    fn on_open<T>(
        &self,
        target: &Path,
        room: usize,
        work: impl FnOnce(&mut Option<Environment>) -> Result<T>,
    ) -> Result<T> {
        use crate::check::Identity;
        let slot = self.reader.pool().slot(target);
        let mut guard = slot.exclusive();
        let id = Identity::at(&target.join(DATA))?;
        if guard.as_ref().is_none_or(|env| Some(env.id()) != id) {
            *guard = None;
            *guard = Some(Environment::open(target, Access::Write, room)?);
        }
        work(&mut guard)
    }

    /// Removes the selected indices of a user.
    fn discard(&self, folder: &UserFolder, which: impl Fn(&PathBuf) -> bool) -> Result<()> {
        let Some(held) = Held::existing(folder)? else { return Ok(()) };
        for index in held.indices()?.iter().filter(|index| which(index)) {
            held.discard(index)?;
            self.reader.pool().close(index);
        }
        Ok(())
    }

    fn change(&self, held: &Held, target: &Path, change: &Change<'_>, finished: bool) -> Result<()> {
        self.on_open(target, change.room(), |slot| {
            let changed = apply(target, slot, change)?;
            let due = (changed || finished) && slot.as_ref().map_or(Ok(false), |env| rewrite::is_due(env, finished))?;
            if due && let Err(error) = rewrite::compact(held, target, slot) {
                // The change itself is durable; the next write retries the compaction.
                tracing::warn!(%error, "a vector index could not be rebuilt: it stays larger than necessary");
            }
            Ok(())
        })
    }
}

/// Applies a change to an open index, enlarging its mapping as needed.
fn apply(target: &Path, slot: &mut Option<Environment>, change: &Change<'_>) -> Result<bool> {
    for _ in 0..ATTEMPTS {
        let Some(env) = slot.as_ref() else { break };
        let room = env.map_bytes();
        match change.apply(env) {
            Ok(changed) => return Ok(changed),
            Err(WriteFailure::Other(error)) => return Err(error),
            Err(WriteFailure::MapFull) => {
                *slot = None;
                *slot = Some(Environment::open(target, Access::Write, room)?);
            }
        }
    }
    Err(unavailable(target, "is too large to be mapped"))
}

impl VectorWriter for IndexWriter {
    fn state(&self, user: &UserId, model: &ModelKey) -> Result<Option<IndexState>> {
        self.reader.state_of(&self.reader.folder(user), model)
    }

    fn items(&self, user: &UserId, model: &ModelKey) -> Result<Vec<StoredItem>> {
        let items = self.reader.with(&self.reader.folder(user), model, |snapshot, _| {
            let mut metas = snapshot.metas()?;
            metas.sort_unstable_by_key(|meta| (meta.subject, meta.chunk));
            let mut items: Vec<StoredItem> = Vec::new();
            for meta in metas {
                match items.last_mut() {
                    Some(item) if item.subject == meta.subject => item.chunks = item.chunks.saturating_add(1),
                    _ => items.push(StoredItem {
                        subject: meta.subject,
                        chunks: 1,
                        revision: meta.revision,
                        fingerprint: meta.fingerprint,
                    }),
                }
            }
            Ok(items)
        })?;
        Ok(items.unwrap_or_default())
    }

    fn write(&self, user: &UserId, model: &ModelKey, change: &IndexChange) -> Result<()> {
        let checked = Change::new(model, change, self.switch_at)?;
        let folder = self.reader.folder(user);
        let held = Held::making(&folder)?;
        finish_removals(&held, &folder)?;
        let target = folder.index(model);
        if target.exists() {
            self.change(&held, &target, &checked, change.in_sync_at.is_some())?;
        } else {
            rewrite::create(&held, &target, &checked)?;
        }
        stand_beside(&held, &folder, model)
    }

    fn activate(&self, user: &UserId, model: &ModelKey) -> Result<()> {
        let folder = self.reader.folder(user);
        let held = Held::existing(&folder)?;
        let Some(held) = held.filter(|_| folder.index(model).join(DATA).exists()) else {
            let problem = format!("has no index of {model}; write one before activating it");
            return Err(Error::invalid("model", problem));
        };
        let slug = model.slug();
        let names = held.indices()?.into_iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
        let gone = names.filter(|name| *name != slug && ModelKey::parse(name, 1).is_ok()).collect();
        held.write_file(&folder.active(), &Active { model: model.clone(), next: None, gone }.text())?;
        finish_removals(&held, &folder)
    }

    fn deactivate(&self, user: &UserId) -> Result<()> {
        let folder = self.reader.folder(user);
        let Some(held) = Held::existing(&folder)? else { return Ok(()) };
        finish_removals(&held, &folder)?;
        held.discard(&folder.active())
    }

    fn drop_model(&self, user: &UserId, model: &ModelKey) -> Result<()> {
        let folder = self.reader.folder(user);
        self.discard(&folder, |index| *index == folder.index(model))
    }

    fn drop_others(&self, user: &UserId, retained: &[ModelKey]) -> Result<()> {
        let folder = self.reader.folder(user);
        self.discard(&folder, |index| !retained.iter().any(|model| *index == folder.index(model)))
    }

    fn drop_all(&self, user: &UserId) -> Result<()> {
        let folder = self.reader.folder(user);
        let Some(held) = Held::existing(&folder)? else { return Ok(()) };
        // First the file that refers to the others.
        held.discard(&folder.active())?;
        for index in held.indices()? {
            held.discard(&index)?;
            self.reader.pool().close(&index);
        }
        Ok(())
    }
}

/// Makes an index searchable beside the active one, unless it is active itself.
fn stand_beside(held: &Held, folder: &UserFolder, model: &ModelKey) -> Result<()> {
    match answering(folder)? {
        Some(active) if active.model != *model && active.next.as_ref() != Some(model) => {
            held.write_file(&folder.active(), &Active { next: Some(model.clone()), ..active }.text())
        }
        _ => Ok(()),
    }
}

/// The active models; `None` if the file is missing or unreadable.
fn answering(folder: &UserFolder) -> Result<Option<Active>> {
    match Active::read(&folder.active()) {
        Err(error) if is_corrupt(&error) => {
            tracing::error!(%error, "no model is marked as active: recall uses no vectors until one is activated \
                again");
            Ok(None)
        }
        read => read,
    }
}

/// Removes replaced indices left by a kill.
fn finish_removals(held: &Held, folder: &UserFolder) -> Result<()> {
    let Some(mut active) = answering(folder)?.filter(|active| !active.gone.is_empty()) else { return Ok(()) };
    for slug in std::mem::take(&mut active.gone) {
        held.discard(&folder.vectors().join(slug))?;
    }
    held.write_file(&folder.active(), &active.text())
}

impl VectorReader for IndexWriter {
    fn active(&self, user: &UserId) -> Result<Option<IndexState>> {
        self.reader.active(user)
    }

    fn building(&self, user: &UserId) -> Result<Option<IndexState>> {
        self.reader.building(user)
    }

    fn nearest(&self, user: &UserId, model: &ModelKey, query: &[f32], limit: usize) -> Result<Vec<VectorHit>> {
        self.reader.nearest(user, model, query, limit)
    }

    fn centre(&self, user: &UserId, model: &ModelKey) -> Result<Option<Vec<f32>>> {
        self.reader.centre(user, model)
    }

    fn contains(&self, user: &UserId, model: &ModelKey, subjects: &[VectorSubject]) -> Result<Vec<bool>> {
        self.reader.contains(user, model, subjects)
    }

    fn cosines(
        &self,
        user: &UserId,
        memories: &[VectorSubject],
        others: &[VectorSubject],
    ) -> Result<Vec<Vec<Option<f32>>>> {
        self.reader.cosines(user, memories, others)
    }
}
