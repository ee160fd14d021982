//! Sealed sensitive memories: what the page key alone reveals, and what is refused.

use std::path::Path;
use std::sync::Arc;

use kimberly_core::Error;
use kimberly_core::error::StorageFailure;
use kimberly_core::ids::Seq;
use kimberly_core::memory::{MemoryDraft, MemoryFilter, SensitivityFilter};
use kimberly_core::ports::{LexicalHit, LexicalQuery, LexicalTerm};
use kimberly_crypto::{DbKey, Loads};
use kimberly_store::SqliteOptions;
use kimberly_store::conformance::fixtures::{any_of, draft, memory_id, new_memory, user};
use kimberly_store::conformance::{Bed, declared};
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _};

use crate::secret::{WORDS, secret, sensitive};
use crate::sqlite::common::{bed_in, data, databases, encrypted_bed_in, keys, raw_with, store};

fn page_key(root: &Path, name: &str) -> DbKey {
    keys(root, Loads::MasterOnly).user(&user(name).folder_name()).unwrap().unwrap().db
}

/// Connects like someone who has only the page key.
async fn pages(root: &Path, name: &str) -> SqliteConnection {
    let folder = user(name).folder_name();
    let path = data(root).join("vaults").join(&folder[..2]).join(&folder).join("memory.db");
    raw_with(&path, &page_key(root, name)).await.unwrap()
}

/// Returns which words are in which column of any table, including those of the full-text index.
async fn words_in_tables(root: &Path, name: &str, words: &[&str]) -> Vec<String> {
    let mut conn = pages(root, name).await;
    let sql =
        "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c WHERE t.schema = 'main'";
    let columns: Vec<(String, String)> = sqlx::query_as(sql).fetch_all(&mut conn).await.unwrap();
    assert!(columns.iter().any(|(table, _)| table == "search_data") && columns.len() > 100, "{}", columns.len());
    let mut found = Vec::new();
    for (table, column) in columns {
        let sql = format!("SELECT CAST(\"{column}\" AS BLOB) FROM \"{table}\"");
        let values: Result<Vec<Option<Vec<u8>>>, _> = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut conn).await;
        // Some hidden columns of virtual tables cannot be selected.
        for value in values.unwrap_or_default().into_iter().flatten() {
            let value = value.to_ascii_lowercase();
            for word in words.iter().filter(|word| value.windows(word.len()).any(|window| window == word.as_bytes())) {
                found.push(format!("{word} in {table}.{column}"));
            }
        }
    }
    conn.close().await.unwrap();
    found
}

async fn refusal(bed: &Bed, name: &str, n: u128) -> (StorageFailure, String) {
    let read = bed.vaults.read(&user(name), move |r| Box::pin(r.memory(memory_id(n)))).await.unwrap_err();
    let Error::Storage { failure, detail } = read else { unreachable!("{read}") };
    (failure, detail)
}

/// Rows of declared tables, about memories that were sensitive from the start or became so later.
#[tokio::test]
async fn words_of_rows_are_sealed_where_their_memories_are_sensitive() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    for (name, before) in [("before", true), ("later", false), ("never", false)] {
        bed.remember(name, (0..12).map(|_| if before { sensitive("tea") } else { draft("tea") })).await;
        declared::fill(&bed, name, 1).await;
        for n in (1..=12).filter(|_| name == "later") {
            let mut memory = bed.memory(name, n).await.unwrap();
            memory.draft.metadata.sensitive = true;
            bed.write(name, move |tx| {
                let memory = memory.clone();
                Box::pin(async move { tx.update_memory(&memory, None).await })
            })
            .await;
        }
    }
    let read = |name| bed.read(name, |r| Box::pin(declared::all(r)));
    assert!(read("before").await == read("never").await && read("later").await == read("never").await);
    bed.vaults.close().await;
    for name in ["before", "later"] {
        assert_eq!(words_in_tables(root.path(), name, &[declared::WORDS]).await, Vec::<String>::new());
    }
    assert!(!words_in_tables(root.path(), "never", &[declared::WORDS]).await.is_empty());
}

