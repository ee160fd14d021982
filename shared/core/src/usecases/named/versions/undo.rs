//! Goes back to a version: its content replaces the current one, which becomes a version itself, so going back can be
//! undone in the same way.

use std::sync::Arc;

use super::super::super::App;
use super::super::super::idempotency::{self, Key};
use super::super::super::support::{check_etag, named};
use super::super::super::write_back::{Stored, Versioning, WriteBack};
use super::super::refuse_document;
use super::{number, texts, version};
use crate::access::Caller;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::{Detail, Memory, MemoryReceipt, Tier};
use crate::ports::{Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::tables::{self, TableRow as _};
use crate::time::Timestamp;
use crate::versions::Version;

/// The record to change, and the version to restore.
#[derive(Clone, Debug, Default)]
pub struct UndoInput {
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The version; 0 for the newest.
    pub to: i64,
    /// The etag it must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// The receipt and the version's number, and the quota shares of tiers that grew.
type Done = ((MemoryReceipt, u64), Vec<(Tier, f64)>);

struct Work {
    namespace: String,
    name: String,
    to: Option<u64>,
    etag: String,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    caller: Option<Arc<Caller>>,
    seals: bool,
    trace: Option<String>,
}

impl App {
    /// Gives an active record the content and the detail of a version; also returns that version's number.
    #[boxed]
    pub async fn undo_edit(&self, user: &UserId, input: UndoInput) -> Result<(MemoryReceipt, u64)> {
        let UndoInput { namespace, name, to, etag, request_id, traceparent: trace } = input;
        let (namespace, name) = self.addressed(&namespace, "name", &name)?;
        let to = if to == 0 { None } else { Some(number("to_version", to)?) };
        let key = self.key(&request_id, "memory.undo", &(&namespace, &name, to, &etag))?;
        let (ids, defaults, caller) = (Arc::clone(&self.ids), Arc::clone(&self.defaults), self.caller.clone());
        let (now, seals, traceparent) = (self.clock.now(), self.seals(), trace.clone());
        let work = Work { namespace, name, to, etag, key, now, ids, defaults, caller, seals, trace };
        let work = Arc::new(work);
        let running = self.vaults.transact(user, "undo_edit", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        self.grown(user, traceparent.as_deref(), running.await).await
    }
}

impl Work {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Done> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(answer) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((answer, Vec::new()));
        }
        let before = named(tx.as_reader(), &self.namespace, &self.name).await?;
        check_etag(&self.etag, &before.etag())?;
        refuse_document(&before)?;
        let found = self.version(tx, before.id).await?;
        let number = found.number;
        let (text, detail) = texts("to_version", found)?;
        let mut draft = before.draft.clone();
        draft.content = text;
        draft.detail = detail.as_deref().map(Detail::from_json).transpose()?;
        let draft = draft.normalized("record", self.defaults.draft_limits)?;
        let mut memory = Memory { draft, updated_at: self.now, revision: before.revision + 1, ..before.clone() };
        let write = WriteBack {
            action: "memory.undo",
            now: self.now,
            ids: &*self.ids,
            defaults: &self.defaults,
            caller: self.caller.as_deref(),
            seals: self.seals,
            names_consent: false,
            versioning: &Versioning::default(),
            trace: self.trace.as_deref(),
        };
        let Stored { shares, masked } = write.store(tx, &context, &before, &mut memory).await?;
        let answer = (MemoryReceipt { masked, ..memory.receipt() }, number);
        idempotency::remember(self.key.as_ref(), tx, &answer, self.now).await?;
        Ok((answer, shares))
    }

    async fn version(&self, tx: &mut dyn VaultTransaction, memory: MemoryId) -> Result<Version> {
        if let Some(to) = self.to {
            return version(tx.as_reader(), "to_version", memory, to).await;
        }
        let newest = Version::query().is("memory_id", memory).descending().at_most(1);
        let newest = tables::find::<Version>(tx.as_reader(), &newest).await?.pop();
        newest.ok_or_else(|| Error::conflict("name", "names a memory that has no earlier version"))
    }
}
