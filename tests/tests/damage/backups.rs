//! Backups through the real processes: made during writes, complete or absent wherever they are interrupted, and
//! restored.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kimberly_proto::v1 as pb;
use kimberly_tests::answers::reason;
use kimberly_tests::attachments::{download, noise, start, upload};
use kimberly_tests::binaries::program;
use kimberly_tests::drafts::draft;
use kimberly_tests::oracle::{Writer, assert_files_are_as_acknowledged};
use kimberly_tests::{Clients, System, eventually};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::{printed, remembered, run, start_all, stop_all, vault};

const USERS: [&str; 5] = ["ana", "bob", "cem", "dua", "eva"];

fn command(system: &System, data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .env_clear()
        .env("KIMBERLY_SERVER", format!("http://{}", system.api_address()))
        .env("KIMBERLY_DATA_DIR", data)
        .env("KIMBERLY_KEYS__FOLDER", system.keys_dir())
        .args(args)
        .stdin(Stdio::null());
    command
}

fn run_on(system: &System, data: &Path, args: &[&str]) -> Output {
    command(system, data, args).output().expect("the command runs")
}

fn done(output: &Output) {
    assert!(output.status.success(), "{}", printed(output));
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a path")
}

/// Writes for all users until stopped; counts acknowledged writes by user.
fn load(clients: Clients, acknowledged: Arc<[AtomicUsize; 5]>, stop: Arc<AtomicBool>) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        let mut n = 0;
        while !stop.load(Ordering::SeqCst) {
            let request = pb::CreateMemoryRequest {
                user_id: USERS[n % 5].to_owned(),
                memory: Some(draft(&format!("written meanwhile, number {n}"))),
                ..pb::CreateMemoryRequest::default()
            };
            clients.clone().memories.create_memory(request).await.expect("writes go on");
            acknowledged[n % 5].fetch_add(1, Ordering::SeqCst);
            n += 1;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
}

