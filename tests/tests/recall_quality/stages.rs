//! A stage that is off for a query, or on the server, has no effect.

use kimberly_core::memory::{MemoryDraft, MemoryFilter, Tier};
use kimberly_core::recall::Stage;
use kimberly_core::usecases::{QueryInput, QueryOutput};

use super::{Vault, asking, plain, said, short_term, texts};

fn switched(stage: &str, on: bool, input: QueryInput) -> QueryInput {
    QueryInput { stages: [(stage.to_owned(), on)].into(), ..input }
}

fn without(stage: &str, query: &str) -> QueryInput {
    switched(stage, false, asking(query))
}

async fn vault() -> Vault {
    let vault = Vault::new().await;
    let drafts: Vec<MemoryDraft> = vec![
        said("a", "Ann", 9, "The guitar needs new strings"),
        said("a", "Bob", 9, "I shall buy some"),
        said("b", "Ann", 1, "Die Sonnenblumenkerne sind da"),
        short_term("now", "strings of lights for the garden, and a ladder to hang them, and somebody who holds it"),
    ];
    vault.remember(drafts).await;
    vault
}

#[tokio::test]
async fn each_stage_finds_what_is_not_found_without_it() {
    let vault = vault().await;
    for (stage, query, found) in [
        ("typos", "guitr", "The guitar needs new strings"),
        ("parts", "blumen", "Die Sonnenblumenkerne sind da"),
        ("words", "guitar", "The guitar needs new strings"),
        ("neighbours", "guitar", "I shall buy some"),
        ("time", "what did we do yesterday", "Die Sonnenblumenkerne sind da"),
    ] {
        assert!(vault.recall(query).await.iter().any(|text| text == found), "{query} with {stage}");
        let output = vault.query(without(stage, query)).await;
        assert!(!texts(&output).iter().any(|text| text == found), "{query} without {stage}: {:?}", texts(&output));
    }
}

#[tokio::test]
async fn quoted_phrases_are_held_without_words_too() {
    let output = vault().await.query(without("words", "who said \"new strings\"")).await;
    assert_eq!(texts(&output)[0], "The guitar needs new strings");
    assert!(!texts(&output).iter().any(|text| text.contains("lights")), "{:?}", texts(&output));
}

#[tokio::test]
async fn active_session_does_not_come_first_without_its_stage() {
    let vault = vault().await;
    let of = |input: QueryInput| QueryInput { active_session_id: "now".to_owned(), ..input };
    assert!(texts(&vault.query(of(asking("guitar strings"))).await)[0].contains("lights"));
    assert!(texts(&vault.query(of(without("session", "guitar strings"))).await)[0].contains("guitar"));
}

#[tokio::test]
async fn unknown_stages_are_refused_with_those_that_there_are() {
    let vault = vault().await;
    let refused = vault.app.query_memories(&vault.user, without("magic", "guitar")).await.unwrap_err();
    let said = format!("{refused:?}");
    assert!(said.contains("stages") && said.contains("magic") && said.contains("neighbours"), "{said}");
}

#[tokio::test]
async fn explanation_tells_what_each_stage_did_and_its_part_in_each_result() {
    let vault = vault().await;
    let output = vault.query(without("roles", "what did Ann say about guitar and blumen yesterday")).await;
    let stages: Vec<Stage> = output.stages.iter().map(|did| did.stage).collect();
    assert_eq!(stages, Stage::ALL);
    let of = |stage: Stage| output.stages.iter().find(|did| did.stage == stage).unwrap();
    for (before, after) in output.stages.iter().zip(&output.stages[1..]) {
        assert_eq!(before.candidates.1, after.candidates.0, "{before:?} {after:?}");
    }
    assert_eq!(of(Stage::Words).candidates, (0, 1));
    assert_eq!(of(Stage::Parts).candidates, (1, 2));
    assert_eq!(of(Stage::Neighbours).candidates, (2, 3));
    assert_eq!(of(Stage::Relevance).candidates.1, output.results.len());
    assert!(!of(Stage::Roles).on && of(Stage::Roles).note.is_empty());
    assert_eq!(of(Stage::Time).note, "1 count more");
    for one in &output.results {
        let (parts, why) = (&one.parts, one.explanation.unwrap());
        assert!(parts.contains(&(Stage::Words, why.lexical)) && parts.contains(&(Stage::Relevance, one.relevance)));
        assert!(parts.iter().all(|(stage, _)| *stage != Stage::Roles) && parts.is_sorted_by_key(|(stage, _)| *stage));
    }
    let plain = vault.query(QueryInput { explain: false, ..asking("guitar") }).await;
    assert!(plain.stages.is_empty() && plain.results.iter().all(|one| one.parts.is_empty()));
}

