//! A data folder that was plain before.

use kimberly_proto::v1 as pb;
use kimberly_tests::attachments::{download, noise, start, upload};
use kimberly_tests::{System, eventually};

use super::{WORDS, plant, words_in};

const ENABLED: &str = "KIMBERLY_ENCRYPTION__ENABLED";

#[tokio::test]
async fn what_was_plain_is_encrypted_by_the_next_start_and_loses_nothing() {
    let mut system = System::start_with(&[(ENABLED, "false")]).await;
    for name in ["ana", "ben", "cleo"] {
        plant(&mut system.user(name)).await;
    }
    assert!(!words_in(&system.data_dir(), &WORDS).is_empty(), "the test can see what it looks for");
    assert!(!system.keys_dir().exists(), "nobody needs keys");
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        // As a power cut would: what was written last stands in logs beside the databases.
        process.kill9();
        process.unset(ENABLED);
        process.start_again();
    }
    system.wait_until_serving().await;
    let mut ana = system.user("ana");
    assert_eq!(ana.recalled("xylothumb").await.len(), 1);
    ana.remember("another quibblezorp").await;
    // The worker finds those whom nobody asks for.
    eventually("no word is left", || async {
        let left = words_in(&system.data_dir(), &WORDS);
        left.is_empty().then_some(())
    })
    .await;
    eventually("nothing is plain any more", || async {
        (!system.data_dir().join("vaults/.plain").exists()).then_some(())
    })
    .await;
    eventually("every vault was looked through for what is to be sealed", || async {
        system.data_dir().join("vaults/.sealed").exists().then_some(())
    })
    .await;
    for name in ["ben", "cleo"] {
        assert_eq!(system.user(name).recalled("xylothumb").await.len(), 1);
    }
    assert_eq!(ana.recalled("quibblezorp").await.len(), 2);
}

#[tokio::test]
async fn attachments_from_before_are_there_after_it_and_stay_through_meditations() {
    let mut system = System::start_with(&[(ENABLED, "false"), ("KIMBERLY_ATTACHMENTS__UPLOAD_WITHIN", "1s")]).await;
    let memory = system.user("ana").remember("a film of the holidays").await;
    let clients = system.clients();
    let said = |name: &str| pb::AttachmentStart { memory_id: memory.id.clone(), ..start("ana", name) };
    let old = upload(&clients, said("old"), &noise(1, 200_000)).await.expect("it is taken");
    // All of them first, as is asked for: nobody of before may run beside one who encrypts.
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
        process.unset(ENABLED);
    }
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        process.start_again();
    }
    system.wait_until_serving().await;
    let mut ana = system.user("ana");
    let clients = system.clients();
    assert!(download(&clients, "ana", &old.id, 0).await.expect("it is there") == noise(1, 200_000));
    let new = upload(&clients, said("new"), &noise(2, 200_000)).await.expect("it is taken");
    // What no row knew would go now: it is older than any upload.
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    ana.meditate().await;
    for (attachment, seed) in [(&old, 1), (&new, 2)] {
        let bytes = download(&clients, "ana", &attachment.id, 0).await.expect("it is there after a meditation");
        assert!(bytes == noise(seed, 200_000), "{}", attachment.name);
    }
}

#[tokio::test]
async fn it_cannot_be_turned_off_over_what_is_encrypted() {
    let mut system = System::start().await;
    system.user("ana").remember("something").await;
    let mut refused = Vec::new();
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
        process.set(ENABLED, "false");
        refused.push(process.refuses_to_start());
        process.unset(ENABLED);
        process.start_again();
    }
    for said in refused {
        assert!(said.contains("encryption.enabled is false, but") && said.contains("set it to true"), "{said}");
    }
    system.wait_until_serving().await;
    assert_eq!(system.user("ana").recalled("something").await.len(), 1);
}
