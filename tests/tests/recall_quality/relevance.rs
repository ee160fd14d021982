//! The relevance of results: comparable across queries, with a threshold.

use kimberly_core::usecases::QueryInput;

use super::{Vault, asking, said, texts};

async fn vault() -> Vault {
    Vault::of(&[
        "I prefer window seats",
        "The tea is in the blue tin",
        "My sister Ruth bakes bread",
        "I parked in row nine",
    ])
    .await
}

#[tokio::test]
async fn a_short_word_within_another_is_no_answer() {
    let output = vault().await.query(asking("what should I not eat?")).await;
    assert!(output.results.is_empty() && !output.nothing_relevant, "{:?}", texts(&output));
}

#[tokio::test]
async fn relevance_compares_across_queries_where_scores_do_not() {
    let vault = vault().await;
    let first = async |query: &str| vault.query(asking(query)).await.results.remove(0);
    let (good, poor) = (first("where is the blue tin").await, first("the is my").await);
    assert!((good.score - poor.score).abs() < 0.1, "each is the best of its answer");
    assert!(good.relevance > 0.9 && poor.relevance < 0.3, "{} {}", good.relevance, poor.relevance);
}

#[tokio::test]
async fn results_below_the_threshold_are_left_out_and_reported() {
    let vault = vault().await;
    let least = |query: &str, min_score: f64| QueryInput { min_score: Some(min_score), ..asking(query) };
    let output = vault.query(least("blue tin sister", 0.5)).await;
    assert_eq!(texts(&output), ["The tea is in the blue tin"]);
    assert!(!output.nothing_relevant);
    let query = "bread knives, cutting boards, aprons, rolling pins and whisks";
    assert!(vault.query(least(query, 0.0)).await.nothing_relevant);
    let output = vault.query(least(query, 0.5)).await;
    assert!(output.results.is_empty() && output.nothing_relevant);
    let refused = vault.app.query_memories(&vault.user, least("tea", 1.5)).await;
    assert!(format!("{refused:?}").contains("min_score"), "{refused:?}");
}

#[tokio::test]
async fn answer_after_the_question_that_holds_the_words_is_relevant() {
    let vault = Vault::new().await;
    let turns = [("Ann", "Do you still play the violin?"), ("Ben", "Every evening, mostly Bach, with the new bow.")];
    vault.remember(turns.map(|(who, text)| said("spring", who, 3, text)).into()).await;
    let output = vault.query(asking("Who plays the violin?")).await;
    assert!(output.results.iter().all(|one| one.relevance > 0.5), "{:?}", texts(&output));
}
