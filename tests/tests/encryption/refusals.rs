//! Refused starts, each with the problem and the remedy.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use kimberly_tests::System;

/// A system that was used and stopped.
async fn stopped() -> System {
    let mut system = System::start().await;
    system.user("ana").remember("something").await;
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
    }
    system
}

#[tokio::test]
async fn a_lost_key_is_named_with_what_its_loss_means() {
    let mut system = stopped().await;
    for (ring, loss) in [("master", "nothing in"), ("sensitive", "no sensitive memory in")] {
        let file = system.keys_dir().join(format!("{ring}.key"));
        let kept = fs::read(&file).expect("a ring");
        fs::remove_file(&file).expect("a ring can be lost");
        let said = system.api.refuses_to_start();
        for part in [&format!("the {ring} key"), "is missing at", &format!("without it {loss}"), "restore it"] {
            assert!(said.contains(part), "{part:?} is not in: {said}");
        }
        assert!(!file.exists(), "no new key is created");
        fs::write(&file, kept).expect("it is put back");
        let said = system.api.refuses_to_start();
        assert!(said.contains("chmod 600"), "written with the mode of other files: {said}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode can be set");
    }
    // The embedder never loads the sensitive key, so it starts without it.
    let file = system.keys_dir().join("sensitive.key");
    let kept = fs::read(&file).expect("a ring");
    fs::remove_file(&file).expect("a ring can be lost");
    system.embedder.start_again();
    system.wait_until_embedder_serves().await;
    fs::write(&file, kept).expect("it is put back");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode can be set");
    system.api.start_again();
    system.worker.start_again();
    system.wait_until_serving().await;
    assert_eq!(system.user("ana").recalled("something").await.len(), 1);
}

#[tokio::test]
async fn a_key_source_inside_the_data_folder_and_a_missing_one_are_refused() {
    let mut system = stopped().await;
    let inside = system.data_dir().join("rings").display().to_string();
    system.api.set("KIMBERLY_KEYS__FOLDER", &inside);
    let said = system.api.refuses_to_start();
    assert!(said.contains("would be in the data folder") && said.contains("keys.folder"), "{said}");
    system.api.unset("KIMBERLY_KEYS__FOLDER");
    system.api.set("HOME", "");
    let said = system.api.refuses_to_start();
    assert!(said.contains("HOME is not set") && said.contains("keys.folder"), "{said}");
}

#[tokio::test]
async fn lost_wrapped_keys_are_not_replaced() {
    let mut system = stopped().await;
    fs::rename(system.data_dir().join("keys"), system.folder().join("lost")).expect("a folder can be moved");
    let said = system.api.refuses_to_start();
    assert!(said.contains("is encrypted, but its key file") && said.contains("from its backup"), "{said}");
}

#[tokio::test]
async fn a_source_that_is_none_is_refused_without_repeating_it() {
    let mut system = stopped().await;
    let secret = "c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3I=";
    system.api.set("KIMBERLY_KEYS__MASTER", secret);
    let said = system.api.refuses_to_start();
    assert!(said.contains("keys.master names no source") && !said.contains(secret), "{said}");
}
