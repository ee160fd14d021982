//! The lifetime of attachments, and what is left of them.

use kimberly_proto::v1 as pb;
use kimberly_tests::attachments::{download, list, messages, noise, start, upload};
use kimberly_tests::{System, eventually, reason};
use tokio_stream::StreamExt as _;
use tonic::Code;

use super::files;

async fn attach(system: &System, user: &str, memory: &str, id: &str) -> pb::Attachment {
    let (user_id, memory_id) = (user.to_owned(), memory.to_owned());
    let request = pb::AttachToMemoryRequest { user_id, memory_id, id: id.to_owned() };
    let answer = system.clients().attachments.attach_to_memory(request).await.expect("it is attached");
    answer.into_inner().attachment.expect("an attachment")
}

async fn forget_now(system: &System, user: &str, ids: &[&str]) {
    let ids = ids.iter().map(|id| (*id).to_owned()).collect();
    let request = pb::ForgetMemoriesRequest { user_id: user.to_owned(), ids, request_id: String::new() };
    system.clients().memories.forget_memories(request).await.expect("they are forgotten");
}

/// Waits for `number` files and `listed` attachments of ada. On a busy machine, files are removed after the call has
/// returned.
async fn comes_to(system: &System, number: usize, listed: usize) {
    let clients = system.clients();
    eventually("files go with what refers to them", || async {
        ((files(system).len(), list(&clients, "ada", "").await.len()) == (number, listed)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_file_goes_with_the_last_memory_that_has_it() {
    let system = System::start().await;
    let clients = system.clients();
    let mut ada = system.user("ada");
    let (one, two) = (ada.remember("one").await, ada.remember("two").await);
    let said = pb::AttachmentStart { memory_id: one.id.clone(), ..start("ada", "name") };
    let attachment = upload(&clients, said, &noise(1, 300_000)).await.expect("it is taken");
    let twin = upload(&clients, start("ada", "twin"), &noise(1, 300_000)).await.expect("it is taken");
    assert_eq!(attach(&system, "ada", &two.id, &attachment.id).await.memory_ids, [one.id.clone(), two.id.clone()]);
    attach(&system, "ada", &two.id, &twin.id).await;
    forget_now(&system, "ada", &[&one.id]).await;
    assert_eq!((files(&system).len(), list(&clients, "ada", "").await.len()), (1, 2));
    let request =
        pb::DetachFromMemoryRequest { user_id: "ada".to_owned(), memory_id: two.id.clone(), id: twin.id.clone() };
    clients.clone().attachments.detach_from_memory(request).await.expect("it is detached");
    assert_eq!((files(&system).len(), list(&clients, "ada", "").await.len()), (1, 1), "the other has the same content");
    forget_now(&system, "ada", &[&two.id]).await;
    comes_to(&system, 0, 0).await;
    let gone = download(&clients, "ada", &attachment.id, 0).await.expect_err("it is gone");
    assert_eq!(reason(&gone), "ATTACHMENT_NOT_FOUND");
    let audit = pb::ListAuditEntriesRequest { user_id: "ada".to_owned(), ..Default::default() };
    let entries = clients.clone().audit.list_audit_entries(audit).await.expect("entries").into_inner().entries;
    for action in ["attachment.upload", "attachment.attach", "attachment.detach", "attachment.remove"] {
        assert!(entries.iter().any(|entry| entry.action == action), "{action} is not audited");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_retraction_and_a_purge_erase_takes_its_files_along() {
    let system = System::start().await;
    let clients = system.clients();
    let mut ada = system.user("ada");
    let consent = ada.consent().await;
    let sensitive = pb::MemoryDraft {
        metadata: Some(pb::Metadata { sensitive: true, ..pb::Metadata::default() }),
        ..kimberly_tests::drafts::draft("private")
    };
    let (private, plain) = (ada.remember_draft(sensitive).await, ada.remember("plain").await);
    for (memory, seed) in [(&private.id, 1), (&plain.id, 2)] {
        let said = pb::AttachmentStart { memory_id: memory.clone(), ..start("ada", "name") };
        upload(&clients, said, &noise(seed, 100_000)).await.expect("it is taken");
    }
    let request = pb::RetractConsentRequest { user_id: ada.id(), id: consent.id, ..Default::default() };
    clients.clone().consents.retract_consent(request).await.expect("it is retracted");
    eventually("the file of the retracted memory goes", || async { (files(&system).len() == 1).then_some(()) }).await;
    assert_eq!(list(&clients, "ada", "").await.len(), 1);
    let request = pb::PurgeUserRequest { user_id: ada.id(), confirm_user_id: ada.id() };
    clients.clone().erasure.purge_user(request).await.expect("a purge begins");
    eventually("all files go", || async { files(&system).is_empty().then_some(()) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_never_hung_on_a_memory_goes_by_itself() {
    let system = System::start_with(&[
        ("KIMBERLY_ATTACHMENTS__UNREFERENCED", "3s"),
        ("KIMBERLY_ATTACHMENTS__UPLOAD_WITHIN", "2s"),
    ])
    .await;
    let clients = system.clients();
    let memory = system.user("ada").remember("a memory").await;
    let kept = pb::AttachmentStart { memory_id: memory.id.clone(), ..start("ada", "kept") };
    let kept = upload(&clients, kept, &noise(1, 100_000)).await.expect("it is taken");
    upload(&clients, start("ada", "lost"), &noise(2, 100_000)).await.expect("it is taken");
    eventually("unreferenced files are deleted", || async {
        (files(&system).len() == 1 && list(&clients, "ada", "").await.len() == 1).then_some(())
    })
    .await;
    assert_eq!(list(&clients, "ada", "").await, [kept]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_does_not_end_is_ended() {
    let system = System::start_with(&[("KIMBERLY_ATTACHMENTS__UPLOAD_WITHIN", "1s")]).await;
    let sent = messages(start("ada", "never whole"), &noise(1, 100_000));
    let requests = tokio_stream::iter(sent).chain(tokio_stream::pending());
    let mut answers = system.clients().attachments.upload_attachment(requests).await.expect("it begins").into_inner();
    let ended = answers.message().await.expect_err("it is ended");
    assert_eq!(ended.code(), Code::Unavailable, "{ended:?}");
    assert!(ended.message().contains("took too long"), "{ended:?}");
    eventually("nothing is left of it", || async { files(&system).is_empty().then_some(()) }).await;
}
