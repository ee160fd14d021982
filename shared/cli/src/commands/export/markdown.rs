//! Memories as Markdown for people: a page per category with a summary, and a file per named record.
//!
//! `kimberly import` reads JSON lines and archives back without loss; to it, these files are just documents.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kimberly_core::compacting::brief;
use kimberly_crypto::folder_of;
use kimberly_proto::v1;
use serde_json::json;

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::names;
use crate::pages::every;
use crate::text::{self, count};
use crate::time::{day, exact};

/// Bytes of a category that its summary is made from.
const SUMMARIZED: usize = 64 * 1024;
/// Maximum length of a file name, in bytes.
const LONGEST: usize = 100;

/// The property that defines a category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// What memories are
    #[default]
    Kind,
    /// Whom or what they are about
    Subject,
    /// Their tags, of which each makes one
    Tag,
}

/// Writes all memories that match a filter into an empty folder.
pub(super) async fn run(context: &Context, folder: &Path, by: By, filter: v1::MemoryFilter) -> CliResult {
    empty(folder)?;
    let client = context.connect().await?;
    let memories = all(context, &client, filter).await?;
    let mut categories: BTreeMap<String, Vec<&v1::Memory>> = BTreeMap::new();
    for memory in &memories {
        for category in categories_of(memory, by) {
            categories.entry(category).or_default().push(memory);
        }
    }
    let (mut files, mut taken) = (0, BTreeMap::new());
    for (category, held) in &categories {
        let path = free(&Path::new("categories").join(slug(category)), &mut taken);
        write(folder, &path, &page(category, held))?;
        files += 1;
    }
    for memory in memories.iter().filter(|memory| !memory.name.is_empty()) {
        let named: PathBuf = memory.name.split('/').map(slug).collect();
        let path = free(&Path::new("records").join(named), &mut taken);
        write(folder, &path, &record(memory))?;
        files += 1;
    }
    let name = folder.display();
    context.out.answer(
        || json!({"folder": name.to_string(), "memories": memories.len(), "categories": categories.len(), "files": files}),
        || {
            let pages = count(categories.len(), "category", "categories");
            format!("exported {} in {pages} to {name}", text::memories(memories.len() as u64))
        },
    )
}

fn empty(folder: &Path) -> CliResult {
    fs::create_dir_all(folder).map_err(|error| CliError::unwritable(folder, &error))?;
    let mut held = fs::read_dir(folder).map_err(|error| CliError::unwritable(folder, &error))?;
    if held.next().is_some() {
        return Err(CliError::usage(format!("{} is not empty; name a new folder", folder.display())));
    }
    Ok(())
}

async fn all(context: &Context, client: &Client, filter: v1::MemoryFilter) -> CliResult<Vec<v1::Memory>> {
    let all = every(async |page_token| {
        let request = v1::ListMemoriesRequest {
            user_id: context.user.clone(),
            filter: Some(filter.clone()),
            page_size: 1_000,
            page_token,
            order: v1::ListOrder::OldestFirst.into(),
            ..v1::ListMemoriesRequest::default()
        };
        let page = client.memories().list_memories(request).await?.into_inner();
        Ok((page.memories, page.next_page_token))
    });
    Ok(all.await?)
}

fn categories_of(memory: &v1::Memory, by: By) -> Vec<String> {
    let or_rest = |name: &str| if name.is_empty() { "other".to_owned() } else { name.to_owned() };
    match by {
        By::Kind => vec![kind(memory)],
        By::Subject => vec![or_rest(&memory.subject)],
        By::Tag => match &memory.metadata {
            Some(metadata) if !metadata.tags.is_empty() => metadata.tags.clone(),
            _ => vec![or_rest("")],
        },
    }
}

/// The memory's kind; "memory" without one.
fn kind(memory: &v1::Memory) -> String {
    if memory.kind == i32::from(v1::Kind::Unspecified) { "memory".to_owned() } else { names::kind(memory.kind) }
}

/// A category's page: a short summary, then all memories.
fn page(category: &str, held: &[&v1::Memory]) -> String {
    let mut said = String::new();
    for memory in held.iter().rev() {
        if said.len() + memory.content.len() > SUMMARIZED {
            break;
        }
        said = format!("{}\n{said}", memory.content);
    }
    let mut page = format!("# {}\n\n{}\n", line(category), brief(&said));
    for memory in held {
        let _ = write!(page, "\n- {} `{}`", day(occurred(memory)), memory.id);
        for line in memory.content.lines() {
            let _ = write!(page, "\n  {line}");
        }
    }
    page.push('\n');
    page
}

