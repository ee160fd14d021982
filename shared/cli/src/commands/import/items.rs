//! The memories for one user, readable from any index, as often as needed.

use std::sync::Arc;

use kimberly_proto::v1;
use kimberly_proto::v1::import_item::Memory;

use super::archive;
use super::formats::{Drafted, Foreign};
use super::lines::{Line, Lines};
use super::source::Source;
use crate::error::CliResult;

/// The source of memories.
#[derive(Clone, Debug)]
pub(super) enum Items {
    /// In memory.
    Drafts(Arc<[v1::MemoryDraft]>),
    /// Lines of a file.
    Lines(Source),
    /// In an archive.
    Archive(Source),
    /// In a file of a foreign format.
    Foreign(Foreign),
}

/// An iterator over memories.
pub(super) type Memories = Box<dyn Iterator<Item = CliResult<Memory>> + Send>;

impl Items {
    /// All memories, starting at `index`.
    pub(super) fn from(&self, index: u64) -> Memories {
        let skip = usize::try_from(index).unwrap_or(usize::MAX);
        match self {
            Self::Drafts(drafts) => {
                let drafts = Arc::clone(drafts);
                let rest = (skip.min(drafts.len())..drafts.len()).map(move |at| Ok(Memory::Draft(drafts[at].clone())));
                Box::new(rest)
            }
            Self::Lines(file) => {
                let lines = Lines::new(file.reader());
                let memories = lines.filter_map(|line| match line {
                    Ok(Line::Memory(memory)) => Some(Ok(*memory)),
                    Ok(_) => None,
                    Err(error) => Some(Err(error)),
                });
                Box::new(memories.skip(skip))
            }
            Self::Archive(file) => Box::new(archive::memories(file, index)),
            Self::Foreign(foreign) => {
                let memories = foreign.drafts().filter_map(|drafted| match drafted {
                    Ok(Drafted::Draft(draft)) => Some(Ok(Memory::Draft(*draft))),
                    Ok(Drafted::LeftOut) => None,
                    Err(error) => Some(Err(error)),
                });
                Box::new(memories.skip(skip))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::OpeningArgs;

    #[test]
    fn memories_go_on_from_any_index() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        let text = "{\"content\":\"a\"}\n\n{\"goal\":{\"title\":\"g\"}}\n{\"content\":\"b\"}\n{\"content\":\"c\"}\n";
        std::fs::write(&path, text).unwrap();
        let draft = |content: &str| v1::MemoryDraft { content: content.to_owned(), ..Default::default() };
        let held = Items::Drafts(["a", "b", "c"].map(draft).into());
        for items in [held, Items::Lines(Source::open(&path, &OpeningArgs::default()).unwrap())] {
            for from in 0..5 {
                let rest = items.from(from).map(|memory| match memory.unwrap() {
                    Memory::Draft(draft) => draft.content,
                    Memory::Record(_) => unreachable!(),
                });
                let expected: Vec<_> = ["a", "b", "c"].into_iter().skip(usize::try_from(from).unwrap()).collect();
                assert_eq!(rest.collect::<Vec<_>>(), expected);
            }
        }
    }
}
