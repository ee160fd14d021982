//! Files and directories as named records. A directory exists as long as it holds a file.

use crate::bounds::MAX_TOOL_FILES;
use crate::error::Result;
use crate::memory::{Memory, MemoryFilter};
use crate::ports::{Named, NamesQuery, VaultReader};

/// The target of a path.
pub(super) enum Found {
    /// A file.
    File(Box<Memory>),
    /// The files below a directory, in order; at most one more than a command may be about.
    Directory(Vec<Named>),
    /// Nothing.
    Nothing,
}

/// Finds what a name leads to; `None` is the root, a directory that always exists.
pub(super) async fn find(reader: &mut dyn VaultReader, namespace: &str, name: Option<&str>) -> Result<Found> {
    if let Some(name) = name
        && let Some(id) = reader.id_named(namespace, name).await?
        && let Some(memory) = reader.memory(id).await?
    {
        return Ok(Found::File(Box::new(memory)));
    }
    let files = below(reader, namespace, name).await?;
    Ok(if files.is_empty() && name.is_some() { Found::Nothing } else { Found::Directory(files) })
}

/// Returns the files below a directory.
pub(super) async fn below(reader: &mut dyn VaultReader, namespace: &str, name: Option<&str>) -> Result<Vec<Named>> {
    let filter = MemoryFilter { namespaces: vec![namespace.to_owned()], ..MemoryFilter::default() };
    let prefix = format!("{}/", name.unwrap_or("memories"));
    reader.names(&NamesQuery { filter, prefix, limit: MAX_TOOL_FILES + 1, ..NamesQuery::default() }).await
}

/// Returns a file among the directories that lead to a name, if there is one: nothing can be below a file.
pub(super) async fn in_the_way(reader: &mut dyn VaultReader, namespace: &str, name: &str) -> Result<Option<String>> {
    let parents = name.match_indices('/').map(|(at, _)| &name[..at]).skip(1);
    for parent in parents {
        if reader.id_named(namespace, parent).await?.is_some() {
            return Ok(Some(format!("/{parent}")));
        }
    }
    Ok(None)
}

/// Returns the message for a directory with more files than one command may be about.
pub(super) fn too_many(path: &str) -> String {
    format!("The directory {path} has more than {MAX_TOOL_FILES} files; name one of its files or directories instead.")
}
