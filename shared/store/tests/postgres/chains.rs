//! The chain of an audit is the same on every backend.

use std::sync::Arc;

use kimberly_core::audit::{AuditEntry, AuditRecord};
use kimberly_core::ports::{AuditQuery, Vaults};
use kimberly_store::conformance::fixtures::{at, user};
use kimberly_store::{SqliteOptions, SqliteStore};

use crate::postgres::common::{self, Still};

/// Writes entries in several commits; returns them as stored.
async fn told(vaults: &Arc<dyn Vaults>) -> Vec<AuditRecord> {
    let who = user("u");
    for commit in 0..3 {
        let entry = move |n: i64| AuditEntry {
            at: at(commit * 10 + n),
            actor: "user".into(),
            action: "memory.create",
            refused: (n % 2 == 1).then_some("NOT_FOUND"),
            subject: (n > 1).then(|| format!("mem_{n}'\\")),
            count: u64::from(n.unsigned_abs().trailing_zeros()),
        };
        let work = vaults.transact(&who, "tell", move |tx| {
            Box::pin(async move {
                for n in 0..4 {
                    tx.audit(&entry(n)).await?;
                }
                Ok(())
            })
        });
        work.await.unwrap();
    }
    let query = AuditQuery { limit: 100, ..AuditQuery::default() };
    vaults
        .read(&who, move |reader| {
            let query = query.clone();
            Box::pin(async move { reader.audit_entries(&query).await })
        })
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_entries_have_the_same_hashes_on_every_backend() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteStore::open(SqliteOptions::new(folder.path()), Arc::new(Still)).await.unwrap();
    let postgres = common::open().await;
    let (one, other) = (told(&sqlite.vaults()).await, told(&postgres.vaults).await);
    assert_eq!(one.len(), 12);
    assert_eq!(one, other);
    sqlite.vaults().close().await;
    postgres.vaults.close().await;
}
