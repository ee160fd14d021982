//! Measures the cost of an open vault, and the size of vaults.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_core::UserId;
use kimberly_store::{SqliteOptions, SqliteStore};

use crate::figures::{report, resident_kib};
use crate::reading::{lookup, query};
use crate::texts::{Dice, FixedClock, memory};
use crate::writing::bulk;

pub(crate) async fn opening(options: &SqliteOptions, users: u32) {
    let store = SqliteStore::open(options.clone(), Arc::new(FixedClock)).await.unwrap();
    let vaults = store.vaults();
    let mut dice = Dice(5);
    let mut made = Vec::new();
    for n in 0..users {
        let user = UserId::parse(&format!("user-{n}")).unwrap();
        let batch = (0..20).map(|m| memory(&mut dice, 3_000_000 + u128::from(n) * 100 + m, 150)).collect();
        let began = Instant::now();
        bulk(&vaults, &user, batch).await;
        made.push(began.elapsed());
    }
    report("first write of a user (makes the vault)", &mut made);
    vaults.close().await;
    let store = SqliteStore::open(options.clone(), Arc::new(FixedClock)).await.unwrap();
    let vaults = store.vaults();
    for what in ["first read of a user (opens the vault)", "second read (vault is open)"] {
        let before = resident_kib();
        let mut times = Vec::new();
        for n in 0..users {
            let user = UserId::parse(&format!("user-{n}")).unwrap();
            let query = query(&mut dice, false);
            let began = Instant::now();
            vaults.read(&user, move |r| lookup(r, query.clone(), true)).await.unwrap();
            times.push(began.elapsed());
        }
        report(what, &mut times);
        let grown = resident_kib().saturating_sub(before);
        println!("    {} vaults open, {} KiB more per vault", vaults.open_vaults(), grown / u64::from(users));
    }
    vaults.close().await;
}

pub(crate) async fn sizes(store: &SqliteStore, dice: &mut Dice) {
    let vaults = store.vaults();
    for (name, memories) in [("empty", 0_u32), ("thousand", 1_000)] {
        let user = UserId::parse(name).unwrap();
        let batch = (0..u128::from(memories)).map(|n| memory(dice, 4_000_000 + n, 200)).collect();
        bulk(&vaults, &user, batch).await;
        let now = vaults.read(&user, |r| Box::pin(r.sizes())).await.unwrap();
        println!(
            "{memories} memories of 200 bytes: {} KiB at once, index {} KiB",
            now.disk_bytes / 1024,
            now.index_bytes / 1024
        );
    }
    tokio::time::sleep(Duration::from_secs(4)).await;
    for name in ["empty", "thousand"] {
        let rest = vaults.read(&UserId::parse(name).unwrap(), |r| Box::pin(r.sizes())).await.unwrap();
        println!("    {name} vault at rest: {} KiB", rest.disk_bytes / 1024);
    }
}
