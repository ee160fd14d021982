//! Checkpoints of the system's audit, and vaults that tell in it where theirs stand.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kimberly_core::audit::{ANCHORED, SignedCheckpoint, anchor, vault_log};
use kimberly_core::ports::{AuditEntry, AuditQuery, Signer};
use kimberly_core::time::Span;
use kimberly_core::usecases::audit::AuditOf;
use kimberly_worker::checkpoints::{Checkpoints, Written};

use crate::fixture::{Fixture, user};

/// Signs so that a test can tell what was signed.
struct Stamp;

impl Signer for Stamp {
    fn sign(&self, message: &[u8]) -> [u8; 64] {
        std::array::from_fn(|n| message.get(n).copied().unwrap_or_default())
    }
    fn public_key(&self) -> [u8; 32] {
        [7; 32]
    }
    fn key_id(&self) -> String {
        "0123456789abcdef".to_owned()
    }
}

fn checkpoints(fixture: &Fixture, folder: &Path) -> Checkpoints {
    let (app, audit) = (fixture.app(), fixture.store.audit());
    let every = Duration::from_hours(24);
    Checkpoints { app, audit, signer: Arc::new(Stamp), folder: folder.to_owned(), every }
}

async fn told(fixture: &Fixture) {
    let entry = AuditEntry {
        at: fixture.app().clock.now(),
        actor: "test".into(),
        action: "key.create",
        refused: None,
        subject: None,
        count: 1,
    };
    fixture.store.audit().append(vec![entry]).await.unwrap();
}

fn read(written: Written) -> SignedCheckpoint {
    let file = if let Written::New(file) = written { Some(file) } else { None };
    SignedCheckpoint::parse(&fs::read_to_string(file.unwrap()).unwrap()).unwrap()
}

#[tokio::test]
async fn a_checkpoint_is_written_when_something_was_done_and_says_where_the_audit_stands() {
    let (fixture, folder) = (Fixture::new().await, tempfile::tempdir().unwrap());
    let folder = folder.path().join("not there yet");
    let checkpoints = checkpoints(&fixture, &folder);
    let empty = read(checkpoints.write().await.unwrap());
    assert_eq!(empty.checkpoint.head.no, 0);
    assert_eq!(checkpoints.write().await.unwrap(), Written::NothingNew);
    told(&fixture).await;
    fixture.clock.advance(Span::hours(1));
    let signed = read(checkpoints.write().await.unwrap());
    assert_eq!(signed.checkpoint.head.no, 1);
    assert_eq!(signed.signature[..], signed.checkpoint.message()[..64]);
    let system = AuditOf::System(fixture.store.audit());
    let verdict = fixture.app().verify_audit(&system, Some(signed.checkpoint.head)).await.unwrap();
    assert!(verdict.verification.is_intact() && verdict.log == signed.checkpoint.log, "{verdict:?}");
    // What is no checkpoint, or a damaged one, stands in nobody's way.
    fs::write(folder.join("checkpoint-99999999999999999-9.json"), "damaged").unwrap();
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    assert_eq!(checkpoints.write().await.unwrap(), Written::NothingNew);
    told(&fixture).await;
    fixture.clock.advance(Span::hours(1));
    assert_eq!(read(checkpoints.write().await.unwrap()).checkpoint.head.no, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_meditation_has_the_systems_audit_tell_where_the_vaults_stands() {
    let fixture = Fixture::new().await;
    let anna = user("anna");
    fixture.remember(&anna, 3).await;
    fixture.meditate(&anna).await;
    let worker = fixture.work();
    fixture.eventually("one done", |stats| stats.done == 1).await;
    worker.stop().await;
    let query = AuditQuery { action: Some(ANCHORED.to_owned()), limit: 10, ..AuditQuery::default() };
    let audit = fixture.store.audit();
    let read = audit.read(move |reader| {
        let query = query.clone();
        Box::pin(async move { reader.audit_entries(&query).await })
    });
    let told = read.await.unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    let (log, head) = anchor(told[0].subject.as_deref().unwrap()).unwrap();
    assert_eq!(log, vault_log(&anna));
    let verdict = fixture.app().verify_audit(&AuditOf::User(anna), Some(head)).await.unwrap();
    assert!(verdict.verification.is_intact() && head.no > 1, "{verdict:?}");
}
