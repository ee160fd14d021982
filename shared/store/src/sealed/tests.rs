//! Tests sealing in an unencrypted file, so that every byte can be searched.

use std::path::Path;
use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{DecisionDetail, Detail, MemoryDraft, Metadata, RecordKind};
use kimberly_core::ports::{NewMemory, VaultReader as _, VaultTransaction as _};
use kimberly_core::scoring::{ScoreRecord, Signals, Weights};
use kimberly_core::text::TextTraits;
use kimberly_core::time::Timestamp;
use kimberly_crypto::{KeySources, Keys, Loads};
use uuid::Uuid;

use super::*;
use crate::cache::Budget;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::options::SqliteOptions;
use crate::sqlite::pragmas;
use crate::sqlite::reader::{Access, Writing};
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::schema::VAULT;

const SECRET: &str = "xylothumb";

fn seals(root: &Path) -> Seals {
    let user = UserId::parse("ada").unwrap();
    std::fs::create_dir_all(root.join("data")).unwrap();
    let sources = KeySources { folder: Some(root.join("rings")), ..KeySources::default() };
    let keys = Keys::open(&root.join("data"), &sources, Loads::Both).unwrap();
    let sealer = keys.make_user(&user.folder_name()).unwrap().sealer;
    let analyser = Arc::new(Analyser::new(SqliteOptions::new(root)));
    let seals = Seals::new(&user, keys, analyser, WordsCache::new(Arc::new(Budget::new(1 << 20))));
    seals.hold(sealer);
    seals
}

fn memory(n: u32) -> NewMemory {
    let content = if n.is_multiple_of(2) { format!("{SECRET} number {n}") } else { format!("ordinary words {n}") };
    let metadata = Metadata { sensitive: n.is_multiple_of(2), version: "v1".to_owned(), ..Metadata::default() };
    let score = ScoreRecord {
        version: "1".to_owned(),
        scored_at: Timestamp(0),
        score: 0.5,
        signals: Signals { relevance_to_goals: 0.0, emotional_weight: 0.0, predictive_value: 0.0, recency_freq: 0.0 },
        weights: Weights::new([0.4, 0.3, 0.2, 0.1]),
        inputs: std::collections::BTreeMap::new(),
        best_goal: None,
    };
    NewMemory {
        author: String::new(),
        id: MemoryId(Uuid::from_u128(n.into())),
        size_bytes: content.len() as u64,
        sentiment: 0.0,
        traits: TextTraits { words: 3, ..TextTraits::default() },
        score,
        created_at: Timestamp(n.into()),
        draft: MemoryDraft {
            content,
            attributes: Some(format!("\"{SECRET}\"")).filter(|_| n.is_multiple_of(2)),
            metadata,
            kind: RecordKind::Decision,
            detail: Some(decision()).filter(|_| n.is_multiple_of(2)),
            subject: Some(SECRET.to_owned()).filter(|_| n.is_multiple_of(2)),
            source_ref: Some(SECRET.to_owned()).filter(|_| n.is_multiple_of(2)),
            name: Some(format!("{SECRET}/{n}")).filter(|_| n.is_multiple_of(2)),
            ..MemoryDraft::default()
        },
    }
}

fn decision() -> Detail {
    let choice = format!("the {SECRET} of all");
    Detail::Decision(DecisionDetail { choice, ..DecisionDetail::default() })
}

fn holds(path: &Path) -> bool {
    std::fs::read(path).unwrap().windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}

