//! Sealed sensitive memories: what a reader of the database finds, what is refused, and their life across several
//! processes and in a purge.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::Seq;
use kimberly_core::memory::{MemoryDraft, MemoryFilter, MemoryRecord, SensitivityFilter};
use kimberly_core::ports::{By, ErasesUsers, LexicalQuery};
use kimberly_core::usecases::purge::{Elsewhere, run_purge};
use kimberly_core::{PurgeId, UserId};
use kimberly_crypto::Loads;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{any_of, any_state, at, draft, memory_id, new_memory, user};
use kimberly_store::{PgOptions, PgStore};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row as _};
use uuid::Uuid;

use crate::postgres::common::{Database, Machine, Still, bed, number, run};
use crate::secret::{WORDS, secret};

fn plain() -> MemoryDraft {
    MemoryDraft { metadata: draft("").metadata, ..secret() }
}

async fn bed_of(machine: &Machine, database: &Database) -> Bed {
    bed(machine.store(database).await, ())
}

/// Returns which of the words are in which column of which table, in rows of one user.
async fn words_in_tables(conn: &mut PgConnection, name: &str) -> Vec<String> {
    let sql = "SELECT c.table_name::text, c.column_name::text, c.data_type::text, EXISTS (SELECT 1 \
         FROM information_schema.columns u WHERE u.table_schema = c.table_schema AND u.table_name = c.table_name \
         AND u.column_name = 'user_id') FROM information_schema.columns c \
         JOIN information_schema.tables t USING (table_schema, table_name) \
         WHERE c.table_schema = 'kimberly' AND t.table_type = 'BASE TABLE'";
    let columns = sqlx::query(sql).fetch_all(&mut *conn).await.unwrap();
    let kinds: Vec<String> = columns.iter().map(|row| row.get(2)).collect();
    assert!(columns.len() > 150 && kinds.iter().any(|kind| kind == "tsvector"), "{} columns", columns.len());
    let mut found = Vec::new();
    for column in columns {
        let (table, name_of, kind, of_user): (String, String, String, bool) =
            (column.get(0), column.get(1), column.get(2), column.get(3));
        let condition = if of_user { format!("user_id = '{name}'") } else { "true".to_owned() };
        for word in WORDS {
            // Bytes are searched as they are, other types in their text form.
            let held = if kind == "bytea" {
                format!("position(convert_to('{word}', 'UTF8') in \"{name_of}\") > 0")
            } else {
                format!("position('{word}' in lower(\"{name_of}\"::text)) > 0")
            };
            let sql = format!("SELECT count(*) FROM kimberly.\"{table}\" WHERE {condition} AND {held}");
            if number(conn, &sql).await > 0 {
                found.push(format!("{word} in {table}.{name_of}"));
            }
        }
    }
    found
}

async fn refusal(bed: &Bed, name: &str, n: u128) -> (StorageFailure, String) {
    let read = bed.vaults.read(&user(name), move |r| Box::pin(r.memory(memory_id(n)))).await.unwrap_err();
    let Error::Storage { failure, detail } = read else { unreachable!("{read}") };
    (failure, detail)
}

async fn records(bed: &Bed) -> Vec<MemoryRecord> {
    bed.read("u", |r| Box::pin(async move { r.export(&any_state(), None, 1_000, 1 << 24).await })).await
}

async fn content(bed: &Bed, n: u128) -> String {
    bed.memory("u", n).await.unwrap().draft.content
}

async fn make_sensitive(bed: &Bed, n: u128) {
    let mut memory = bed.memory("u", n).await.unwrap();
    memory.draft.metadata.sensitive = true;
    bed.write("u", move |tx| {
        let memory = memory.clone();
        Box::pin(async move { tx.update_memory(&memory, None).await })
    })
    .await;
}

#[tokio::test]
async fn who_reads_the_database_finds_no_word_of_it() {
    let (database, machine) = (Database::with_tables().await, Machine::new());
    let bed = bed_of(&machine, &database).await;
    bed.remember("plain", [plain()]).await;
    bed.remember("u", [secret(), draft("ordinary words")]).await;
    // Becomes sensitive later, so its words were in the index.
    bed.insert("u", vec![new_memory(3, plain())]).await;
    make_sensitive(&bed, 3).await;
    // An imported record with its history.
    let mut record = records(&bed).await.remove(0);
    record.memory.id = memory_id(9);
    bed.write("u", move |tx| {
        let record = record.clone();
        Box::pin(async move { tx.insert_records(&[record], at(1)).await })
    })
    .await;
    let bytes: u64 = bed.usage("u").await.counts.iter().flatten().map(|count| count.bytes).sum();
    assert_eq!(bytes, 3 * secret().content.len() as u64 + 14, "the text counts as it is");
    let conn = &mut database.connect().await;
    assert_eq!(words_in_tables(conn, "u").await, Vec::<String>::new());
    let seen = words_in_tables(conn, "plain").await;
    for (word, column) in [("xylothumb", "content"), ("quibblezorp", "indexed"), ("attribuzle", "attributes")] {
        assert!(seen.contains(&format!("{word} in memories.{column}")), "{seen:?}");
    }
    assert_eq!(bed.found("u", any_of(&["xylothumb"])).await, [1, 3, 4]);
    bed.vaults.close().await;
    // Another process, without caches.
    let bed = bed_of(&machine, &database).await;
    assert_eq!(bed.found("u", any_of(&["xylothumb"])).await, [1, 3, 4]);
    assert_eq!(bed.memory("u", 3).await.unwrap().draft.attributes, secret().attributes);
    assert_eq!(bed.memory("u", 9).await.unwrap().draft.metadata.channels, secret().metadata.channels);
    bed.vaults.close().await;
}

