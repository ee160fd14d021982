//! Imports any number of memories, drafts or exported records, in durable pieces that record their progress.
//!
//! An import is a numbered list of items under an id. Each piece is one transaction that stores its items and the
//! number of items done. An import that is opened again continues there, and an item sent twice is stored once.

mod again;
mod forgotten;
mod items;
mod piece;
mod room;

use std::sync::Arc;

pub use items::{ImportItem, ImportResult, ItemOutcome, PreparedImport};
use piece::Piece;

use super::App;
use crate::bounds::MAX_IMPORT_ID_BYTES;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory::label_problem;
use crate::ports::ImportProgress;

/// An open import.
#[derive(Clone)]
pub struct Import {
    app: App,
    user: UserId,
    id: Arc<str>,
    /// Number of items done when it was opened.
    pub next_index: u64,
    /// How many of those were refused.
    pub refused_before: u64,
    choices: Choices,
}

/// What an import does with memories that it cannot store as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choices {
    /// Refuses a memory that lacks a consent, instead of stopping until one is recorded.
    pub skip_uncovered: bool,
    /// Archives a memory if its tier has no room even after a meditation, instead of stopping.
    pub fit: bool,
    /// Stores what was forgotten, too.
    pub with_forgotten: bool,
}

/// Outcome of a piece.
#[derive(Debug)]
pub struct Imported {
    /// Every item below this index is done.
    pub next_index: u64,
    /// Results of the items that this piece handled, by index.
    pub results: Vec<ImportResult>,
    /// Why the import cannot continue now, such as a full quota or a missing consent. The reason may pass.
    pub stopped: Option<Error>,
}

impl App {
    /// Opens an import, or reopens an interrupted one; `import_id` is 1-128 bytes.
    #[boxed]
    pub async fn open_import(&self, user: &UserId, import_id: &str) -> Result<Import> {
        if let Some(problem) = label_problem(import_id, MAX_IMPORT_ID_BYTES) {
            return Err(Error::invalid("start.import_id", problem));
        }
        let id: Arc<str> = self.scoped(import_id).into();
        let asked = Arc::clone(&id);
        let read = self.vaults.read(user, move |reader| {
            let id = Arc::clone(&asked);
            Box::pin(async move { reader.import_progress(&id).await })
        });
        let ImportProgress { done, refused } = read.await?.unwrap_or_default();
        Ok(Import {
            app: self.clone(),
            user: user.clone(),
            id,
            next_index: done,
            refused_before: refused,
            choices: Choices::default(),
        })
    }
}

impl Import {
    /// Returns the user whose import it is.
    pub const fn user(&self) -> &UserId {
        &self.user
    }

    /// Sets the choices.
    #[must_use]
    pub fn choosing(self, choices: Choices) -> Self {
        Self { choices, ..self }
    }

    /// The part of an import that needs no vault: checks, normalizes and analyses items; the first one has the index
    /// `first`. It takes about 20 µs of computing per item, so run it where it blocks no other work.
    pub fn prepare(&self, first: u64, items: Vec<Result<ImportItem>>) -> PreparedImport {
        PreparedImport::new(&self.app, first, items)
    }

    /// Stores a piece in one durable transaction. Skips items that another stream of the same import did meanwhile. An
    /// error means that nothing of it was done.
    #[boxed]
    pub async fn store(&self, prepared: PreparedImport) -> Result<Imported> {
        let (app, refused) = (&self.app, prepared.refused);
        app.note_older(&self.user).await?;
        let work = Arc::new(Piece {
            import: Arc::clone(&self.id),
            first: prepared.first,
            len: prepared.len,
            items: prepared.items,
            refused: refused.iter().map(|(index, _)| *index).collect(),
            choices: self.choices,
            now: prepared.now,
            ids: Arc::clone(&app.ids),
            defaults: Arc::clone(&app.defaults),
            prints: app.fingerprints(&self.user),
            caller: app.caller.clone(),
            seals: app.seals(),
        });
        let running = app.vaults.transact(&self.user, "import_memories", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let stored = running.await?;
        for (tier, share) in stored.shares {
            let items = stored.created.iter().filter(|created| **created == tier).count() as u64;
            app.observer.created(tier, items);
            app.observer.quota_usage(tier, share);
        }
        let done_here = |(index, _): &(u64, Error)| (stored.from..stored.next).contains(index);
        let refused = refused.into_iter().filter(done_here);
        let mut results = stored.results;
        results.extend(refused.map(|(index, error)| ImportResult { index, outcome: Err(error) }));
        results.sort_unstable_by_key(|result| result.index);
        let stopped = match stored.stopped {
            Some(error) => app.relieved::<()>(&self.user, None, Err(error)).await.err(),
            None => None,
        };
        Ok(Imported { next_index: stored.next, results, stopped })
    }
}
