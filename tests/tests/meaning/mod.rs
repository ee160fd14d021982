//! Semantic recall, through the real processes and a real model: what vectors must and must not find, and that recall
//! does not wait for an unavailable embedder.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod away;
mod filters;
mod found;
mod switching;

use kimberly_proto::v1 as pb;
use kimberly_tests::model::minilm;
use kimberly_tests::{System, User, eventually};

/// All processes, with a model and an ample deadline for queries unless `settings` say otherwise.
async fn system(settings: &[(&str, &str)]) -> System {
    let model = minilm().display().to_string();
    let mut all = vec![
        ("KIMBERLY_EMBEDDER__MODEL", model.as_str()),
        ("KIMBERLY_EMBEDDING__WINDOW", "always"),
        ("KIMBERLY_RECALL__EMBED_DEADLINE", "10s"),
    ];
    all.extend(settings);
    System::start_with(&all).await
}

/// Waits until all memories of the user are embedded.
async fn embedded(user: &User) {
    eventually("vectors of all memories", || async {
        let mut clients = user.clients.clone();
        let request = pb::GetEmbeddingStatusRequest { user_id: user.id() };
        let status = clients.embedding.get_embedding_status(request).await.unwrap().into_inner().status.unwrap();
        (status.state() == pb::EmbeddingState::InSync).then_some(())
    })
    .await;
}

/// Queries with score explanations.
async fn ask(user: &User, query: &str) -> pb::QueryMemoriesResponse {
    ask_within(user, query, pb::MemoryFilter::default()).await
}

async fn ask_within(user: &User, query: &str, filter: pb::MemoryFilter) -> pb::QueryMemoriesResponse {
    let request = pb::QueryMemoriesRequest {
        user_id: user.id(),
        query: query.to_owned(),
        explain: true,
        filter: Some(filter),
        ..pb::QueryMemoriesRequest::default()
    };
    user.clients.clone().memories.query_memories(request).await.unwrap().into_inner()
}

/// The recalled contents, best first.
fn contents(answer: &pb::QueryMemoriesResponse) -> Vec<String> {
    answer.results.iter().map(|one| one.memory.clone().unwrap().content).collect()
}

/// Unrelated memories.
const OTHERS: [&str; 10] = [
    "The dentist moved the appointment to Thursday",
    "Tax papers are in the blue folder",
    "The new printer needs a driver",
    "Paint for the kitchen wall: warm grey",
    "The meeting about the budget was cancelled",
    "Socks and two shirts from the laundry",
    "The password of the guest network changed",
    "Grandmother turns ninety in March",
    "The tram to the station leaves every ten minutes",
    "Chess club on the first Monday",
];
