//! Several processes share a data folder. Two stores are equivalent to two processes: they share no memory.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use kimberly_core::audit::AuditEntry;
use kimberly_core::memory::MemoryState;
use kimberly_core::ports::Job;
use kimberly_store::SqliteOptions;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_of, at, draft, new_memory, run_id, user};

use crate::sqlite::common::{app, bed_in, bed_of, make_vaults_at_once, of_u, store};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_of_two_processes_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (bed_in(folder.path()).await, bed_in(folder.path()).await);
    let write = |bed: &Bed, first: u32| {
        let vaults = Arc::clone(&bed.vaults);
        tokio::spawn(async move {
            for n in first..first + 60 {
                let memory = new_memory(n, draft("shared heron"));
                vaults
                    .transact(&user("u"), "create", move |tx| {
                        let memory = memory.clone();
                        Box::pin(async move {
                            tx.write_context(None).await?;
                            tx.insert_memories(&[memory]).await
                        })
                    })
                    .await
                    .unwrap();
            }
        })
    };
    let tasks = [write(&one, 0), write(&two, 1_000), write(&one, 2_000), write(&two, 3_000)];
    for task in tasks {
        task.await.unwrap();
    }
    for bed in [&one, &two] {
        assert_eq!(bed.usage("u").await.created, 240);
        assert_eq!(bed.found("u", any_of(&["heron"])).await.len(), 100);
        assert_eq!(bed.registry.count_users().await.unwrap(), 1);
    }
    one.vaults.close().await;
    two.vaults.close().await;
}

#[tokio::test]
async fn what_one_process_changes_the_other_reads_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (bed_in(folder.path()).await, bed_in(folder.path()).await);
    assert_eq!(two.usage("u").await.created, 0);
    let seqs = one.remember("u", [draft("first heron"), draft("second heron")]).await;
    assert_eq!(two.found("u", any_of(&["heron"])).await.len(), 2);
    let version = two.read("u", |r| Box::pin(r.data_version())).await;
    one.set_state("u", seqs[0], MemoryState::Archived).await;
    assert_eq!(two.found("u", any_of(&["heron"])).await, [2]);
    assert_ne!(two.read("u", |r| Box::pin(r.data_version())).await, version);
    two.set_state("u", seqs[0], MemoryState::Active).await;
    assert_eq!(one.found("u", any_of(&["heron"])).await.len(), 2);
    one.vaults.close().await;
    two.vaults.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pending_outbox_cleared_by_one_process_is_noted_again_by_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let (api, relay) = (store(SqliteOptions::new(folder.path())).await, bed_in(folder.path()).await);
    let signal = api.outbox_signal();
    for n in 0..20 {
        api.vaults()
            .transact(&user("u"), "enqueue", move |tx| {
                let job = Job::Meditate { meditation_id: run_id(n) };
                Box::pin(async move { tx.enqueue(uuid::Uuid::from_u128(n), &job, at(1), None).await })
            })
            .await
            .unwrap();
        signal.notified().await;
        assert_eq!(relay.registry.pending_outboxes(10).await.unwrap().len(), 1, "job {n}");
        relay.registry.clear_pending_outbox(&user("u")).await.unwrap();
        assert_eq!(relay.registry.pending_outboxes(10).await.unwrap().len(), 1, "a job waits");
        relay
            .write("u", |tx| {
                Box::pin(async move {
                    let rows = tx.outbox(10).await?;
                    tx.remove_outbox(&rows.iter().map(|row| row.position).collect::<Vec<_>>()).await
                })
            })
            .await;
        relay.registry.clear_pending_outbox(&user("u")).await.unwrap();
        assert!(relay.registry.pending_outboxes(10).await.unwrap().is_empty());
    }
    api.vaults().close().await;
    relay.vaults.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vault_made_by_two_processes_at_once_is_one_vault() {
    let folder = tempfile::tempdir().unwrap();
    make_vaults_at_once(bed_in(folder.path()).await, bed_in(folder.path()).await).await;
}

/// Each process caches the end of the chain, and detects that the other has written since.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_of_two_processes_are_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (bed_in(folder.path()).await, bed_in(folder.path()).await);
    let entry = |n: u32| AuditEntry {
        at: at(n.into()),
        actor: "user".into(),
        action: "memory.create",
        refused: None,
        subject: None,
        count: 1,
    };
    let write = |bed: &Bed, first: u32| {
        let vaults = Arc::clone(&bed.vaults);
        tokio::spawn(async move {
            for n in first..first + 40 {
                vaults
                    .transact(&user("u"), "test", move |tx| {
                        Box::pin(async move {
                            tx.audit(&entry(n)).await?;
                            tx.insert_memories(&[new_memory(n, draft("shared"))]).await?;
                            tx.audit(&entry(n)).await
                        })
                    })
                    .await
                    .unwrap();
            }
        })
    };
    for task in [write(&one, 0), write(&two, 1_000), write(&one, 2_000), write(&two, 3_000)] {
        task.await.unwrap();
    }
    for bed in [&one, &two] {
        let verification = app(bed).verify_audit(&of_u(), None).await.unwrap().verification;
        assert!(verification.is_intact(), "{verification:?}");
        assert_eq!((verification.entries, verification.head.no), (320, 320));
        assert_eq!(bed.usage("u").await.created, 160);
    }
    one.vaults.close().await;
    two.vaults.close().await;
}

/// Appends `name` to `log` in a transaction, which ends once `gate` is sent to.
fn logged(
    bed: &Bed,
    (log, name): (&Arc<Mutex<Vec<&'static str>>>, &'static str),
    gate: Option<mpsc::Receiver<()>>,
) -> tokio::task::JoinHandle<()> {
    let (vaults, log, gate) = (Arc::clone(&bed.vaults), Arc::clone(log), gate.map(Mutex::new));
    let gate = Arc::new(gate);
    tokio::spawn(async move {
        let user = user("u");
        let write = vaults.transact(&user, "test", move |tx| {
            let (log, gate) = (Arc::clone(&log), Arc::clone(&gate));
            Box::pin(async move {
                let n = u32::try_from(tx.usage().await?.created + 1).unwrap();
                tx.insert_memories(&[new_memory(n, draft("shared"))]).await?;
                log.lock().unwrap().push(name);
                if let Some(gate) = &*gate {
                    gate.lock().unwrap().recv().unwrap();
                }
                Ok(())
            })
        });
        write.await.unwrap();
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_process_that_commits_back_to_back_gets_behind_one_that_waits() {
    let folder = tempfile::tempdir().unwrap();
    let background = SqliteOptions { background: true, ..SqliteOptions::new(folder.path()) };
    let (api, worker) = (bed_in(folder.path()).await, bed_of(&store(background).await));
    worker.remember("u", [draft("first")]).await;
    let vault = folder.path().join("vaults").join(&user("u").folder_name()[..2]).join(user("u").folder_name());
    let log = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..5 {
        let (open, gate) = mpsc::channel();
        let works = logged(&worker, (&log, "worker"), Some(gate));
        until(|| log.lock().unwrap().last() == Some(&"worker")).await;
        let waits = logged(&api, (&log, "api"), None);
        // The waiting process holds the folder's lock.
        until(|| std::fs::File::open(&vault).unwrap().try_lock().is_err()).await;
        open.send(()).unwrap();
        works.await.unwrap();
        logged(&worker, (&log, "worker again"), None).await.unwrap();
        waits.await.unwrap();
    }
    assert_eq!(*log.lock().unwrap(), ["worker", "api", "worker again"].repeat(5));
    api.vaults.close().await;
    worker.vaults.close().await;
}

async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
