//! From a write to its vector, and from a deletion to the vector's removal.

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::draft;

use super::world::{embedding, has, stands};

#[tokio::test]
async fn a_memory_is_found_by_what_it_means_and_its_vector_goes_with_it() {
    let system = embedding(&[]).await;
    let mut ana = system.user("ana");
    let rome = ana.remember("We spent the whole holiday in Rome").await;
    ana.remember("The dentist wants to see me again in May").await;
    let status = has(&ana, 2).await;
    assert!(status.model.starts_with("model-") || status.model.contains("minilm"), "{}", status.model);
    assert_eq!((status.dimension, status.items, status.missing_vectors), (384, 2, 0));
    let memory = ana.memory(&rome.id).await;
    assert_eq!(memory.embedding_ref, format!("{}/{}", status.model, rome.id));
    let metrics = ana.metrics().await;
    assert!(metrics.embedding_enabled && metrics.vector_index_bytes > 0);
    assert!(metrics.vector_index_bytes <= 128 * 1024, "{} bytes for two vectors", metrics.vector_index_bytes);
    ana.forget(&rome.id).await;
    has(&ana, 1).await;
    assert!(ana.memory(&rome.id).await.embedding_ref.is_empty());
    ana.restore(&rome.id).await;
    has(&ana, 2).await;
    // A mark takes effect like any other change.
    for (embed, vectors) in [(pb::EmbedMark::Never, 1), (pb::EmbedMark::Always, 2)] {
        let request = pb::UpdateMemoryRequest {
            user_id: ana.id(),
            id: rome.id.clone(),
            memory: Some(pb::MemoryDraft { embed: embed.into(), ..Default::default() }),
            update_mask: Some(prost_types::FieldMask { paths: vec!["embed".to_owned()] }),
            ..Default::default()
        };
        ana.clients.memories.update_memory(request).await.expect("an update");
        assert_eq!(has(&ana, vectors).await.needed_vectors, vectors);
        let memory = ana.memory(&rome.id).await;
        assert_eq!((memory.embed(), memory.embedding_ref.is_empty()), (embed, vectors == 1));
    }
}

#[tokio::test]
async fn sensitive_memories_are_never_embedded_and_what_becomes_sensitive_loses_its_vector() {
    let system = embedding(&[]).await;
    let mut ana = system.user("ana");
    ana.consent().await;
    let secret = pb::MemoryDraft {
        metadata: Some(pb::Metadata { sensitive: true, ..Default::default() }),
        consent: true,
        ..draft("My blood pressure is high")
    };
    let secret = ana.remember_draft(secret).await;
    let plain = ana.remember("I run every morning").await;
    has(&ana, 1).await;
    assert!(ana.memory(&secret.id).await.embedding_ref.is_empty());
    let request = pb::UpdateMemoryRequest {
        user_id: ana.id(),
        id: plain.id.clone(),
        memory: Some(pb::MemoryDraft {
            metadata: Some(pb::Metadata { sensitive: true, ..Default::default() }),
            consent: true,
            ..Default::default()
        }),
        update_mask: Some(prost_types::FieldMask {
            paths: ["metadata.sensitive", "consent"].map(str::to_owned).to_vec(),
        }),
        ..Default::default()
    };
    ana.clients.memories.update_memory(request).await.expect("an update");
    let status = has(&ana, 0).await;
    assert_eq!(status.needed_vectors, 0);
}

#[tokio::test]
async fn many_users_are_embedded_and_each_has_only_their_own() {
    let system = embedding(&[]).await;
    for n in 0..8 {
        let mut user = system.user(&format!("user {n}"));
        let drafts = (0..=n).map(|m| draft(&format!("note {m} of user {n} about the garden"))).collect();
        user.remember_all(drafts).await;
    }
    for n in 0..8 {
        has(&system.user(&format!("user {n}")), n + 1).await;
    }
}

#[tokio::test]
async fn a_lost_index_and_a_lost_queue_are_made_up_for_by_themselves() {
    let mut system = embedding(&[]).await;
    let mut ana = system.user("ana");
    ana.remember("I drink my tea without sugar").await;
    has(&ana, 1).await;
    system.embedder.kill9();
    ana.remember("I drink my coffee with milk").await;
    for entry in walk(&system.data_dir().join("vaults")) {
        if entry.ends_with("vectors") {
            std::fs::remove_dir_all(entry).expect("an index is removed");
        }
    }
    system.embedder.start_again();
    has(&ana, 2).await;
    stands(&ana, pb::EmbeddingState::InSync).await;
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir());
    folders.flat_map(|path| walk(&path).into_iter().chain([path])).collect()
}
