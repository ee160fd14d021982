//! Damage of shared files: log and `doctor` name the file and the remedy, and the remedy works.

use std::fs;
use std::path::Path;

use kimberly_proto::v1 as pb;
use kimberly_tests::{System, eventually, reason};
use tonic::Code;

use super::{printed, run, start_all, stop_all};

/// Pages beyond those read when the file is opened.
const LATER_PAGES: usize = 5;

/// Flips a bit in each page from this one on.
fn flip(path: &Path, from: usize) {
    let mut bytes = fs::read(path).expect("a file");
    assert!(bytes.len() > from * 4_096, "{} has {} bytes", path.display(), bytes.len());
    for page in bytes.chunks_mut(4_096).skip(from) {
        page[1_000] ^= 1;
    }
    fs::write(path, bytes).expect("a file can be damaged");
}

async fn waiting_jobs(system: &System) -> Option<()> {
    let asked = system.clients().metrics.get_metrics(pb::GetMetricsRequest::default()).await;
    match asked.expect("metrics").into_inner().metrics {
        Some(pb::get_metrics_response::Metrics::System(found)) => (found.queue?.pending > 0).then_some(()),
        _ => None,
    }
}

async fn reported_by_worker(system: &System, words: &str) {
    eventually(words, || async { system.worker.log().contains(words).then_some(()) }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_queue_is_named_and_made_again_of_what_the_vaults_know() {
    let mut system = System::start_in_files(&[]).await;
    system.user("ana").remember("something to keep").await;
    for process in [&mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
    }
    let request = pb::MeditateRequest { user_id: "ana".to_owned(), ..Default::default() };
    let scheduled = system.clients().meditations.meditate(request).await.expect("it is scheduled").into_inner();
    let id = scheduled.meditation.expect("a run").id;
    // From now on only the queue has the job.
    eventually("the job is in the queue", || waiting_jobs(&system)).await;
    assert!(system.api.stop().success());
    let queue = system.data_dir().join("queue.db");
    flip(&queue, LATER_PAGES);
    start_all(&mut system).await;
    reported_by_worker(&system, "queue.db is damaged: stop Kimberly, remove queue.db, queue.db-wal and queue.db-shm")
        .await;
    let doctor = run(&system, &["doctor"]);
    assert!(
        printed(&doctor).contains("BAD   shared file    queue.db is damaged: stop Kimberly"),
        "{}",
        printed(&doctor)
    );

    stop_all(&mut system);
    for name in ["queue.db", "queue.db-wal", "queue.db-shm"] {
        let _ = fs::remove_file(system.data_dir().join(name));
    }
    start_all(&mut system).await;
    assert_eq!(system.user("ana").meditation_ended(&id).await.status(), pb::MeditationStatus::Complete);
    assert!(!printed(&run(&system, &["doctor"])).contains("shared file"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_registry_is_named_by_log_doctor_and_check_of_its_audit() {
    let mut system = System::start_in_files(&[]).await;
    system.user("ana").remember("something to keep").await;
    let verify = async |system: &System| system.clients().audit.verify_audit(pb::VerifyAuditRequest::default()).await;
    verify(&system).await.expect("it is whole");
    stop_all(&mut system);
    let registry = system.data_dir().join("system.db");
    let last = fs::metadata(&registry).expect("a file").len() / 4_096 - 1;
    flip(&registry, usize::try_from(last).expect("a few pages"));
    start_all(&mut system).await;
    reported_by_worker(&system, "system.db is damaged: stop Kimberly and restore everything").await;
    let doctor = run(&system, &["doctor"]);
    assert!(printed(&doctor).contains("BAD   shared file    system.db is damaged"), "{}", printed(&doctor));
    let refused = verify(&system).await.expect_err("a page is damaged");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::DataLoss, "STORAGE_CORRUPT"), "{refused:?}");
    assert!(refused.message().contains("system.db is damaged"), "{refused:?}");
}
