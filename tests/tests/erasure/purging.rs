//! A purged user.

use std::path::{Path, PathBuf};

use kimberly_proto::v1 as pb;
use kimberly_tests::model::minilm;
use kimberly_tests::{Clients, System, reason};
use tonic::Code;

use super::plant;
use super::scan::{assert_gone, assert_seen, files, patiently, words_in};

const PLAIN: (&str, &str) = ("KIMBERLY_ENCRYPTION__ENABLED", "false");

/// Requests a purge.
pub(crate) async fn ask(clients: &mut Clients, user: &str) -> pb::Purge {
    let request = pb::PurgeUserRequest { user_id: user.to_owned(), confirm_user_id: user.to_owned() };
    let begun = clients.erasure.purge_user(request).await.expect("a purge is begun").into_inner();
    begun.purge.expect("a purge")
}

/// Waits for the receipt of a purge.
pub(crate) async fn receipt(clients: &Clients, id: &str) -> pb::Purge {
    patiently(&format!("{id} is done"), || async {
        let request = pb::GetPurgeRequest { user_id: String::new(), id: id.to_owned() };
        let found = clients.clone().erasure.get_purge(request).await.ok()?.into_inner().purge?;
        (found.state() == pb::PurgeState::Done).then_some(found)
    })
    .await
}

/// Purges a user and returns the receipt.
pub(crate) async fn purge(system: &System, user: &str) -> pb::Purge {
    let mut clients = system.clients();
    let begun = ask(&mut clients, user).await;
    receipt(&clients, &begun.id).await
}

/// The folders of vaults.
pub(crate) fn vaults(data: &Path) -> Vec<PathBuf> {
    let databases = files(&data.join("vaults")).into_iter().filter(|path| path.ends_with("memory.db"));
    databases.filter_map(|path| path.parent().map(Path::to_owned)).collect()
}

/// Key files of users.
pub(crate) fn key_files(data: &Path) -> Vec<PathBuf> {
    let files = files(&data.join("keys/users"));
    files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "key")).collect()
}

