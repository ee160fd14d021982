//! Files of other versions.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use kimberly_core::Error;
use kimberly_core::audit::AuditFindingKind;
use kimberly_core::error::StorageFailure;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{ChangeRange, MemoryState};
use kimberly_core::ports::AuditEntry;
use kimberly_core::ports::ConsentQuery;
use kimberly_core::time::Timestamp;
use kimberly_store::SqliteOptions;
use kimberly_store::conformance::fixtures::{START, any_of, any_state, draft, new_memory, user};

use crate::sqlite::common::{Still, app, bed_in, databases, execute, of_u, raw};

#[tokio::test]
async fn a_vault_of_a_newer_build_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    bed.remember("u", [draft("from the future")]).await;
    bed.vaults.close().await;
    let database = databases(folder.path()).pop().unwrap();
    execute(&database, "PRAGMA user_version = 99").await;
    let before = std::fs::read(&database).unwrap();
    let bed = bed_in(folder.path()).await;
    let read = bed.vaults.read(&user("u"), |r| Box::pin(r.usage())).await.unwrap_err();
    let write =
        bed.vaults.transact(&user("u"), "test", |tx| Box::pin(async move { tx.usage().await })).await.unwrap_err();
    for error in [read, write] {
        let Error::Storage { failure: StorageFailure::Corrupt, detail } = error else { unreachable!("{error}") };
        assert!(detail.contains("schema version 99") && detail.contains("upgrade"), "{detail}");
    }
    bed.vaults.close().await;
    assert_eq!(std::fs::read(&database).unwrap(), before);
}

/// The vault of the user `u`, written by release 0.1: ten memories in all states, one erased, a run, an answer.
const OF_0_1: &[u8] = include_bytes!("fixtures/vault_v1.db.gz");

#[tokio::test]
async fn a_vault_of_release_0_1_is_stepped_up_when_it_is_read_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = put_vault_of_0_1(folder.path()).await;
    let bed = bed_in(folder.path()).await;
    let usage = bed.usage("u").await;
    assert_eq!((usage.created, usage.archived, usage.deleted), (12, 2, 2));
    assert_eq!(bed.memory("u", 5).await.unwrap().state, MemoryState::Archived);
    assert_eq!(bed.memory("u", 2).await.unwrap().draft.speaker.as_deref(), Some("ANN"));
    assert_eq!(bed.found("u", any_of(&["sailing"])).await.len(), 8, "the active ones");
    let records = bed.read("u", |r| Box::pin(async move { r.export(&any_state(), None, 100, 1 << 20).await })).await;
    assert_eq!(records.len(), 11);
    assert_eq!((records[1].helpful, records[1].unhelpful, records[0].memory.access_count), (2, 1, 3));
    let range = bed.read("u", |r| Box::pin(r.change_range())).await;
    assert_eq!(range, ChangeRange { oldest: 1, newest: 0 }, "nothing is known of what happened before");
    bed.set_state("u", Seq(6), MemoryState::Active).await;
    let range = bed.read("u", |r| Box::pin(r.change_range())).await;
    assert_eq!(range, ChangeRange { oldest: 1, newest: 1 });
    bed.vaults.close().await;
    let mut conn = raw(&database).await;
    let version: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut conn).await.unwrap();
    assert_eq!(version, 10);
}

/// What the vault had noted before there were chains is linked, so that it cannot be changed from then on.
#[tokio::test]
async fn the_audit_of_release_0_1_becomes_a_chain() {
    let folder = tempfile::tempdir().unwrap();
    let database = put_vault_of_0_1(folder.path()).await;
    execute(
        &database,
        "DELETE FROM audit; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) \
         INSERT INTO audit (no, at, actor, action, subject, count) \
         SELECT i, i * 1000, 'user', 'memory.create', iif(i % 2, 'mem_' || i, NULL), i % 3 FROM n",
    )
    .await;
    let bed = bed_in(folder.path()).await;
    let verification = app(&bed).verify_audit(&of_u(), None).await.unwrap().verification;
    assert!(verification.is_intact() && verification.entries == 1_200, "{verification:?}");
    let entry =
        |at| AuditEntry { at, actor: "user".into(), action: "memory.create", refused: None, subject: None, count: 1 };
    bed.write("u", move |tx| Box::pin(async move { tx.audit(&entry(START)).await })).await;
    let verification = app(&bed).verify_audit(&of_u(), None).await.unwrap().verification;
    assert!(verification.is_intact() && verification.head.no == 1_201, "{verification:?}");
    bed.vaults.close().await;
    execute(&database, "UPDATE audit SET count = count + 1 WHERE no = 2").await;
    let bed = bed_in(folder.path()).await;
    let found = app(&bed).verify_audit(&of_u(), None).await.unwrap().verification.findings;
    assert_eq!(found.iter().map(|f| (f.kind, f.first)).collect::<Vec<_>>(), [(AuditFindingKind::Altered, 2)]);
    bed.vaults.close().await;
}

