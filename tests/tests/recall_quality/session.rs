//! Short-term memories of the active session rank first.

use kimberly_core::usecases::QueryInput;

use super::{Vault, asking, first_found_by, plain, short_term, texts};

fn in_session(query: &str) -> QueryInput {
    QueryInput { active_session_id: "now".to_owned(), ..asking(query) }
}

#[tokio::test]
async fn matching_short_term_memories_come_first() {
    let vault = Vault::new().await;
    vault
        .remember(vec![
            plain("tea, tea and more tea"),
            short_term("now", "my guest wants tea at five o'clock, with two friends"),
            short_term("other", "tea elsewhere"),
            short_term("now", "the train leaves at noon"),
        ])
        .await;
    assert_eq!(vault.recall("tea").await[0], "tea, tea and more tea");
    let output = vault.query(in_session("tea")).await;
    assert_eq!(texts(&output)[0], "my guest wants tea at five o'clock, with two friends");
    assert!(first_found_by(&output).contains(&"session"));
    assert!(texts(&output).contains(&"tea, tea and more tea".to_owned()));
}

#[tokio::test]
async fn new_memory_of_the_session_is_seen_at_once() {
    let vault = Vault::new().await;
    vault.remember(vec![short_term("now", "coffee at nine"), plain("tea for two")]).await;
    assert_eq!(texts(&vault.query(in_session("tea")).await)[0], "tea for two");
    vault.remember(vec![short_term("now", "rather tea at nine, and cake for everybody")]).await;
    assert_eq!(texts(&vault.query(in_session("tea")).await)[0], "rather tea at nine, and cake for everybody");
}

#[tokio::test]
async fn session_leaves_half_of_the_results_to_the_rest() {
    let vault = Vault::new().await;
    let mut drafts: Vec<_> = (0..20).map(|n| short_term("now", &format!("tea number {n}"))).collect();
    drafts.push(plain("tea ceremony in Kyoto"));
    vault.remember(drafts).await;
    let mut input = in_session("tea ceremony in Kyoto");
    input.top_k = 4;
    let recalled = texts(&vault.query(input).await);
    assert!(recalled[0].starts_with("tea number") && recalled[1].starts_with("tea number"));
    assert_eq!(recalled[2], "tea ceremony in Kyoto");
}
