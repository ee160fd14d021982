//! Small vaults are scanned row by row; for large ones the indices of words and substrings are used.

use std::sync::Arc;

use kimberly_core::memory::MemoryFilter;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_of, draft, new_memory};
use kimberly_store::{PgOptions, PgStore};

use crate::postgres::common::{Database, Still, bed, run};

/// Number of memories; with fewer no index pays.
const MEMORIES: u32 = 600;
/// The same indices without the user column, so that Postgres uses them for words alone.
const FOR_WORDS_ALONE: &str = "DROP INDEX kimberly.memories_indexed, kimberly.memories_content; \
     CREATE INDEX memories_indexed ON kimberly.memories USING gin (indexed); \
     CREATE INDEX memories_content ON kimberly.memories USING gin (content gin_trgm_ops); \
     ANALYZE kimberly.memories";
/// Excludes the indices from updates, but queries still use them.
const PAUSE: &str = "UPDATE pg_index SET indisready = false \
     WHERE indexrelid IN ('kimberly.memories_indexed'::regclass, 'kimberly.memories_content'::regclass)";
const GO_ON: &str = "UPDATE pg_index SET indisready = true \
     WHERE indexrelid IN ('kimberly.memories_indexed'::regclass, 'kimberly.memories_content'::regclass)";

/// Opens a process without caches.
async fn process(database: &Database, looks_through: u32) -> Bed {
    let options = PgOptions { kept_bytes: 0, looks_through, ..database.options() };
    bed(PgStore::open(options, Arc::new(Still)).await.unwrap(), ())
}

/// Counts memories found by a word and by a substring, and returns whether the word is known, with and without a filter.
async fn found(bed: &Bed) -> (usize, [bool; 2], usize) {
    let lexical = bed.found("u", any_of(&["walrus"])).await.len();
    let (known, held) = bed
        .read("u", |r| {
            Box::pin(async move {
                let (word, filter) = (["walrus".to_owned()], MemoryFilter::default());
                let known = [r.known_words(&word, None).await?[0], r.known_words(&word, Some(&filter)).await?[0]];
                Ok((known, r.substring("alru", &filter, 9).await?.len()))
            })
        })
        .await;
    (lexical, known, held)
}

/// Memories missing in the indices are found by a scan, and only by a scan.
#[tokio::test]
async fn small_vaults_are_looked_through_and_the_indices_are_asked_of_large_ones() {
    let database = Database::with_tables().await;
    let small = process(&database, MEMORIES + 1).await;
    let drafts = (0..MEMORIES).map(|n| draft(&format!("heron {n} by the river, with word{n} and part{n} of it")));
    small.remember("u", drafts).await;
    let owner = &mut database.connect().await;
    run(owner, FOR_WORDS_ALONE).await;
    run(owner, PAUSE).await;
    small.insert("u", vec![new_memory(9_999, draft("one walrus"))]).await;
    run(owner, GO_ON).await;
    let (small, large) = (process(&database, MEMORIES + 1).await, process(&database, MEMORIES).await);
    assert_eq!(found(&small).await, (1, [true; 2], 1), "it is looked through");
    assert_eq!(found(&large).await, (0, [false; 2], 0), "the indices are asked");
}
