//! Attachments in transit: limits on uploads, cleanup of unfinished ones, and the end of downloads.

use kimberly_core::attachments::AttachmentDraft;
use kimberly_core::error::{Error, Result};
use kimberly_core::ports::{AuditQuery, Job};
use kimberly_core::time::Span;
use kimberly_core::usecases::ListInput;
use kimberly_core::usecases::attachments::{Upload, UploadInput};

use crate::fixture::{Fixture, user};

const GIB: u64 = 1 << 30;

async fn begin(fixture: &Fixture, size_bytes: Option<u64>) -> Result<Upload> {
    let draft = AttachmentDraft { size_bytes, ..AttachmentDraft::default() };
    fixture.app().begin_upload(&user("anna"), UploadInput { draft, ..UploadInput::default() }).await
}

#[tokio::test]
async fn bytes_that_are_coming_count_against_the_allowance() {
    let fixture = Fixture::new().await;
    let mut open = Vec::new();
    // 32 MiB each: the maximum of an attachment, or the announced size.
    for n in 0..32 {
        open.push(begin(&fixture, (n % 2 == 0).then_some(32 << 20)).await.unwrap());
    }
    let full = begin(&fixture, Some(1)).await.unwrap_err();
    let Error::AttachmentsFull { used, limit, requested } = full else { panic!("{full}") };
    assert_eq!((used, limit, requested), (Some(GIB), GIB, 1));
    let mut unannounced = begin(&fixture, None).await.unwrap();
    assert!(
        matches!(unannounced.write(b"x").await, Err(Error::AttachmentsFull { .. })),
        "there is no room left for it"
    );
    open.pop().unwrap().abandon().await;
    let mut one = begin(&fixture, Some(1)).await.unwrap();
    one.write(b"x").await.unwrap();
    one.finish().await.unwrap();
}

#[tokio::test]
async fn an_upload_that_takes_too_long_is_ended() {
    let fixture = Fixture::new().await;
    let mut upload = begin(&fixture, None).await.unwrap();
    assert_eq!(upload.left(), Span::hours(1));
    upload.write(b"in time").await.unwrap();
    fixture.clock.advance(Span::hours(1));
    assert_eq!(upload.left(), Span(0));
    assert!(matches!(upload.write(b"too late").await, Err(Error::UploadGone)));
}

#[tokio::test]
async fn an_upload_whose_row_has_gone_is_ended_and_takes_its_bytes_along() {
    let fixture = Fixture::new().await;
    let (anna, piece) = (user("anna"), vec![1; 3 << 20]);
    let (mut writing, mut finishing) = (begin(&fixture, None).await.unwrap(), begin(&fixture, None).await.unwrap());
    for upload in [&mut writing, &mut finishing] {
        upload.write(&piece).await.unwrap();
    }
    let all = kimberly_core::Timestamp::MAX;
    let vaults = fixture.store.vaults();
    let expire = vaults.transact(&anna, "test", move |tx| Box::pin(tx.expire_attachments(all, all)));
    expire.await.unwrap();
    assert!(matches!(writing.write(&piece).await, Err(Error::UploadGone)), "an upload checks periodically");
    assert!(matches!(finishing.finish().await, Err(Error::UploadGone)));
    let folder = anna.folder_name();
    let folder = fixture.folder.path().join("vaults").join(&folder[..2]).join(&folder).join("attachments");
    drop(writing);
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
}

#[tokio::test]
async fn every_upload_has_a_job_for_when_it_should_have_ended_whatever_else_waits() {
    let fixture = Fixture::new().await;
    let mut kept = begin(&fixture, None).await.unwrap();
    kept.write(b"hangs on nothing yet").await.unwrap();
    kept.finish().await.unwrap();
    fixture.app().tidy_attachments(&user("anna"), false).await.unwrap();
    let jobs = async || {
        let rows = fixture.store.vaults().read(&user("anna"), |reader| Box::pin(reader.outbox(100))).await.unwrap();
        let within = |job: &Job| matches!(job, Job::Attachments { after_s } if (3_600..3_700).contains(after_s));
        rows.iter().filter(|row| within(&row.job)).count()
    };
    let before = jobs().await;
    let _open = begin(&fixture, None).await.unwrap();
    assert_eq!(jobs().await, before + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_must_go_later_waits_in_the_queue_until_then() {
    let fixture = Fixture::new().await;
    let mut kept = begin(&fixture, None).await.unwrap();
    kept.write(b"hangs on nothing yet").await.unwrap();
    kept.finish().await.unwrap();
    let _open = begin(&fixture, None).await.unwrap();
    fixture.app().tidy_attachments(&user("anna"), false).await.unwrap();
    let worker = fixture.work();
    // The jobs of two uploads and of the cleanup. If they ran at once, each would create another one.
    fixture.eventually("all of them wait", |stats| (stats.delayed, stats.pending, stats.done) == (3, 0, 0)).await;
    worker.stop().await;
}

#[tokio::test]
async fn what_is_broken_off_is_in_the_audit() {
    let fixture = Fixture::new().await;
    begin(&fixture, None).await.unwrap().abandon().await;
    let draft = AttachmentDraft { sha256: Some([1; 32]), ..AttachmentDraft::default() };
    let refused =
        fixture.app().begin_upload(&user("anna"), UploadInput { draft, ..UploadInput::default() }).await.unwrap();
    assert!(refused.finish().await.is_err());
    let (vaults, anna) = (fixture.store.vaults(), user("anna"));
    let read = vaults.read(&anna, |reader| {
        Box::pin(async move {
            let query = AuditQuery {
                after: 0,
                before: None,
                newest_first: false,
                actor: None,
                action: Some("attachment.abandon".to_owned()),
                subject: None,
                limit: 9,
            };
            reader.audit_entries(&query).await
        })
    });
    assert_eq!(read.await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_download_ends_soon_after_what_it_gives_out_is_erased() {
    let fixture = Fixture::new().await;
    let (anna, app) = (user("anna"), fixture.app());
    fixture.remember(&anna, 1).await;
    let page = app.list_memories(&anna, ListInput::default()).await.unwrap();
    let memory = page.memories[0].id;
    let mut upload =
        app.begin_upload(&anna, UploadInput { memory: Some(memory), ..UploadInput::default() }).await.unwrap();
    let piece: Vec<u8> = (0..1_u32 << 20).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    for _ in 0..9 {
        upload.write(&piece).await.unwrap();
    }
    let attachment = upload.finish().await.unwrap();
    let mut download = app.download(&anna, attachment.id, 0).await.unwrap();
    download.next().await.unwrap().unwrap();
    app.detach(&anna, memory, attachment.id).await.unwrap();
    let gone = loop {
        match download.next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("it was given out to its end"),
            Err(gone) => break gone,
        }
    };
    assert!(matches!(gone, Error::NotFound { .. }), "{gone}");
    assert!(download.offset <= 5 << 20, "{}", download.offset);
}
