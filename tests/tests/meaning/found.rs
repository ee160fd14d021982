//! Results by vectors.

use kimberly_proto::v1::SemanticStatus;

use super::{OTHERS, ask, contents, embedded, system};

#[tokio::test]
async fn paraphrase_finds_a_memory_with_which_it_shares_no_word() {
    let system = system(&[]).await;
    let mut user = system.user("ann");
    for text in OTHERS.iter().chain(&["My puppy is afraid of thunderstorms"]) {
        user.remember(text).await;
    }
    embedded(&user).await;
    let answer = ask(&user, "which pets get scared by bad weather").await;
    assert_eq!(answer.semantic(), SemanticStatus::Used);
    assert_eq!(contents(&answer)[0], "My puppy is afraid of thunderstorms");
    let why = answer.results[0].explanation.clone().unwrap();
    assert_eq!((why.found_by, why.fusion.as_str()), (vec!["vector".to_owned()], "sum"));
    assert!(why.cosine.unwrap() > 0.2 && why.vector > 0.0 && why.lexical == 0.0);
}

#[tokio::test]
async fn either_way_of_joining_can_be_configured() {
    let system = system(&[("KIMBERLY_RECALL__FUSION", "rrf")]).await;
    let mut user = system.user("ann");
    for text in OTHERS.iter().chain(&["My puppy is afraid of thunderstorms"]) {
        user.remember(text).await;
    }
    embedded(&user).await;
    let answer = ask(&user, "scared dog").await;
    assert_eq!(contents(&answer)[0], "My puppy is afraid of thunderstorms");
    assert_eq!(answer.results[0].explanation.clone().unwrap().fusion, "rrf");
}

#[tokio::test]
async fn vector_of_one_memory_is_enough() {
    let system = system(&[]).await;
    let mut user = system.user("ann");
    user.remember("My puppy is afraid of thunderstorms").await;
    embedded(&user).await;
    assert_eq!(contents(&ask(&user, "scared dog").await).len(), 1);
    assert!(contents(&ask(&user, "quarterly revenue of the company").await).is_empty());
}

#[tokio::test]
async fn changed_memory_is_found_by_what_it_means_now() {
    let system = system(&[]).await;
    let mut user = system.user("ann");
    for text in OTHERS {
        user.remember(text).await;
    }
    let puppy = user.remember("My puppy is afraid of thunderstorms").await;
    embedded(&user).await;
    user.write_over(&puppy.id, "A recipe for lentil soup").await;
    embedded(&user).await;
    assert!(!contents(&ask(&user, "scared dog").await).contains(&"A recipe for lentil soup".to_owned()));
    assert_eq!(contents(&ask(&user, "what could I cook tonight").await)[0], "A recipe for lentil soup");
}

#[tokio::test]
async fn memory_near_to_a_goal_is_worth_more_once_it_was_meditated_on() {
    let system = system(&[]).await;
    let mut user = system.user("ann");
    for text in OTHERS {
        user.remember(text).await;
    }
    let near = user.remember("Maria taught me how to conjugate verbs in Castilian").await;
    let goal = user.pursue("Learn Spanish", &[]).await;
    embedded(&user).await;
    user.meditate().await;
    let why = user.explain(&near.id).await.score_explanation.unwrap();
    assert_eq!(why.best_goal_id, goal.id);
    assert!(why.inputs["goal_nearness"] > 0.0 && why.relevance_to_goals > 0.0);
    let far = user.everything().await.into_iter().find(|memory| memory.content.contains("dentist")).unwrap();
    let why = user.explain(&far.id).await.score_explanation.unwrap();
    assert!(why.relevance_to_goals == 0.0 && !why.inputs.contains_key("goal_nearness"));
}

#[tokio::test]
async fn answers_to_a_user_over_the_cap_say_that_vectors_are_disabled() {
    let variables = [("KIMBERLY_EMBEDDING__VECTOR_CAP", "5"), ("KIMBERLY_EMBEDDING__OVER_CAP", "disable")];
    let system = system(&variables).await;
    let mut user = system.user("ann");
    for text in OTHERS {
        user.remember(text).await;
    }
    kimberly_tests::eventually("embeddings to be disabled", || async {
        let answer = ask(&user, "tram").await;
        assert_eq!(contents(&answer)[0], "The tram to the station leaves every ten minutes");
        (answer.semantic() == SemanticStatus::UserDisabled).then_some(())
    })
    .await;
}
