//! A database of the first version, which knew neither keys nor vectors.

use kimberly_proto::v1 as pb;
use kimberly_store::conformance::database::{APP, Database};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User, eventually};

use crate::versions::{OWN, SERVES_FROM, SETTINGS, system, version};

/// Its tables.
const FIRST: &str = include_str!("../../../shared/store/src/postgres/schema/v1.sql");
/// Takes away what came after it.
const TAKE_BACK: &str = "DROP TABLE kimberly.moves, kimberly.moved_users, kimberly.wrapped_keys, kimberly.all_sealed, kimberly.ring_keys, \
     kimberly.vectors, kimberly.vector_users, kimberly.vector_indices, kimberly.vector_graphs; \
     ALTER TABLE kimberly.memories DROP COLUMN embed; \
     UPDATE kimberly.schema_version SET version = 1, serves_from = 1";
const UNSEALED: &str = "SELECT count(*)::text FROM kimberly.memories WHERE sensitive AND sealed_content IS NULL";
const USERS: [&str; 2] = ["ana", "ben"];

/// Whichever process of this version comes first brings it up to date, all of them at once; what it holds is there, and what
/// lay in plain is sealed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_the_first_version_is_taken_up_with_all_that_it_holds() {
    let database = Database::make().await;
    let written = left_by_the_first(&database).await;
    assert_eq!(version(&database).await, (1, 1));
    assert_eq!(database.texts(UNSEALED).await, ["4"]);

    let system = system(&database).await;
    assert_eq!(version(&database).await, (OWN, SERVES_FROM));
    for (id, before) in USERS.into_iter().zip(written) {
        let mut user = system.user(id);
        assert_eq!(contents(&mut user).await, before, "{id}");
        assert_eq!(user.recalled("xylothumb").await.len(), 2, "{id}");
        assert_eq!(user.metrics().await.items_created, 12, "{id}");
    }
    eventually("what is sensitive is sealed", || async { (database.texts(UNSEALED).await == ["0"]).then_some(()) })
        .await;
    eventually("it is kept that nothing is left", || async {
        (database.texts("SELECT count(*)::text FROM kimberly.all_sealed").await == ["1"]).then_some(())
    })
    .await;
    let plain = "SELECT count(*)::text FROM kimberly.memories WHERE content LIKE '%xylothumb%'";
    assert_eq!(database.texts(plain).await, ["0"]);
    for id in USERS {
        let mut user = system.user(id);
        assert_eq!(user.recalled("xylothumb").await.len(), 2, "{id}");
        user.remember("written after it").await;
        assert!(user.meditate().await.error.is_empty());
        let request = pb::VerifyAuditRequest { user_id: user.id(), expected: None };
        let found = user.clients.audit.verify_audit(request).await.expect("a check").into_inner();
        assert!(found.intact && found.entries > 0, "{id}: {found:?}");
    }
}

/// Has processes write as those of the first version did, without keys, and leaves the tables as they had them. Returns
/// what each user has.
async fn left_by_the_first(database: &Database) -> Vec<Vec<String>> {
    let settings: Vec<_> = SETTINGS.into_iter().chain([("KIMBERLY_ENCRYPTION__ENABLED", "false")]).collect();
    let mut system = System::start_over(&database.url_as(APP), &database.url(), &settings).await;
    let mut written = Vec::new();
    for id in USERS {
        let mut user = system.user(id);
        user.consent().await;
        let metadata = pb::Metadata { sensitive: true, ..pb::Metadata::default() };
        let secret = |n: usize| pb::MemoryDraft {
            metadata: Some(metadata.clone()),
            ..draft(&format!("the xylothumb of {id}, number {n}"))
        };
        let plain = (0..10).map(|n| draft(&format!("{id} saw bird {n} in the garden")));
        user.remember_all(plain.chain((0..2).map(secret)).collect()).await;
        user.meditate().await;
        written.push(contents(&mut user).await);
    }
    for process in system.processes() {
        assert!(process.stop().success(), "{} ends well", process.name());
    }
    database.run(TAKE_BACK).await;
    database.run(&format!("CREATE SCHEMA first; SET search_path = first, public; {FIRST}")).await;
    assert_eq!(columns(database, "kimberly").await, columns(database, "first").await, "tables as they were");
    database.run("DROP SCHEMA first CASCADE").await;
    written
}

/// Every column of every table of a schema, but for what says the version.
async fn columns(database: &Database, schema: &str) -> Vec<String> {
    let sql = format!(
        "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable \
         FROM information_schema.columns WHERE table_schema = '{schema}' AND table_name <> 'schema_version' ORDER BY 1"
    );
    let found = database.texts(&sql).await;
    assert!(found.len() > 150, "{} columns", found.len());
    found
}

async fn contents(user: &mut User) -> Vec<String> {
    let mut all: Vec<String> = user.everything().await.into_iter().map(|memory| memory.content).collect();
    all.sort();
    all
}
