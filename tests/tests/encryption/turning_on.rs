//! The first start decides about encryption: a data folder cannot be converted.

use kimberly_tests::System;

use super::{WORDS, plant, words_in};
use crate::streams::command::run;

const ENABLED: &str = "KIMBERLY_ENCRYPTION__ENABLED";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_cannot_be_turned_on_over_what_is_plain_and_an_archive_leads_there() {
    let mut system = System::start_with(&[(ENABLED, "false")]).await;
    plant(&mut system.user("ana")).await;
    assert!(!words_in(&system.data_dir(), &WORDS).is_empty(), "the test can find the words");
    assert!(!system.keys_dir().exists(), "no keys are needed");
    let mut refused = Vec::new();
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
        process.unset(ENABLED);
        refused.push(process.refuses_to_start());
        process.set(ENABLED, "false");
    }
    for said in refused {
        assert!(
            said.contains("encryption.enabled is true, but") && said.contains("system.db is not encrypted"),
            "{said}"
        );
        assert!(said.contains("set it to false, or export all users and import them"), "{said}");
    }
    assert!(!system.keys_dir().exists(), "useless keys were created");
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        process.start_again();
    }
    system.wait_until_serving().await;
    assert_eq!(system.user("ana").recalled("xylothumb").await.len(), 1, "it works as before");
    let archive = system.folder().join("ana.tar").display().to_string();
    run(&system, "ana", &["export", "--archive", &archive]);
    let encrypted = System::start().await;
    run(&encrypted, "ana", &["import", &archive]);
    assert_eq!(encrypted.user("ana").recalled("xylothumb").await.len(), 1);
    assert_eq!(words_in(encrypted.folder(), &WORDS), Vec::<String>::new());
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
