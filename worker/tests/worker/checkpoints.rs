//! Checkpoints of the system's audit, and the anchors of vaults in it.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kimberly_core::audit::{ANCHORED, AuditEntry, AuditHead, Checkpoint, SignedCheckpoint, anchor, vault_log};
use kimberly_core::ports::{AuditQuery, Signer};
use kimberly_core::time::{Span, Timestamp};
use kimberly_core::usecases::audit::AuditOf;
use kimberly_worker::checkpoints::{Checkpoints, Written};

use crate::fixture::{Fixture, user};

/// A fake signer whose signatures reveal the message.
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

async fn record(fixture: &Fixture) {
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

/// Writes a checkpoint file, signed by [`Stamp`] unless a signature is given.
fn put(folder: &Path, name: &str, checkpoint: Checkpoint, signature: Option<[u8; 64]>) {
    let signature = signature.unwrap_or_else(|| Stamp.sign(&checkpoint.message()));
    let signed = SignedCheckpoint { checkpoint, key_id: Stamp.key_id(), signature };
    fs::write(folder.join(name), signed.to_text()).unwrap();
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
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
    record(&fixture).await;
    fixture.clock.advance(Span::hours(1));
    let signed = read(checkpoints.write().await.unwrap());
    assert_eq!(signed.checkpoint.head.no, 1);
    assert_eq!(signed.signature[..], signed.checkpoint.message()[..64]);
    let system = AuditOf::System(fixture.store.audit());
    let verdict = fixture.app().verify_audit(&system, Some(signed.checkpoint.head)).await.unwrap();
    assert!(verdict.verification.is_intact() && verdict.log == signed.checkpoint.log, "{verdict:?}");
    // Other files and damaged checkpoints do not interfere.
    fs::write(folder.join("checkpoint-99999999999999999-9.json"), "damaged").unwrap();
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    assert_eq!(checkpoints.write().await.unwrap(), Written::NothingNew);
    record(&fixture).await;
    fixture.clock.advance(Span::hours(1));
    assert_eq!(read(checkpoints.write().await.unwrap()).checkpoint.head.no, 2);
}

#[tokio::test]
async fn while_the_audit_contradicts_an_earlier_checkpoint_none_is_written_and_each_look_says_so() {
    let (fixture, folder) = (Fixture::new().await, tempfile::tempdir().unwrap());
    let checkpoints = checkpoints(&fixture, folder.path());
    record(&fixture).await;
    let good = read(checkpoints.write().await.unwrap()).checkpoint;
    let later = Timestamp(good.at.0 + 1);
    let rewritten = AuditHead { hash: [1; 32], ..good.head };
    let longer = AuditHead { no: 9, hash: [2; 32] };
    for (name, head) in [("checkpoint-1-1.json", rewritten), ("checkpoint-1-9.json", longer)] {
        put(folder.path(), name, Checkpoint { head, at: later, log: good.log.clone() }, None);
        record(&fixture).await;
        for _ in 0..2 {
            let there = files(folder.path());
            let written = checkpoints.write().await.unwrap();
            assert!(matches!(&written, Written::Contradicted(how) if how.contains(name)), "{name}: {written:?}");
            assert_eq!(files(folder.path()), there, "no checkpoint vouches for it");
        }
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert_eq!(read(checkpoints.write().await.unwrap()).checkpoint.head.no, 3);
}

#[tokio::test]
async fn a_replaced_audit_is_reported_and_checkpoints_of_others_are_ignored() {
    let (fixture, folder) = (Fixture::new().await, tempfile::tempdir().unwrap());
    let checkpoints = checkpoints(&fixture, folder.path());
    record(&fixture).await;
    let foreign = |log: &str| Checkpoint {
        log: log.to_owned(),
        head: AuditHead { no: 99, hash: [3; 32] },
        at: Timestamp(4_102_444_800_000_000),
    };
    put(folder.path(), "checkpoint-99999999999999999-99.json", foreign("system:another"), Some([9; 64]));
    let good = read(checkpoints.write().await.unwrap()).checkpoint;
    put(folder.path(), "checkpoint-99999999999999999-98.json", foreign(&good.log), Some([9; 64]));
    assert_eq!(checkpoints.write().await.unwrap(), Written::NothingNew, "another folder's, and an unsigned one");
    // The remaining checkpoint has the same key, but belongs to another log: the database was replaced.
    let name = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    name.for_each(|path| fs::remove_file(path).unwrap());
    put(folder.path(), "checkpoint-1-99.json", foreign("system:another"), None);
    for _ in 0..2 {
        let written = checkpoints.write().await.unwrap();
        assert!(matches!(&written, Written::Contradicted(how) if how.contains("replaced")), "{written:?}");
        assert_eq!(files(folder.path()), 1);
    }
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
    let anchors = read.await.unwrap();
    assert_eq!(anchors.len(), 1, "{anchors:?}");
    let (log, head) = anchor(anchors[0].subject.as_deref().unwrap()).unwrap();
    assert_eq!(log, vault_log(&anna));
    let verdict = fixture.app().verify_audit(&AuditOf::User(anna), Some(head)).await.unwrap();
    assert!(verdict.verification.is_intact() && head.no > 1, "{verdict:?}");
}