#[tokio::test]
async fn a_field_that_was_moved_or_changed_is_named_and_not_shown() {
    let (database, machine) = (Database::with_tables().await, Machine::new());
    let bed = bed_of(&machine, &database).await;
    for name in ["a", "b"] {
        bed.remember(name, [secret(), secret(), draft("ordinary")]).await;
    }
    let conn = &mut database.connect().await;
    for (what, column, changed) in [
        ("of another row", "content", "(SELECT sealed_content FROM kimberly.memories WHERE user_id = 'a' AND seq = 2)"),
        (
            "of another user",
            "content",
            "(SELECT sealed_content FROM kimberly.memories WHERE user_id = 'b' AND seq = 1)",
        ),
        ("of another column", "attributes", "sealed_content"),
        ("with another bit", "channels", "set_byte(sealed_channels, 40, get_byte(sealed_channels, 40) # 1)"),
        ("cut", "content", "substr(sealed_content, 1, 20)"),
    ] {
        let keep = format!(
            "CREATE TABLE kept AS SELECT sealed_{column} AS was FROM kimberly.memories WHERE user_id = 'a' AND seq = 1"
        );
        run(conn, &keep).await;
        let first = "WHERE user_id = 'a' AND seq = 1";
        run(conn, &format!("UPDATE kimberly.memories SET sealed_{column} = {changed} {first}")).await;
        let (failure, detail) = refusal(&bed, "a", 1).await;
        assert_eq!(failure, StorageFailure::Corrupt, "{what}");
        let told = format!("the sealed {column} of memory {} does not open", memory_id(1));
        assert!(detail.contains(&told) && !WORDS.iter().any(|word| detail.contains(word)), "{what}: {detail}");
        assert_eq!(bed.memory("a", 2).await.unwrap().draft.content, secret().content, "the others are whole");
        let back =
            format!("UPDATE kimberly.memories SET sealed_{column} = (SELECT was FROM kept) {first}; DROP TABLE kept");
        run(conn, &back).await;
    }
    assert_eq!(bed.memory("a", 1).await.unwrap().draft, bed.memory("b", 1).await.unwrap().draft);
    bed.vaults.close().await;
}

#[tokio::test]
async fn who_has_the_master_ring_alone_works_and_opens_nothing_that_is_sealed() {
    let (database, machine) = (Database::with_tables().await, Machine::new());
    let bed = bed_of(&machine, &database).await;
    bed.remember("u", [secret(), draft("ordinary heron")]).await;
    let keys = machine.keys(&database, Loads::MasterOnly);
    let store = PgStore::open(PgOptions { keys, ..database.options() }, Arc::new(Still)).await.unwrap();
    let master = crate::postgres::common::bed(store, ());
    let (failure, detail) = refusal(&master, "u", 1).await;
    assert_eq!(failure, StorageFailure::Unavailable);
    assert!(detail.contains("does not load the sensitive ring"), "{detail}");
    assert_eq!(master.read("u", |r| Box::pin(r.embedding_subjects())).await.len(), 1);
    let filter = MemoryFilter { sensitivity: SensitivityFilter::Exclude, ..MemoryFilter::default() };
    assert_eq!(master.found("u", LexicalQuery { filter, ..any_of(&["heron"]) }).await, [2]);
    let memory = Arc::new(new_memory(3, secret()));
    for who in ["u", "newcomer"] {
        let memory = Arc::clone(&memory);
        let who = user(who);
        let written = master.vaults.transact(&who, "test", move |tx| {
            let memory = Arc::clone(&memory);
            Box::pin(async move { tx.insert_memories(std::slice::from_ref(&memory)).await })
        });
        let refused = written.await.unwrap_err().to_string();
        assert!(refused.contains("sensitive memories are sealed"), "{refused}");
    }
    assert_eq!(master.insert("u", vec![new_memory(3, draft("plain"))]).await, [Seq(3)]);
    // Keys of a vault created by a process without the ring are made once a process with it writes.
    master.insert("newcomer", vec![new_memory(1, draft("plain"))]).await;
    bed.insert("newcomer", vec![new_memory(2, secret())]).await;
    assert_eq!(bed.memory("newcomer", 2).await.unwrap().draft, secret());
    assert_eq!(words_in_tables(&mut database.connect().await, "newcomer").await, Vec::<String>::new());
}

struct Nothing;

#[async_trait]
impl ErasesUsers for Nothing {
    async fn erase(&self, _: &UserId) -> Result<()> {
        Ok(())
    }
}

