//! Reads the active record with a name.

use super::super::App;
use super::super::support::named;
use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::Memory;

impl App {
    /// Returns the active record with this name in a namespace.
    #[boxed]
    pub async fn named_record(&self, user: &UserId, namespace: &str, name: &str) -> Result<Memory> {
        let (namespace, name) = self.addressed(namespace, "name", name)?;
        let found = self.vaults.read(user, move |reader| {
            let (namespace, name) = (namespace.clone(), name.clone());
            Box::pin(async move { named(reader, &namespace, &name).await })
        });
        found.await
    }
}
