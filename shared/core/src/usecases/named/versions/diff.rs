//! Compares two versions of a record, or a version with the current content.

use super::super::super::App;
use super::super::super::support::named;
use super::{number, texts, version};
use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::versions::unified;

/// The versions to compare.
#[derive(Clone, Debug, Default)]
pub struct DiffInput {
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The first version.
    pub from: i64,
    /// The second version; 0 for the current content.
    pub to: i64,
}

impl App {
    /// Returns how the content of an active record differs between two versions, in the format of `diff -u`.
    #[boxed]
    pub async fn diff_versions(&self, user: &UserId, input: DiffInput) -> Result<String> {
        let (namespace, name) = self.addressed(&input.namespace, "name", &input.name)?;
        let from = number("from_version", input.from)?;
        let to = if input.to == 0 { None } else { Some(number("to_version", input.to)?) };
        let read = self.vaults.read(user, move |reader| {
            let (namespace, name) = (namespace.clone(), name.clone());
            Box::pin(async move {
                let memory = named(reader, &namespace, &name).await?;
                let before = texts("from_version", version(reader, "from_version", memory.id, from).await?)?.0;
                let after = match to {
                    None => memory.draft.content,
                    Some(to) => texts("to_version", version(reader, "to_version", memory.id, to).await?)?.0,
                };
                Ok((before, after, to.unwrap_or(memory.revision)))
            })
        });
        let (before, after, to) = read.await?;
        Ok(unified(&before, &after, (&from.to_string(), &to.to_string())))
    }
}
