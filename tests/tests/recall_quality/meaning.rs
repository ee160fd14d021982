//! Vectors add semantically close memories, under the same filter; without vectors only these are missing. Here a
//! vector is a direction in a space of four meanings, assigned by hand.

mod beside;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use kimberly_core::embedding::{ModelKey, VectorHit, VectorSubject};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::Seq;
use kimberly_core::memory::{MemoryDraft, MemoryFilter, MemoryState, Metadata, SensitivityFilter, Tier};
use kimberly_core::ports::{BoxFuture, IndexState, NoVector, QueryEmbedder, VectorReader};
use kimberly_core::recall::Fusion;
use kimberly_core::usecases::{DeleteInput, EndSessionInput, QueryInput, QueryOutput, SemanticRecall, SemanticStatus};
use kimberly_core::{MemoryId, UserId};

use super::{Vault, asking, plain, said, sensitive, short_term, texts};

/// The meanings of the tests' texts.
const BOATS: [f32; 4] = [1.0, 0.0, 0.0, 0.1];
const FOOD: [f32; 4] = [0.0, 1.0, 0.0, 0.1];
const NOTHING: [f32; 4] = [0.0, 0.0, 1.0, 0.1];

/// The vectors of a user.
type Vectors = Vec<(Seq, [f32; 4])>;

/// An in-memory index.
#[derive(Default)]
struct FakeIndex {
    vectors: Mutex<HashMap<UserId, Vectors>>,
    /// The index of another model, which is being built.
    building: Mutex<HashMap<UserId, Vectors>>,
    /// The reported number of items, if it is wrong on purpose.
    claims: Mutex<Option<u64>>,
    damaged: Mutex<bool>,
    asked_for: Mutex<Vec<usize>>,
}

impl FakeIndex {
    fn of(&self, user: &UserId, of: &ModelKey) -> Vectors {
        let held = if *of == model() { &self.vectors } else { &self.building };
        held.lock().unwrap().get(user).cloned().unwrap_or_default()
    }

    fn state(&self, user: &UserId, of: ModelKey) -> Option<IndexState> {
        let held = self.of(user, &of).len() as u64;
        let items = self.claims.lock().unwrap().unwrap_or(held);
        (held > 0).then_some(IndexState { model: of, items, vectors: items, in_sync_at: None, disk_bytes: 0 })
    }
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn model() -> ModelKey {
    ModelKey::new("meanings", "0123456789abcdef", 4).unwrap()
}

fn newer() -> ModelKey {
    ModelKey::new("newer", "0123456789abcdef", 4).unwrap()
}

impl VectorReader for FakeIndex {
    fn active(&self, user: &UserId) -> Result<Option<IndexState>> {
        Ok(self.state(user, model()))
    }

    fn building(&self, user: &UserId) -> Result<Option<IndexState>> {
        Ok(self.state(user, newer()))
    }

    fn nearest(&self, user: &UserId, of: &ModelKey, query: &[f32], limit: usize) -> Result<Vec<VectorHit>> {
        if *self.damaged.lock().unwrap() {
            return Err(Error::storage(StorageFailure::Corrupt, "the index is damaged"));
        }
        self.asked_for.lock().unwrap().push(limit);
        let hit = |(seq, vector): &(Seq, [f32; 4])| VectorHit { seq: *seq, chunk: 0, cosine: cosine(query, vector) };
        let mut hits: Vec<VectorHit> = self.of(user, of).iter().map(hit).collect();
        hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine));
        hits.truncate(limit);
        Ok(hits)
    }

    fn centre(&self, user: &UserId, of: &ModelKey) -> Result<Option<Vec<f32>>> {
        let held = self.of(user, of);
        let count: f32 = held.iter().map(|_| 1.0).sum();
        let mean = |n: usize| held.iter().map(|(_, vector)| vector[n]).sum::<f32>() / count;
        Ok((!held.is_empty()).then(|| (0..4).map(mean).collect()))
    }

    fn contains(&self, user: &UserId, of: &ModelKey, subjects: &[VectorSubject]) -> Result<Vec<bool>> {
        let held = self.of(user, of);
        Ok(subjects.iter().map(|one| held.iter().any(|(seq, _)| *one == VectorSubject::Memory(*seq))).collect())
    }

    fn cosines(
        &self,
        _: &UserId,
        memories: &[VectorSubject],
        others: &[VectorSubject],
    ) -> Result<Vec<Vec<Option<f32>>>> {
        Ok(vec![vec![None; others.len()]; memories.len()])
    }
}