fn harm(database: &Path) {
    let mut bytes = fs::read(database).expect("a vault");
    for page in bytes.chunks_mut(4096).skip(1) {
        page[1000] ^= 1;
    }
    fs::write(database, &bytes).expect("a vault can be damaged");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_made_while_all_is_written_holds_what_was_acknowledged_and_comes_back() {
    let mut system = System::start().await;
    for user in USERS {
        for n in 0..10 {
            system.user(user).remember(&format!("memory number {n} of a few words")).await;
        }
    }
    let bytes = noise(7, 500_000);
    let attachment = upload(&system.clients(), start("ana", "kept"), &bytes).await.expect("it is taken").id;
    let files = Writer::new(system.user("ana"), 0, 7, Arc::default()).edit_files(10).await;
    let acknowledged: Arc<[AtomicUsize; 5]> = Arc::default();
    let stop = Arc::new(AtomicBool::new(false));
    let writing = load(system.clients(), Arc::clone(&acknowledged), Arc::clone(&stop));
    eventually("it is written", || async { (acknowledged[4].load(Ordering::SeqCst) > 2).then_some(()) }).await;
    let before: Vec<usize> = acknowledged.iter().map(|count| 10 + count.load(Ordering::SeqCst)).collect();
    let (data, backup) = (system.data_dir(), system.folder().join("backup"));
    done(&run(&system, &["backup", "create", shown(&backup)]));
    done(&run(&system, &["backup", "check", shown(&backup)]));
    stop.store(true, Ordering::SeqCst);
    writing.await.expect("it stops");
    assert!(!backup.join("queue.db").exists() && !shown(&system.keys_dir()).is_empty());
    for file in ["master.key", "sensitive.key"] {
        assert!(!find(&backup).iter().any(|path| path.ends_with(file)), "no ring is in a backup");
    }
    let again = run(&system, &["backup", "create", shown(&backup)]);
    assert!(!again.status.success() && printed(&again).contains("not empty"), "{}", printed(&again));

    // A single vault, while everything runs.
    let refused = run(&system, &["--user", "ana", "backup", "restore", shown(&backup), "--vault"]);
    assert!(printed(&refused).contains("is not in quarantine"), "{}", printed(&refused));
    stop_all(&mut system);
    harm(&vault(&data, "ana").join("memory.db"));
    start_all(&mut system).await;
    let refused = remembered(&system, "ana").await.expect_err("it is damaged");
    assert_eq!(reason(&refused), "VAULT_QUARANTINED");
    assert!(remembered(&system, "bob").await.is_ok());
    done(&run(&system, &["--user", "ana", "backup", "restore", shown(&backup), "--vault"]));
    assert!(remembered(&system, "ana").await.expect("it is back") >= before[0]);
    assert_eq!(download(&system.clients(), "ana", &attachment, 0).await.expect("it is back"), bytes);
    assert_files_are_as_acknowledged(&mut system.user("ana"), &[&files]).await;
    system.user("ana").remember("and on").await;

    // The whole backup, into an empty folder.
    stop_all(&mut system);
    let refused = run(&system, &["backup", "restore", shown(&backup)]);
    assert!(!refused.status.success() && printed(&refused).contains("not empty"), "{}", printed(&refused));
    fs::rename(&data, system.folder().join("lost")).expect("it is lost");
    done(&run(&system, &["backup", "restore", shown(&backup)]));
    start_all(&mut system).await;
    for (user, least) in USERS.iter().zip(&before) {
        assert!(remembered(&system, user).await.expect("it is back") >= *least, "{user}");
        system.user(user).remember("and on").await;
    }
    assert_eq!(download(&system.clients(), "ana", &attachment, 0).await.expect("it is back"), bytes);
    assert_files_are_as_acknowledged(&mut system.user("ana"), &[&files]).await;
    eventually("vaults are taken up", || async { (!data.join("vaults/.restored").exists()).then_some(()) }).await;
    let doctor = printed(&run(&system, &["doctor"]));
    assert!(!doctor.contains("BAD   vaults") && !doctor.contains("BAD   key"), "{doctor}");
}

fn find(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { find(&path) } else { vec![path] }).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_and_restore_cut_anywhere_leave_all_or_nothing_and_damage_is_refused() {
    let system = System::start().await;
    for user in USERS {
        system.user(user).remember("something to keep").await;
        upload(&system.clients(), start(user, "a file"), &noise(3, 400_000)).await.expect("it is taken");
    }
    let (data, mut dice) = (system.data_dir(), StdRng::seed_from_u64(37));
    let (mut whole, mut none, takes) = (0, 0, time_of_one(&system));
    for n in 0..12 {
        let backup = system.folder().join(format!("backup{n}"));
        kill_within(command(&system, &data, &["backup", "create", shown(&backup)]), takes, &mut dice);
        if backup.exists() {
            whole += 1;
        } else {
            none += 1;
            done(&run(&system, &["backup", "create", shown(&backup)]));
        }
        done(&run(&system, &["backup", "check", shown(&backup)]));
        let to = system.folder().join(format!("restored{n}"));
        kill_within(command(&system, &to, &["backup", "restore", shown(&backup)]), takes, &mut dice);
        if !to.exists() {
            done(&run_on(&system, &to, &["backup", "restore", shown(&backup)]));
        }
        for path in
            find(&backup).iter().filter(|path| !path.ends_with("manifest.json") && !path.ends_with(".unfinished"))
        {
            let below = path.strip_prefix(&backup).expect("below");
            assert_eq!(
                fs::read(path).expect("a file"),
                fs::read(to.join(below)).expect("the same"),
                "{}",
                below.display()
            );
        }
        assert!(to.join("vaults/.restored").exists());
        fs::remove_dir_all(&to).expect("it goes");
    }
    assert!(none > 0, "{whole} of 12 were whole");

    let backup = system.folder().join("backup0");
    let vaults = find(&backup.join("vaults"));
    let file = vaults.into_iter().find(|path| path.ends_with("memory.db")).expect("a vault");
    let to = system.folder().join("other");
    let right = fs::read(&file).expect("a file");
    let mut wrong = right.clone();
    wrong[right.len() / 2] ^= 1;
    for bytes in [Some(&wrong[..]), Some(&right[..right.len() - 1]), None] {
        match bytes {
            Some(bytes) => fs::write(&file, bytes).expect("it can be damaged"),
            None => fs::remove_file(&file).expect("it can be lost"),
        }
        let refused = run(&system, &["backup", "check", shown(&backup)]);
        assert!(
            !refused.status.success() && printed(&refused).contains("the backup is damaged"),
            "{}",
            printed(&refused)
        );
        let refused = run_on(&system, &to, &["backup", "restore", shown(&backup)]);
        assert!(
            !refused.status.success() && printed(&refused).contains("the backup is damaged"),
            "{}",
            printed(&refused)
        );
        assert!(!to.exists() && !system.folder().join("other.unfinished").exists(), "nothing half is left");
    }
    fs::remove_file(backup.join("manifest.json")).expect("it can be lost");
    let refused = run_on(&system, &to, &["backup", "restore", shown(&backup)]);
    assert!(printed(&refused).contains("not a complete backup"), "{}", printed(&refused));
}

/// The duration of a backup on this machine: with longer delays, a fast one would complete nearly all.
fn time_of_one(system: &System) -> Duration {
    let began = Instant::now();
    done(&run(system, &["backup", "create", shown(&system.folder().join("whole"))]));
    began.elapsed()
}

fn kill_within(mut command: Command, time: Duration, dice: &mut StdRng) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    std::thread::sleep(time.mul_f64(dice.random_range(0.0..1.0)));
    child.kill().expect("it is killed, or over");
    child.wait().expect("it ends");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn putting_a_vault_back_can_be_cut_anywhere_and_done_again() {
    let mut system = System::start().await;
    for user in ["ana", "bob"] {
        system.user(user).remember("something to keep").await;
    }
    let (data, backup) = (system.data_dir(), system.folder().join("backup"));
    done(&run(&system, &["backup", "create", shown(&backup)]));
    let mut dice = StdRng::seed_from_u64(41);
    let args = ["--user", "ana", "backup", "restore", shown(&backup), "--vault"];
    for _ in 0..4 {
        stop_all(&mut system);
        harm(&vault(&data, "ana").join("memory.db"));
        start_all(&mut system).await;
        assert_eq!(reason(&remembered(&system, "ana").await.expect_err("it is damaged")), "VAULT_QUARANTINED");
        for _ in 0..3 {
            kill_within(command(&system, &data, &args), Duration::from_millis(250), &mut dice);
            match remembered(&system, "ana").await {
                Ok(count) => assert_eq!(count, 1, "whole or not at all"),
                Err(refused) => assert_eq!(reason(&refused), "VAULT_QUARANTINED", "{refused:?}"),
            }
        }
        if remembered(&system, "ana").await.is_err() {
            // The call of the last attempt before the kill may have succeeded by now.
            let last = run(&system, &args);
            assert!(last.status.success() || printed(&last).contains("is not in quarantine"), "{}", printed(&last));
        }
        assert_eq!(remembered(&system, "ana").await.expect("it is back"), 1);
        assert_eq!(remembered(&system, "bob").await.expect("it was never away"), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purged_user_stays_purged_when_keys_are_stored_separately() {
    let mut system = System::start().await;
    for user in ["ana", "bob", "cem"] {
        system.user(user).remember("something to keep").await;
    }
    let (data, keys) = (system.data_dir(), system.folder().join("key files"));
    let [first, second] = ["first", "second"].map(|name| system.folder().join(name));
    done(&run(&system, &["backup", "create", shown(&first), "--keys", shown(&keys)]));
    assert!(!first.join("keys").exists());
    done(&run(&system, &["--user", "bob", "purge", "--yes"]));
    done(&run(&system, &["backup", "create", shown(&second), "--keys", shown(&keys)]));
    stop_all(&mut system);
    fs::rename(&data, system.folder().join("lost")).expect("it is lost");
    let refused = run(&system, &["backup", "restore", shown(&first)]);
    assert!(printed(&refused).contains("--keys"), "{}", printed(&refused));
    let restore = ["backup", "restore", shown(&first), "--keys", shown(&keys), "--without", "cem"];
    done(&run(&system, &restore));
    start_all(&mut system).await;
    assert_eq!(remembered(&system, "ana").await.expect("it is back"), 1);
    for gone in ["bob", "cem"] {
        assert_eq!(remembered(&system, gone).await.expect("there is nothing"), 0, "{gone}");
        system.user(gone).remember("again").await;
        assert_eq!(remembered(&system, gone).await.expect("it starts empty"), 1, "{gone}");
    }
}
