//! The documents are accurate: named paths and links exist, and introductory pages are short.

use super::{Text, assert_none, has_extension, paths, root, texts};

/// Maximum words of the README or a guide.
const MOST_WORDS: usize = 900;
/// Words that make prose read like a translation, banned in the README, `docs/`, help, refusals and comments.
pub(super) const NOT_ENGLISH: [&str; 4] = ["whoever", "whomever", "anew", "is told"];

/// The Markdown documents.
fn documents() -> Vec<Text> {
    let mut documents = texts();
    documents.retain(|file| has_extension(&file.path, "md") && !file.path.contains("node_modules"));
    documents
}

fn is_guide(path: &str) -> bool {
    ["README.md", "docs/assistants.md"].contains(&path) || path.starts_with("docs/guides/")
}

fn is_for_users(path: &str) -> bool {
    path == "README.md" || path.starts_with("docs/")
}

/// A text without its code blocks.
fn prose(text: &str) -> String {
    let mut in_block = false;
    let lines = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        in_block ^= fence;
        !fence && !in_block
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The link anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Whether a link of a document resolves to a file of the checkout, and a heading in it.
fn leads_somewhere(document: &Text, link: &str) -> bool {
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    let from = root().join(&document.path);
    let to = if file.is_empty() { Some(from) } else { from.parent().map(|folder| folder.join(file)) };
    let Some(to) = to.filter(|to| to.exists()) else { return false };
    if heading.is_empty() {
        return true;
    }
    let text = std::fs::read_to_string(to).unwrap_or_default();
    prose(&text)
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .any(|line| anchor(line.trim_start_matches('#')) == heading)
}

/// The `backticked` texts outside code blocks.
fn quoted(text: &str) -> Vec<String> {
    prose(text).split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Whether a quoted text looks like a path of the checkout.
fn is_path(text: &str) -> bool {
    let shaped = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let in_checkout = !text.starts_with(['/', '~']) && !text.contains("://") && !text.starts_with("data/");
    shaped && in_checkout && (text.contains('/') || has_extension(text, "rs") || has_extension(text, "proto"))
}

/// Whether a path exists from the root, or matches the end or middle of an existing one.
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
fn links_of_documents_lead_somewhere() {
    let mut found = 0;
    let mut problems = Vec::new();
    for document in documents() {
        let prose = prose(&document.text);
        let links = prose.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
        for link in links.filter(|link| !link.contains("://") && !link.contains(' ')) {
            found += 1;
            if !leads_somewhere(&document, link) {
                problems.push(format!("{} links to {link}", document.path));
            }
        }
    }
    assert!(found > 100, "only {found} links found");
    assert_none("links that lead nowhere", &problems);
}

#[test]
fn the_readme_and_the_guides_are_short_and_all_is_in_plain_english() {
    let pages: Vec<Text> = documents().into_iter().filter(|file| is_for_users(&file.path)).collect();
    assert!(pages.len() > 20, "only {} pages found", pages.len());
    let mut problems = Vec::new();
    for page in &pages {
        let words = page.text.split_whitespace().count();
        if is_guide(&page.path) && words > MOST_WORDS {
            problems.push(format!("{} has {words} words; {MOST_WORDS} are allowed", page.path));
        }
        let lower = prose(&page.text).to_lowercase();
        let found = NOT_ENGLISH.iter().filter(|words| lower.contains(**words));
        problems.extend(found.map(|words| format!("{} says {words:?}", page.path)));
    }
    assert_none("pages that are too long or read like a translation", &problems);
}

#[test]
fn the_index_of_the_documents_names_every_page() {
    let index = std::fs::read_to_string(root().join("docs/README.md")).expect("the index exists");
    let inside = documents().into_iter().filter_map(|file| file.path.strip_prefix("docs/").map(str::to_owned));
    let missing: Vec<String> =
        inside.filter(|page| page != "README.md" && !index.contains(&format!("]({page}"))).collect();
    assert_none("pages that docs/README.md does not name", &missing);
}

#[test]
fn code_blocks_are_not_read_as_prose() {
    assert_eq!(quoted("a `b/c.rs` d\n```\n`no`\n```\n`e`"), ["b/c.rs", "e"]);
    assert!(is_path("core/src/recall") && is_path("main.rs"));
    assert!(!is_path("GetMemory") && !is_path("/etc/kimberly/x.yaml") && !is_path("a b/c"));
}