#[tokio::test]
async fn what_is_sealed_leaves_no_byte_in_tables_index_free_pages_and_log() {
    let root = tempfile::tempdir().unwrap();
    let (path, options) = (root.path().join("memory.db"), SqliteOptions::new(root.path()));
    let mut conn = Conn::open(&pragmas::maker(&path, &options, None), options.busy_timeout).unwrap();
    VAULT.migrate(&mut conn).await.unwrap();
    conn.close().await.unwrap();
    let mut conn = Conn::open(&pragmas::writer(&path, &options, None), options.busy_timeout).unwrap();
    for n in 1..200 {
        conn.run("test", "BEGIN IMMEDIATE", Args::new()).await.unwrap();
        Access::<Writing>::new(&mut conn, None).insert_memories(&[memory(n)]).await.unwrap();
        conn.settle_index().await.unwrap();
        conn.run("test", "COMMIT", Args::new()).await.unwrap();
    }
    let empty = "PRAGMA wal_checkpoint(TRUNCATE)";
    conn.run("test", empty, Args::new()).await.unwrap();
    assert!(holds(&path), "the test can see what it looks for");
    conn.seals = Some(Arc::new(seals(root.path())));
    for n in (2..200).step_by(2) {
        conn.run("test", "BEGIN IMMEDIATE", Args::new()).await.unwrap();
        let mut writing = Access::<Writing>::new(&mut conn, None);
        // Like every update of a sensitive memory.
        let found = writing.memories(&[Seq(n)]).await.unwrap().remove(0);
        writing.update_memory(&found, None).await.unwrap();
        conn.run("test", "COMMIT", Args::new()).await.unwrap();
    }
    conn.run("test", empty, Args::new()).await.unwrap();
    let log = std::fs::metadata(root.path().join("memory.db-wal")).unwrap().len();
    assert!(!holds(&path) && log == 0, "something of it stayed");
    let read = Access::<Writing>::new(&mut conn, None).memories(&[Seq(2), Seq(3)]).await.unwrap();
    assert_eq!(read[0].draft, memory(2).draft);
    assert_eq!(read[1].draft, memory(3).draft);
    let sql =
        "INSERT INTO search (search, rank) VALUES ('integrity-check', 1); SELECT quick_check FROM pragma_quick_check";
    let sound = conn.row("test", sql, Args::new(), |row| Cells::new(row).text()).await.unwrap();
    assert_eq!(sound.as_deref(), Some("ok"));
}

#[tokio::test]
async fn keys_that_another_process_made_meanwhile_are_taken() {
    let root = tempfile::tempdir().unwrap();
    let (ours, id) = (seals(root.path()), MemoryId(Uuid::from_u128(7)));
    let sealed = ours.seal(id, "content", SECRET).unwrap();
    assert_eq!(ours.open(id, "content", &sealed).unwrap(), SECRET);
    assert!(ours.open(id, "attributes", &sealed).is_err() && ours.open(id, "content", &[]).is_err());
    // The keys were not looked up yet; opening a vault does that.
    let fresh = Seals::new(
        &UserId::parse("ada").unwrap(),
        ours.keys_of_test(),
        Arc::clone(&ours.analyser),
        WordsCache::new(Arc::new(Budget::new(0))),
    );
    assert!(!fresh.can_open() && fresh.seal(id, "content", SECRET).is_err());
    fresh.look().await.unwrap();
    assert_eq!(fresh.open(id, "content", &sealed).unwrap(), SECRET);
}

#[test]
fn words_are_cached_within_the_budget_and_evicted() {
    let budget = Arc::new(Budget::new(1_000));
    let words = |created, times: usize| {
        let mut words = Words::new(crate::cache::Stamp { created, changes: 0, items: 1 });
        words.add(1, [0; 29], std::iter::repeat_n("heron", times));
        Arc::new(words)
    };
    let cache = WordsCache::new(Arc::clone(&budget));
    cache.put(&words(2, 50));
    cache.put(&words(1, 1));
    assert_eq!(cache.look().unwrap().stamp.created, 2, "older ones do not replace newer ones");
    cache.put(&words(3, 1_000));
    assert!(cache.look().is_none(), "what does not fit is not kept, and what it replaces neither");
    cache.put(&words(4, 50));
    assert!(!budget.exchange(0, 900) && cache.look().is_some());
    drop(cache);
    assert!(budget.exchange(0, 1_000), "all of it came back");
}
