//! A failing disk: refused calls change nothing, or the error says that the result is unknown; an I/O error is not
//! damage.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::access_service_client::AccessServiceClient;
use kimberly_tests::calls::Call as _;
use kimberly_tests::drafts::draft;
use kimberly_tests::process::Process;
use kimberly_tests::{System, eventually, reason};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// The file that tells the preloaded library what fails.
struct Disk(PathBuf);

impl Disk {
    /// Restarts the api on a disk that fails on demand.
    async fn under(system: &mut System) -> Self {
        let (library, faults) = (system.folder().join("faulty_disk.so"), system.folder().join("faults"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/damage/faulty_disk.c");
        let compiled =
            Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status();
        assert!(compiled.expect("cc is there").success());
        // Other processes would keep the files open, but the api must open them itself.
        for process in system.processes() {
            assert!(process.stop().success());
        }
        system.api.set("LD_PRELOAD", library.to_str().expect("a path"));
        system.api.set("KIMBERLY_TEST_FAULTS", faults.to_str().expect("a path"));
        system.api.start_again();
        system.wait_until_api_serves().await;
        Self(faults)
    }

    fn fails(&self, what: &str) {
        let staged = self.0.with_extension("new");
        fs::write(&staged, what).expect("a file");
        fs::rename(staged, &self.0).expect("a file");
    }

    fn is_well(&self) {
        let _ = fs::remove_file(&self.0);
    }
}

async fn remember(system: &System, content: &str) -> Result<(), Status> {
    let request =
        pb::CreateMemoryRequest { user_id: "u".to_owned(), memory: Some(draft(content)), ..Default::default() };
    request.send(system.clients()).await.map(drop)
}

/// The outcome of the requested change after an I/O error.
fn outcome(refused: &Status) -> String {
    let details = refused.get_error_details();
    let info = details.error_info().expect("every status has an ErrorInfo");
    assert_eq!((refused.code(), info.reason.as_str()), (Code::Unavailable, "STORAGE_IO_ERROR"), "{refused:?}");
    info.metadata["outcome"].clone()
}

/// The memories now, and after the api was killed and restarted.
async fn contents(system: &mut System, disk: &Disk) -> [Vec<String>; 2] {
    let now = list(system).await;
    disk.is_well();
    // It starts with only what is in files.
    system.restart_api().await;
    [now, list(system).await]
}

fn keys(system: &System) -> AccessServiceClient<Channel> {
    AccessServiceClient::new(system.channel())
}

async fn list(system: &System) -> Vec<String> {
    let mut found: Vec<String> = system.user("u").everything().await.into_iter().map(|memory| memory.content).collect();
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_was_refused_as_the_disk_failed_is_not_there() {
    let mut system = System::start_in_files(&[]).await;
    let disk = Disk::under(&mut system).await;
    remember(&system, "kept").await.expect("the disk is well");
    for (fault, expected) in [("sync memory.db-wal once", "unchanged"), ("sync memory.db-wal", "unknown")] {
        for _ in 0..3 {
            disk.fails(fault);
            let refused = remember(&system, "refused").await.expect_err(fault);
            assert_eq!(outcome(&refused), expected, "{fault}");
        }
        assert_eq!(contents(&mut system, &disk).await, [["kept"], ["kept"]], "{fault}");
    }
    remember(&system, "later").await.expect("the disk is well again");
    assert_eq!(contents(&mut system, &disk).await, [["kept", "later"], ["kept", "later"]]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_whose_making_was_refused_as_the_disk_failed_is_not_there() {
    let mut system = System::start_in_files(&[]).await;
    let disk = Disk::under(&mut system).await;
    let key = |name: &str| pb::CreateKeyRequest {
        name: name.to_owned(),
        grant: Some(pb::Grant {
            users: vec!["*".to_owned()],
            operations: vec![pb::Operation::Read.into()],
            ..Default::default()
        }),
        ..Default::default()
    };
    for fault in ["sync system.db-wal once", "sync system.db-wal"] {
        disk.fails(fault);
        outcome(&keys(&system).create_key(key("refused")).await.expect_err(fault));
        contents(&mut system, &disk).await;
        let listed = keys(&system).list_keys(pb::ListKeysRequest::default()).await.expect("a list").into_inner();
        assert!(listed.credentials.iter().all(|key| key.name != "refused"), "{fault}");
    }
    keys(&system).create_key(key("refused")).await.expect("its name was never used");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_disk_does_not_give_is_not_damaged() {
    let mut system = System::start_in_files(&[]).await;
    for n in 0..40 {
        remember(&system, &format!("{n} {}", "many words to fill a page ".repeat(100))).await.expect("a memory");
    }
    let disk = Disk::under(&mut system).await;
    disk.fails("read memory.db");
    let all = pb::ListMemoriesRequest { user_id: "u".to_owned(), page_size: 1_000, ..Default::default() };
    assert_eq!(outcome(&all.send(system.clients()).await.expect_err("the disk gives nothing")), "unchanged");
    disk.is_well();
    assert_eq!(list(&system).await.len(), 40, "it is not in quarantine");
}

/// Sets how many files a process may have open from now on; returns the number before.
fn limit_files(process: &Process, files: Option<u64>) -> Option<u64> {
    let pid = Pid::from_raw(process.pid().cast_signed());
    let before = getrlimit(Resource::Nofile);
    let limit = Rlimit { current: files, maximum: before.maximum };
    prlimit(pid, Resource::Nofile, limit).expect("a child can be limited").current
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_few_open_files_calls_are_refused_and_no_vault_is_damaged() {
    let mut system = System::start_in_files(&[]).await;
    for process in [&mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
    }
    system.user("old").remember("kept").await;
    let before = limit_files(&system.api, Some(48));
    let mut clients = system.clients();
    let mut refused = 0;
    for n in 0..30 {
        let (new, read) = (format!("new {n}"), format!("read {n}"));
        let create =
            pb::CreateMemoryRequest { user_id: new, memory: Some(draft("kept")), ..pb::CreateMemoryRequest::default() };
        let list = pb::ListMemoriesRequest { user_id: read, ..Default::default() };
        let created = clients.memories.create_memory(create).await.err();
        let listed = clients.memories.list_memories(list).await.err();
        for status in created.into_iter().chain(listed) {
            assert_eq!(status.code(), Code::Unavailable, "{status:?}");
            refused += 1;
        }
    }
    assert!(refused > 0, "48 files are enough for 30 vaults");
    limit_files(&system.api, before);
    for n in 0..30 {
        system.user(&format!("new {n}")).remember("kept").await;
    }
    let quarantined = clients.maintenance.list_quarantined_vaults(pb::ListQuarantinedVaultsRequest::default()).await;
    assert!(quarantined.expect("a list").into_inner().vaults.is_empty());
}

/// A reserve larger than any disk has the effect of a full disk, except on SQLite itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn within_the_reserve_nothing_is_added_and_everything_else_goes_on() {
    let mut system = System::start_in_files(&[]).await;
    let kept = system.user("u").remember("herons stand still").await;
    let gone = system.user("u").remember("herons fly slowly").await;
    system.user("other").remember("to be purged").await;
    let grant =
        pb::Grant { users: vec!["*".to_owned()], operations: vec![pb::Operation::Read.into()], ..Default::default() };
    let key = |name: &str| pb::CreateKeyRequest { name: name.into(), grant: Some(grant.clone()), ..Default::default() };
    keys(&system).create_key(key("old")).await.expect("a key");
    for process in system.processes() {
        assert!(process.stop().success());
        process.set("KIMBERLY_VAULTS__RESERVE", "1024TiB");
        process.start_again();
    }
    system.wait_until_serving().await;

    let refused = [
        remember(&system, "more").await.expect_err("a memory"),
        keys(&system).create_key(key("new")).await.expect_err("a key"),
        pb::CreateMemoryRequest { user_id: system.user("new").id(), memory: Some(draft("new")), ..Default::default() }
            .send(system.clients())
            .await
            .expect_err("a user"),
    ];
    for status in refused {
        assert_eq!((status.code(), reason(&status).as_str()), (Code::ResourceExhausted, "STORAGE_FULL"), "{status:?}");
    }

    assert_eq!(system.user("u").recalled("herons").await.len(), 2);
    let forget =
        pb::ForgetMemoriesRequest { user_id: "u".to_owned(), ids: vec![gone.id.clone()], ..Default::default() };
    forget.send(system.clients()).await.expect("it is forgotten");
    system.user("u").meditate().await;
    assert_eq!(system.user("u").recalled("herons").await, ["herons stand still"]);
    system.user("u").forget(&kept.id).await;
    keys(&system).revoke_key(pb::RevokeKeyRequest { name: "old".to_owned() }).await.expect("it is revoked");
    let other = system.user("other").id();
    let purge = pb::PurgeUserRequest { user_id: other.clone(), confirm_user_id: other };
    let purge = system.clients().erasure.purge_user(purge).await.expect("a purge").into_inner().purge.expect("a purge");
    eventually("the purge has ended", || async {
        let asked = pb::GetPurgeRequest { id: purge.id.clone(), ..Default::default() };
        let found = system.clients().erasure.get_purge(asked).await.expect("a purge").into_inner().purge;
        found.filter(|purge| purge.finished_at.is_some())
    })
    .await;
}