/// Returns a query's meaning, or a failure.
#[derive(Default)]
struct FakeEmbedder {
    fails: Mutex<Option<NoVector>>,
    /// Models that are not loaded.
    lacks: Mutex<Vec<ModelKey>>,
    asked: Mutex<Vec<String>>,
    /// An action before the response.
    meanwhile: Mutex<Option<BoxFuture<'static, ()>>>,
}

impl QueryEmbedder for FakeEmbedder {
    fn embed_query(&self, of: &ModelKey, text: &str) -> BoxFuture<'_, Result<Arc<[f32]>, NoVector>> {
        self.asked.lock().unwrap().push(text.to_owned());
        // The newer model assigns opposite meanings.
        let vector = if text.contains("sail") == (*of == model()) { BOATS } else { FOOD };
        let mut answer = self.fails.lock().unwrap().map_or_else(|| Ok(Arc::from(vector)), Err);
        if self.lacks.lock().unwrap().contains(of) {
            answer = Err(NoVector::NoSuchModel);
        }
        let meanwhile = self.meanwhile.lock().unwrap().take();
        Box::pin(async move {
            // Yields once, since a real embedder responds later.
            tokio::task::yield_now().await;
            if let Some(meanwhile) = meanwhile {
                meanwhile.await;
            }
            answer
        })
    }
}

/// A vault whose memories have vectors.
struct Meanings {
    vault: Vault,
    index: Arc<FakeIndex>,
    embedder: Arc<FakeEmbedder>,
}

impl Meanings {
    async fn of(drafts: Vec<(MemoryDraft, [f32; 4])>) -> (Self, Vec<MemoryId>) {
        let mut vault = Vault::new().await;
        let (index, embedder) = (Arc::new(FakeIndex::default()), Arc::new(FakeEmbedder::default()));
        let (drafts, vectors): (Vec<_>, Vec<_>) = drafts.into_iter().unzip();
        let ids = vault.remember(drafts).await;
        let numbered = (1..).zip(vectors).map(|(seq, vector)| (Seq(seq), vector)).collect();
        index.vectors.lock().unwrap().insert(vault.user.clone(), numbered);
        vault.app.semantic =
            Some(SemanticRecall { vectors: index.clone(), embedder: embedder.clone(), fusion: Fusion::Sum });
        (Self { vault, index, embedder }, ids)
    }

    async fn recall(&self, query: &str) -> QueryOutput {
        self.vault.query(asking(query)).await
    }

    /// The same vault without vectors.
    async fn by_words_alone(&self, query: &str) -> QueryOutput {
        let mut app = self.vault.app.clone();
        app.semantic = None;
        app.query_memories(&self.vault.user, asking(query)).await.unwrap()
    }
}

/// Two memories about boats, one about food, and enough others for a mean.
fn harbour() -> Vec<(MemoryDraft, [f32; 4])> {
    let filler = (0..20).map(|n| (plain(&format!("filler number {n}")), NOTHING));
    let about = [("The yacht leaves at dawn", BOATS), ("Her dinghy has a leak", BOATS), ("We ate noodles", FOOD)];
    about.map(|(text, meaning)| (plain(text), meaning)).into_iter().chain(filler).collect()
}

fn scores(output: &QueryOutput) -> Vec<(i64, u64)> {
    output.results.iter().map(|one| (one.memory.seq.0, one.score.to_bits())).collect()
}

#[tokio::test]
async fn paraphrase_is_found_that_shares_no_word() {
    let (meanings, _) = Meanings::of(harbour()).await;
    assert!(meanings.by_words_alone("who goes sailing").await.results.is_empty());
    for fusion in Fusion::ALL {
        let mut app = meanings.vault.app.clone();
        app.semantic.as_mut().unwrap().fusion = fusion;
        let output = app.query_memories(&meanings.vault.user, asking("who goes sailing")).await.unwrap();
        assert_eq!(output.semantic, SemanticStatus::Used);
        let mut found = texts(&output);
        found.sort();
        assert_eq!(found, ["Her dinghy has a leak", "The yacht leaves at dawn"]);
        let why = output.results[0].explanation.unwrap();
        assert_eq!((why.found_by.names(), why.fusion), (vec!["vector"], Some(fusion)));
        assert!(why.cosine.unwrap() > 0.9 && why.vector > 0.0 && why.lexical == 0.0 && why.semantic > 0.9);
    }
}

