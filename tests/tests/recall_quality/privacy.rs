//! Filtered memories do not show: neither themselves, nor through neighbours, nor in corrections.

use kimberly_core::memory::{MemoryFilter, MemoryState, SensitivityFilter};
use kimberly_core::usecases::{DeleteInput, QueryInput};

use super::{Vault, asking, plain, said, sensitive, texts};

fn without_sensitive(query: &str) -> QueryInput {
    let filter = MemoryFilter { sensitivity: SensitivityFilter::Exclude, ..MemoryFilter::default() };
    QueryInput { filter, ..asking(query) }
}

#[tokio::test]
async fn hidden_memory_lends_nothing_to_its_neighbours() {
    let vault = Vault::new().await;
    vault
        .remember(vec![
            said("s", "Ann", 1, "We talked for a while"),
            sensitive("s", "the diagnosis is serious?"),
            said("s", "Ann", 1, "I will call my sister"),
        ])
        .await;
    assert_eq!(vault.recall("diagnosis").await.len(), 3, "context is included if nothing is hidden");
    assert!(vault.query(without_sensitive("diagnosis")).await.results.is_empty());
}

#[tokio::test]
async fn hidden_words_are_not_offered_as_corrections() {
    let vault = Vault::new().await;
    vault.remember(vec![sensitive("s", "the diagnosis"), plain("a day at the lake")]).await;
    assert_eq!(vault.query(asking("diagonsis")).await.corrections.len(), 1);
    let output = vault.query(without_sensitive("diagonsis")).await;
    assert!(output.results.is_empty() && output.corrections.is_empty());
}

#[tokio::test]
async fn hidden_memories_come_neither_as_parts_nor_by_time_nor_as_recent() {
    let vault = Vault::new().await;
    vault.remember(vec![sensitive("s", "Krankenversicherung 東京 🎂")]).await;
    for query in ["versicherung", "東京", "🎂", "!", "what happened today"] {
        assert_eq!(vault.recall(query).await.len(), 1, "{query}");
        assert!(vault.query(without_sensitive(query)).await.results.is_empty(), "{query}");
    }
}

#[tokio::test]
async fn deleted_memories_are_never_found_even_when_asked_for() {
    let vault = Vault::new().await;
    let ids = vault.remember(vec![plain("a secret garden")]).await;
    let delete = DeleteInput { id: ids[0], etag: String::new(), request_id: String::new() };
    vault.app.delete_memory(&vault.user, delete).await.unwrap();
    for states in [vec![], vec![MemoryState::Deleted], vec![MemoryState::Active, MemoryState::Deleted]] {
        let filter = MemoryFilter { states, ..MemoryFilter::default() };
        let output = vault.query(QueryInput { filter, ..asking("garden") }).await;
        assert!(texts(&output).is_empty());
    }
}

#[tokio::test]
async fn filter_by_session_and_time_holds_for_neighbours_too() {
    let vault = Vault::new().await;
    vault
        .remember(vec![
            said("s", "Ann", 9, "We planted tulips"),
            said("s", "Ann", 2, "They grew well"),
            said("t", "Ann", 2, "Tulips again"),
        ])
        .await;
    let filter = MemoryFilter {
        session_id: Some("s".to_owned()),
        occurred_before: Some(kimberly_core::Timestamp(super::NOW.0 - 5 * super::DAY)),
        ..MemoryFilter::default()
    };
    let output = vault.query(QueryInput { filter, ..asking("tulips") }).await;
    assert_eq!(texts(&output), ["We planted tulips"]);
}
