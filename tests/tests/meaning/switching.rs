//! A model switch stopped half way: results from both indices are found.

use std::path::{Path, PathBuf};

use kimberly_proto::v1 as pb;
use kimberly_tests::model::minilm;
use kimberly_tests::{System, User, eventually};
use pb::SemanticStatus;

use super::{OTHERS, ask, contents, embedded, system};

const OLD: &str = "My puppy is afraid of thunderstorms";
const NEW: &str = "The kitten hides whenever there are fireworks";
const QUERY: &str = "which pets get scared by loud noises";

/// The same model under another name, and thus another key: links to its files.
fn renamed(folder: &Path) -> PathBuf {
    let copy = folder.join("another-name");
    link(&minilm(), &copy);
    copy
}

fn link(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            link(&entry.path(), &target);
        } else {
            std::os::unix::fs::symlink(entry.path().canonicalize().unwrap(), target).unwrap();
        }
    }
}

/// Restarts all processes with other settings; the embedder was stopped before.
async fn restart(system: &mut System, settings: &[(&str, Option<&str>)]) {
    system.api.stop();
    system.worker.stop();
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        for (name, value) in settings {
            match value {
                Some(value) => process.set(name, value),
                None => process.unset(name),
            }
        }
        process.start_again();
    }
    system.wait_until_serving().await;
}

/// The embedding status once the daily limit pauses the switch.
async fn held(user: &User) -> pb::EmbeddingStatus {
    eventually("the switch to be held half way", || async {
        let request = pb::GetEmbeddingStatusRequest { user_id: user.id() };
        let answer = user.clients.embedding.clone().get_embedding_status(request).await.unwrap().into_inner();
        answer.status.filter(|status| status.state() == pb::EmbeddingState::DailyLimit)
    })
    .await
}

/// Results found by vectors alone.
fn by_vector(answer: &pb::QueryMemoriesResponse) -> Vec<&str> {
    let alone = |one: &&pb::QueryResult| one.explanation.as_ref().unwrap().found_by == ["vector"];
    answer.results.iter().filter(alone).map(|one| one.memory.as_ref().unwrap().content.as_str()).collect()
}

#[tokio::test]
async fn while_a_switch_is_held_half_way_both_models_answer_and_one_that_is_not_loaded_costs_only_its_own() {
    let mut system = system(&[]).await;
    let mut user = system.user("ann");
    for text in OTHERS.iter().chain(&[OLD]) {
        user.remember(text).await;
    }
    embedded(&user).await;
    system.embedder.stop();
    user.remember(NEW).await;

    let other = renamed(system.folder()).display().to_string();
    let (old, limit) = (minilm().display().to_string(), (OTHERS.len() + 2).to_string());
    let switch = [
        ("KIMBERLY_EMBEDDER__MODEL", Some(other.as_str())),
        ("KIMBERLY_EMBEDDER__PREVIOUS_MODEL", Some(old.as_str())),
        ("KIMBERLY_EMBEDDING__DAILY_LIMIT", Some(limit.as_str())),
    ];
    restart(&mut system, &switch).await;
    let status = held(&user).await;
    assert_eq!((status.vectors, status.needed_vectors, status.missing_vectors), (11, 12, 11), "{status:?}");
    assert!(!status.model.starts_with("another-name"), "the old index is active until the new one is complete");
    let answer = ask(&user, QUERY).await;
    assert_eq!(answer.semantic(), SemanticStatus::Used);
    let mut found = by_vector(&answer);
    found.retain(|text| [OLD, NEW].contains(text));
    found.sort_unstable();
    assert_eq!(found, [OLD, NEW], "{:?}", contents(&answer));
    let refs: Vec<(String, bool)> = answer
        .results
        .iter()
        .map(|one| one.memory.clone().unwrap())
        .map(|memory| (memory.content, memory.embedding_ref.starts_with("another-name")))
        .collect();
    assert!(refs.contains(&(NEW.to_owned(), true)) && refs.contains(&(OLD.to_owned(), false)), "{refs:?}");

    system.embedder.stop();
    restart(&mut system, &[("KIMBERLY_EMBEDDER__PREVIOUS_MODEL", None)]).await;
    let answer = ask(&user, QUERY).await;
    assert_eq!(answer.semantic(), SemanticStatus::Used);
    let found = by_vector(&answer);
    assert!(found.contains(&NEW) && !found.contains(&OLD), "{found:?}");

    system.embedder.stop();
    restart(&mut system, &[("KIMBERLY_EMBEDDING__DAILY_LIMIT", Some("0"))]).await;
    embedded(&user).await;
    let found = contents(&ask(&user, QUERY).await);
    assert!([OLD, NEW].iter().all(|text| found.contains(&(*text).to_owned())), "{found:?}");
}
