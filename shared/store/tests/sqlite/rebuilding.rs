//! The full-text index is rebuilt beside the one that answers, in short transactions, and may be interrupted anywhere.

use std::path::Path;

use kimberly_core::ids::Seq;
use kimberly_core::memory::MemoryState;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_of, at, draft, new_memory, user};
use sqlx::Connection as _;
use sqlx::sqlite::SqliteConnection;

use crate::sqlite::common::{bed_in, databases, raw, words_in};

/// Most rows that a page may add or remove.
const PAGE: i64 = 512;
/// Most blocks of up to 4 KB of a removed index.
const BLOCKS: i64 = 256;

/// Rows and blocks of an index; none if there is none.
async fn size(database: &Path, index: &str) -> (i64, i64) {
    let mut conn = raw(database).await;
    let of = async |conn: &mut SqliteConnection, table: &str| {
        let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {index}_{table}"));
        sqlx::query_scalar(sql).fetch_one(conn).await.unwrap_or_default()
    };
    let found = (of(&mut conn, "docsize").await, of(&mut conn, "data").await);
    conn.close().await.unwrap();
    found
}

/// Asserts that the index holds exactly the texts of all memories, and that nothing is left of a rebuild.
async fn assert_whole(database: &Path) {
    let mut conn = raw(database).await;
    let check = "INSERT INTO search (search, rank) VALUES ('integrity-check', 1)";
    sqlx::raw_sql(check).execute(&mut conn).await.unwrap();
    let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'search_next%' OR name LIKE 'search_old%' \
         OR name LIKE 'search_rebuild%'";
    let left: i64 = sqlx::query_scalar(left).fetch_one(&mut conn).await.unwrap();
    assert_eq!(left, 0);
    conn.close().await.unwrap();
}

/// Long enough that no index is removed in one page.
async fn with_memories(folder: &Path) -> (Bed, std::path::PathBuf) {
    let bed = bed_in(folder).await;
    let words = |n: u32| (0..60).map(|w| format!("word{}", (n * 31 + w * 7919) % 50_000)).collect::<Vec<_>>().join(" ");
    bed.remember("u", (0..4_000).map(|n| draft(&format!("heron {n} {}", words(n))))).await;
    let database = databases(folder).pop().unwrap();
    (bed, database)
}

#[tokio::test]
async fn no_transaction_of_a_rebuild_writes_more_than_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let (bed, database) = with_memories(folder.path()).await;
    let (_, blocks) = size(&database, "search").await;
    assert!(blocks > BLOCKS + 10, "{blocks} blocks");
    let (mut after, mut before) = (None, ((0, 0), (0, 0)));
    let mut swapped = false;
    loop {
        after = bed.rebuild_page("u", 1, after).await.unwrap();
        assert_eq!(bed.found("u", any_of(&["heron"])).await.len(), 100);
        let now = (size(&database, "search_next").await, size(&database, "search_old").await);
        if now.1.0 > before.1.0 {
            assert!(!swapped, "once");
            swapped = true;
        } else {
            assert!(now.0.0 - before.0.0 <= PAGE, "filled: {before:?} {now:?}");
            assert!(before.1.1 - now.1.1 <= BLOCKS + 10, "removed: {before:?} {now:?}");
        }
        before = now;
        if after.is_none() {
            break;
        }
    }
    assert!(swapped);
    assert_whole(&database).await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_rebuild_that_was_interrupted_harms_nothing_and_the_next_one_clears_up() {
    let folder = tempfile::tempdir().unwrap();
    let (mut bed, database) = with_memories(folder.path()).await;
    let pages = bed.rebuild("u", async |_| {}).await;
    for (n, cut) in (1_u32..).zip([1, 2, 3, 5, 7, pages / 2, pages - 3, pages - 1]) {
        let mut after = None;
        for _ in 0..cut {
            after = bed.rebuild_page("u", 2, after).await.unwrap();
        }
        // Another process goes on with what the interrupted one left.
        bed.vaults.close().await;
        bed = bed_in(folder.path()).await;
        bed.insert("u", vec![new_memory(10_000 + n, draft("giraffe"))]).await;
        bed.set_state("u", Seq(i64::from(n)), MemoryState::Deleted).await;
        bed.set_state("u", Seq(i64::from(2_990 - n)), MemoryState::Deleted).await;
        assert_eq!(bed.found("u", any_of(&["giraffe"])).await.len(), n as usize);
        if n % 3 == 0 {
            bed.rebuild("u", async |_| {}).await;
            assert_whole(&database).await;
        }
    }
    bed.rebuild("u", async |_| {}).await;
    assert_whole(&database).await;
    bed.vaults.close().await;
}

#[tokio::test]
async fn the_later_of_two_rebuilds_is_completed_and_the_earlier_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let (bed, database) = with_memories(folder.path()).await;
    let mut earlier = None;
    for _ in 0..4 {
        earlier = bed.rebuild_page("u", 1, earlier).await.unwrap();
    }
    let later = bed.rebuild_page("u", 2, None).await.unwrap();
    let refused = bed.rebuild_page("u", 1, earlier).await.unwrap_err().to_string();
    assert!(refused.contains("a later call"), "{refused}");
    let mut after = later;
    while after.is_some() {
        after = bed.rebuild_page("u", 2, after).await.unwrap();
    }
    assert!(bed.rebuild_page("u", 1, earlier).await.is_err());
    assert_whole(&database).await;
    bed.vaults.close().await;
}

/// A word of an erased memory stays in neither index, whichever page of a rebuild was the last.
#[tokio::test]
async fn words_erased_during_a_rebuild_leave_no_byte_in_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let (bed, database) = with_memories(folder.path()).await;
    let word = |page: usize| format!("xylothumb{page:03}");
    for page in 1..50 {
        let n = 10_000 + u32::try_from(page).unwrap();
        bed.insert("u", vec![new_memory(n, draft(&word(page)))]).await;
    }
    let pages = bed.rebuild("u", async |page| {
        let word = word(page);
        let found = bed.found("u", any_of(&[word.as_str()])).await;
        assert_eq!(found.len(), 1, "page {page}");
        let seq = Seq(found[0]);
        bed.write("u", move |tx| Box::pin(async move { tx.erase_memories(&[seq], at(9)).await })).await;
        assert!(bed.vaults.empty_log(&user("u")).await.unwrap());
        let left = words_in(folder.path(), &[word.as_str()]);
        assert!(left.is_empty(), "page {page}: {left:?}");
    });
    assert!(pages.await > 8);
    assert_whole(&database).await;
    bed.vaults.close().await;
}
