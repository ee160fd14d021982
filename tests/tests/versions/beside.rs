//! A migration that older builds can work beside.

use std::collections::HashMap;

use kimberly_proto::v1 as pb;
use kimberly_store::conformance::database::Database;
use kimberly_store::postgres::Migration;
use kimberly_tests::System;
use kimberly_tests::oracle::{Load, ask_for_a_run, assert_books_and_vaults_agree, user};

use crate::versions::newer::Newer;
use crate::versions::{OWN, SERVES_FROM, system, version};

/// Users with two writers each; the next version writes for the first user.
const USERS: usize = 2;
const SEED: u64 = 6;

/// An additive migration: a column and an index of a table that all write to, and a table under row-level security.
const ADDS: Migration = Migration {
    sql: "ALTER TABLE memories ADD COLUMN mood text; \
          CREATE INDEX memories_mood ON memories (user_id, mood) WHERE mood IS NOT NULL; \
          CREATE TABLE moods (user_id text COLLATE \"C\" NOT NULL, memory uuid NOT NULL, PRIMARY KEY (user_id, memory)); \
          ALTER TABLE moods ENABLE ROW LEVEL SECURITY; ALTER TABLE moods FORCE ROW LEVEL SECURITY; \
          CREATE POLICY of_user ON moods USING (user_id = current_setting('kimberly.user_id', true))",
    serves_from: OWN,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_of_two_versions_work_side_by_side_through_a_migration() {
    let database = Database::make().await;
    let mut system = system(&database).await;
    let load = Load::start(&system, USERS, SEED);
    load.goes_on(40).await;
    ask_for_a_run(&system.user(&user(0))).await;
    assert_eq!(version(&database).await, (OWN, SERVES_FROM));
    let mut newer = Newer::start(&system, &database, &user(0), ADDS).await;
    assert_eq!(version(&database).await, (OWN + 1, OWN), "the migration ran during writes");
    newer.write(10).await;
    load.goes_on(40).await;
    restart_all(&mut system, &load, &mut newer).await;
    // Another process of the next version finds its migration done.
    let mut another = Newer::start(&system, &database, &user(1), ADDS).await;
    another.write(5).await;
    change_one(&system, &mut newer).await;
    load.goes_on(40).await;

    let mut books = load.stop().await;
    for process in system.processes() {
        process.assert_running();
    }
    let read = [newer.everything().await, another.everything().await];
    let written = newer.book.memories.len() + another.book.memories.len();
    books.extend([newer.book, another.book]);
    let found = assert_books_and_vaults_agree(&system, &books).await;
    assert!(found.acknowledged > 100 && found.runs > 0, "{found:?}: the test proves little");
    for (number, read) in read.into_iter().enumerate() {
        let read: HashMap<String, String> = read.into_iter().collect();
        for (id, (content, _)) in books.iter().filter(|book| book.user == user(number)).flat_map(|book| &book.memories)
        {
            assert_eq!(read.get(id), Some(content), "{id}, as the next version reads it");
        }
    }
    let kept = "SELECT count(*)::text FROM kimberly.memories JOIN kimberly.moods USING (user_id) \
         WHERE memories.id = moods.memory AND mood = 'calm'";
    assert_eq!(database.texts(kept).await, [written.to_string()], "the data that only the next version knows");
}

/// Stops every process of this version one by one, some gracefully and some not, and restarts it beside the next
/// version.
async fn restart_all(system: &mut System, load: &Load, newer: &mut Newer<'_>) {
    for number in 0..system.processes().len() {
        ask_for_a_run(&system.user(&user(number % USERS))).await;
        if number % 2 == 0 {
            system.processes()[number].kill9();
        } else {
            assert!(system.processes()[number].stop().success(), "process {number} ends well");
        }
        newer.write(1).await;
        system.processes()[number].start_again();
        system.wait_until_serving().await;
        load.goes_on(10).await;
    }
}

/// This version changes a memory of the next one, and preserves what it does not know.
async fn change_one(system: &System, newer: &mut Newer<'_>) {
    let (id, (content, _)) = newer.book.memories.iter_mut().next().expect("it has written");
    let memory = pb::MemoryDraft { content: "changed by the version before".to_owned(), ..pb::MemoryDraft::default() };
    let request = pb::UpdateMemoryRequest {
        user_id: user(0),
        id: id.clone(),
        memory: Some(memory.clone()),
        update_mask: Some(prost_types::FieldMask { paths: vec!["content".to_owned()] }),
        ..pb::UpdateMemoryRequest::default()
    };
    system.clients().memories.update_memory(request).await.expect("a memory is changed");
    *content = memory.content;
}
