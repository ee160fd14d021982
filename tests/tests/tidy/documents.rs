//! The map is true: what the documents name, exists.

use super::{assert_none, has_extension, paths, root};

/// What stands in `backticks` outside code blocks.
fn quoted(text: &str) -> Vec<String> {
    let mut prose = String::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    prose.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether a quoted text is meant as a path of the checkout.
fn is_path(text: &str) -> bool {
    let shaped = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let in_checkout = !text.starts_with(['/', '~']) && !text.contains("://") && !text.starts_with("data/");
    shaped && in_checkout && (text.contains('/') || has_extension(text, "rs") || has_extension(text, "proto"))
}

/// Whether a path exists from the top, or as the end or the middle of one that does.
fn exists(named: &str, all: &[String]) -> bool {
    let named = named.trim_start_matches("./").trim_end_matches('/');
    let inner = format!("/{named}/");
    root().join(named).exists() || all.iter().any(|path| format!("/{path}/").contains(&inner))
}

#[test]
fn documents_name_only_paths_that_exist() {
    let all = paths();
    let mut problems = Vec::new();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root().join(document)).expect("the document exists");
        let named: Vec<String> = quoted(&text).into_iter().filter(|quote| is_path(quote)).collect();
        assert!(named.len() >= 5, "{document} names only {} paths", named.len());
        problems.extend(named.iter().filter(|p| !exists(p, &all)).map(|p| format!("{document} names {p}")));
    }
    assert_none("paths that do not exist", &problems);
}

#[test]
fn code_blocks_are_not_read_as_prose() {
    assert_eq!(quoted("a `b/c.rs` d\n```\n`no`\n```\n`e`"), ["b/c.rs", "e"]);
    assert!(is_path("core/src/recall") && is_path("main.rs"));
    assert!(!is_path("GetMemory") && !is_path("/etc/kimberly/x.yaml") && !is_path("a b/c"));
}
