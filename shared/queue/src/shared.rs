//! The state that clones of a [`Queue`](crate::Queue) share.

use std::sync::Arc;

use crate::{database::Database, error::QueueError, health::Health, options::QueueOptions, poll::Bell};

/// The state that clones of a [`Queue`] share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) database: Database,
    pub(crate) options: QueueOptions,
    pub(crate) bell: Arc<Bell>,
    pub(crate) health: Health,
}

impl Shared {
    /// See [`Queue::examine`].
    pub(crate) async fn examine(&self) -> Result<(), QueueError> {
        match &self.database {
            Database::Sqlite(file) => file.examine(self.options.key.as_deref()).await,
            Database::Postgres(_) => Ok(()),
        }
    }
}
