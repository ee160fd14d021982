//! Partial updates of a memory.

use super::draft::FIELDS;
use super::{DraftLimits, MemoryDraft};
use crate::error::{Error, Result};

/// New values, and the fields to update.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryPatch {
    /// The new values.
    pub values: MemoryDraft,
    /// Paths of the fields to update; never empty.
    paths: Vec<&'static str>,
}

impl MemoryPatch {
    /// The paths of all fields that an update may name, in a fixed order.
    pub fn known() -> impl Iterator<Item = &'static str> {
        FIELDS.iter().map(|(path, ..)| *path)
    }

    /// Builds a patch from an update mask; the error names an unknown path and lists the allowed ones.
    pub fn new(values: MemoryDraft, mask: &[String]) -> Result<Self> {
        let allowed = || Self::known().collect::<Vec<_>>().join(", ");
        if mask.is_empty() {
            return Err(Error::invalid("update_mask", format!("is empty; name at least one of {}", allowed())));
        }
        let known = |path: &String| {
            Self::known()
                .find(|known| known == path)
                .ok_or_else(|| Error::invalid("update_mask", format!("names \"{path}\"; allowed are {}", allowed())))
        };
        let paths = mask.iter().map(known).collect::<Result<_>>()?;
        Ok(Self { values, paths })
    }

    /// The paths of the fields to update.
    pub fn paths(&self) -> &[&'static str] {
        &self.paths
    }

    /// Applies the patch to `current`, then normalizes and checks the result.
    pub fn apply(&self, current: &MemoryDraft, limits: DraftLimits) -> Result<MemoryDraft> {
        let mut draft = current.clone();
        for path in &self.paths {
            for (_, _, take) in FIELDS.iter().filter(|(known, ..)| known == path) {
                take(&mut draft, &self.values);
            }
        }
        draft.normalized("memory", limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(values: MemoryDraft, mask: &[&str]) -> Result<MemoryPatch> {
        MemoryPatch::new(values, &mask.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn each_path_takes_its_own_value_alone() {
        let before = MemoryDraft { content: "before".to_owned(), ..MemoryDraft::default() };
        let before = before.normalized("memory", DraftLimits::default()).unwrap();
        let mut after = before.clone();
        after.content = "after".to_owned();
        after.speaker = Some("Ana".to_owned());
        after.metadata.tags = vec!["tag".to_owned()];
        let apply = |path| patch(after.clone(), &[path]).unwrap().apply(&before, DraftLimits::default()).unwrap();
        assert_eq!(apply("content"), MemoryDraft { content: "after".to_owned(), ..before.clone() });
        assert_eq!(apply("speaker"), MemoryDraft { speaker: Some("Ana".to_owned()), ..before.clone() });
        assert_eq!(apply("metadata.tags").metadata.tags, ["tag"]);
        assert_eq!(apply("metadata"), apply("metadata.tags"));
        assert_eq!(apply("session_id"), before);
    }

    #[test]
    fn a_mask_names_fields_that_there_are_and_one_at_least() {
        assert!(patch(MemoryDraft::default(), &[]).unwrap_err().to_string().contains("is empty"));
        let unknown = patch(MemoryDraft::default(), &["content", "created_by"]).unwrap_err().to_string();
        assert!(unknown.contains("\"created_by\"; allowed are tier, content, metadata, "), "{unknown}");
    }

    #[test]
    fn paths_are_distinguished() {
        let paths: Vec<_> = MemoryPatch::known().collect();
        let once: std::collections::BTreeSet<_> = paths.iter().collect();
        assert_eq!(once.len(), paths.len());
    }
}
