//! Labels of blocks, and their order.

use crate::bounds::MAX_BLOCK_LABEL_BYTES;

/// Prefix of the names of blocks.
pub const PREFIX: &str = "core/";

/// The labels that every assistant knows, in output order; other labels follow in byte order.
pub const LABELS: [&str; 6] = ["system", "persona", "human", "facts", "goals", "scratch"];

/// Returns the name of the record that holds the block.
pub fn name_of(label: &str) -> String {
    format!("{PREFIX}{label}")
}

/// Returns the label for a record's name; `None` if it is not a block's name.
pub fn label_of(name: &str) -> Option<&str> {
    name.strip_prefix(PREFIX)
}

/// Returns what is wrong with a label, if anything.
pub fn label_problem(label: &str) -> Option<String> {
    let good = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '_' | '-');
    let within = (1..=MAX_BLOCK_LABEL_BYTES).contains(&label.len());
    (!within || !label.chars().all(good)).then(|| {
        format!("is not a label; 1-{MAX_BLOCK_LABEL_BYTES} of the characters a-z, 0-9, `_` and `-` are allowed")
    })
}

/// The sort key of a label.
pub(crate) fn sort_key(label: &str) -> (usize, &str) {
    (LABELS.iter().position(|known| *known == label).unwrap_or(LABELS.len()), label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short_names_in_small_letters() {
        let longest = "l".repeat(MAX_BLOCK_LABEL_BYTES);
        for good in LABELS.into_iter().chain(["my-project_2", &longest]) {
            assert_eq!(label_problem(good), None, "{good}");
            assert_eq!(label_of(&name_of(good)), Some(good));
        }
        for bad in ["", "Persona", "a b", "a/b", "é", &format!("{longest}l")] {
            assert!(label_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn known_labels_come_in_their_order_and_others_behind_them() {
        let mut labels = ["zebra", "scratch", "human", "alpha", "system", "goals", "facts", "persona"];
        labels.sort_by_key(|label| sort_key(label));
        assert_eq!(labels, ["system", "persona", "human", "facts", "goals", "scratch", "alpha", "zebra"]);
    }
}