/// A named record: metadata as front matter, then the content.
fn record(memory: &v1::Memory) -> String {
    let tags = memory.metadata.as_ref().map(|metadata| metadata.tags.clone()).unwrap_or_default();
    let mut front = vec![("id", json!(memory.id)), ("name", json!(memory.name)), ("kind", json!(kind(memory)))];
    front.extend((!memory.subject.is_empty()).then(|| ("subject", json!(memory.subject))));
    front.extend((!tags.is_empty()).then(|| ("tags", json!(tags))));
    front.extend((!memory.source_ref.is_empty()).then(|| ("source", json!(memory.source_ref))));
    front.push(("created", json!(exact(memory.created_at.as_ref()))));
    front.push(("updated", json!(exact(memory.updated_at.as_ref()))));
    // JSON is valid YAML.
    let front: Vec<String> = front.into_iter().map(|(key, value)| format!("{key}: {value}")).collect();
    format!("---\n{}\n---\n\n{}\n", front.join("\n"), memory.content)
}

fn occurred(memory: &v1::Memory) -> Option<&prost_types::Timestamp> {
    memory.occurred_at.as_ref().or(memory.created_at.as_ref())
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Makes a name valid as a file name on any system.
fn slug(name: &str) -> String {
    let name = name.strip_suffix(".md").unwrap_or(name);
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() || "-_ ".contains(c) { c } else { '-' }).collect();
    let plain = plain.get(..plain.floor_char_boundary(LONGEST)).unwrap_or_default().trim();
    if plain.is_empty() { "other".to_owned() } else { plain.to_owned() }
}

/// Returns a path that is unique without regard to case.
fn free(path: &Path, taken: &mut BTreeMap<String, u32>) -> PathBuf {
    let times = taken.entry(path.to_string_lossy().to_lowercase()).or_default();
    *times += 1;
    let number = if *times > 1 { format!("~{times}") } else { String::new() };
    path.with_file_name(format!("{}{number}.md", path.file_name().unwrap_or_default().to_string_lossy()))
}

fn write(folder: &Path, path: &Path, text: &str) -> CliResult {
    let path = folder.join(path);
    let parent = folder_of(&path);
    fs::create_dir_all(parent).map_err(|error| CliError::unwritable(parent, &error))?;
    fs::write(&path, text).map_err(|error| CliError::unwritable(&path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(content: &str, name: &str) -> v1::Memory {
        let metadata = v1::Metadata { tags: vec!["a: b".to_owned(), "../x".to_owned()], ..v1::Metadata::default() };
        let (content, name, id) = (content.to_owned(), name.to_owned(), "mem_1".to_owned());
        v1::Memory { id, content, name, metadata: Some(metadata), ..v1::Memory::default() }
    }

    #[test]
    fn no_name_leads_out_of_the_folder_or_to_another_file() {
        let mut taken = BTreeMap::new();
        assert_eq!(slug("../x"), "---x");
        assert_eq!(slug(".."), "--");
        assert_eq!(slug("a/b.md"), "a-b");
        assert_eq!(slug(""), "other");
        let mut path = |name: &str| free(&Path::new("records").join(slug(name)), &mut taken).display().to_string();
        assert_eq!(path("Travel.md"), "records/Travel.md");
        assert_eq!(path("travel"), "records/travel~2.md");
        assert!(slug(&"ä".repeat(200)).len() <= LONGEST);
    }

    #[test]
    fn a_page_sums_up_and_a_record_says_what_it_is() {
        let (one, two) = (memory("Ana likes tea.\nGreen tea.", ""), memory("Ben likes coffee.", "notes/ben.md"));
        let page = page("preference", &[&one, &two]);
        assert!(page.starts_with("# preference\n\nAna likes tea."), "{page}");
        assert!(page.contains("`mem_1`\n  Ana likes tea.\n  Green tea.\n-"), "{page}");
        assert!(record(&two).contains("tags: [\"a: b\",\"../x\"]\n"), "{}", record(&two));
        assert!(record(&two).ends_with("---\n\nBen likes coffee.\n"));
        assert_eq!(categories_of(&one, By::Tag), ["a: b", "../x"]);
        assert_eq!(categories_of(&one, By::Subject), ["other"]);
    }
}