#[tokio::test]
async fn words_and_meaning_add_up() {
    let mut drafts = harbour();
    drafts.push((plain("A sail in the window of a shop"), NOTHING));
    drafts.push((plain("The sail of her sloop is torn"), BOATS));
    let (meanings, _) = Meanings::of(drafts).await;
    let output = meanings.recall("sail").await;
    assert_eq!(texts(&output)[0], "The sail of her sloop is torn");
    assert_eq!(super::first_found_by(&output), ["term", "vector"]);
    assert_eq!(texts(&output).len(), 4);
}

#[tokio::test]
async fn without_vectors_the_answer_is_that_of_words_to_the_bit() {
    let (meanings, _) = Meanings::of(harbour()).await;
    let expected = scores(&meanings.by_words_alone("who sails the yacht at dawn, filler").await);
    assert!(expected.len() > 2);
    for (why, status) in [
        (NoVector::Unavailable, SemanticStatus::Unavailable),
        (NoVector::NoSuchModel, SemanticStatus::Unavailable),
        (NoVector::TimedOut, SemanticStatus::TimedOut),
    ] {
        *meanings.embedder.fails.lock().unwrap() = Some(why);
        let output = meanings.recall("who sails the yacht at dawn, filler").await;
        assert_eq!((output.semantic, scores(&output)), (status, expected.clone()));
        assert!(output.results.iter().all(|one| one.explanation.unwrap().fusion.is_none()));
    }
    *meanings.embedder.fails.lock().unwrap() = None;
    *meanings.index.damaged.lock().unwrap() = true;
    let output = meanings.recall("who sails the yacht at dawn, filler").await;
    assert_eq!((output.semantic, scores(&output)), (SemanticStatus::NoIndex, expected.clone()));
    meanings.index.vectors.lock().unwrap().clear();
    let output = meanings.recall("who sails the yacht at dawn, filler").await;
    assert_eq!((output.semantic, scores(&output)), (SemanticStatus::NoIndex, expected));
    assert_eq!(meanings.by_words_alone("sail").await.semantic, SemanticStatus::Off);
}

#[tokio::test]
async fn every_condition_of_the_filter_holds_for_what_vectors_find() {
    let with = |change: &dyn Fn(&mut MemoryDraft)| {
        let mut draft = plain("The yacht leaves at dawn");
        change(&mut draft);
        (draft, BOATS)
    };
    let mut drafts = vec![
        with(&|d| d.metadata = Metadata { tags: vec!["sea".to_owned()], ..Metadata::default() }),
        with(&|d| d.tier = Tier::Permanent),
        (sensitive("s", "The dinghy of the doctor"), BOATS),
        (said("t", "Ann", 9, "Our boat capsized"), BOATS),
        (short_term("x", "archived"), BOATS),
        with(&|d| d.content = "deleted".to_owned()),
    ];
    drafts.extend(harbour().split_off(3));
    let (meanings, ids) = Meanings::of(drafts).await;
    let delete = DeleteInput { id: ids[5], etag: String::new(), request_id: String::new() };
    meanings.vault.app.delete_memory(&meanings.vault.user, delete).await.unwrap();
    let end = EndSessionInput { session_id: "x".to_owned(), request_id: String::new() };
    meanings.vault.app.end_session(&meanings.vault.user, end).await.unwrap();
    let found = |filter: MemoryFilter| async {
        let output = meanings.vault.query(QueryInput { filter, ..asking("who goes sailing") }).await;
        let mut seqs: Vec<i64> = output.results.iter().map(|one| one.memory.seq.0).collect();
        seqs.sort_unstable();
        seqs
    };
    let all = MemoryFilter::default;
    assert_eq!(found(all()).await, [1, 2, 3, 4]);
    assert_eq!(found(MemoryFilter { tags_any: vec!["sea".to_owned()], ..all() }).await, [1]);
    assert_eq!(found(MemoryFilter { tiers: vec![Tier::Permanent], ..all() }).await, [2]);
    assert_eq!(found(MemoryFilter { sensitivity: SensitivityFilter::Exclude, ..all() }).await, [1, 2, 4]);
    assert_eq!(found(MemoryFilter { session_id: Some("t".to_owned()), ..all() }).await, [4]);
    assert_eq!(found(MemoryFilter { speakers: vec!["ANN".to_owned()], ..all() }).await, [4]);
    assert_eq!(found(MemoryFilter { states: vec![MemoryState::Archived], ..all() }).await, [5]);
    assert_eq!(found(MemoryFilter { states: vec![MemoryState::Deleted], ..all() }).await, [0_i64; 0]);
    let other = UserId::parse("bob").unwrap();
    let output = meanings.vault.app.query_memories(&other, asking("who goes sailing")).await.unwrap();
    assert!(output.results.is_empty() && output.semantic == SemanticStatus::NoIndex);
}