async fn purge(bed: &Bed, n: u128) -> kimberly_core::erasure::Purge {
    let (vectors, attachments, jobs) = (Arc::new(Nothing), Arc::new(Nothing), Arc::new(Nothing));
    let id = PurgeId(Uuid::from_u128(n));
    bed.purges.begin(id, &user("u"), &By::new("key:ann", at(1))).await.unwrap();
    run_purge(&*bed.purges, &Elsewhere { vectors, attachments, jobs }, &Still, id).await.unwrap()
}

/// Old ciphertexts cannot be opened anywhere, and no process seals with cached keys.
#[tokio::test]
async fn a_purge_destroys_the_keys_for_every_process() {
    let (database, one) = (Database::with_tables().await, Machine::new());
    let here = bed_of(&one, &database).await;
    let two = Machine::with_rings_of(&one);
    let there = bed_of(&two, &database).await;
    let conn = &mut database.connect().await;
    let hash = user("u").folder_name();
    let keys_of_u = format!("SELECT count(*) FROM kimberly.wrapped_keys WHERE name = '{hash}'");
    let mut copies = Vec::new();
    for round in 1..4_u128 {
        here.remember("u", [secret()]).await;
        assert_eq!((content(&here, 1).await, content(&there, 1).await), (secret().content, secret().content));
        there.insert("u", vec![new_memory(2, secret())]).await;
        assert_eq!(here.found("u", any_of(&["xylothumb"])).await, [1, 2]);
        assert_eq!(number(conn, &keys_of_u).await, 1);
        let sql = format!("SELECT file FROM kimberly.wrapped_keys WHERE name = '{hash}'");
        copies.push(sqlx::query_scalar::<_, Vec<u8>>(AssertSqlSafe(sql)).fetch_one(&mut *conn).await.unwrap());
        let kept = "SELECT sealed_content FROM kimberly.memories WHERE user_id = 'u' AND seq = 1";
        run(conn, &format!("DROP TABLE IF EXISTS kept; CREATE TABLE kept AS {kept}")).await;
        let receipt = purge(&there, round).await;
        assert!(receipt.erased.key_file);
        assert_eq!(number(conn, &keys_of_u).await, 0);
    }
    assert!(copies[0] != copies[1] && copies[1] != copies[2], "a user who comes back has other keys");
    // A copy of a ciphertext, restored without its key.
    here.remember("u", [secret()]).await;
    let put_back =
        "UPDATE kimberly.memories SET sealed_content = (SELECT sealed_content FROM kept) WHERE user_id = 'u'";
    run(conn, put_back).await;
    assert_eq!(refusal(&here, "u", 1).await.0, StorageFailure::Corrupt);
    assert_eq!(refusal(&there, "u", 1).await.0, StorageFailure::Corrupt);
}

/// A process that continues a purge which others have completed destroys nothing of a user who has returned.
#[tokio::test]
async fn who_was_overtaken_in_a_purge_leaves_new_keys_alone() {
    let (database, machine) = (Database::with_tables().await, Machine::new());
    let bed = bed_of(&machine, &database).await;
    bed.remember("u", [secret()]).await;
    purge(&bed, 1).await;
    bed.remember("u", [secret()]).await;
    bed.purges.destroy_vault(&user("u"), PurgeId(Uuid::from_u128(1))).await.unwrap();
    let fresh = bed_of(&machine, &database).await;
    assert_eq!(content(&fresh, 1).await, secret().content);
}

/// A writer that waits for the end of a purge seals with the new vault's keys, and a reader whose vault is purged gets
/// an error that says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn purges_beside_writers_leave_nothing_that_does_not_open() {
    let (database, one) = (Database::with_tables().await, Machine::new());
    let first = bed_of(&one, &database).await;
    let two = Machine::with_rings_of(&one);
    let beds = [first, bed_of(&two, &database).await].map(Arc::new);
    let writers: Vec<_> = beds
        .iter()
        .map(|bed| {
            let bed = Arc::clone(bed);
            tokio::spawn(async move {
                let (mut written, mut tries) = (0, 0);
                // On a busy machine all attempts may meet a purge: continue until the purges have ended.
                while tries < 60 || written == 0 {
                    tries += 1;
                    let u = user("u");
                    let work = bed.vaults.transact(&u, "test", |tx| {
                        Box::pin(async move {
                            let n = u32::try_from(tx.usage().await?.created).unwrap_or_default() + 1;
                            tx.insert_memories(&[new_memory(n, secret())]).await.map(drop)
                        })
                    });
                    match work.await {
                        Ok(()) => written += 1,
                        Err(Error::Purging) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
                written
            })
        })
        .collect();
    for n in 1..6 {
        purge(&beds[0], n).await;
    }
    let mut written = 0;
    for writer in writers {
        written += writer.await.unwrap();
    }
    assert!(written > 0);
    beds[0].insert("u", vec![new_memory(9_999, secret())]).await;
    for bed in &beds {
        let all = records(bed).await;
        assert!(!all.is_empty() && all.iter().all(|record| record.memory.draft == secret()));
    }
}