#[tokio::test]
async fn who_has_the_key_of_the_pages_alone_finds_no_word_of_it() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    let plain = MemoryDraft { metadata: draft("").metadata, ..secret() };
    bed.remember("plain", [plain.clone()]).await;
    bed.remember("u", [secret(), draft("ordinary words")]).await;
    // Becomes sensitive later, so its words were in the index.
    bed.insert("u", vec![new_memory(3, plain)]).await;
    let mut memory = bed.memory("u", 3).await.unwrap();
    memory.draft.metadata.sensitive = true;
    bed.write("u", move |tx| {
        let memory = memory.clone();
        Box::pin(async move { tx.update_memory(&memory, None).await })
    })
    .await;
    let bytes: u64 = bed.usage("u").await.counts.iter().flatten().map(|count| count.bytes).sum();
    assert_eq!(bytes, 2 * secret().content.len() as u64 + 14, "the text counts as it is");
    bed.vaults.close().await;
    assert_eq!(words_in_tables(root.path(), "u", &WORDS).await, Vec::<String>::new());
    let seen = words_in_tables(root.path(), "plain", &WORDS).await;
    for word in &WORDS[..3] {
        assert!(seen.iter().any(|seen_at| seen_at.starts_with(word) && seen_at.contains("search_data")), "{seen:?}");
    }
    let bed = encrypted_bed_in(root.path()).await;
    for word in ["xylothumb", "choicemuffin"] {
        assert_eq!(bed.found("u", any_of(&[word])).await, [1, 3], "{word}");
    }
    let about = MemoryFilter { subjects: vec!["SUBJECTOID".to_owned()], ..MemoryFilter::default() };
    assert_eq!(bed.found("u", LexicalQuery { filter: about, ..any_of(&["xylothumb"]) }).await, [1, 3]);
    assert_eq!(bed.memory("u", 3).await.unwrap().draft.detail, secret().detail);
    assert_eq!(bed.memory("u", 3).await.unwrap().draft.attributes, secret().attributes);
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_field_that_was_moved_or_changed_is_named_and_not_shown() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    for name in ["a", "b"] {
        bed.remember(name, [secret(), secret(), draft("ordinary")]).await;
    }
    bed.vaults.close().await;
    let mut of_b = pages(root.path(), "b").await;
    let sql = "SELECT sealed_content FROM memories WHERE seq = 1";
    let foreign: Vec<u8> = sqlx::query_scalar(sql).fetch_one(&mut of_b).await.unwrap();
    of_b.close().await.unwrap();
    for (what, column, changed) in [
        ("of another row", "content", "(SELECT sealed_content FROM memories WHERE seq = 2)"),
        ("of another user", "content", "?"),
        ("of another column", "attributes", "sealed_content"),
        (
            "with another bit",
            "channels",
            "CAST(substr(sealed_channels, 1, 40) || X'00' || substr(sealed_channels, 42) AS BLOB)",
        ),
        ("cut", "content", "substr(sealed_content, 1, 20)"),
    ] {
        let mut conn = pages(root.path(), "a").await;
        let keep = format!("CREATE TABLE kept AS SELECT sealed_{column} AS was FROM memories WHERE seq = 1");
        sqlx::raw_sql(AssertSqlSafe(keep)).execute(&mut conn).await.unwrap();
        let sql = format!("UPDATE memories SET sealed_{column} = {changed} WHERE seq = 1");
        let update = sqlx::query(AssertSqlSafe(sql));
        let update = if changed == "?" { update.bind(foreign.clone()) } else { update };
        update.execute(&mut conn).await.unwrap();
        conn.close().await.unwrap();
        let bed = encrypted_bed_in(root.path()).await;
        let (failure, detail) = refusal(&bed, "a", 1).await;
        assert_eq!(failure, StorageFailure::Corrupt, "{what}");
        let told = format!("the sealed {column} of memory {} does not open", memory_id(1));
        assert!(detail.contains(&told) && !WORDS.iter().any(|word| detail.contains(word)), "{what}: {detail}");
        assert_eq!(bed.memory("a", 2).await.unwrap().draft.content, secret().content, "the others are whole");
        assert_eq!(bed.memory("b", 1).await.unwrap().draft.content, secret().content);
        bed.vaults.close().await;
        let mut conn = pages(root.path(), "a").await;
        let back =
            format!("UPDATE memories SET sealed_{column} = (SELECT was FROM kept) WHERE seq = 1; DROP TABLE kept");
        sqlx::raw_sql(AssertSqlSafe(back)).execute(&mut conn).await.unwrap();
        conn.close().await.unwrap();
    }
    let bed = encrypted_bed_in(root.path()).await;
    assert_eq!(bed.memory("a", 1).await.unwrap().draft, bed.memory("b", 1).await.unwrap().draft);
    bed.vaults.close().await;
}

#[tokio::test]
async fn who_has_the_master_ring_alone_works_and_opens_nothing_that_is_sealed() {
    let root = tempfile::tempdir().unwrap();
    let bed = encrypted_bed_in(root.path()).await;
    bed.remember("u", [secret(), draft("ordinary heron")]).await;
    bed.vaults.close().await;
    let ring = keys(root.path(), Loads::MasterOnly);
    assert!(ring.user(&user("u").folder_name()).unwrap().unwrap().sealer.is_none());
    let store = store(SqliteOptions { keys: ring, ..SqliteOptions::new(data(root.path())) }).await;
    let bed = crate::sqlite::common::bed_of(&store);
    let (failure, detail) = refusal(&bed, "u", 1).await;
    assert_eq!(failure, StorageFailure::Unavailable);
    assert!(detail.contains("does not load the sensitive ring"), "{detail}");
    let subjects = bed.read("u", |r| Box::pin(r.embedding_subjects())).await;
    assert_eq!(subjects.len(), 1);
    let texts = bed.read("u", |r| Box::pin(async move { r.memories(&[Seq(1), Seq(2)]).await })).await;
    assert_eq!(texts.iter().map(|memory| memory.draft.content.as_str()).collect::<Vec<_>>(), ["ordinary heron"]);
    let filter = MemoryFilter { sensitivity: SensitivityFilter::Exclude, ..MemoryFilter::default() };
    assert_eq!(bed.found("u", LexicalQuery { filter, ..any_of(&["heron"]) }).await, [2]);
    let memory = Arc::new(new_memory(3, secret()));
    let u = user("u");
    let written = bed.vaults.transact(&u, "test", move |tx| {
        let memory = Arc::clone(&memory);
        Box::pin(async move { tx.insert_memories(std::slice::from_ref(&memory)).await })
    });
    let refused = written.await.unwrap_err().to_string();
    assert!(refused.contains("does not load the sensitive ring"), "{refused}");
    assert_eq!(bed.insert("u", vec![new_memory(3, draft("plain"))]).await, [Seq(3)]);
    bed.vaults.close().await;
}