#[tokio::test]
async fn hidden_memory_lends_nothing_of_its_meaning_to_its_neighbours() {
    let mut drafts = vec![
        (said("s", "Ann", 1, "We talked for a while"), NOTHING),
        (sensitive("s", "The dinghy sank?"), BOATS),
        (said("s", "Ann", 1, "I will call my sister"), NOTHING),
    ];
    drafts.extend(harbour().split_off(3));
    let (meanings, _) = Meanings::of(drafts).await;
    assert_eq!(meanings.recall("who goes sailing").await.results.len(), 3, "context is included if nothing is hidden");
    let filter = MemoryFilter { sensitivity: SensitivityFilter::Exclude, ..MemoryFilter::default() };
    let output = meanings.vault.query(QueryInput { filter, ..asking("who goes sailing") }).await;
    assert!(output.results.is_empty());
}

#[tokio::test]
async fn vectors_are_not_asked_without_their_stage_and_alone_without_words() {
    let (meanings, _) = Meanings::of(harbour()).await;
    let stage = |name: &str| QueryInput { stages: [(name.to_owned(), false)].into(), ..asking("who goes sailing") };
    let output = meanings.vault.query(stage("vectors")).await;
    assert_eq!(output.semantic, SemanticStatus::TurnedOff);
    assert!(meanings.embedder.asked.lock().unwrap().is_empty());
    let output = meanings.vault.query(stage("words")).await;
    assert!(!output.results.is_empty());
    assert!(output.results.iter().all(|one| one.explanation.unwrap().lexical < f64::EPSILON));
}

#[tokio::test]
async fn quoted_phrases_and_signs_ask_for_nothing_near() {
    let (meanings, _) = Meanings::of(harbour()).await;
    for query in ["\"sail\"", "\"we ate\"", "🎂", "?!"] {
        let output = meanings.recall(query).await;
        assert_eq!(output.semantic, SemanticStatus::NotNeeded, "{query}");
        assert_eq!(scores(&output), scores(&meanings.by_words_alone(query).await), "{query}");
    }
    assert!(meanings.embedder.asked.lock().unwrap().is_empty());
    // A phrase excludes all results without it.
    assert_eq!(texts(&meanings.recall("what \"we ate\" when sailing").await), ["We ate noodles"]);
}

#[tokio::test]
async fn long_query_is_embedded_by_its_beginning() {
    let (meanings, _) = Meanings::of(harbour()).await;
    meanings.recall(&"ä".repeat(4_000)).await;
    assert_eq!(*meanings.embedder.asked.lock().unwrap(), ["ä".repeat(256)]);
}

#[tokio::test]
async fn large_index_is_asked_for_the_nearest_only() {
    let (meanings, _) = Meanings::of(harbour()).await;
    meanings.recall("who goes sailing").await;
    *meanings.index.claims.lock().unwrap() = Some(1_000_000);
    let output = meanings.recall("the yacht, filler number 3").await;
    assert_eq!(*meanings.index.asked_for.lock().unwrap(), [usize::MAX, 400]);
    assert_eq!((output.semantic, output.results.is_empty()), (SemanticStatus::Used, false));
}

#[tokio::test]
async fn new_memory_without_a_vector_is_still_found_by_its_words() {
    let (meanings, _) = Meanings::of(harbour()).await;
    meanings.vault.remember(vec![plain("Sailing lessons start on Monday")]).await;
    let output = meanings.recall("sailing lessons").await;
    assert_eq!(texts(&output)[0], "Sailing lessons start on Monday");
    assert_eq!(output.results[0].explanation.unwrap().cosine, None);
}
