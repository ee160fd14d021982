//! Several processes on one database.

use std::sync::Arc;

use kimberly_core::audit::AuditEntry;
use kimberly_core::memory::ChangeRange;
use kimberly_core::ports::{AuditQuery, Job, Vaults};
use kimberly_store::conformance::fixtures::{at, draft, new_memory, user};
use kimberly_store::{PgOptions, PgStore};
use uuid::Uuid;

use crate::postgres::common::{Database, Still, bed};

const STORES: u32 = 3;
const WRITERS: u32 = 4;
const EACH: u32 = 15;

/// Writes one of everything that is numbered; every third work fails after its writes.
async fn write(vaults: &Arc<dyn Vaults>, n: u32) {
    let owner = user("u");
    let work = vaults.transact(&owner, "create", move |tx| {
        Box::pin(async move {
            let created = tx.usage().await?.created;
            let seqs = tx.insert_memories(&[new_memory(n, draft(&format!("memory {n}")))]).await?;
            // No other work ran in between.
            assert_eq!(seqs[0].0, i64::try_from(created).unwrap() + 1);
            let (actor, subject) = ("user".into(), Some(n.to_string()));
            tx.audit(&AuditEntry { at: at(1), actor, action: "memory.create", refused: None, subject, count: 1 })
                .await?;
            tx.enqueue(Uuid::from_u128(n.into()), &Job::Embed, at(1), None).await?;
            if n.is_multiple_of(3) { Err(kimberly_core::Error::PlanChanged) } else { Ok(()) }
        })
    });
    assert_eq!(work.await.is_ok(), !n.is_multiple_of(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_in_several_processes_give_no_number_twice() {
    let database = Database::make().await;
    let mut stores = Vec::new();
    for _ in 0..STORES {
        let options = PgOptions { max_connections: 3, ..database.options() };
        stores.push(PgStore::open(options, Arc::new(Still)).await.unwrap());
    }
    let mut writers = Vec::new();
    for writer in 0..STORES * WRITERS {
        let vaults = stores[(writer % STORES) as usize].vaults();
        writers.push(tokio::spawn(async move {
            for n in 0..EACH {
                write(&vaults, writer * EACH + n).await;
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let kept = u64::from(STORES * WRITERS * EACH * 2 / 3);
    let last = stores.pop().unwrap();
    for store in stores {
        store.vaults().close().await;
    }
    let bed = bed(last, database);
    assert_eq!(bed.usage("u").await.created, kept);
    assert_eq!(bed.read("u", |r| Box::pin(r.recount())).await, bed.usage("u").await);
    let range = bed.read("u", |r| Box::pin(r.change_range())).await;
    assert_eq!(range, ChangeRange { oldest: 1, newest: kept });
    let positions: Vec<_> = bed.read("u", |r| Box::pin(r.outbox(1_000))).await.iter().map(|row| row.position).collect();
    assert_eq!(positions, (1..=kept.cast_signed()).collect::<Vec<_>>());
    let query = AuditQuery { limit: 1_000, ..AuditQuery::default() };
    let told = bed
        .read("u", move |r| {
            let query = query.clone();
            Box::pin(async move { r.audit_entries(&query).await })
        })
        .await;
    assert_eq!(told.len() as u64, kept);
    for (one, next) in told.iter().zip(&told[1..]) {
        assert_eq!((next.no, next.hash), (one.no + 1, next.hash_after(&one.hash)));
    }
    bed.vaults.close().await;
}
