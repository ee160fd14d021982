//! How much of each memory a response contains.

use kimberly_core::compacting::brief;
use kimberly_core::memory::Memory;
use kimberly_core::{Error, Result};
use kimberly_proto::v1;

/// How much of a memory is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// All of it.
    Full,
    /// A summary in place of the content.
    Summary,
}

impl View {
    /// Parses the view of a request: full if unset.
    pub fn parse(raw: i32) -> Result<Self> {
        match v1::MemoryView::try_from(raw) {
            Ok(v1::MemoryView::Unspecified | v1::MemoryView::Full) => Ok(Self::Full),
            Ok(v1::MemoryView::Summary) => Ok(Self::Summary),
            Err(_) => {
                let [full, summary] = [v1::MemoryView::Full, v1::MemoryView::Summary].map(|view| view.as_str_name());
                Err(Error::invalid("view", format!("is {raw}; allowed are {full} (1), {summary} (2)")))
            }
        }
    }

    /// Shortens a memory before its conversion.
    pub fn shorten(self, memory: &mut Memory) {
        if self == Self::Summary {
            memory.draft.content = brief(&memory.draft.content);
        }
    }

    /// Moves the shortened content into the field for summaries.
    pub fn fill_summary(self, memory: &mut v1::Memory) {
        if self == Self::Summary {
            memory.summary = std::mem::take(&mut memory.content);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_named_in_what_refuses_others() {
        assert_eq!([0, 1].map(|raw| View::parse(raw).ok()), [Some(View::Full); 2]);
        assert_eq!(View::parse(2).ok(), Some(View::Summary));
        assert!(View::parse(3).unwrap_err().to_string().contains("MEMORY_VIEW_SUMMARY (2)"));
    }
}
