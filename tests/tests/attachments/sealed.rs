//! Attachments of sensitive memories are sealed under the sensitive key, however they were attached.

use std::path::Path;

use kimberly_proto::v1 as pb;
use kimberly_tests::attachments::{download, list, start, upload};
use kimberly_tests::{System, User, eventually};

use super::files;

/// Headers of objects under a sensitive key, and under the key of attachments.
const SEALED: &[u8] = b"KMBBLOB\x02";
const PLAIN: &[u8] = b"KMBBLOB\x01";

/// The number of attachment files with this header.
fn count(system: &System, beginning: &[u8]) -> usize {
    let begins = |file: &Path| std::fs::read(file).is_ok_and(|bytes| bytes.starts_with(beginning));
    files(system).iter().filter(|file| begins(file)).count()
}

async fn consents(user: &mut User) {
    let consent = pb::Consent {
        purpose: "care".to_owned(),
        scope: Some(pb::ConsentScope::default()),
        given_by: pb::ConsentGiver::User.into(),
        ..pb::Consent::default()
    };
    let request = pb::GrantConsentRequest { user_id: user.id(), consent: Some(consent), ..Default::default() };
    user.clients.consents.grant_consent(request).await.expect("a consent is taken");
}

fn sensitive(content: &str) -> pb::MemoryDraft {
    pb::MemoryDraft {
        content: content.to_owned(),
        metadata: Some(pb::Metadata { sensitive: true, ..pb::Metadata::default() }),
        ..pb::MemoryDraft::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attachments_of_a_sensitive_memory_are_sealed_however_they_were_attached() {
    let system = System::start().await;
    let clients = system.clients();
    let mut ada = system.user("ada");
    consents(&mut ada).await;
    let (secret, plain) = (ada.remember_draft(sensitive("a scan")).await, ada.remember("a walk").await);
    // Attached to a sensitive memory from the start; equal bytes of another one are stored separately.
    for memory in [&secret.id, &plain.id] {
        let said = pb::AttachmentStart { memory_id: memory.clone(), ..start("ada", "scan") };
        upload(&clients, said, b"the scan").await.expect("it is taken");
    }
    assert_eq!((count(&system, SEALED), count(&system, PLAIN)), (1, 1));
    // Unattached at first, and attached to a sensitive memory later.
    let later = upload(&clients, start("ada", "later"), b"a letter").await.expect("it is taken");
    assert_eq!((count(&system, SEALED), count(&system, PLAIN)), (1, 2));
    let request = pb::AttachToMemoryRequest { user_id: ada.id(), memory_id: secret.id.clone(), id: later.id.clone() };
    let hung = clients.clone().attachments.attach_to_memory(request).await.expect("it is attached").into_inner();
    assert_eq!(hung.attachment.expect("an attachment").sha256, later.sha256);
    let becomes = |sealed: usize, plain: usize| {
        let system = &system;
        eventually("bytes are sealed", move || async move {
            ((count(system, SEALED), count(system, PLAIN)) == (sealed, plain)).then_some(())
        })
    };
    becomes(2, 1).await;
    // Its memory becomes sensitive: the bytes equal those that are sealed already.
    let request = pb::UpdateMemoryRequest {
        user_id: ada.id(),
        id: plain.id.clone(),
        memory: Some(sensitive("")),
        update_mask: Some(prost_types::FieldMask { paths: vec!["metadata.sensitive".to_owned()] }),
        ..pb::UpdateMemoryRequest::default()
    };
    ada.clients.memories.update_memory(request).await.expect("it is updated");
    becomes(2, 0).await;
    for (file, bytes) in list(&clients, "ada", "").await.iter().zip([&b"the scan"[..], b"the scan", b"a letter"]) {
        assert_eq!(download(&clients, "ada", &file.id, 0).await.expect("its bytes"), bytes);
    }
}
