//! While embeddings are off, no trace of them exists.

use std::path::PathBuf;

use kimberly_proto::v1 as pb;
use kimberly_tests::system::LOOKED_AT;
use kimberly_tests::{System, reason};

/// Files that a process has open or mapped.
fn open_files(pid: u32) -> Vec<PathBuf> {
    let links = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("a process has descriptors");
    let open = links.filter_map(|link| std::fs::read_link(link.ok()?.path()).ok());
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("a process has maps");
    let mapped = maps.lines().filter_map(|line| Some(PathBuf::from(&line[line.find('/')?..])));
    open.chain(mapped).collect()
}

#[tokio::test]
async fn no_model_no_index_no_vault_and_no_queue_is_opened() {
    let system = System::start_with(&[LOOKED_AT]).await;
    let mut ana = system.user("ana");
    ana.remember("I drink my tea without sugar").await;
    ana.recall("tea").await;
    let data = system.data_dir().canonicalize().expect("a data folder");
    let of_embedder: Vec<PathBuf> =
        open_files(system.embedder.pid()).into_iter().filter(|path| path.starts_with(&data)).collect();
    assert!(of_embedder.is_empty(), "{of_embedder:?}");
    for pid in [system.api.pid(), system.worker.pid(), system.embedder.pid()] {
        let vectors: Vec<PathBuf> = open_files(pid)
            .into_iter()
            .filter(|path| path.ends_with("data.mdb") || path.extension().is_some_and(|end| end == "safetensors"))
            .collect();
        assert!(vectors.is_empty(), "{vectors:?}");
    }
}

#[tokio::test]
async fn what_needs_embeddings_says_that_they_are_off() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.remember("I drink my tea without sugar").await;
    let status = super::world::status(&ana).await;
    assert_eq!(
        (status.state(), status.reason.as_str()),
        (pb::EmbeddingState::ServerOff, "embeddings are off on this server")
    );
    let metrics = ana.metrics().await;
    assert!(!metrics.embedding_enabled && metrics.vector_index_bytes == 0);
    let mut client = ana.clients.embedding.clone();
    let request = pb::RequestEmbeddingRequest { user_id: ana.id(), ..Default::default() };
    let refused = [
        client.request_embedding(request).await.err(),
        client
            .export_embedding_texts(pb::ExportEmbeddingTextsRequest { user_id: ana.id(), ..Default::default() })
            .await
            .err(),
    ];
    for refusal in refused {
        assert_eq!(reason(&refusal.expect("a refusal")), "EMBEDDINGS_OFF");
    }
    let info = ana.clients.server.get_server_info(pb::GetServerInfoRequest {}).await.expect("facts").into_inner();
    assert!(!info.features.contains(&(pb::Feature::Embeddings as i32)));
}
