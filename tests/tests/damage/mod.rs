//! Damage through the real processes: refused precisely, reported to operators, isolated from other users, and
//! repaired by restoring the vault while everything runs.
#![expect(clippy::expect_used, reason = "a helper that fails should stop its test")]

mod backups;
mod disks;
mod registry;
mod shared_files;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use kimberly_core::UserId;
use kimberly_proto::v1 as pb;
use kimberly_tests::answers::reason;
use kimberly_tests::attachments::{download, noise, start, upload};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, eventually};
use tonic::Code;

use crate::rotation::command;

fn run(system: &System, args: &[&str]) -> Output {
    command(system, args).output().expect("the command runs")
}

fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn vault(data: &Path, user: &str) -> PathBuf {
    let hash = UserId::parse(user).expect("a user").folder_name();
    data.join("vaults").join(&hash[..2]).join(hash)
}

/// Copies all files of a folder that is not in use.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

fn stop_all(system: &mut System) {
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
    }
}

async fn start_all(system: &mut System) {
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        process.start_again();
    }
    system.wait_until_serving().await;
}

async fn remembered(system: &System, user: &str) -> Result<usize, tonic::Status> {
    let request = pb::ListMemoriesRequest { user_id: user.to_owned(), page_size: 100, ..Default::default() };
    let found = system.clients().memories.list_memories(request).await?;
    Ok(found.into_inner().memories.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_vault_is_refused_reported_and_restored_while_everything_runs() {
    let mut system = System::start().await;
    for user in ["ana", "bob"] {
        for n in 0..30 {
            system.user(user).remember(&format!("memory number {n} of a few words")).await;
        }
    }
    stop_all(&mut system);
    let backup = system.folder().join("backup");
    copy(&system.data_dir(), &backup);
    let database = vault(&system.data_dir(), "ana").join("memory.db");
    let mut bytes = fs::read(&database).expect("a vault");
    for page in bytes.chunks_mut(4096).skip(1) {
        page[1000] ^= 1;
    }
    fs::write(&database, &bytes).expect("a vault can be damaged");
    start_all(&mut system).await;

    let refused = remembered(&system, "ana").await.expect_err("pages are damaged");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::DataLoss, "VAULT_QUARANTINED"), "{refused:?}");
    let request = pb::CreateMemoryRequest {
        user_id: "ana".to_owned(),
        memory: Some(draft("lost?")),
        ..pb::CreateMemoryRequest::default()
    };
    let refused = system.clients().memories.create_memory(request).await.expect_err("writing is refused");
    assert_eq!(reason(&refused), "VAULT_QUARANTINED");
    assert_eq!(remembered(&system, "bob").await.expect("others go on"), 30);
    system.user("bob").remember("and on").await;

    let doctor = run(&system, &["doctor"]);
    assert!(printed(&doctor).contains("BAD   vaults"), "{}", printed(&doctor));
    let listed = printed(&run(&system, &["vaults"]));
    assert!(listed.contains("ana") && !listed.contains("bob"), "{listed}");
    let early = run(&system, &["--user", "ana", "vaults", "check", "--release"]);
    assert!(!early.status.success() && printed(&early).contains("is in quarantine"), "{}", printed(&early));
    let logs = format!("{}{}", system.api.log(), system.worker.log());
    let reports = logs
        .lines()
        .filter(|line| line.contains("ERROR") && line.contains("a vault is damaged and quarantined"))
        .count();
    assert_eq!(reports, 1, "{logs}");

    // As docs/guides/back-up.md says, while everything runs.
    let aside = system.folder().join("aside");
    fs::create_dir(&aside).expect("a folder");
    for name in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        let file = vault(&system.data_dir(), "ana").join(name);
        if file.exists() {
            fs::rename(&file, aside.join(name)).expect("it goes aside");
        }
    }
    assert!(remembered(&system, "ana").await.is_err(), "no new vault is created meanwhile");
    fs::copy(vault(&backup, "ana").join("memory.db"), &database).expect("it is put back");
    let released = run(&system, &["--user", "ana", "vaults", "check", "--release"]);
    assert!(released.status.success(), "{}", printed(&released));
    assert_eq!(remembered(&system, "ana").await.expect("it is whole"), 30);
    system.user("ana").remember("a new one").await;
    assert_eq!(remembered(&system, "ana").await.expect("it is written"), 31);
    let clients = system.clients();
    for action in ["vault.quarantine", "vault.release"] {
        let request = pb::ListAuditEntriesRequest { action: action.to_owned(), ..Default::default() };
        let entries = clients.clone().audit.list_audit_entries(request).await.expect("the audit").into_inner().entries;
        let hash = UserId::parse("ana").expect("a user").folder_name();
        assert!(entries.len() == 1 && entries[0].subject.starts_with(&hash), "{action}: {entries:?}");
    }
    assert!(!printed(&run(&system, &["doctor"])).contains("BAD   vaults"));
}

