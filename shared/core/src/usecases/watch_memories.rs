//! Follows the changes of a user's memories: each once, in the order of commits, whichever process made it.

use std::sync::Arc;

use super::App;
use super::export_memories::in_any_state;
use super::page::Scope;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory::{ChangeRange, MemoryFilter};
use crate::ports::{BoxFuture, ChangeQuery, SeenChange, VaultReader};

/// Changes per read.
const CHANGES: usize = 100;
/// Approximate bytes of the changed memories per read.
const BYTES: usize = 256 * 1024;

/// The memories to watch, and the cursor.
#[derive(Clone, Debug, Default)]
pub struct WatchInput {
    /// The memories, selected by their state when a change is read; no states mean all states.
    pub filter: MemoryFilter,
    /// Whether to read the memories too.
    pub with_memories: bool,
    /// The last cursor received; empty for a new watch.
    pub cursor: String,
    /// Without a cursor: whether to start at the oldest kept change, instead of now.
    pub from_oldest: bool,
}

/// A watch in progress.
#[derive(Clone)]
pub struct Watch {
    app: App,
    user: UserId,
    scope: Scope,
    query: Arc<ChangeQuery>,
    after: u64,
}

impl App {
    /// Begins to watch, or resumes at a cursor. Fails with [`Error::CursorExpired`] if a change after the cursor is no
    /// longer kept, and with [`Error::InvalidCursor`] if the cursor was made for another user or filter.
    #[boxed]
    pub async fn watch_memories(&self, user: &UserId, input: WatchInput) -> Result<Watch> {
        let filter = in_any_state(input.filter)?;
        let scope = self.scope_of_memories("memory.watch", user, &filter)?;
        let from: Option<u64> = scope.cursor_key(&input.cursor)?;
        let range = self.vaults.read(user, |reader| Box::pin(reader.change_range())).await?;
        let after = match from {
            Some(number) if range.follows(number) => number,
            Some(_) => return Err(Error::CursorExpired),
            None if input.from_oldest => range.oldest.saturating_sub(1),
            None => range.newest,
        };
        let query = ChangeQuery { filter, with_memories: input.with_memories, limit: CHANGES, max_bytes: BYTES, after };
        Ok(Watch { app: self.clone(), user: user.clone(), scope, query: Arc::new(query), after })
    }
}

impl Watch {
    /// Returns the cursor after what was [passed](Self::pass).
    pub fn cursor(&self) -> Result<String> {
        self.scope.token(&self.after)
    }

    /// Returns what happened since, in order, at most 100 changes. These include changes that the filter holds back, so
    /// that they can be passed. Cheap when nothing happened.
    #[boxed]
    pub async fn look(&self) -> Result<Vec<SeenChange>> {
        let (after, query) = (self.after, Arc::clone(&self.query));
        let look = self.app.vaults.read(&self.user, move |reader| {
            let query = Arc::clone(&query);
            Box::pin(async move { changes_after(reader, after, &query).await })
        });
        look.await
    }

    /// Moves the watch past a change.
    pub fn pass(&mut self, number: u64) {
        self.after = number;
    }

    /// Resolves after the next commit of this process; see [`Vaults::next_commit`](crate::ports::Vaults::next_commit).
    pub fn next_commit(&self) -> BoxFuture<'static, ()> {
        self.app.vaults.next_commit(&self.user)
    }
}

async fn changes_after(reader: &mut dyn VaultReader, after: u64, query: &ChangeQuery) -> Result<Vec<SeenChange>> {
    let range: ChangeRange = reader.change_range().await?;
    if !range.follows(after) {
        return Err(Error::CursorExpired);
    }
    if range.newest == after {
        return Ok(Vec::new());
    }
    reader.changes(&ChangeQuery { after, ..query.clone() }).await
}
