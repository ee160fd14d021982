//! The corpus and the weights of the tree fit each other.
#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::path::Path;

use kimberly_language::judge::Judge;
use kimberly_language_trainer::corpus::{Conversation, parse, read};
use kimberly_language_trainer::origin::origin;
use kimberly_language_trainer::rounds::Material;

fn files() -> Vec<(String, String)> {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus")).expect("the corpus is read")
}

fn conversations() -> Vec<Conversation> {
    let parsed = files().into_iter().map(|(name, text)| parse(&name, &text));
    parsed.flat_map(|file| file.unwrap_or_else(|error| panic!("{error}"))).collect()
}

#[test]
fn every_file_is_read_without_error() {
    let all = conversations();
    assert!(all.len() > 600, "only {} conversations", all.len());
    for turn in all.iter().flat_map(|one| &one.turns) {
        assert!(turn.sentences.iter().all(|one| turn.text.get(one.span.clone()).is_some_and(|text| !text.is_empty())));
    }
}

#[test]
fn weights_are_made_from_this_corpus_by_this_trainer() {
    let made = &Judge::trained().expect("the tree has weights").weights().origin;
    let now = origin(&files());
    let again = "train again: cargo run --release -p kimberly-language-trainer";
    assert!(made.corpus == now.corpus, "the corpus has changed since the weights were made; {again}");
    assert!(made.trainer == now.trainer, "features or trainer have changed since the weights were made; {again}");
    // A minute of training, for `tests/run --long`.
    if std::env::var_os("KIMBERLY_TEST_LONG").is_some() {
        let material = Material::new(conversations());
        let crossed = material.cross(&vec![true; material.conversations.len()]);
        let mut weights = material.finish(&crossed);
        weights.origin = now;
        let tree = Judge::trained().expect("the tree has weights").weights().to_bytes();
        assert!(weights.to_bytes() == tree, "training gives other bytes on this machine");
    }
}
