//! Recall of unknown words: typos, prefixes, other scripts, symbols.

use kimberly_core::usecases::QueryInput;
use proptest::prelude::*;

use super::{Vault, asking, first_found_by, plain, texts};

#[tokio::test]
async fn misspelled_words_find_what_was_meant_and_say_so() {
    let vault = Vault::of(&["We ate at a tiny restaurant", "The guitar needs new strings", "nothing else"]).await;
    let output = vault.query(asking("the restuarant")).await;
    assert_eq!(texts(&output)[0], "We ate at a tiny restaurant");
    assert_eq!(first_found_by(&output), ["typo"]);
    let correction = &output.corrections[0];
    assert_eq!(
        (correction.word.as_str(), &correction.replacements[..]),
        ("restuarant", &["restaurant".to_owned()][..])
    );
    assert_eq!(vault.recall("guitr strngs").await[0], "The guitar needs new strings");
}

#[tokio::test]
async fn known_words_are_never_corrected() {
    let vault = Vault::of(&["a bat in the attic", "a cat on the mat", "two cats"]).await;
    let output = vault.query(asking("bat")).await;
    assert_eq!(texts(&output), ["a bat in the attic"]);
    assert!(output.corrections.is_empty());
}

#[tokio::test]
async fn words_that_are_merely_near_are_not_offered() {
    let vault = Vault::of(&["a cool evening", "a rewarding career in care"]).await;
    let output = vault.query(asking("cooking, regarding carrots")).await;
    assert!(output.results.is_empty() && output.corrections.is_empty());
}

#[tokio::test]
async fn parts_of_words_and_identifiers_are_found() {
    let vault = Vault::of(&["die Sonnenblumenkerne", "error E-4711 again", "pump E-4712", "order ABX4711Q"]).await;
    let output = vault.query(asking("blumen")).await;
    assert_eq!(texts(&output), ["die Sonnenblumenkerne"]);
    assert_eq!(first_found_by(&output), ["substring"]);
    assert_eq!(vault.recall("what was E-4711").await[0], "error E-4711 again");
    assert_eq!(vault.recall("ABX47").await, ["order ABX4711Q"]);
}

#[tokio::test]
async fn scripts_without_gaps_are_found_by_their_characters() {
    let vault = Vault::of(&["昨日は東京タワーに行きました", "大阪の天気は晴れです", "我喜欢北京的秋天"]).await;
    assert_eq!(vault.recall("東京タワー").await[0], "昨日は東京タワーに行きました");
    assert_eq!(vault.recall("大阪の天気は？").await[0], "大阪の天気は晴れです");
    assert_eq!(vault.recall("北京").await, ["我喜欢北京的秋天"]);
    assert_eq!(vault.recall("\"東京タワー\"").await, ["昨日は東京タワーに行きました"]);
}

#[tokio::test]
async fn punctuation_and_case_do_not_matter() {
    let vault = Vault::of(&["Café Müller opens early", "Любимая книга Анны"]).await;
    assert_eq!(vault.recall("cafe MULLER").await[0], "Café Müller opens early");
    assert_eq!(vault.recall("Cafe\u{301}").await[0], "Café Müller opens early");
    assert_eq!(vault.recall("КНИГА").await[0], "Любимая книга Анны");
}

#[tokio::test]
async fn signs_are_looked_for_as_they_stand_else_the_newest_come() {
    let vault = Vault::of(&["party 🎂 at noon", "shopping list", "a C++ course"]).await;
    let output = vault.query(asking("🎂")).await;
    assert_eq!(texts(&output), ["party 🎂 at noon"]);
    assert_eq!(first_found_by(&output), ["substring"]);
    for signs in ["👍", "...", " \n", "\0"] {
        let output = vault.query(asking(signs)).await;
        assert_eq!(output.results.len(), 3, "{signs:?}");
        assert_eq!(first_found_by(&output), ["recent"]);
    }
}

#[tokio::test]
async fn stop_words_alone_are_a_query() {
    let vault = Vault::of(&["to be or not to be", "roses are red"]).await;
    assert_eq!(vault.recall("to be or not to be").await[0], "to be or not to be");
}

#[tokio::test]
async fn user_without_memories_recalls_nothing() {
    let vault = Vault::new().await;
    for query in ["anything", "🎂", "\"a phrase\"", "yesterday", "東京"] {
        assert!(vault.recall(query).await.is_empty());
    }
}

#[test]
fn any_text_is_a_query() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let vault = runtime.block_on(async {
        let vault = Vault::of(&["a \"quoted\" AND (odd) text* NEAR:me", "東京 🎂 last week", "error E-4711"]).await;
        vault.remember(vec![plain(&"long ".repeat(2_000))]).await;
        vault
    });
    let texts = prop_oneof![
        ".{1,120}",
        "[\"*():^\\-+ANDORTE%_\\\\ \u{0}]{1,60}",
        "(yesterday|last|week|error|E-4711|東京|🎂|\"|guitr| ){1,30}",
        "[a-z ]{8000,8192}",
    ];
    proptest!(ProptestConfig::with_cases(150), |(query in texts, top_k in 0_i32..=100, explain: bool)| {
        let input = QueryInput { query, top_k, explain, active_session_id: "s".to_owned(), ..QueryInput::default() };
        let output = runtime.block_on(vault.app.query_memories(&vault.user, input));
        let output = output.unwrap();
        prop_assert!(output.results.iter().all(|one| one.score.is_finite() && one.explanation.is_some() == explain));
    });
}

#[tokio::test]
async fn input_out_of_bounds_is_refused_by_field() {
    let vault = Vault::new().await;
    let input = QueryInput { top_k: 101, active_session_id: "x".repeat(129), ..QueryInput::default() };
    let error = vault.app.query_memories(&vault.user, input).await.unwrap_err().to_string();
    for field in ["query ", "top_k ", "active_session_id "] {
        assert!(error.contains(field), "{error}");
    }
    let long = QueryInput { query: "x".repeat(8_193), ..QueryInput::default() };
    assert!(vault.app.query_memories(&vault.user, long).await.is_err());
}
