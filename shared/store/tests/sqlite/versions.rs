//! Files of other versions.

use kimberly_core::Error;
use kimberly_core::error::StorageFailure;
use kimberly_core::statements::VaultKey;
use kimberly_core::tables::{TableRow as _, find, put};
use kimberly_store::SqliteOptions;
use kimberly_store::conformance::fixtures::{draft, user};

use uuid::Uuid;

use crate::sqlite::common::{Still, bed_in, databases, execute};

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

#[tokio::test]
async fn a_registry_of_a_newer_build_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    bed_in(folder.path()).await.vaults.close().await;
    execute(&folder.path().join("system.db"), "PRAGMA user_version = 2").await;
    let opened = kimberly_store::SqliteStore::open(SqliteOptions::new(folder.path()), std::sync::Arc::new(Still)).await;
    let error = opened.unwrap_err().to_string();
    assert!(error.contains("the registry of schema version 2"), "{error}");
}

#[tokio::test]
async fn a_vault_of_version_1_gets_the_tables_that_it_lacks_and_keeps_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    bed.remember("u", [draft("from before")]).await;
    bed.vaults.close().await;
    let database = databases(folder.path()).pop().unwrap();
    for statement in ["DROP TABLE struck", "DROP TABLE forgotten", "DROP TABLE vault_keys", "PRAGMA user_version = 1"] {
        execute(&database, statement).await;
    }
    let bed = bed_in(folder.path()).await;
    let usage = bed.vaults.read(&user("u"), |r| Box::pin(r.usage())).await.unwrap();
    assert!(format!("{usage:?}").contains('1'), "{usage:?}");
    let key = VaultKey { one: Uuid::from_u128(1), other: Uuid::from_u128(2) };
    let user = user("u");
    let kept = bed.vaults.transact(&user, "test", move |tx| {
        Box::pin(async move {
            put(tx, &[key]).await?;
            find::<VaultKey>(tx.as_reader(), &VaultKey::query()).await
        })
    });
    assert_eq!(kept.await.unwrap(), [key]);
    bed.vaults.close().await;
}
