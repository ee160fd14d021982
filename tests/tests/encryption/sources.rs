//! Keys from sources other than files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use kimberly_crypto::Ring;
use kimberly_tests::System;

/// The text of a new ring.
fn ring() -> String {
    Ring::generate().expect("random bytes").1.to_string()
}

/// Remembers, restarts everything, and recalls.
async fn survives_a_restart(mut system: System) {
    system.user("ana").remember("my tea is green").await;
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
        process.start_again();
    }
    system.wait_until_serving().await;
    assert_eq!(system.user("ana").recalled("tea").await.len(), 1);
    assert!(!system.keys_dir().exists(), "no folder is created if keys come from elsewhere");
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
    }
}

#[tokio::test]
async fn variables_and_credentials_hold_keys() {
    let credentials = tempfile::tempdir().expect("a folder");
    fs::write(credentials.path().join("sensitive-ring"), ring()).expect("a credential");
    let (master, folder) = (ring(), credentials.path().display().to_string());
    let mut system = System::start_with(&[
        ("KIMBERLY_KEYS__MASTER", "env:THE_MASTER_RING"),
        ("THE_MASTER_RING", master.as_str()),
        ("KIMBERLY_KEYS__SENSITIVE", "credential:sensitive-ring"),
        ("CREDENTIALS_DIRECTORY", folder.as_str()),
    ])
    .await;
    // Like a systemd service: such keys need neither a folder nor a home.
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        process.unset("KIMBERLY_KEYS__FOLDER");
        process.set("HOME", "");
    }
    survives_a_restart(system).await;
}

#[tokio::test]
async fn a_command_prints_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["master", "sensitive"] {
        fs::write(folder.path().join(name), ring()).expect("a ring");
    }
    let program = folder.path().join("keys.sh");
    fs::write(&program, format!("#!/bin/sh\nexec cat {}/$1\n", folder.path().display())).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("a mode can be set");
    let source = format!("command:{}", program.display());
    let system = System::start_with(&[
        ("KIMBERLY_KEYS__MASTER", source.as_str()),
        ("KIMBERLY_KEYS__SENSITIVE", source.as_str()),
    ])
    .await;
    survives_a_restart(system).await;
}

#[tokio::test]
async fn a_source_without_a_key_is_reported() {
    let mut system = System::start().await;
    assert!(system.api.stop().success());
    system.api.set("KIMBERLY_KEYS__MASTER", "env:NOBODY_SET_THIS");
    let said = system.api.refuses_to_start();
    assert!(said.contains("keys.master: the variable NOBODY_SET_THIS is not set"), "{said}");
    system.api.set("KIMBERLY_KEYS__MASTER", "command:/bin/false");
    let said = system.api.refuses_to_start();
    assert!(said.contains("the command /bin/false failed"), "{said}");
}
