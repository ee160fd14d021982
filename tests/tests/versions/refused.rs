//! A migration that this version cannot work beside.

use kimberly_store::conformance::database::Database;
use kimberly_store::postgres::Migration;

use crate::versions::newer::Newer;
use crate::versions::{OWN, system, version};

/// Older builds could still write, but their writes would be wrong.
const CHANGES: Migration = Migration {
    sql: "ALTER TABLE memories ADD COLUMN mood text; \
          CREATE TABLE moods (user_id text COLLATE \"C\" NOT NULL, memory uuid NOT NULL, PRIMARY KEY (user_id, memory))",
    serves_from: OWN + 1,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_only_the_next_version_can_work_with_is_refused_by_name_and_left_alone() {
    let database = Database::make().await;
    let mut system = system(&database).await;
    let before = system.user("ana").remember("written before it").await;
    for process in system.processes() {
        assert!(process.stop().success(), "{} ends well", process.name());
    }
    let mut newer = Newer::start(&system, &database, "ana", CHANGES).await;
    newer.write(3).await;
    let refusal = format!(
        "the database was written by a newer build: its schema is {} and serves builds that know {} or more, this one knows \
         {OWN}; run the newer build",
        OWN + 1,
        OWN + 1
    );
    for process in system.processes() {
        let said = process.refuses_to_start();
        assert!(said.contains(&refusal), "{}: {said}", process.name());
    }
    assert_eq!(version(&database).await, (OWN + 1, OWN + 1));
    newer.write(1).await;
    let read = newer.everything().await;
    assert_eq!(read.len(), 5, "{read:?}");
    assert!(read.contains(&(before.id, "written before it".to_owned())), "{read:?}");
}
