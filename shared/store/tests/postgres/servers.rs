//! Several servers, of which one accepts writes.

use std::net::TcpListener;
use std::sync::Arc;

use kimberly_core::database::PostgresUrl;
use kimberly_core::ids::Seq;
use kimberly_store::conformance::fixtures::{draft, new_memory, user};
use kimberly_store::{PgOptions, PgStore};

use crate::postgres::common::{Database, Still, bed};

/// Returns a port without a listener.
fn closed() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Returns a database's address preceded by servers that do not answer.
fn behind(database: &Database, dead: &[u16]) -> String {
    let own = database.url();
    let (before, behind) = own.split_once('@').unwrap();
    let dead: String = dead.iter().fold(String::new(), |all, port| all + &format!("127.0.0.1:{port},"));
    format!("{before}@{dead}{behind}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_away_is_passed_over() {
    let database = Database::make().await;
    let url = behind(&database, &[closed(), closed()]);
    assert_eq!(PostgresUrl::new(&url).address().unwrap().servers.len(), 3);
    let options = PgOptions { owner_url: Some(url.clone()), max_connections: 3, ..PgOptions::new(url) };
    let bed = bed(PgStore::open(options, Arc::new(Still)).await.unwrap(), database);
    let inserted = bed
        .vaults
        .transact(&user("u"), "create", |tx| {
            Box::pin(async move { tx.insert_memories(&[new_memory(1, draft("once"))]).await })
        })
        .await;
    assert_eq!(inserted.unwrap(), [Seq(1)]);
    bed.vaults.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_no_server_writes_each_is_named_with_why_and_without_its_password() {
    let database = Database::make().await;
    let [first, second] = [closed(), closed()];
    // The last server only allows reads.
    database.run(&format!("ALTER DATABASE {} SET default_transaction_read_only = on", database.name())).await;
    let url = behind(&database, &[first, second]) + "&target_session_attrs=read-write";
    let password = url.split_once('@').unwrap().0.rsplit(':').next().unwrap().to_owned();
    let told = PgStore::open(PgOptions::new(url), Arc::new(Still)).await.unwrap_err().to_string();
    for named in [format!("127.0.0.1:{first}: "), format!("127.0.0.1:{second}: "), "a standby or read-only".to_owned()]
    {
        assert!(told.contains(&named), "{named}: {told}");
    }
    assert!(!told.contains(&password), "{told}");
}
