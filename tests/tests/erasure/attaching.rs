//! Attachments leave nothing behind, without encryption and without vectors.

use kimberly_proto::v1 as pb;
use kimberly_tests::{System, eventually};

use super::forgetting::attached_files;
use super::plant::{self, ATTACHED, BYTES};
use super::purging::purge;
use super::scan::{assert_gone, assert_seen, files, goes};

const PLAIN: (&str, &str) = ("KIMBERLY_ENCRYPTION__ENABLED", "false");

#[tokio::test]
async fn names_types_and_bytes_of_attachments_go_with_their_memory_and_with_their_user() {
    let settings: Vec<_> = plant::SMALL.into_iter().chain([PLAIN]).collect();
    let system = System::start_with(&settings).await;
    for user in ["ana", "bea"] {
        plant::plant(&system, user).await;
    }
    assert_seen(&system, &ATTACHED);
    assert_gone(&system, &BYTES);
    assert_eq!(attached_files(&system).len(), 2);
    let all = system.user("ana").everything().await;
    let holding = all.iter().find(|memory| memory.content.contains("qzxcnt")).expect("the memory that has it");
    let request = pb::ForgetMemoriesRequest {
        user_id: "ana".to_owned(),
        ids: vec![holding.id.clone()],
        request_id: String::new(),
    };
    system.clients().memories.forget_memories(request).await.expect("it is forgotten");
    // On a busy machine the file is removed after the call.
    eventually("that of bea stays alone", || async { (attached_files(&system).len() == 1).then_some(()) }).await;
    purge(&system, "bea").await;
    goes(&system, &[&ATTACHED[..], &BYTES].concat()).await;
    let rest = files(&system.data_dir());
    assert!(rest.iter().all(|file| file.components().all(|part| part.as_os_str() != "attachments")), "{rest:?}");
}
