//! Files stay intact, and the full-text index consistent with the memories, through random changes.

use sqlx::Row as _;

use kimberly_store::conformance::counting::counters_always_equal_a_full_count;

use crate::sqlite::common::{bed_in, databases, raw};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_and_index_are_sound_after_random_changes() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    counters_always_equal_a_full_count(&bed).await;
    bed.vaults.close().await;
    let mut conn = raw(&databases(folder.path()).pop().unwrap()).await;
    let checked = sqlx::query("PRAGMA integrity_check").fetch_one(&mut conn).await.unwrap();
    assert_eq!(checked.get::<String, _>(0), "ok");
    // Compares the index with its texts; fails if they differ.
    sqlx::query("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)").execute(&mut conn).await.unwrap();
}
