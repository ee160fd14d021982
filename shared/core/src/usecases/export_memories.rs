//! Exports all data stored about a user's memories, piece by piece, in order of creation.
//!
//! Each piece is one short read on a separate snapshot, so an export of any length blocks nothing and holds nothing in memory. A memory
//! that changes meanwhile is exported as it is when its turn comes. Sequence numbers never change, so none is missed or repeated.

use std::sync::Arc;

use super::page::Scope;
use super::{App, past};
use crate::bounds::EXPORT_PIECE_BYTES;
use crate::boxed;
use crate::error::Result;
use crate::ids::{Seq, UserId};
use crate::memory::{MemoryFilter, MemoryRecord, MemoryState};

/// Most records per piece: what is kept about small memories takes more bytes than the memories.
const PIECE_RECORDS: usize = 250;

/// The memories to export, and the position to resume at.
#[derive(Clone, Debug, Default)]
pub struct ExportInput {
    /// Restricts the memories; no states mean all states.
    pub filter: MemoryFilter,
    /// Cursor of the last piece received; empty for the start.
    pub cursor: String,
}

/// An export in progress.
#[derive(Clone)]
pub struct Export {
    app: App,
    user: UserId,
    scope: Scope,
    filter: Arc<MemoryFilter>,
    after: Option<Seq>,
}

/// A piece of an export.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportPiece {
    /// The records, at least one.
    pub records: Vec<MemoryRecord>,
    /// Cursor that resumes after them.
    pub cursor: String,
}

impl App {
    /// Begins an export, or resumes one at a cursor. Fails if the cursor was made for another user or filter.
    pub fn export_memories(&self, user: &UserId, input: ExportInput) -> Result<Export> {
        let filter = in_any_state(input.filter)?;
        let scope = self.scope_of_memories("memory.export", user, &filter)?;
        let after = scope.cursor_key(&input.cursor)?;
        Ok(Export { app: self.clone(), user: user.clone(), scope, filter: Arc::new(filter), after })
    }
}

impl Export {
    /// Returns the next piece, about 256 KiB unless one record alone has more; `None` at the end.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<ExportPiece>> {
        let (filter, after) = (Arc::clone(&self.filter), self.after);
        let read = self.app.vaults.read(&self.user, move |reader| {
            let filter = Arc::clone(&filter);
            Box::pin(async move {
                let mut records = reader.export(&filter, after, PIECE_RECORDS, EXPORT_PIECE_BYTES).await?;
                let fit = past::give(reader, &mut records, EXPORT_PIECE_BYTES).await?;
                records.truncate(fit);
                Ok(records)
            })
        });
        let records = read.await?;
        let Some(last) = records.last() else { return Ok(None) };
        self.after = Some(last.memory.seq);
        let cursor = self.scope.token(&last.memory.seq)?;
        Ok(Some(ExportPiece { records, cursor }))
    }
}

/// Checks the filter; without states, it lets all states through.
pub(super) fn in_any_state(mut filter: MemoryFilter) -> Result<MemoryFilter> {
    filter.check()?;
    if filter.states.is_empty() {
        filter.states = MemoryState::ALL.to_vec();
    }
    Ok(filter)
}
