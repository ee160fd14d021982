//! A caller that is cancelled while waiting leaves nothing that affects others.

use std::sync::Arc;
use std::time::Duration;

use kimberly_store::conformance::fixtures::{draft, new_memory, user};
use kimberly_store::{PgOptions, PgStore};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::postgres::common::{Database, Still, bed};

const ROUNDS: u64 = 150;

/// A connection returned in the middle of a transaction would show an old snapshot to its next user.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_that_is_given_up_makes_no_later_one_stale() {
    let database = Database::make().await;
    let few = PgOptions { max_connections: 2, ..database.options() };
    let reading = PgStore::open(few, Arc::new(Still)).await.unwrap().vaults();
    let writing = bed(database.store().await, ());
    let (mut rng, owner) = (StdRng::seed_from_u64(41), user("u"));
    for round in 1..=ROUNDS {
        for _ in 0..3 {
            let read = reading.read(&owner, |r| Box::pin(r.usage()));
            // Cancelled at a random moment, or not.
            let _ = tokio::time::timeout(Duration::from_micros(rng.random_range(0..3_000)), read).await;
        }
        let n = u32::try_from(round).unwrap();
        writing.insert("u", vec![new_memory(n, draft("one more"))]).await;
        for _ in 0..2 {
            let found = reading.read(&owner, |r| Box::pin(r.usage())).await.unwrap();
            assert_eq!(found.created, round, "an old snapshot was read");
        }
    }
    reading.close().await;
    writing.vaults.close().await;
}
