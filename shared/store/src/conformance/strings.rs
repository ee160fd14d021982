//! Any string that a caller sends is a valid query, and none is syntax.

use kimberly_core::memory::MemoryFilter;
use kimberly_core::ports::{LexicalQuery, LexicalTerm};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::Bed;
use super::fixtures::draft;

/// Sends hostile strings and 300 random ones, up to 8 KiB, through every method that takes text.
pub async fn any_string_is_a_valid_query(bed: &Bed) {
    bed.remember("u", [draft("plain heron"), draft("AND OR NOT NEAR 50% a_b c:\\d \"quoted\"")]).await;
    let mut runner = TestRunner::deterministic();
    let random = prop_oneof!["\\PC{0,60}", "[\\x00-\\x7f]{0,80}", "(\"|'|\\*|\\^|:|\\(|AND|OR|NEAR|\\+|-| ){0,40}"];
    let mut texts = hostile();
    for _ in 0..300 {
        texts.push(random.new_tree(&mut runner).unwrap().current());
    }
    for text in texts {
        check(bed, text).await;
    }
    // Text that looks like syntax matches literally.
    for (text, expected) in [("50%", 1), ("5_%", 0), ("a_b", 1), ("c:\\d", 1), ("\"QUOTED\"", 1), ("_", 1), ("\0", 0)] {
        let found = bed
            .read("u", move |r| Box::pin(async move { r.substring(text, &MemoryFilter::default(), 10).await }))
            .await;
        assert_eq!(found.len(), expected, "{text:?}");
    }
}

fn hostile() -> Vec<String> {
    let mut texts: Vec<_> = [
        "",
        " ",
        "\0",
        "a\0b",
        "\"",
        "\"\"",
        "\"a",
        "*",
        "a*",
        "^a",
        "-a",
        "a -b",
        "a AND",
        "OR",
        "NOT a",
        "NEAR(a b)",
        "content:heron",
        "{content}:heron",
        "(",
        ")",
        "((a)",
        "a + b",
        "'; DROP TABLE memories; --",
        "%",
        "_",
        "\\",
        "\u{feff}",
        "\u{202e}x",
        "e\u{301}\u{301}\u{301}",
        "👩‍👩‍👧",
        "\u{e000}",
        "ⅷ",
        "²",
        "ﬁ",
        "İ",
    ]
    .map(str::to_owned)
    .into();
    texts.push("a ".repeat(4_096));
    texts.push("\"".repeat(8_192));
    texts.push("(".repeat(8_192));
    texts.push("x".repeat(8_192));
    texts.push("%_\\".repeat(20_000));
    texts
}

async fn check(bed: &Bed, text: String) {
    let shown: String = text.chars().take(40).collect();
    let split: Vec<_> = text.split(' ').map(|word| term(&[word], false)).collect();
    let whole = vec![term(&[&text], false), term(&[&text, "heron", &text], true)];
    let queries = [
        LexicalQuery { any: split.clone(), ..LexicalQuery::default() },
        LexicalQuery { any: whole.clone(), all: split, ..LexicalQuery::default() },
        LexicalQuery { all: whole, ..LexicalQuery::default() },
    ];
    let read = bed
        .vaults
        .read(&super::fixtures::user("u"), move |r| {
            let (queries, text) = (queries.clone(), text.clone());
            Box::pin(async move {
                for query in &queries {
                    r.lexical(query, 10).await?;
                }
                r.substring(&text, &MemoryFilter::default(), 10).await?;
                r.session_number(&text).await?;
                r.write_context(Some(&text)).await?;
                let filter = MemoryFilter {
                    tags_any: vec![text.clone()],
                    tags_all: vec![text.clone()],
                    session_id: Some(text.clone()),
                    speakers: vec![text.clone()],
                    ..MemoryFilter::default()
                };
                r.lexical(&LexicalQuery { any: vec![term(&["heron"], false)], filter, ..LexicalQuery::default() }, 10)
                    .await?;
                let letters: Vec<_> = text.chars().take(3).collect();
                r.vocabulary(&letters, 0, usize::MAX).await?;
                r.known_words(&[text.clone(), "heron".to_owned()], None).await
            })
        })
        .await;
    let known = read.unwrap_or_else(|error| unreachable!("{shown:?}: {error}"));
    assert_eq!(known.get(1), Some(&true), "{shown:?}");
}

fn term(words: &[&str], prefix: bool) -> LexicalTerm {
    LexicalTerm { words: words.iter().map(|word| (*word).to_owned()).collect(), prefix }
}
