//! Automatic tags given by nightly steps (Y-4): by rules, and by keywords of a record's summary. They are separate
//! from people's tags, which nightly steps never change and which alone count for consent. Derived data: nothing is
//! taken from sensitive or withheld records.
//!
//! Filters by tag match both kinds of tags, in SQL: see `filter.rs` of the store.

mod keywords;
mod rules;
mod tag;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

pub use tag::AutoTag;
pub(crate) use tag::{forget, with_auto_tags};

use crate::attachments::Attachment;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::memory::Memory;
use crate::ports::{AttachmentQuery, VaultReader};

/// Most automatic tags of a record.
pub const MOST: usize = 6;
/// Most of those that rules give.
const BY_RULES: usize = 3;

/// An attachment of a record.
#[derive(Clone, Debug)]
struct File {
    name: String,
    media_type: String,
}

/// Returns the automatic tags of these records.
pub(crate) async fn tags_of(reader: &mut dyn VaultReader, memories: &[Memory]) -> Result<Vec<AutoTag>> {
    let reads = |memory: &&Memory| !memory.draft.metadata.sensitive && !memory.withheld;
    let memories: Vec<&Memory> = memories.iter().filter(reads).collect();
    let files = files(reader, &memories).await?;
    let of = |memory: &Memory| files.get(&memory.id).map_or(&[][..], Vec::as_slice);
    let candidates: Vec<_> = memories.iter().map(|memory| keywords::candidates(memory, of(memory))).collect();
    let frequencies = keywords::Frequencies::read(reader, &candidates).await?;
    let mut all = Vec::new();
    for (memory, candidates) in memories.into_iter().zip(&candidates) {
        let mut tags: Vec<String> = Vec::with_capacity(MOST);
        for tag in rules::tags(memory, of(memory)) {
            add(&mut tags, tag, BY_RULES);
        }
        for keyword in frequencies.best(candidates) {
            add(&mut tags, keyword.word.clone(), MOST);
        }
        all.extend(tags.into_iter().map(|tag| AutoTag { memory: memory.id, tag }));
    }
    Ok(all)
}

fn add(tags: &mut Vec<String>, tag: String, most: usize) {
    if tags.len() < most && !tags.contains(&tag) {
        tags.push(tag);
    }
}

/// The attachments of records. Ignores attachments of several records: one of those may be or become sensitive.
async fn files(reader: &mut dyn VaultReader, memories: &[&Memory]) -> Result<HashMap<MemoryId, Vec<File>>> {
    let mut files = HashMap::new();
    if reader.attachment_usage().await?.items == 0 {
        return Ok(files);
    }
    for memory in memories {
        let hanging = reader.every_attachment(&AttachmentQuery::OfMemory(memory.seq)).await?;
        let alone = |one: &Attachment| one.memories == [memory.id];
        let file = |one: Attachment| File { name: one.name, media_type: one.media_type };
        let here: Vec<File> = hanging.into_iter().filter(alone).map(file).collect();
        if !here.is_empty() {
            files.insert(memory.id, here);
        }
    }
    Ok(files)
}
