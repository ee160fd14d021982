//! Lists the versions of a record, and reads one.

use super::super::super::App;
use super::super::super::support::named;
use super::{number, version};
use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::tables::{self, TableRow as _};
use crate::versions::Version;

impl App {
    /// Returns the versions of an active record, newest first, without their texts.
    #[boxed]
    pub async fn list_versions(&self, user: &UserId, namespace: &str, name: &str) -> Result<Vec<Version>> {
        let (namespace, name) = self.addressed(namespace, "name", name)?;
        let read = self.vaults.read(user, move |reader| {
            let (namespace, name) = (namespace.clone(), name.clone());
            Box::pin(async move {
                let memory = named(reader, &namespace, &name).await?;
                let all = Version::query().is("memory_id", memory.id).descending().without(Version::TEXTS);
                tables::find(reader, &all).await
            })
        });
        read.await
    }

    /// Returns one version, with its texts unless they were redacted.
    #[boxed]
    pub async fn get_version(&self, user: &UserId, of: (&str, &str), asked: i64) -> Result<Version> {
        let (namespace, name) = self.addressed(of.0, "name", of.1)?;
        let asked = number("version", asked)?;
        let read = self.vaults.read(user, move |reader| {
            let (namespace, name) = (namespace.clone(), name.clone());
            Box::pin(async move {
                let memory = named(reader, &namespace, &name).await?;
                version(reader, "version", memory.id, asked).await
            })
        });
        read.await
    }
}
