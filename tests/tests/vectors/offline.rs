//! Vectors computed elsewhere.

use kimberly_proto::v1 as pb;
use kimberly_tests::binaries::program;
use kimberly_tests::drafts::draft;
use kimberly_tests::model::minilm;
use kimberly_tests::{System, User, eventually, reason};
use tokio::process::Command;

use super::world::{embedding, has, stands};

fn closed() -> [(&'static str, &'static str); 2] {
    // The server computes only one vector.
    [("KIMBERLY_EMBEDDING__DAILY_LIMIT", "1"), ("KIMBERLY_EMBEDDER__THREADS", "1")]
}

async fn texts(user: &User) -> Vec<pb::EmbeddingTexts> {
    let request = pb::ExportEmbeddingTextsRequest { user_id: user.id(), missing_only: true, cursor: String::new() };
    let mut stream =
        user.clients.embedding.clone().export_embedding_texts(request).await.expect("an export").into_inner();
    let mut all = Vec::new();
    while let Some(piece) = stream.message().await.expect("a piece") {
        all.extend(piece.items);
    }
    all
}

/// A command of `kimberly` for a system, with JSON as its output.
pub(crate) fn kimberly(system: &System, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .args(["--json", "--server", &format!("http://{}", system.api_address())])
        .args(arguments)
        .current_dir(system.folder());
    command
}

