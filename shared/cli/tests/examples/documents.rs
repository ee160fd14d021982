//! The code blocks of the README and of `docs/`.

use std::fs;
use std::path::{Path, PathBuf};

use kimberly_runtime::config::{Config, Environment};

/// Prefix of the expected answer in the comment after a command.
const ANSWER: &str = "# →";

/// A code block of a document.
pub(crate) struct Block {
    pub(crate) document: String,
    pub(crate) language: String,
    pub(crate) text: String,
}

impl Block {
    /// The commands without their comments, each with the answer in its comment.
    pub(crate) fn commands(&self) -> Vec<(String, String)> {
        let joined = self.text.replace("\\\n", " ");
        let lines = joined.lines().map(|line| {
            let command = line.split_once("  #").map_or(line, |(command, _)| command).trim();
            let answer = line.split_once(ANSWER).map_or("", |(_, answer)| answer).trim();
            (command.to_owned(), answer.to_owned())
        });
        lines.filter(|(command, _)| !command.is_empty() && !command.starts_with('#')).collect()
    }
}

/// Whether the output contains the documented answer; `…` matches anything.
pub(crate) fn tells(answer: &str, printed: &str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (answer, printed) = (words(answer), words(printed));
    let mut parts = answer.split('…').map(str::trim);
    parts.try_fold(printed.as_str(), |rest, part| rest.split_once(part).map(|(_, behind)| behind)).is_some()
}

/// All code blocks of the README and of the pages in `docs/`, in the order of their names.
pub(crate) fn blocks() -> Vec<Block> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = pages(&root.join("docs"));
    pages.sort();
    pages.insert(0, root.join("README.md"));
    let blocks: Vec<Block> = pages.iter().flat_map(|page| of_page(&root, page)).collect();
    for document in ["README.md", "docs/guides/secure.md", "docs/guides/back-up.md"] {
        assert!(
            blocks.iter().any(|one| one.document == document && one.language == "sh"),
            "{document} has no commands"
        );
    }
    blocks
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let inside = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    inside
        .flat_map(|path| if path.is_dir() { pages(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|found| found == "md"))
        .collect()
}

fn of_page(root: &Path, page: &Path) -> Vec<Block> {
    let document = page.strip_prefix(root).unwrap().display().to_string();
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in fs::read_to_string(page).unwrap().lines().map(str::trim_end) {
        match (line.trim_start().strip_prefix("```"), open.take()) {
            (Some(language), None) => {
                open = Some(Block { document: document.clone(), language: language.to_owned(), text: String::new() });
            }
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some(mut block)) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{document} ends in a block");
    blocks
}

/// Checks that every block of TOML is a valid configuration.
pub(crate) fn check_configurations(blocks: &[Block]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kimberly.toml");
    let mut found = 0;
    for block in blocks.iter().filter(|block| block.language == "toml") {
        found += 1;
        fs::write(&file, &block.text).unwrap();
        if let Err(problems) = Config::load(Some(&file), &Environment::default()) {
            panic!("{}: {problems}\n{}", block.document, block.text);
        }
    }
    assert!(found > 2, "only {found} configurations found");
}