#[tokio::test]
async fn query_that_refers_to_the_session_takes_its_names_unless_the_filter_hides_them() {
    let vault = Vault::new().await;
    let now = short_term("now", "Yesterday I met Marta by the lake, and we talked until it was dark");
    vault.remember(vec![now, plain("Marta keeps bees"), plain("Bob likes tea")]).await;
    let about_her = QueryInput { active_session_id: "now".to_owned(), ..asking("and what about her?") };
    let bees = |output: &QueryOutput| texts(output).iter().any(|text| text.contains("bees"));
    assert!(bees(&vault.query(about_her.clone()).await));
    assert!(!bees(&vault.query(switched("rewrite", false, about_her.clone())).await));
    assert!(!bees(&vault.query(asking("and what about it?")).await), "the query has no session to refer to");
    let filter = MemoryFilter { tiers: vec![Tier::LongTerm], ..MemoryFilter::default() };
    assert!(!bees(&vault.query(QueryInput { filter, ..about_her }).await), "filtered memories supply no words");
}

#[tokio::test]
async fn near_duplicates_give_way_to_the_next_result_on_request() {
    let vault = Vault::of(&["Ann likes green tea", "ann likes green TEA!", "Ann likes green tea", "tea is hot"]).await;
    let of_two = QueryInput { top_k: 2, ..asking("green tea") };
    let distinct = vault.query(switched("diversify", true, of_two.clone())).await;
    assert_eq!(texts(&distinct)[1], "tea is hot");
    let all = vault.query(of_two).await;
    assert_eq!(all.results.len(), 2);
    assert!(!texts(&all).contains(&"tea is hot".to_owned()), "{:?}", texts(&all));
}

#[tokio::test]
async fn results_behind_a_cliff_are_let_go_on_request_alone() {
    let vault = Vault::of(&["The violin lesson in Ghent was moved to Friday", "the train was late", "a lesson"]).await;
    let query = asking("violin lesson in Ghent moved to Friday, trains aside");
    assert_eq!(vault.query(query.clone()).await.results.len(), 3);
    assert_eq!(vault.query(switched("adaptive", true, query)).await.results.len(), 1);
}

#[tokio::test]
async fn each_part_of_a_query_about_several_things_is_searched_on_request() {
    let vault = Vault::new().await;
    let mut drafts = vec![said("a", "Ann", 9, "Bob painted the shed in May")];
    drafts.extend((0..12).map(|n| plain(&format!("The red kettle from Ghent stands on shelf {n} of the kitchen"))));
    vault.remember(drafts).await;
    let query = asking("Where does the red kettle from Ghent stand in the kitchen, and when was the shed painted?");
    let of_two = QueryInput { top_k: 2, ..query };
    let shed = |output: &QueryOutput| texts(output).iter().any(|text| text.contains("shed"));
    assert!(shed(&vault.query(switched("expand", true, of_two)).await));
}

#[tokio::test]
async fn long_memories_carry_their_best_passages() {
    let rain = "It rained in Bruges and nobody went out.\n".repeat(30);
    let vault = Vault::of(&[&format!("{rain}The violin lies in the attic.\n{rain}")]).await;
    let found = vault.query(asking("where are the violins")).await;
    let [passage] = &found.results[0].highlights[..] else { panic!("{:?}", found.results[0].highlights) };
    assert_eq!(found.results[0].memory.draft.content[passage.clone()], *"The violin lies in the attic.");
    let cut = QueryInput { max_content_bytes: Some(500), ..asking("where are the violins, and Bruges") };
    assert!(vault.query(cut).await.results[0].highlights.iter().all(|passage| passage.end <= 500));
    assert!(vault.query(without("highlights", "violin")).await.results[0].highlights.is_empty());
}
