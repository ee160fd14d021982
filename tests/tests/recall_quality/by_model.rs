//! A language model and a cross-encoder, here fake ones, reword queries and reorder results, and do nothing else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::memory::{MemoryDraft, MemoryFilter, Metadata, Tier};
use kimberly_core::ports::{CrossEncoder, LanguageModel, NoAnswer, NoScores, Task};
use kimberly_core::recall::Stage;
use kimberly_core::usecases::{App, QueryInput, QueryOutput};
use serde_json::{Value, json};

use super::{Vault, asking, plain, short_term, texts};

/// Gives the same answer to every task, and records the tasks.
struct Fake {
    answer: Result<String, NoAnswer>,
    asked: Mutex<Vec<Task>>,
}

impl Fake {
    fn of(answer: Result<Value, NoAnswer>) -> Arc<Self> {
        Arc::new(Self { answer: answer.map(|answer| answer.to_string()), asked: Mutex::default() })
    }

    /// All data that the model received.
    fn shown(&self) -> String {
        self.asked.lock().unwrap().iter().map(|task| task.data.as_str()).collect()
    }
}

#[async_trait]
impl LanguageModel for Fake {
    async fn answer(&self, _: &UserId, task: &Task) -> Result<String, NoAnswer> {
        self.asked.lock().unwrap().push(task.clone());
        self.answer.clone()
    }
}

/// Scores texts by their number of piers, and records them.
#[derive(Default)]
struct Piers {
    fails: Option<NoScores>,
    shown: Mutex<Vec<String>>,
}

#[async_trait]
impl CrossEncoder for Piers {
    async fn scores(&self, _: &str, texts: &[String]) -> Result<Vec<f32>, NoScores> {
        self.shown.lock().unwrap().extend_from_slice(texts);
        let score = |text: &String| f32::from(u8::try_from(text.matches("pier").count()).unwrap());
        self.fails.map_or_else(|| Ok(texts.iter().map(score).collect()), Err)
    }
}

fn with(vault: &Vault, model: &Arc<Fake>) -> App {
    vault.app.clone().with_language_model(Some(Arc::clone(model) as Arc<dyn LanguageModel>))
}

fn on(stage: Stage, query: &str) -> QueryInput {
    QueryInput { stages: [(stage.name().to_owned(), true)].into(), ..asking(query) }
}

async fn answered(vault: &Vault, model: &Arc<Fake>, input: QueryInput) -> QueryOutput {
    with(vault, model).query_memories(&vault.user, input).await.unwrap()
}

fn note(output: &QueryOutput, stage: Stage) -> &str {
    output.stages.iter().find(|did| did.stage == stage).map_or("", |did| &did.note)
}

/// Asserts that the results are equal, whatever the explanations.
#[track_caller]
fn are_same(output: &QueryOutput, other: &QueryOutput) {
    let of = |output: &QueryOutput| -> Vec<(String, u64, u64)> {
        let told = |one: &kimberly_core::usecases::Recalled| {
            (one.memory.draft.content.clone(), one.score.to_bits(), one.relevance.to_bits())
        };
        output.results.iter().map(told).collect()
    };
    assert_eq!(of(output), of(other));
}

fn sensitive(text: &str) -> MemoryDraft {
    MemoryDraft { metadata: Metadata { sensitive: true, ..Metadata::default() }, ..plain(text) }
}

#[tokio::test]
async fn other_words_find_what_the_query_does_not_and_count_less() {
    let vault = Vault::of(&["The ketch lies at the pier of Tavira", "A boat show in autumn", "Bob likes tea"]).await;
    let model = Fake::of(Ok(json!({"reasoning": "", "alternatives": ["ketch pier", "boat of Mallory"]})));
    let output = answered(&vault, &model, on(Stage::Alternatives, "where is the boat")).await;
    assert_eq!(texts(&output), ["A boat show in autumn", "The ketch lies at the pier of Tavira"]);
    assert_eq!(note(&output, Stage::Alternatives), "ketch pier");
    let only = answered(&vault, &model, on(Stage::Alternatives, "vessel")).await;
    assert_eq!(texts(&only), ["The ketch lies at the pier of Tavira"], "where the query itself finds nothing, too");
}

#[tokio::test]
async fn without_a_useful_answer_recall_is_the_same_to_the_digit_and_says_why() {
    let vault = Vault::of(&["The ketch lies at the pier", "A boat show in autumn", "The boat is blue"]).await;
    let query = "where is the boat";
    let plain = vault.query(asking(query)).await;
    let nonsense = || json!({"alternatives": 3, "order": ["mem_1", 77]});
    for stage in [Stage::Alternatives, Stage::Rerank] {
        let output = vault.query(on(stage, query)).await;
        are_same(&output, &plain);
        assert!(note(&output, stage).contains("no language model"), "{}", note(&output, stage));
        for (answer, why) in [
            (Ok(nonsense()), "answer is none"),
            (Err(NoAnswer::Failed), "not in time"),
            (Err(NoAnswer::Budget), "used up"),
            (Err(NoAnswer::Resting), "left alone"),
        ] {
            let output = answered(&vault, &Fake::of(answer), on(stage, query)).await;
            are_same(&output, &plain);
            assert!(note(&output, stage).contains(why), "{}", note(&output, stage));
        }
    }
    let model = Fake::of(Ok(nonsense()));
    are_same(&answered(&vault, &model, asking(query)).await, &plain);
    assert_eq!(model.shown(), "", "nothing is asked unless a stage is on");
}

