//! Measures the reads and writes of meditation.

use std::time::{Duration, Instant};

use kimberly_core::UserId;
use kimberly_core::ids::Seq;
use kimberly_core::meditation::Scored;
use kimberly_store::SqliteStore;

use crate::texts::{Dice, memory};

/// Loads and scores all memories of the vault that `reads` filled, several times.
pub(crate) async fn meditation(store: &SqliteStore) {
    let (vaults, user) = (store.vaults(), UserId::parse("reader").unwrap());
    let record = memory(&mut Dice(3), 1, 100).score;
    let scored: Vec<_> = (1..=1_000).map(|n| Scored { seq: Seq(n), record: record.clone() }).collect();
    let (mut loading, mut retaining, mut applying) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let rounds = 20_u32;
    for _ in 0..rounds {
        let began = Instant::now();
        let items = vaults.read(&user, |r| Box::pin(async move { r.scoring_items(true, None, 1_000).await }));
        assert_eq!(items.await.unwrap().len(), 1_000);
        loading += began.elapsed();
        let began = Instant::now();
        assert_eq!(vaults.read(&user, |r| Box::pin(r.retention_items())).await.unwrap().len(), 1_000);
        retaining += began.elapsed();
        let began = Instant::now();
        let batch = scored.clone();
        vaults
            .transact(&user, "score", move |tx| {
                let batch = batch.clone();
                Box::pin(async move { tx.apply_scores(&batch).await })
            })
            .await
            .unwrap();
        applying += began.elapsed();
    }
    for (what, time) in [("scoring_items", loading), ("retention_items", retaining), ("apply_scores", applying)] {
        println!("{what}: {:.1} us per memory", time.as_secs_f64() * 1e6 / f64::from(rounds * 1_000));
    }
}
