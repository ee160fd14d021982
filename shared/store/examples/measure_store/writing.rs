//! Measures creates and bulk inserts.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use kimberly_core::UserId;
use kimberly_core::audit::AuditEntry;
use kimberly_core::ports::{NewMemory, RequestRecord, Vaults};
use kimberly_store::SqliteStore;

use crate::figures::report;
use crate::texts::{Dice, memory};

/// Performs a create: context, insert, audit, answer.
pub(crate) async fn create(vaults: &Arc<dyn Vaults>, user: &UserId, memory: NewMemory) {
    let memories = Arc::new(vec![memory]);
    vaults
        .transact(user, "create", move |tx| {
            let memories = Arc::clone(&memories);
            Box::pin(async move {
                let request_id = memories[0].id.to_string();
                tx.write_context(Some(&request_id)).await?;
                tx.insert_memories(&memories).await?;
                let at = memories[0].created_at;
                let subject = Some(request_id.clone());
                tx.audit(&AuditEntry {
                    at,
                    actor: "user".into(),
                    action: "memory.create",
                    refused: None,
                    subject,
                    count: 1,
                })
                .await?;
                let answer = "{\"receipt\":\"of about as many bytes as a real one has, two hundred or so\"}".repeat(3);
                tx.put_request(&RequestRecord { request_id, fingerprint: [7; 32], answer, at }).await
            })
        })
        .await
        .unwrap();
}

pub(crate) async fn bulk(vaults: &Arc<dyn Vaults>, user: &UserId, memories: Vec<NewMemory>) {
    let memories = Arc::new(memories);
    vaults
        .transact(user, "bulk", move |tx| {
            let memories = Arc::clone(&memories);
            Box::pin(async move { tx.insert_memories(&memories).await.map(|_| ()) })
        })
        .await
        .unwrap();
}

pub(crate) async fn writes(store: &SqliteStore, folder: &Path, dice: &mut Dice) {
    let vaults = store.vaults();
    let user = UserId::parse("writer").unwrap();
    create(&vaults, &user, memory(dice, 0, 150)).await;
    let mut bare = std::fs::File::create(folder.join("bare")).unwrap();
    let (mut bare_times, mut create_times) = (Vec::new(), Vec::new());
    for n in 1..=400 {
        let began = Instant::now();
        bare.write_all(&[7; 4096]).unwrap();
        bare.sync_data().unwrap();
        bare_times.push(began.elapsed());
        let one = memory(dice, n, 150);
        let began = Instant::now();
        create(&vaults, &user, one).await;
        create_times.push(began.elapsed());
    }
    let bare_p50 = report("bare append of 4 KiB + fdatasync", &mut bare_times);
    let single = report("create, one client", &mut create_times);
    println!("    create / bare: {:.2}", single / bare_p50);
    let rate_1 = clients(&vaults, 1, 400, 100_000).await;
    let rate_32 = clients(&vaults, 32, 100, 200_000).await;
    println!(
        "    creates per second on one vault: 1 client {rate_1:.0}, 32 clients {rate_32:.0} ({:.1}x)",
        rate_32 / rate_1
    );
}

pub(crate) async fn clients(vaults: &Arc<dyn Vaults>, clients: u128, each: u128, first: u128) -> f64 {
    let began = Instant::now();
    let mut tasks = Vec::new();
    for client in 0..clients {
        let vaults = Arc::clone(vaults);
        tasks.push(tokio::spawn(async move {
            let user = UserId::parse("writer").unwrap();
            let mut dice = Dice(9 + u64::try_from(client).unwrap());
            let mut times = Vec::new();
            for n in 0..each {
                let one = memory(&mut dice, first + client * each + n, 150);
                let began = Instant::now();
                create(&vaults, &user, one).await;
                times.push(began.elapsed());
            }
            times
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    let seconds = began.elapsed().as_secs_f64();
    let rate = f64::from(u32::try_from(times.len()).unwrap()) / seconds;
    report(&format!("create, {clients} clients on one vault"), &mut times);
    rate
}

pub(crate) async fn imports(store: &SqliteStore, dice: &mut Dice) {
    let user = UserId::parse("importer").unwrap();
    let batches: Vec<Vec<_>> =
        (0..20).map(|b| (0..1_000).map(|n| memory(dice, 1_000_000 + b * 1_000 + n, 150)).collect()).collect();
    let began = Instant::now();
    for batch in batches {
        bulk(&store.vaults(), &user, batch).await;
    }
    let rate = 20_000.0 / began.elapsed().as_secs_f64();
    println!("bulk insert of 20 x 1,000 memories of 150 bytes: {rate:.0}/s");
}
