//! Commands on a file or on all files of a directory: deleting and renaming.

use super::super::super::delete_memory::put_aside;
use super::super::super::embed_later;
use super::super::super::support::entry;
use super::super::files::{Found, find, in_the_way, too_many};
use super::{Changed, Did, Done, Work};
use crate::bounds::MAX_TOOL_FILES;
use crate::error::Result;
use crate::memory::{Memory, MemoryDraft};
use crate::memory_tool::{ROOT, name_of};
use crate::ports::{VaultTransaction, WriteContext};
use crate::settings::EffectiveSettings;

impl Work {
    pub(super) async fn delete(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        path: &str,
    ) -> Result<Done> {
        let files = match self.files(tx, path, "delete").await? {
            Ok((_, files)) if files.is_empty() => return Ok(Err(format!("The path {path} does not exist"))),
            Ok((_, files)) => files,
            Err(why) => return Ok(Err(why)),
        };
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let tiers = files.iter().map(|memory| memory.draft.tier).collect();
        for mut memory in files {
            put_aside(tx, &mut memory, self.now, &settings).await?;
            tx.audit(&entry(self.now, "memory_tool.delete", Some(memory.id.to_string()), 1)).await?;
        }
        let tools = (&*self.ids, &*self.defaults);
        embed_later(tx, tools, Some(&context.settings.settings), self.now, self.trace.as_deref()).await?;
        Ok(Ok((Did::Said(format!("Successfully deleted {path}")), Changed::Deleted(tiers))))
    }

    pub(super) async fn rename(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        old_path: &str,
        new_path: &str,
    ) -> Result<Done> {
        let (old, files) = match self.files(tx, old_path, "rename").await? {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let new = match name_of(new_path) {
            Ok(Some(new)) => new,
            Ok(None) => return Ok(Err(self.taken())),
            Err(why) => return Ok(Err(why)),
        };
        if files.is_empty() {
            return Ok(Err(format!("The path {old_path} does not exist")));
        }
        if !matches!(find(tx.as_reader(), &self.namespace, Some(&new)).await?, Found::Nothing) {
            return Ok(Err(self.taken()));
        }
        if new.starts_with(&format!("{old}/")) {
            return Ok(Err(format!("The path {old_path} cannot be moved into itself")));
        }
        if let Some(parent) = in_the_way(tx.as_reader(), &self.namespace, &new).await? {
            return Ok(Err(format!("The path {parent} is not a directory.")));
        }
        let mut shares = Vec::new();
        for before in files {
            let name = before.draft.name.as_deref().and_then(|name| name.strip_prefix(&old)).unwrap_or_default();
            let draft = MemoryDraft { name: Some(format!("{new}{name}")), ..before.draft.clone() };
            shares.extend(self.store(tx, context, &before, draft).await?);
        }
        let said = format!("Successfully renamed {old_path} to {new_path}");
        Ok(Ok((Did::Said(said), Changed::Grown(shares))))
    }

    /// Returns the name of a path that is not the root, and the file or all files below it; no files if nothing is there.
    async fn files(
        &self,
        tx: &mut dyn VaultTransaction,
        path: &str,
        doing: &str,
    ) -> Result<Result<(String, Vec<Memory>), String>> {
        let name = match name_of(path) {
            Ok(Some(name)) => name,
            Ok(None) => return Ok(Err(format!("Cannot {doing} the {ROOT} directory itself"))),
            Err(why) => return Ok(Err(why)),
        };
        let files = match find(tx.as_reader(), &self.namespace, Some(&name)).await? {
            Found::File(memory) => vec![*memory],
            Found::Directory(files) if files.len() > MAX_TOOL_FILES => return Ok(Err(too_many(path))),
            Found::Directory(files) => {
                let seqs: Vec<_> = files.iter().map(|one| one.seq).collect();
                tx.memories(&seqs).await?
            }
            Found::Nothing => Vec::new(),
        };
        Ok(Ok((name, files)))
    }
}
