//! Tests that the examples of docs/guides/extraction.md become what it says.

use super::{Language, Options, Said, extract};
use crate::memory::Role;

const PAGE: &str = include_str!("../../../../docs/guides/extraction.md");

/// The rows of the table below a heading, as cells.
fn rows(heading: &str) -> Vec<Vec<&'static str>> {
    let (_, section) = PAGE.split_once(heading).expect("the page has this section");
    let table = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    table
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

#[test]
fn every_sentence_of_the_table_becomes_what_the_page_says() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for row in rows("## What becomes of a sentence") {
        let kind: Vec<&str> = row[1].split('`').nth(1).into_iter().collect();
        for sentence in row[0].split('"').skip(1).step_by(2) {
            let said = Said { role: Role::User, name: "Ana", content: sentence, at: None };
            let found = extract(Language::guess(sentence), &said, &[], Options::default());
            let kinds: Vec<&str> = found.candidates.iter().map(|candidate| candidate.class.name()).collect();
            if kinds != kind {
                wrong.push((sentence, kinds));
            }
            tried += 1;
        }
    }
    assert!(wrong.is_empty() && tried >= 9, "of {tried} sentences: {wrong:?}");
}
