//! Purging one of a thousand users leaves the others' files unchanged, bit by bit.

use std::collections::BTreeMap;
use std::path::PathBuf;

use futures::StreamExt as _;
use kimberly_tests::System;
use sha2::{Digest as _, Sha256};

use super::purging::{purge, vaults};
use super::scan::{files, remember_surely};

const USERS: usize = 1_000;
/// Users created concurrently.
const AT_ONCE: usize = 8;

/// The hash of every file of every vault, while no process runs. A process stopped during a read of a vault leaves an
/// empty WAL and its index, which hold nothing.
fn hashes(system: &System) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = vaults(&system.data_dir()).into_iter().flat_map(|folder| files(&folder));
    all.filter(|path| !path.to_string_lossy().ends_with("-shm"))
        .map(|path| (std::fs::read(&path).expect("a file can be read"), path))
        .filter(|(bytes, _)| !bytes.is_empty())
        .map(|(bytes, path)| (path, Sha256::digest(bytes).to_vec()))
        .collect()
}

fn stop(system: &mut System) {
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
    }
}

async fn start(system: &mut System) {
    system.api.start_again();
    system.worker.start_again();
    system.embedder.start_again();
    system.wait_until_serving().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_purge_of_one_among_a_thousand_leaves_the_others_bit_identical() {
    let mut system = System::start().await;
    let users = (0..USERS).map(|n| system.user(&format!("user {n}")));
    futures::stream::iter(users)
        .map(|user| async move { remember_surely(&user, &format!("what {} remembers", user.id())).await })
        .buffer_unordered(AT_ONCE)
        .for_each(|()| std::future::ready(()))
        .await;
    stop(&mut system);
    let before = hashes(&system);
    assert_eq!(vaults(&system.data_dir()).len(), USERS);

    start(&mut system).await;
    let receipt = purge(&system, "user 500").await;
    assert_eq!(receipt.erased.expect("counts").rows["memories"], 1);
    stop(&mut system);
    let after = hashes(&system);
    assert_eq!(vaults(&system.data_dir()).len(), USERS - 1);
    let gone: Vec<_> = before.keys().filter(|path| !after.contains_key(*path)).collect();
    assert_eq!(gone.len(), 1, "{gone:?}");
    let changed: Vec<_> = after.iter().filter(|(path, hash)| before.get(*path) != Some(hash)).collect();
    assert!(changed.is_empty(), "{changed:?}");
}
