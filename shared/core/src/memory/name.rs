//! Names of records: paths for reading and editing in place.
//!
//! Names are compared byte for byte, neither trimmed nor folded. The vault checks whether a name is free.

use crate::bounds::MAX_NAME_BYTES;

/// Returns what is wrong with a name, if anything.
pub(crate) fn name_problem(name: &str) -> Option<String> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return Some(format!("has {} bytes; 1-{MAX_NAME_BYTES} are allowed", name.len()));
    }
    if name.chars().any(char::is_control) {
        return Some("contains a control character; use printable characters only".to_owned());
    }
    let bad = name.split('/').any(|segment| matches!(segment, "" | "." | ".."));
    bad.then(|| "has an empty, `.` or `..` segment; write it as `folder/file`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths_without_empty_and_dotted_segments() {
        let longest = "n".repeat(MAX_NAME_BYTES);
        for good in ["a", "core/persona", "memories/a b/ü.md", ".hidden/...", &longest] {
            assert_eq!(name_problem(good), None, "{good}");
        }
        let long = "n".repeat(MAX_NAME_BYTES + 1);
        for bad in ["", "/a", "a/", "a//b", ".", "a/../b", "..", "a/./b", "a\nb", "a\0", &long] {
            assert!(name_problem(bad).is_some(), "{bad}");
        }
    }
}