async fn command(system: &System, arguments: &[&str]) -> serde_json::Value {
    let output = kimberly(system, arguments).output().await.expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[tokio::test]
async fn the_command_computes_what_is_missing_and_the_server_takes_it() {
    let system = embedding(&closed()).await;
    let mut ana = system.user("ana");
    let long = "A sentence about sailing that is repeated. ".repeat(60);
    let notes = (0..20).map(|n| draft(&format!("note {n}")));
    ana.remember_all([draft(&long)].into_iter().chain(notes).collect()).await;
    stands(&ana, pb::EmbeddingState::DailyLimit).await;
    let folder = minilm().display().to_string();
    let arguments = ["embed", "--offline", "--model", folder.as_str(), "--user", "ana"];
    let done = command(&system, &arguments).await;
    assert_eq!(done["stored"].as_u64(), Some(20), "{done}");
    let status = stands(&ana, pb::EmbeddingState::InSync).await;
    assert!(status.vectors > 21 && status.computed_today <= 1, "{status:?}");
    let again = command(&system, &arguments).await;
    assert_eq!((again["computed"].as_u64(), again["stored"].as_u64()), (Some(0), Some(0)), "{again}");
    assert_eq!(
        std::fs::read_dir(system.folder())
            .expect("a folder")
            .flatten()
            .filter(|entry| { entry.file_name().to_string_lossy().starts_with("kimberly-vectors") })
            .count(),
        0,
        "the work is done and its file gone"
    );
    assert!(!ana.recall("note 7").await.is_empty());
}

#[tokio::test]
async fn a_run_that_is_killed_costs_nothing_that_it_computed() {
    let system = embedding(&[closed()[0], ("KIMBERLY_EMBEDDING__VECTOR_CAP", "100000")]).await;
    let mut ana = system.user("ana");
    let long = "A sentence about sailing that is repeated. ".repeat(60);
    ana.remember_all((0..250).map(|n| draft(&format!("{n}. {long}"))).collect()).await;
    stands(&ana, pb::EmbeddingState::DailyLimit).await;
    let folder = minilm().display().to_string();
    let work = system.folder().join("work.jsonl");
    let arguments = ["embed", "--offline", "--model", &folder, "--user", "ana", "--work", "work.jsonl"];
    let mut cut = kimberly(&system, &arguments).spawn().expect("the command runs");
    let held = || std::fs::read_to_string(&work).unwrap_or_default().lines().count().saturating_sub(1);
    eventually("some vectors are in its file", || async { (held() >= 20).then_some(()) }).await;
    cut.kill().await.expect("it is killed");
    let held = held();
    assert!(held < 249, "it was killed in the middle");
    let done = command(&system, &arguments).await;
    let (computed, left) = (done["computed"].as_u64().expect("a count"), 249 - held as u64);
    // The last line may have been truncated.
    assert!((3 * left..=3 * left + 3).contains(&computed), "computed again: {held} of 249 were there, {done}");
    let status = stands(&ana, pb::EmbeddingState::InSync).await;
    assert_eq!((status.items, status.vectors), (250, 750));
    assert!(!work.exists());
}

#[tokio::test]
async fn an_upload_is_refused_precisely_and_repeated_without_harm() {
    let system = embedding(&closed()).await;
    let mut ana = system.user("ana");
    let made = ana.remember_all((0..3).map(|n| draft(&format!("note {n}"))).collect()).await;
    let status = stands(&ana, pb::EmbeddingState::DailyLimit).await;
    let items: Vec<pb::EmbeddingItem> = texts(&ana).await.into_iter().map(item).collect();
    assert_eq!(items.len(), 2);
    let request = |model: &str, items: &[pb::EmbeddingItem]| pb::UploadEmbeddingsRequest {
        user_id: "ana".to_owned(),
        model: model.to_owned(),
        items: items.to_vec(),
    };
    let mut client = ana.clients.embedding.clone();
    let wrong = client.upload_embeddings(request("other-0123456789abcdef", &items)).await.expect_err("a refusal");
    assert_eq!(reason(&wrong), "WRONG_MODEL");
    let mut short = items.clone();
    short[1].vectors[0].values.truncate(3);
    let wrong = client.upload_embeddings(request(&status.model, &short)).await.expect_err("a refusal");
    assert_eq!(reason(&wrong), "INVALID_FIELD");
    ana.forget(&made[0].id).await;
    for expected in [pb::UploadOutcome::Stored, pb::UploadOutcome::Unchanged] {
        let mut stale = items.clone();
        stale[0].fingerprint = "0000000000000000".to_owned();
        let answer = client.upload_embeddings(request(&status.model, &stale)).await.expect("an answer").into_inner();
        let refused = [pb::UploadOutcome::Stale, pb::UploadOutcome::NotEligible];
        assert!(refused.contains(&answer.outcomes().next().expect("an outcome")));
        let second = answer.outcomes().nth(1).expect("an outcome");
        assert!(second == expected || second == pb::UploadOutcome::NotEligible, "{second:?}");
    }
}

/// A vector of length 1 for each text.
fn item(of: pb::EmbeddingTexts) -> pb::EmbeddingItem {
    let mut values = vec![0.0; 384];
    values[0] = 1.0;
    let vectors = of.texts.iter().map(|_| pb::Vector { values: values.clone() }).collect();
    pb::EmbeddingItem { id: of.id, fingerprint: of.fingerprint, vectors }
}

#[tokio::test]
async fn without_an_embedder_an_upload_may_be_tried_again_and_recall_goes_on() {
    let mut system = embedding(&closed()).await;
    let mut ana = system.user("ana");
    ana.remember("I drink my tea without sugar").await;
    let status = has(&ana, 1).await;
    let items = vec![pb::EmbeddingItem {
        id: "mem_01890000-0000-7000-8000-000000000000".to_owned(),
        fingerprint: "0000000000000000".to_owned(),
        vectors: item(pb::EmbeddingTexts { texts: vec![String::new()], ..Default::default() }).vectors,
    }];
    system.embedder.kill9();
    let request = pb::UploadEmbeddingsRequest { user_id: ana.id(), model: status.model, items };
    let refused = ana.clients.embedding.upload_embeddings(request.clone()).await.expect_err("a refusal");
    assert_eq!(reason(&refused), "EMBEDDER_UNAVAILABLE");
    assert!(!ana.recall("tea").await.is_empty());
    system.embedder.start_again();
    system.wait_until_serving().await;
    let answer = ana.clients.embedding.upload_embeddings(request).await.expect("an answer").into_inner();
    assert_eq!(answer.outcomes().next(), Some(pb::UploadOutcome::NotEligible));
}
