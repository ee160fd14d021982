//! A system with a model, and helpers for its status.

use kimberly_proto::v1 as pb;
use kimberly_tests::model::minilm;
use kimberly_tests::{System, User, eventually};

/// Starts a system with embeddings and additional settings.
pub(crate) async fn embedding(settings: &[(&str, &str)]) -> System {
    let model = minilm().display().to_string();
    let brisk = [
        ("KIMBERLY_EMBEDDER__MODEL", model.as_str()),
        ("KIMBERLY_EMBEDDING__WINDOW", "always"),
        ("KIMBERLY_EMBEDDING__SWEEP_INTERVAL", "1s"),
        ("KIMBERLY_RECALL__EMBED_DEADLINE", "10s"),
    ];
    let all: Vec<(&str, &str)> = brisk.into_iter().chain(settings.iter().copied()).collect();
    System::start_with(&all).await
}

/// The embedding status of a user.
pub(crate) async fn status(user: &User) -> pb::EmbeddingStatus {
    let request = pb::GetEmbeddingStatusRequest { user_id: user.id() };
    let answer = user.clients.embedding.clone().get_embedding_status(request).await.expect("a status");
    answer.into_inner().status.expect("a status")
}

/// Waits until a user's vectors reach a state.
pub(crate) async fn stands(user: &User, state: pb::EmbeddingState) -> pb::EmbeddingStatus {
    eventually(&format!("the vectors of {} come to {state:?}", user.id), || async {
        let status = status(user).await;
        (status.state() == state).then_some(status)
    })
    .await
}

/// Waits until a user has this many vectors, all that are needed.
pub(crate) async fn has(user: &User, vectors: i64) -> pb::EmbeddingStatus {
    eventually(&format!("{} has {vectors} vectors", user.id), || async {
        let status = status(user).await;
        (status.state() == pb::EmbeddingState::InSync && status.vectors == vectors).then_some(status)
    })
    .await
}
