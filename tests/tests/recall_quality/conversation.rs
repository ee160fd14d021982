//! Recall from conversations.

use super::{Vault, asking, said, texts};

async fn two_conversations() -> Vault {
    let vault = Vault::new().await;
    vault
        .remember(vec![
            said("spring", "Caroline", 200, "Hey Mel! Good to see you. How have you been?"),
            said("spring", "Melanie", 200, "Hey Caroline! Busy with the kids and work. What about you?"),
            said("spring", "Caroline", 200, "I went to a support group yesterday and it was so powerful."),
            said("spring", "Melanie", 200, "Wow, that's great! What did you take away from it?"),
            said("spring", "Caroline", 200, "The stories were inspiring, I felt thankful for everybody."),
            said("autumn", "Melanie", 3, "Do you still play the violin?"),
            said("autumn", "Caroline", 3, "Every evening, mostly Bach, since I bought the new bow."),
            said("autumn", "Melanie", 3, "I have started to paint a sunset over the lake."),
            said("autumn", "Caroline", 3, "I painted one too, years ago, with my sister."),
        ])
        .await;
    vault
}

#[tokio::test]
async fn question_is_answered_by_the_turn_that_holds_its_words() {
    let vault = two_conversations().await;
    assert!(vault.recall("When did Caroline go to the support group?").await[0].contains("support group yesterday"));
    assert!(vault.recall("what did caroline buy").await[0].contains("bought the new bow"), "irregular forms count");
}

#[tokio::test]
async fn answer_is_found_after_the_question_that_holds_the_words() {
    let vault = two_conversations().await;
    let output = vault.query(asking("Who plays the violin?")).await;
    assert!(texts(&output)[0].contains("mostly Bach"), "{:?}", texts(&output));
    let explanation = output.results[0].explanation.unwrap();
    assert_eq!(explanation.found_by.names(), ["neighbour"]);
    assert!(explanation.lexical < 1e-9 && explanation.context > 0.0);
}

#[tokio::test]
async fn speaker_named_in_the_question_is_preferred() {
    let vault = two_conversations().await;
    assert!(vault.recall("What did Melanie paint?").await[0].contains("sunset"));
    assert!(vault.recall("What did Caroline paint?").await[0].contains("painted one too"));
}

#[tokio::test]
async fn relative_times_find_what_happened_then() {
    let vault = two_conversations().await;
    let recalled = vault.recall("What happened 3 days ago?").await;
    assert_eq!(recalled.len(), 4, "{recalled:?}");
    assert!(recalled.iter().all(|text| !text.contains("support group")));
    let mut input = asking("What was said yesterday?");
    input.reference_time = Some(kimberly_core::Timestamp(super::NOW.0 - 199 * super::DAY));
    let output = vault.query(input).await;
    assert!(output.results[..5].iter().all(|one| one.memory.draft.session_id.as_deref() == Some("spring")));
}

#[tokio::test]
async fn same_question_has_the_same_answer_to_the_bit() {
    let vault = two_conversations().await;
    let (first, second) =
        (vault.query(asking("support for Caroline")).await, vault.query(asking("support for Caroline")).await);
    assert_eq!(first, second);
    assert_eq!(first.touches.len(), first.results.len());
}

#[tokio::test]
async fn quoted_phrase_is_required_but_without_matches_a_sentence_is_words() {
    let vault = Vault::of(&["a green tea house", "tea, green as grass", "the house of green tea"]).await;
    let mut recalled = vault.recall("\"green tea\"").await;
    recalled.sort();
    assert_eq!(recalled, ["a green tea house", "the house of green tea"]);
    assert!(vault.recall("\"tea green house\"").await.is_empty());
    assert_eq!(vault.recall("where is the \"grass tea\" ").await.len(), 3, "in a sentence it is words then");
}

#[tokio::test]
async fn no_more_than_top_k_come_back() {
    let texts: Vec<String> = (0..30).map(|n| format!("note {n} about tea")).collect();
    let vault = Vault::of(&texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert_eq!(vault.recall("tea").await.len(), 10);
    let mut input = asking("tea");
    input.top_k = 25;
    assert_eq!(vault.query(input).await.results.len(), 25);
}
