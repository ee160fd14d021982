//! Refusals are readable sentences: at most 30 words, with each inserted value counted as one. They, help and comments are English.

use super::documents::NOT_ENGLISH;
use super::{assert_none, sources};

const LONGEST: usize = 30;
/// The constructors of refusals.
const MADE_BY: [&str; 9] = [
    "CliError::usage(",
    "CliError::failed(",
    "Refused(",
    "refused(",
    "corrupt(",
    "problems.add(",
    "Failure::new(",
    "#[error(",
    "out.note(",
];

/// The string literal at the start of a text, after only names and spaces, as in `format!("…")`.
fn literal(text: &str) -> Option<String> {
    let (before, rest) = text.split_once('"')?;
    if before.contains([';', ')', '|', '}']) {
        return None;
    }
    let (mut said, mut escaped) = (String::new(), false);
    for c in rest.chars() {
        match c {
            '"' if !escaped => return Some(said),
            '\\' if !escaped => escaped = true,
            _ => {
                escaped = false;
                said.push(c);
            }
        }
    }
    None
}

#[test]
fn refusals_have_thirty_words_at_most() {
    let mut found = 0;
    let mut problems = Vec::new();
    for file in sources().iter().filter(|file| file.path.contains("/src/")) {
        for made_by in MADE_BY {
            for said in file.text.split(made_by).skip(1).filter_map(literal) {
                found += 1;
                let words = said.split_whitespace().count();
                if words > LONGEST {
                    problems.push(format!("{}: {words} words: {said}", file.path));
                }
            }
        }
    }
    assert!(found > 100, "only {found} refusals found: they are made in another way");
    assert_none("refusals that are too long", &problems);
}

/// Help texts are doc comments.
#[test]
fn refusals_help_and_comments_are_english() {
    let mut problems = Vec::new();
    for file in sources().iter().filter(|file| file.path.contains("/src/")) {
        let comments = file.text.lines().map(str::trim_start).filter(|line| line.starts_with("//")).map(str::to_owned);
        let refusals = MADE_BY.iter().flat_map(|by| file.text.split(by).skip(1).filter_map(literal));
        for said in comments.chain(refusals) {
            let lower = format!(" {} ", said.to_lowercase());
            let found = NOT_ENGLISH.iter().filter(|words| lower.contains(&format!(" {words} ")));
            problems.extend(found.map(|words| format!("{}: {words:?} in {said}", file.path)));
        }
    }
    assert_none("words that are not how English is written", &problems);
}