#[tokio::test]
async fn an_order_moves_results_and_adds_none() {
    let vault = Vault::of(&["The boat is blue", "A boat show in autumn", "The boat lies at the pier"]).await;
    let plain = vault.query(asking("boat")).await;
    let model = Fake::of(Ok(json!({"reasoning": "", "order": [2, 99, 2, 0]})));
    let output = answered(&vault, &model, on(Stage::Rerank, "boat")).await;
    let before = texts(&plain);
    assert_eq!(texts(&output), [before[2].clone(), before[0].clone(), before[1].clone()]);
    assert_eq!(note(&output, Stage::Rerank), "3 of 3 moved");
}

#[tokio::test]
async fn a_model_sees_nothing_that_is_sensitive_and_what_the_filter_lets_through_alone() {
    let vault = Vault::new().await;
    let turn = |text: &str| short_term("now", text);
    let secret = MemoryDraft { tier: Tier::ShortTerm, session_id: Some("now".to_owned()), ..sensitive("boat debts") };
    vault
        .remember(vec![
            turn("We met by the pier"),
            secret,
            sensitive("a boat of shame"),
            plain("boat one"),
            plain("boat two"),
        ])
        .await;
    let model = Fake::of(Ok(json!({"reasoning": "", "alternatives": [], "order": [1, 0]})));
    let stages = [Stage::Alternatives, Stage::Rerank].map(|stage| (stage.name().to_owned(), true));
    let asked = QueryInput { stages: stages.into(), active_session_id: "now".to_owned(), ..asking("boat") };
    let output = answered(&vault, &model, asked.clone()).await;
    assert!(texts(&output).iter().any(|text| text == "a boat of shame"), "{:?}", texts(&output));
    let plain = vault.query(QueryInput { stages: BTreeMap::new(), ..asked.clone() }).await;
    let rank = |output: &QueryOutput| texts(output).iter().position(|text| text == "a boat of shame");
    assert_eq!(rank(&output), rank(&plain), "it keeps its place");
    let shown = model.shown();
    assert!(shown.contains("pier") && shown.contains("boat one"), "{shown}");
    assert!(!shown.contains("shame") && !shown.contains("debts"), "{shown}");
    let filter = MemoryFilter { tiers: vec![Tier::LongTerm], ..MemoryFilter::default() };
    let model = Fake::of(Ok(json!({"alternatives": []})));
    answered(&vault, &model, QueryInput { filter, ..asked }).await;
    assert!(!model.shown().contains("pier"), "{}", model.shown());
}

#[tokio::test]
async fn a_cross_encoder_reorders_results_instead_of_a_language_model() {
    let vault =
        Vault::of(&["The boat", "A boat show in autumn", "The boat lies at the pier", "boat, pier, pier"]).await;
    vault.remember(vec![sensitive("a boat of shame by the pier, pier, pier")]).await;
    let before = texts(&vault.query(asking("boat")).await);
    let (model, piers) = (Fake::of(Ok(json!({"order": [0]}))), Arc::new(Piers::default()));
    let app = with(&vault, &model).with_cross_encoder(Some(Arc::clone(&piers) as Arc<dyn CrossEncoder>));
    let output = app.query_memories(&vault.user, on(Stage::Rerank, "boat")).await.unwrap();
    let open =
        |texts: &[String]| -> Vec<String> { texts.iter().filter(|text| !text.contains("shame")).cloned().collect() };
    let mut expected = open(&before);
    expected.sort_by_key(|text| std::cmp::Reverse(text.matches("pier").count()));
    assert_eq!(open(&texts(&output)), expected, "equal scores keep the old order");
    let moved = open(&before).iter().zip(&expected).filter(|(old, new)| old != new).count();
    assert!(moved > 0);
    assert_eq!(note(&output, Stage::Rerank), format!("{moved} of 4 moved"));
    let rank = |texts: &[String]| texts.iter().position(|text| text.contains("shame"));
    assert_eq!(rank(&texts(&output)), rank(&before), "what is sensitive is not scored and keeps its place");
    assert!(!piers.shown.lock().unwrap().iter().any(|text| text.contains("shame")));
    assert_eq!(model.shown(), "");
}

#[tokio::test]
async fn without_scores_the_order_is_the_same_and_the_note_says_why() {
    let vault = Vault::of(&["The boat", "A boat show in autumn", "The boat lies at the pier"]).await;
    let plain = vault.query(asking("boat")).await;
    for (fails, why) in [(NoScores::Unavailable, "did not answer, or failed"), (NoScores::TimedOut, "in time")] {
        let piers = Arc::new(Piers { fails: Some(fails), ..Piers::default() });
        let app = vault.app.clone().with_cross_encoder(Some(piers));
        let output = app.query_memories(&vault.user, on(Stage::Rerank, "boat")).await.unwrap();
        are_same(&output, &plain);
        let note = note(&output, Stage::Rerank);
        assert!(note.starts_with("not used: the cross-encoder") && note.contains(why), "{note}");
    }
}