#[tokio::test]
async fn damage_that_no_call_meets_is_found_by_the_worker() {
    let mut system = System::start_with(&[("KIMBERLY_WORKER__SCRUB_INTERVAL", "1s")]).await;
    system.user("ana").remember("something to keep").await;
    stop_all(&mut system);
    let database = vault(&system.data_dir(), "ana").join("memory.db");
    let mut bytes = fs::read(&database).expect("a vault");
    bytes.truncate(20_000);
    fs::write(&database, &bytes).expect("a vault can be cut");
    start_all(&mut system).await;
    let clients = system.clients();
    let found = eventually("the worker finds it", || async {
        let request = pb::ListQuarantinedVaultsRequest::default();
        let found = clients.clone().maintenance.list_quarantined_vaults(request).await.ok()?.into_inner().vaults;
        found.into_iter().next()
    })
    .await;
    assert_eq!((found.user_id.as_str(), found.damage.as_str()), ("ana", "pages"), "{found:?}");
}

#[tokio::test]
async fn a_damaged_attachment_is_named_and_concerns_nothing_else() {
    let mut system = System::start_with(&[("KIMBERLY_WORKER__SCRUB_INTERVAL", "1s")]).await;
    system.user("ana").remember("something to keep").await;
    let (whole, harmed) = (noise(1, 300_000), noise(2, 300_000));
    let kept = upload(&system.clients(), start("ana", "kept"), &whole).await.expect("it is taken").id;
    let folder = vault(&system.data_dir(), "ana").join("attachments");
    let first = fs::read_dir(&folder).expect("a folder").next().expect("a file").expect("an entry").path();
    let hurt = upload(&system.clients(), start("ana", "hurt"), &harmed).await.expect("it is taken").id;
    let files = fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let second = files.into_iter().find(|path| *path != first).expect("another file");
    let before = fs::read(&second).expect("a file");
    let mut bytes = before.clone();
    bytes[150_000] ^= 4;
    for bytes in [&bytes, &before[..before.len() - 1], &before[..70_000]] {
        fs::write(&second, bytes).expect("it can be damaged");
        let refused = download(&system.clients(), "ana", &hurt, 0).await.expect_err("it is damaged");
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::DataLoss, "STORAGE_CORRUPT"), "{refused:?}");
    }
    assert_eq!(download(&system.clients(), "ana", &kept, 0).await.expect("the other one is whole"), whole);
    let request = pb::CheckVaultRequest { user_id: "ana".to_owned(), attachments: true, ..Default::default() };
    let mut maintenance = system.clients().maintenance;
    let found = maintenance.check_vault(request.clone()).await.expect("it is checked").into_inner();
    assert_eq!((found.damage.as_str(), found.damaged_attachments), ("", vec![hurt.clone()]));
    fs::remove_file(&second).expect("it can be lost");
    let found = maintenance.check_vault(request.clone()).await.expect("it is checked").into_inner();
    assert_eq!(found.damaged_attachments, std::slice::from_ref(&hurt));
    eventually("the worker names it", || async { system.worker.log().contains(&hurt).then_some(()) }).await;
    assert!(!system.worker.log().contains(&kept));
    assert_eq!(remembered(&system, "ana").await.expect("the memories are whole"), 1);
    let output = run(&system, &["--user", "ana", "vaults", "check", "--attachments"]);
    assert!(!output.status.success() && printed(&output).contains(&hurt), "{}", printed(&output));
    fs::write(&second, &before).expect("it is put back");
    assert_eq!(download(&system.clients(), "ana", &hurt, 0).await.expect("it is whole"), harmed);
    let found = maintenance.check_vault(request).await.expect("it is checked").into_inner();
    assert!(found.damaged_attachments.is_empty());
    stop_all(&mut system);
}