#[tokio::test]
async fn sensitive_memories_of_an_older_vault_come_under_one_record_that_allows_nothing_new() {
    let folder = tempfile::tempdir().unwrap();
    let database = put_vault_of_0_1(folder.path()).await;
    execute(&database, "UPDATE memories SET sensitive = 1, consent = 1 WHERE seq IN (2, 6, 7)").await;
    let bed = bed_in(folder.path()).await;
    let consents = bed
        .read("u", |r| {
            let page = ConsentQuery::Page { retracted: true, after: None, limit: 9 };
            Box::pin(async move { r.consents(&page).await })
        })
        .await;
    let [record] = consents.as_slice() else { panic!("{consents:?}") };
    let of = |n| {
        let bed = &bed;
        async move { bed.memory("u", n).await.unwrap() }
    };
    let (second, seventh) = (of(2).await, of(7).await);
    assert_eq!((record.granted_at, record.retracted_at, record.revision), (second.created_at, None, 1));
    assert_eq!(record.draft.expires_at, Some(Timestamp(seventh.created_at.0 + 1)), "it ends with the newest of them");
    assert!(record.clone().checked("consent", seventh.created_at).is_ok(), "{record:?}");
    assert_eq!(record.id.0.get_version_num(), 7);
    for n in [2, 6, 7] {
        assert_eq!(of(n).await.draft.consent_id, Some(record.id), "{n}");
    }
    assert_eq!(of(1).await.draft.consent_id, None);
    let (id, usage) = (record.id, bed.usage("u").await);
    assert_eq!(bed.write("u", move |tx| Box::pin(async move { tx.withhold(id, true, START).await })).await, 3);
    let erased = bed.write("u", |tx| Box::pin(async move { tx.erase_withheld(10, START).await })).await;
    assert_eq!((erased.erased, erased.left), (3, 0), "it is retracted like any other");
    assert!(bed.usage("u").await.created == usage.created && bed.memory("u", 2).await.is_none());
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_vault_of_release_0_1_can_be_written_first() {
    let folder = tempfile::tempdir().unwrap();
    put_vault_of_0_1(folder.path()).await;
    let bed = bed_in(folder.path()).await;
    bed.insert("u", vec![new_memory(13, draft("sailing on"))]).await;
    assert_eq!(bed.found("u", any_of(&["sailing"])).await.len(), 9);
    bed.usage("u").await;
}

/// Puts the fixture where the store looks for it.
pub(crate) async fn put_vault_of_0_1(folder: &Path) -> PathBuf {
    let bed = bed_in(folder).await;
    bed.remember("u", [draft("to be replaced")]).await;
    bed.vaults.close().await;
    let database = databases(folder).pop().unwrap();
    let mut whole = Vec::new();
    flate2::read::GzDecoder::new(OF_0_1).read_to_end(&mut whole).unwrap();
    std::fs::write(&database, whole).unwrap();
    database
}

#[tokio::test]
async fn a_registry_of_a_newer_build_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    bed_in(folder.path()).await.vaults.close().await;
    execute(&folder.path().join("system.db"), "PRAGMA user_version = 10").await;
    let opened = kimberly_store::SqliteStore::open(SqliteOptions::new(folder.path()), std::sync::Arc::new(Still)).await;
    let error = opened.unwrap_err().to_string();
    assert!(error.contains("the registry of schema version 10"), "{error}");
}
