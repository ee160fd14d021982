//! A registry that is lost or older than the vaults, through the real processes: nothing starts or is backed up without
//! the users, and a command finds them again.

use std::fs;
use std::path::Path;

use kimberly_proto::v1 as pb;
use kimberly_tests::System;

use super::{copy, printed, remembered, run, start_all, stop_all};

const USERS: [&str; 3] = ["ana", "bob", "cem"];
const FILES: [&str; 3] = ["system.db", "system.db-wal", "system.db-shm"];

fn remove_registry(data: &Path) {
    for name in FILES {
        let _ = fs::remove_file(data.join(name));
    }
}

async fn users(system: &System) -> i64 {
    let metrics = system.clients().metrics.get_metrics(pb::GetMetricsRequest::default()).await.expect("metrics");
    match metrics.into_inner().metrics {
        Some(pb::get_metrics_response::Metrics::System(found)) => found.users,
        _ => 0,
    }
}

/// Reports what a command printed that failed.
fn refused(system: &System, args: &[&str]) -> String {
    let output = run(system, args);
    assert!(!output.status.success(), "{args:?}: {}", printed(&output));
    printed(&output)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_its_registry_no_process_starts_until_it_is_rebuilt_from_the_vaults() {
    let mut system = System::start_in_files(&[]).await;
    for user in USERS {
        system.user(user).remember("kept").await;
    }
    stop_all(&mut system);
    let (data, backup) = (system.data_dir(), system.folder().join("backup"));
    let backup = backup.to_str().expect("a path");
    for lost in ["missing", "empty"] {
        remove_registry(&data);
        if lost == "empty" {
            fs::write(data.join("system.db"), "").expect("a file");
        }
        for process in system.processes() {
            let said = process.refuses_to_start();
            assert!(said.contains(&format!("system.db is {lost}, but")) && said.contains("holds 3 vaults"), "{said}");
            assert!(said.contains("kimberly vaults register"), "{said}");
        }
        let doctor = refused(&system, &["doctor"]);
        assert!(doctor.contains("BAD   registry") && doctor.contains("holds 3 vaults"), "{doctor}");
        let said = refused(&system, &["backup", "create", backup]);
        assert!(said.contains("holds 3 vaults") && !Path::new(backup).exists(), "{said}");
        let registered = run(&system, &["vaults", "register"]);
        assert!(registered.status.success(), "{}", printed(&registered));
        assert!(printed(&registered).contains("registered 3 users"), "{}", printed(&registered));
        start_all(&mut system).await;
        assert_eq!(users(&system).await, 3);
        for user in USERS {
            assert_eq!(remembered(&system, user).await.expect("it is there"), 1);
        }
        stop_all(&mut system);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_registry_is_reported_and_no_backup_is_made_of_the_users_that_it_knows() {
    let mut system = System::start_in_files(&[]).await;
    system.user("ana").remember("kept").await;
    stop_all(&mut system);
    let (data, old, backup) = (system.data_dir(), system.folder().join("old"), system.folder().join("backup"));
    let backup = backup.to_str().expect("a path");
    fs::create_dir(&old).expect("a folder");
    fs::copy(data.join("system.db"), old.join("system.db")).expect("a copy");
    start_all(&mut system).await;
    for user in ["bob", "cem"] {
        system.user(user).remember("kept").await;
    }
    stop_all(&mut system);
    remove_registry(&data);
    copy(&old, &data);
    start_all(&mut system).await;
    let doctor = refused(&system, &["doctor"]);
    assert!(doctor.contains("BAD   shared file") && doctor.contains("users of all vaults"), "{doctor}");
    let said = refused(&system, &["backup", "create", backup]);
    assert!(said.contains("kimberly vaults register") && !Path::new(backup).exists(), "{said}");
    let said = refused(&system, &["vaults", "register"]);
    assert!(said.contains("stop them first"), "{said}");
    stop_all(&mut system);
    let registered = run(&system, &["vaults", "register"]);
    assert!(printed(&registered).contains("registered 2 users"), "{}", printed(&registered));
    start_all(&mut system).await;
    assert_eq!(users(&system).await, 3);
    let made = run(&system, &["backup", "create", backup]);
    assert!(made.status.success() && printed(&made).contains("3 vaults"), "{}", printed(&made));
}
