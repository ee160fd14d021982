//! Redacts a version and those that say the same: they stay listed, without their texts.

use std::sync::Arc;

use super::super::super::App;
use super::super::super::idempotency::{self, Key};
use super::super::super::support::{entry, named};
use super::{number, version};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory::Detail;
use crate::ports::VaultTransaction;
use crate::tables::{self, TableRow as _};
use crate::time::Timestamp;
use crate::versions::Version;

/// The version to redact.
#[derive(Clone, Debug, Default)]
pub struct RedactInput {
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The version.
    pub version: i64,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

struct Work {
    namespace: String,
    name: String,
    number: u64,
    key: Option<Key>,
    now: Timestamp,
}

impl App {
    /// Redacts a version of an active record, and its other versions with the same content and detail, such as an undo
    /// leaves. A redacted version stays as it is. Fails with [`Error::Conflict`] if the record itself says the same.
    #[boxed]
    pub async fn redact_version(&self, user: &UserId, input: RedactInput) -> Result<()> {
        let (namespace, name) = self.addressed(&input.namespace, "name", &input.name)?;
        let number = number("version", input.version)?;
        let key = self.key(&input.request_id, "memory.redact", &(&namespace, &name, number))?;
        let work = Arc::new(Work { namespace, name, number, key, now: self.clock.now() });
        let running = self.vaults.transact(user, "redact_version", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        running.await
    }
}

impl Work {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<()> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if idempotency::replay::<()>(self.key.as_ref(), context.prior.as_ref())?.is_some() {
            return Ok(());
        }
        let memory = named(tx.as_reader(), &self.namespace, &self.name).await?;
        let found = version(tx.as_reader(), "version", memory.id, self.number).await?;
        if found.redacted_at.is_none() {
            let says = |content: Option<&String>, detail: Option<&String>| {
                (content, detail) == (found.content.as_ref(), found.detail.as_ref())
            };
            if says(Some(&memory.draft.content), memory.draft.detail.as_ref().map(Detail::to_json).as_ref()) {
                return Err(Error::conflict("version", "is the current content; edit it first, then redact"));
            }
            let mut same =
                tables::find::<Version>(tx.as_reader(), &Version::query().is("memory_id", memory.id)).await?;
            same.retain(|version| says(version.content.as_ref(), version.detail.as_ref()));
            // Deletes the rows first, so that nothing of them stays in a page or a log.
            let numbers = same.iter().map(|version| version.number);
            tables::delete(tx, &Version::query().is("memory_id", memory.id).among(&["number"], numbers)).await?;
            let redacted: Vec<Version> = same.into_iter().map(|version| version.redacted(self.now)).collect();
            tables::put(tx, &redacted).await?;
            tx.audit(&entry(self.now, "memory.redact", Some(memory.id.to_string()), 1)).await?;
        }
        idempotency::remember(self.key.as_ref(), tx, &(), self.now).await
    }
}
