//! Paths of the tool, and the names of their records. Nothing is decoded: paths that are valid only after decoding are
//! refused.

use crate::memory::name_problem;

/// The directory of all files.
pub const ROOT: &str = "/memories";

/// Characters that may be mistaken for a dot, slash or backslash.
const ALIKE: &[char] = &['\\', '\u{2024}', '\u{2044}', '\u{2215}', '\u{29f8}', '\u{ff0e}', '\u{ff0f}', '\u{ff3c}'];

/// Returns the record name for a path; `None` for the root. The error is a message for the assistant.
pub fn name_of(path: &str) -> Result<Option<String>, String> {
    let inside = path.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let Some(inside) = inside else { return Err(format!("Path must start with {ROOT}, got: {path}")) };
    let segments: Vec<&str> = inside.split('/').filter(|segment| !segment.is_empty()).collect();
    if segments.iter().any(|segment| matches!(*segment, "." | "..")) || is_encoded(path) || path.contains(ALIKE) {
        return Err(format!("Path {path} would escape {ROOT} directory"));
    }
    if segments.is_empty() {
        return Ok(None);
    }
    let name = format!("{}/{}", &ROOT[1..], segments.join("/"));
    match name_problem(&name) {
        Some(problem) => Err(format!("Path {path} {problem}")),
        None => Ok(Some(name)),
    }
}

/// Reports whether the path contains a percent-encoded byte.
fn is_encoded(path: &str) -> bool {
    path.as_bytes().windows(3).any(|bytes| bytes[0] == b'%' && bytes[1..].iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_below_the_root_is_a_name() {
        for (path, name) in [
            ("/memories/a.md", "memories/a.md"),
            ("/memories/a b/ü 100%.md", "memories/a b/ü 100%.md"),
            ("/memories/dir/", "memories/dir"),
            ("/memories//dir//a", "memories/dir/a"),
            ("/memories/.hidden/...", "memories/.hidden/..."),
        ] {
            assert_eq!(name_of(path), Ok(Some(name.to_owned())), "{path}");
        }
        for root in ["/memories", "/memories/", "/memories//"] {
            assert_eq!(name_of(root), Ok(None));
        }
    }

    #[test]
    fn traversal_and_encoded_tricks_are_refused() {
        for path in [
            "",
            "/",
            "memories/a",
            "/etc/passwd",
            "/memoriesX/a",
            "/memories..",
            "/Memories/a",
            "./memories/a",
            "/memories/..",
            "/memories/../etc/passwd",
            "/memories/a/../../b",
            "/memories/./a",
            "/memories/a/.",
            "/memories/%2e%2e/a",
            "/memories/%2E%2E%2Fa",
            "/memories/a%2fb",
            "/memories/%252e%252e/a",
            "/memories/a%00",
            "/memories/..\\a",
            "/memories\\..\\a",
            "/memories/\u{ff0e}\u{ff0e}/a",
            "/memories/a\u{2215}..\u{2215}b",
            "/memories/a\nb",
            "/memories/a\0",
            "/../memories/a",
            "file:///memories/a",
        ] {
            assert!(name_of(path).is_err(), "{path:?}");
        }
        assert!(name_of(&format!("/memories/{}", "n".repeat(1_024))).is_err());
    }
}
