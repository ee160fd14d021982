//! Purges, with and without a job.

use std::time::{Duration, Instant};

use kimberly_core::Error;
use kimberly_core::erasure::{Purge, PurgeStep};
use kimberly_core::ports::By;
use kimberly_core::usecases::attachments::UploadInput;
use kimberly_core::{PurgeId, UserId};
use kimberly_queue::{MEDITATE, PURGE};

use crate::fixture::{Fixture, user};

const ID: PurgeId = PurgeId(uuid::Uuid::from_u128(1));

async fn begin(fixture: &Fixture, who: &UserId) {
    let by = By::new("open", kimberly_core::Timestamp(5));
    fixture.store.purges().begin(ID, who, &by).await.unwrap();
}

async fn done(fixture: &Fixture) -> Purge {
    let (purges, start) = (fixture.store.purges(), Instant::now());
    while !purges.get(ID).await.unwrap().unwrap().is_done() {
        assert!(start.elapsed() < Duration::from_secs(30), "the purge is done");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    purges.get(ID).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purge_whose_job_was_lost_is_found_and_carried_out() {
    let fixture = Fixture::new().await;
    let (anna, bert) = (user("anna"), user("bert"));
    fixture.remember(&anna, 3).await;
    fixture.remember(&bert, 2).await;
    begin(&fixture, &anna).await;
    let worker = fixture.work();
    let receipt = done(&fixture).await;
    worker.stop().await;
    assert_eq!((receipt.step, receipt.erased.rows.get("memories")), (PurgeStep::Done, Some(&3)));
    assert_eq!(fixture.registry().users(None, 9).await.unwrap(), [bert]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purge_takes_the_users_jobs_with_it_and_a_job_for_none_is_done() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    fixture.remember(&anna, 1).await;
    for n in 0..3 {
        let job = MEDITATE.job("anna", "med_nonsense", &format!("job-{n}"));
        fixture.queue.push_after(&job, u64::from(u32::MAX)).await.unwrap();
    }
    begin(&fixture, &anna).await;
    for (purge, job) in [(ID, "purge-1"), (PurgeId(uuid::Uuid::from_u128(2)), "purge-2")] {
        fixture.queue.push(&PURGE.job("", &purge.to_string(), job)).await.unwrap();
    }
    let worker = fixture.work();
    done(&fixture).await;
    fixture.eventually("both jobs are done, nothing waits", |stats| (stats.done, stats.delayed) == (2, 0)).await;
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_that_is_open_meanwhile_does_not_bring_the_user_back() {
    let fixture = Fixture::new().await;
    let (anna, bert) = (user("anna"), user("bert"));
    fixture.remember(&anna, 1).await;
    fixture.remember(&bert, 1).await;
    let app = fixture.app();
    let mut open = Vec::new();
    for bytes in [1, 200_000] {
        let mut upload = app.begin_upload(&anna, UploadInput::default()).await.unwrap();
        upload.write(&vec![7; bytes]).await.unwrap();
        open.push(upload);
    }
    begin(&fixture, &anna).await;
    let worker = fixture.work();
    done(&fixture).await;
    worker.stop().await;
    let gone = open.pop().unwrap().finish().await.unwrap_err();
    assert!(matches!(gone, Error::Storage { .. } | Error::UploadGone), "{gone}");
    open.pop().unwrap().abandon().await;
    assert_eq!(fixture.registry().users(None, 9).await.unwrap(), [bert]);
    let folder = anna.folder_name();
    assert!(!fixture.folder.path().join("vaults").join(&folder[..2]).join(&folder).exists());
}