/// Random choices from a seed (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n as u64).unwrap()
    }

    fn word(&mut self) -> &'static str {
        ["heron", "Herons", "tea", "teapot", "étude", "run", "running", "snow", "a", "the", "x-ray", "l'eau"]
            [self.below(12)]
    }

    fn text(&mut self, most: usize) -> String {
        (0..=self.below(most)).map(|_| self.word()).collect::<Vec<_>>().join([" ", ", ", "... "][self.below(3)])
    }

    fn query(&mut self) -> LexicalQuery {
        let term = |dice: &mut Self| {
            let words = (0..=dice.below(2)).map(|_| dice.word().to_owned()).collect();
            LexicalTerm { words, prefix: dice.below(4) == 0 }
        };
        let any = (0..self.below(4)).map(|_| term(self)).collect();
        let all = (0..self.below(2)).map(|_| term(self)).collect();
        LexicalQuery { any, all, filter: MemoryFilter::default() }
    }
}

/// Compares the search among sealed memories with FTS5 itself.
#[tokio::test]
async fn sealed_memories_are_found_and_weighed_as_the_index_does_it() {
    let (folder, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (plain, sealed) = (bed_in(folder.path()).await, encrypted_bed_in(root.path()).await);
    let mut dice = Dice(7);
    let texts: Vec<String> = (0..120).map(|_| dice.text(12)).collect();
    plain.remember("u", texts.iter().map(|text| draft(text))).await;
    sealed.remember("all", texts.iter().map(|text| sensitive(text))).await;
    sealed
        .remember(
            "half",
            texts.iter().enumerate().map(|(n, text)| if n.is_multiple_of(2) { draft(text) } else { sensitive(text) }),
        )
        .await;
    let hits = |bed: &Bed, name: &'static str, query: &LexicalQuery| {
        let (vaults, query) = (Arc::clone(&bed.vaults), query.clone());
        async move {
            let user = user(name);
            let read = vaults.read(&user, move |r| {
                let query = query.clone();
                Box::pin(async move { r.lexical(&query, 1_000).await })
            });
            let mut hits: Vec<LexicalHit> = read.await.unwrap();
            hits.sort_by_key(|hit| hit.seq);
            hits
        }
    };
    let mut found = 0;
    for _ in 0..300 {
        let query = dice.query();
        let expected = hits(&plain, "u", &query).await;
        let all = hits(&sealed, "all", &query).await;
        let seqs = |hits: &[LexicalHit]| hits.iter().map(|hit| hit.seq).collect::<Vec<_>>();
        assert_eq!(seqs(&all), seqs(&expected), "{query:?}");
        for (ours, theirs) in all.iter().zip(&expected) {
            let tolerance = 1e-9 * theirs.bm25.abs().max(1.0);
            assert!((ours.bm25 - theirs.bm25).abs() < tolerance, "{query:?}: {} {}", ours.bm25, theirs.bm25);
        }
        let half = hits(&sealed, "half", &query).await;
        assert_eq!(seqs(&half), seqs(&expected), "{query:?}");
        // BM25 of sealed memories is computed over all memories, sealed or not.
        for (ours, theirs) in half.iter().zip(&expected).filter(|(ours, _)| ours.seq.0 % 2 == 0) {
            let tolerance = 1e-9 * theirs.bm25.abs().max(1.0);
            assert!((ours.bm25 - theirs.bm25).abs() < tolerance, "{query:?}: {} {}", ours.bm25, theirs.bm25);
        }
        found += expected.len();
    }
    assert!(found > 2_000, "only {found} hits were compared");
    plain.vaults.close().await;
    sealed.vaults.close().await;
}

#[tokio::test]
async fn without_encryption_nothing_is_sealed() {
    let folder = tempfile::tempdir().unwrap();
    let bed = bed_in(folder.path()).await;
    bed.remember("u", [secret()]).await;
    assert_eq!(bed.found("u", any_of(&["xylothumb"])).await, [1]);
    bed.vaults.close().await;
    let mut conn = crate::sqlite::common::raw(&databases(folder.path())[0]).await;
    let sql = "SELECT content, sealed_content IS NULL FROM memories";
    let (content, plain): (String, bool) = sqlx::query_as(sql).fetch_one(&mut conn).await.unwrap();
    assert_eq!((content, plain), (secret().content, true));
}
