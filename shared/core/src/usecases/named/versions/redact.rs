//! Redacts a version: that it was there stays, and nothing of its texts.

use std::sync::Arc;

use super::super::super::App;
use super::super::super::idempotency::{self, Key};
use super::super::super::support::{entry, named};
use super::{number, version};
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::VaultTransaction;
use crate::tables::{self, TableRow as _};
use crate::time::Timestamp;
use crate::versions::Version;

/// Which version.
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
    /// Redacts a version of an active record. One that is redacted already stays as it is.
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
            // Away with the row, so that nothing of it stays in a page or a log.
            tables::delete(tx, &Version::query().is("memory_id", memory.id).is("number", self.number)).await?;
            tables::put(tx, &[found.redacted(self.now)]).await?;
            tx.audit(&entry(self.now, "memory.redact", Some(memory.id.to_string()), 1)).await?;
        }
        idempotency::remember(self.key.as_ref(), tx, &(), self.now).await
    }
}
