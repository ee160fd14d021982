//! Reads the contract's comments from its descriptors.

use std::collections::HashMap;

use prost_reflect::prost::Message as _;
use prost_reflect::prost_types::FileDescriptorSet;

/// Leading comments by file and descriptor path.
#[derive(Debug)]
pub(super) struct Comments {
    texts: HashMap<(String, Vec<i32>), String>,
}

impl Comments {
    /// Reads an encoded descriptor set. Damaged bytes contain no comments.
    pub(super) fn new(descriptor_set: &[u8]) -> Self {
        let mut texts = HashMap::new();
        for file in FileDescriptorSet::decode(descriptor_set).unwrap_or_default().file {
            for location in file.source_code_info.iter().flat_map(|info| &info.location) {
                if let Some(text) = &location.leading_comments {
                    let lines: Vec<&str> = text.lines().map(str::trim).collect();
                    texts.insert((file.name().to_owned(), location.path.clone()), lines.join("\n").trim().to_owned());
                }
            }
        }
        Self { texts }
    }

    /// Returns the comment at a descriptor path, or an empty string.
    pub(super) fn of(&self, file: &str, path: &[i32]) -> String {
        self.texts.get(&(file.to_owned(), path.to_vec())).cloned().unwrap_or_default().replace('\n', " ")
    }
}

/// Returns the first sentence of a text, without its full stop.
pub(super) fn first_sentence(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn summaries_end_with_the_first_sentence() {
        assert_eq!(first_sentence("Reads 1.5 of them. Then more."), "Reads 1.5 of them");
        assert_eq!(first_sentence("One."), "One");
        assert_eq!(first_sentence(""), "");
    }
}
