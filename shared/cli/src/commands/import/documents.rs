//! Documents: a file, or all files of a folder. Each gets a name by which a later import replaces its text.

use std::fs;
use std::path::{Path, PathBuf};

use kimberly_core::bounds::MAX_DOCUMENT_TEXT_BYTES;
use kimberly_core::documents::MediaType;
use kimberly_proto::v1;
use kimberly_proto::v1::ingest_document_request::Original;
use serde_json::{Value, json};

use crate::client::Client;
use crate::commands::attach::upload;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::json as wire;
use crate::text::{self, count};

/// Prefix of the names of imported documents.
const NAMES: &str = "documents";
/// Maximum depth of subfolders below the imported folder.
const DEEPEST: usize = 16;

/// A file and the name of its document.
struct Found {
    path: PathBuf,
    name: String,
}

impl Found {
    /// The document's name in the vault.
    fn document(&self) -> String {
        format!("{NAMES}/{}", self.name)
    }
}

/// The result of one file.
struct Done {
    found: Found,
    outcome: CliResult<v1::IngestDocumentResponse>,
}

/// Whether a path is a folder, or has the extension of a document.
pub(super) fn are_at(path: &Path) -> bool {
    path.is_dir() || MediaType::of_name(&path.to_string_lossy()).is_some()
}

/// Imports documents. A refused document does not stop the others.
pub(super) async fn run(context: &Context, path: &Path, check: bool) -> CliResult {
    let found = found(path)?;
    if check {
        let told = || json!({"documents": found.iter().map(|one| &one.name).collect::<Vec<_>>()});
        let names = || found.iter().map(|one| text::line(&one.name, 200)).collect::<Vec<_>>().join("\n");
        let heading = format!("would import {}", count(found.len(), "document", "documents"));
        return context.out.answer(told, || format!("{heading}\n{}", names()));
    }
    let client = context.connect().await?;
    let mut all = Vec::with_capacity(found.len());
    for one in found {
        let outcome = ingest(context, &client, &one).await;
        all.push(Done { found: one, outcome });
    }
    context.out.answer(|| as_json(&all), || as_text(&all))?;
    let refused: Vec<String> = all
        .iter()
        .filter_map(|done| Some(format!("{}: {}", done.found.path.display(), done.outcome.as_ref().err()?)))
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    let refusals = count(refused.len(), "document was", "documents were");
    Err(CliError::failed(format!("{refusals} refused:\n  {}", refused.join("\n  "))))
}

async fn ingest(context: &Context, client: &Client, found: &Found) -> CliResult<v1::IngestDocumentResponse> {
    let bytes = fs::metadata(&found.path).map_err(|error| unreadable(&found.path, &error))?.len();
    let is_small = usize::try_from(bytes).is_ok_and(|bytes| bytes <= MAX_DOCUMENT_TEXT_BYTES);
    let original = if is_small {
        Original::Text(fs::read_to_string(&found.path).map_err(|error| unreadable(&found.path, &error))?)
    } else {
        let start = v1::AttachmentStart { user_id: context.user.clone(), ..v1::AttachmentStart::default() };
        let uploaded = upload(client, &found.path, start).await?;
        Original::AttachmentId(uploaded.attachment.unwrap_or_default().id)
    };
    let media_type = MediaType::of_name(&found.name).unwrap_or_default();
    let request = v1::IngestDocumentRequest {
        user_id: context.user.clone(),
        original: Some(original),
        media_type: media_type.name().to_owned(),
        name: found.document(),
        ..v1::IngestDocumentRequest::default()
    };
    Ok(client.documents().ingest_document(request).await?.into_inner())
}

/// The documents of a folder by name, or a single file.
fn found(path: &Path) -> CliResult<Vec<Found>> {
    if !path.is_dir() {
        if !path.is_file() {
            return Err(CliError::usage(format!("{} is neither a file nor a folder", path.display())));
        }
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        return Ok(vec![Found { path: path.to_owned(), name }]);
    }
    let mut found = Vec::new();
    let folder = fs::canonicalize(path).map_err(|error| unreadable(path, &error))?;
    let folder = folder.file_name().map(|name| format!("{}/", name.to_string_lossy())).unwrap_or_default();
    walk(path, &folder, 0, &mut found)?;
    if found.is_empty() {
        let path = path.display();
        return Err(CliError::usage(format!("{path} contains no document; those end in .md, .txt or .html")));
    }
    Ok(found)
}

/// Skips folders and files whose names start with a dot, and links to folders. Refuses folders that are too deep.
fn walk(folder: &Path, prefix: &str, depth: usize, found: &mut Vec<Found>) -> CliResult {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let entries: std::io::Result<Vec<_>> = entries.collect();
    let mut entries = entries.map_err(|error| unreadable(folder, &error))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        if name.starts_with('.') {
            continue;
        }
        let name = format!("{prefix}{name}");
        let kind = entry.file_type().map_err(|error| unreadable(&path, &error))?;
        if kind.is_dir() {
            if depth == DEEPEST {
                let path = path.display();
                return Err(CliError::usage(format!(
                    "{path} is more than {DEEPEST} folders deep; import it separately"
                )));
            }
            walk(&path, &format!("{name}/"), depth + 1, found)?;
        } else if path.is_file() && MediaType::of_name(&name).is_some() {
            found.push(Found { path, name });
        }
    }
    Ok(())
}

fn as_json(all: &[Done]) -> Value {
    let of = |done: &Done| match &done.outcome {
        Ok(answer) => json!({"name": done.found.document(), "document": wire::of(answer)}),
        Err(error) => json!({"name": done.found.document(), "refused": error.to_string()}),
    };
    json!({"documents": all.iter().map(of).collect::<Vec<_>>()})
}

fn as_text(all: &[Done]) -> String {
    let line = |done: &Done| {
        let answer = done.outcome.as_ref().ok()?;
        let passages = count(usize::try_from(answer.passages).unwrap_or_default(), "passage", "passages");
        let what = if answer.known { "known".to_owned() } else { format!("{} stored", answer.stored) };
        let name = text::line(&done.found.name, 60);
        let id = answer.receipt.as_ref().map(|receipt| receipt.id.as_str()).unwrap_or_default();
        Some(format!("{name}: {passages}, {what}\n  {id}"))
    };
    let lines: Vec<String> = all.iter().filter_map(line).collect();
    if lines.is_empty() { "imported nothing".to_owned() } else { lines.join("\n") }
}

fn unreadable(path: &Path, error: &std::io::Error) -> CliError {
    CliError::usage(format!("{} cannot be read: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_its_documents_by_name_and_nothing_hidden() {
        let folder = tempfile::Builder::new().prefix("notes").tempdir().unwrap();
        for path in ["b.md", "a/z.HTML", "a/y.txt", "c.pdf", ".git/d.md", "a/.e.md"] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        let root = folder.path().file_name().unwrap().to_string_lossy().into_owned();
        let names: Vec<String> = found(folder.path()).unwrap().into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["a/y.txt", "a/z.HTML", "b.md"].map(|name| format!("{root}/{name}")));
        assert!(are_at(folder.path()) && are_at(Path::new("x.md")) && !are_at(Path::new("x.jsonl")));
        let empty = tempfile::tempdir().unwrap();
        assert!(found(empty.path()).is_err() && found(&empty.path().join("none.md")).is_err());
    }
}
