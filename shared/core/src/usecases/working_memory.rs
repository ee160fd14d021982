//! Runs operations on working memory.

use super::App;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::ports::WorkingMemory;
use crate::working::{Keyspace, WorkingOps, WorkingOutcome};

impl App {
    /// Runs operations on the keys of a session, within the namespaces that the caller reaches. Fails like every other
    /// call while the user is purged or the vault is damaged.
    #[boxed]
    pub async fn run_working(
        &self,
        memory: &dyn WorkingMemory,
        user: &UserId,
        (namespace, session_id): (&str, &str),
        ops: &WorkingOps,
    ) -> Result<Vec<WorkingOutcome>> {
        let mut keyspace = Keyspace::parse(user.clone(), namespace, session_id)?;
        if let Some(rows) = self.caller.as_ref().map(|caller| &caller.grant.rows) {
            if let Some(only) = rows.only_namespace().filter(|_| keyspace.namespace.is_empty()) {
                only.clone_into(&mut keyspace.namespace);
            }
            if !rows.reach_namespace(&keyspace.namespace) {
                return Err(Error::Denied);
            }
        }
        self.vaults.read(user, |_| Box::pin(async { Ok(()) })).await?;
        memory.run(&keyspace, ops, self.clock.now()).await
    }
}