/// Waits until there is an index, which the purge makes the embedder drop.
async fn has_vectors(system: &System) {
    patiently("vectors are there", || async {
        files(&system.data_dir()).iter().any(|path| path.ends_with("data.mdb")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_purged_user_stands_in_no_byte_and_a_receipt_says_what_was_erased() {
    let model = minilm().display().to_string();
    let embeds = [("KIMBERLY_EMBEDDER__MODEL", model.as_str()), ("KIMBERLY_EMBEDDING__WINDOW", "always")];
    let settings: Vec<_> = plant::SMALL.into_iter().chain([PLAIN]).chain(embeds).collect();
    let system = System::start_with(&settings).await;
    plant::plant(&system, "tobepurged").await;
    system.user("bea").remember("bea likes tea").await;
    has_vectors(&system).await;
    let named = [&plant::all()[..], &["tobepurged"]].concat();
    assert_seen(&system, &named);

    let receipt = purge(&system, "tobepurged").await;
    // The operator's log of the api may contain names; the service's own data is in the data folder.
    assert_eq!(words_in(&system.data_dir(), &named), Vec::new());
    assert_gone(&system, &plant::ever());
    assert_eq!(vaults(&system.data_dir()).len(), 1, "that of bea");
    let erased = receipt.erased.clone().expect("counts");
    assert!(erased.rows["memories"] > 20 && erased.rows["goals"] == 1 && erased.rows["consents"] == 1, "{erased:?}");
    assert!(erased.memory_bytes > 0 && erased.files >= 3 && erased.file_bytes > 0 && !erased.unreadable);
    assert!(!erased.key_file, "there were no keys");
    assert!(receipt.audit_number > 0 && receipt.audit_hash.len() == 64);
    assert_audited(&system, &receipt).await;
    assert_eq!(system.user("bea").recalled("tea").await, ["bea likes tea"]);
    starts_over(&system, "tobepurged").await;
}

/// The system's audit has the entry that the receipt names, and is intact.
async fn assert_audited(system: &System, receipt: &pb::Purge) {
    let mut audit = system.clients().audit;
    let request = pb::ListAuditEntriesRequest { action: "user.purge".to_owned(), ..Default::default() };
    let entries = audit.list_audit_entries(request).await.expect("entries").into_inner().entries;
    let entry = entries.iter().find(|entry| entry.number == receipt.audit_number).expect("the entry");
    assert_eq!(entry.hash, receipt.audit_hash);
    assert_eq!(entry.subject, format!("{}/{}", receipt.id, receipt.pseudonym));
    let verdict = audit.verify_audit(pb::VerifyAuditRequest::default()).await.expect("a verdict").into_inner();
    assert!(verdict.findings.is_empty(), "{verdict:?}");
}

async fn starts_over(system: &System, user: &str) {
    let mut back = system.user(user);
    assert!(back.everything().await.is_empty());
    assert!(back.recalled("qzxcnt").await.is_empty());
    let first = back.remember("a first memory").await;
    assert_eq!(back.recalled("memory").await, ["a first memory"]);
    assert_eq!(back.everything().await.len(), 1);
    assert_eq!(back.memory(&first.id).await.content, "a first memory");
}

#[tokio::test]
async fn with_encryption_the_key_file_goes_and_every_call_is_refused_meanwhile() {
    let model = minilm().display().to_string();
    let embeds = [("KIMBERLY_EMBEDDER__MODEL", model.as_str()), ("KIMBERLY_EMBEDDING__WINDOW", "always")];
    let settings: Vec<_> = plant::SMALL.into_iter().chain(embeds).collect();
    let mut system = System::start_with(&settings).await;
    plant::plant(&system, "ana").await;
    has_vectors(&system).await;
    assert_eq!((vaults(&system.data_dir()).len(), key_files(&system.data_dir()).len()), (1, 1));
    assert!(system.worker.stop().success());
    let mut clients = system.clients();
    let begun = ask(&mut clients, "ana").await;
    assert_eq!(begun.state(), pb::PurgeState::UnderWay);
    assert_eq!(ask(&mut clients, "ana").await.id, begun.id, "asking again changes nothing");
    let create = pb::CreateMemoryRequest {
        user_id: "ana".to_owned(),
        memory: Some(kimberly_tests::drafts::draft("too late")),
        request_id: String::new(),
        always_new: false,
    };
    let query = pb::QueryMemoriesRequest { user_id: "ana".to_owned(), query: "blue".to_owned(), ..Default::default() };
    let goals = pb::ListGoalsRequest { user_id: "ana".to_owned(), ..Default::default() };
    let refusals = [
        clients.memories.create_memory(create).await.expect_err("refused"),
        clients.memories.query_memories(query).await.expect_err("refused"),
        clients.goals.list_goals(goals).await.expect_err("refused"),
    ];
    for refusal in refusals {
        assert_eq!((refusal.code(), reason(&refusal).as_str()), (Code::Unavailable, "PURGE_UNDER_WAY"), "{refusal:?}");
    }
    system.worker.start_again();
    let receipt = receipt(&clients, &begun.id).await;
    assert!(receipt.erased.expect("counts").key_file);
    assert_eq!((vaults(&system.data_dir()).len(), key_files(&system.data_dir()).len()), (0, 0));
    assert_eq!(words_in(system.folder(), &plant::ever()), Vec::new());
    starts_over(&system, "ana").await;
}

#[tokio::test]
async fn a_purge_takes_the_users_id_twice_and_a_receipt_is_found_by_its_user() {
    let system = System::start().await;
    let mut clients = system.clients();
    system.user("ana").remember("something").await;
    let request = pb::PurgeUserRequest { user_id: "ana".to_owned(), confirm_user_id: "anna".to_owned() };
    let refused = clients.erasure.purge_user(request).await.expect_err("refused");
    assert_eq!(kimberly_tests::field_paths(&refused), ["confirm_user_id"]);
    let receipt = purge(&system, "ana").await;
    let get = |user: &str| pb::GetPurgeRequest { user_id: user.to_owned(), id: receipt.id.clone() };
    let found = clients.erasure.get_purge(get("ana")).await.expect("found").into_inner().purge;
    assert_eq!(found.as_ref(), Some(&receipt));
    let hidden = clients.erasure.get_purge(get("bea")).await.expect_err("not hers");
    assert_eq!((hidden.code(), reason(&hidden).as_str()), (Code::NotFound, "PURGE_NOT_FOUND"));
    let list = |user: &str| pb::ListPurgesRequest { user_id: user.to_owned(), ..Default::default() };
    for (user, expected) in [("ana", 1), ("bea", 0), ("", 1)] {
        let found = clients.erasure.list_purges(list(user)).await.expect("a list").into_inner().purges;
        assert_eq!(found.len(), expected, "{user}");
    }
}
