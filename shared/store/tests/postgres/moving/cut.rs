//! A move killed anywhere can be repeated, and no process works on a half-filled target.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use kimberly_core::error::Result;
use kimberly_store::PgStore;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{draft, new_memory};
use kimberly_store::moving::{End, Moved, Moving};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::{Folder, close, end_of, everything, open_database};
use crate::postgres::common::{Database, Still};

/// A future that is dropped after a number of polls, like a killed process.
struct Cut<'f, F> {
    inner: Pin<&'f mut F>,
    left: u32,
}

impl<F: Future> Future for Cut<'_, F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.left -= 1;
        self.inner.as_mut().poll(context).map(Some)
    }
}

async fn whole(from: End, to: End) -> Result<Option<Moved>> {
    let Some(moving) = Moving::begin(from, to, true).await? else { return Ok(None) };
    moving.pass(&|_| ()).await?;
    let moved = moving.finish(&|_| ()).await;
    moving.close().await;
    moved
}

async fn fill(bed: &Bed, rng: &mut StdRng) {
    for user in 0..8 {
        let who = format!("user {user}");
        for round in 0..rng.random_range(1..4_u32) {
            let memories = (0..rng.random_range(1..300_u32)).map(|n| {
                let mut draft = draft(&format!("heron {n} of {user} with \"quotes\" \\ and tea"));
                draft.metadata.sensitive = rng.random_bool(0.2);
                new_memory(round * 1_000 + n + 1, draft)
            });
            bed.insert(&who, memories.collect()).await;
        }
    }
}

/// Killed repeatedly at seeded steps until it is done: until then the target refuses to open, and in the end it holds
/// everything exactly once.
async fn killed_again_and_again(there: bool, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (folder, database) = (Folder::new(true), Database::make().await);
    let first = folder.open().await;
    fill(&first, &mut rng).await;
    let expected = everything::of(&first).await;
    close(first).await;
    let other = Folder::beside(&folder);
    if !there {
        super::moves(folder.end(), end_of(&database)).await.unwrap();
    }
    let (mut kills, mut most) = (0, 40);
    loop {
        let (from, to) = if there { (folder.end(), end_of(&database)) } else { (end_of(&database), other.end()) };
        let work = pin!(whole(from, to));
        let cut = Cut { inner: work, left: rng.random_range(1..most) };
        match cut.await {
            Some(Ok(Some(_))) => break,
            // Everything was done when it was killed.
            Some(Ok(None)) if kills > 0 && is_done(&database, &other, there).await => break,
            // The lock of the previous run is not released yet.
            Some(Ok(None)) => {}
            Some(Err(error)) if error.to_string().contains("another `kimberly migrate`") => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Some(error @ Err(_)) => drop(error.unwrap()),
            None => {
                kills += 1;
                // Tasks on other threads end; a kill would end them, too.
                tokio::time::sleep(Duration::from_millis(50)).await;
                // Each run gets a little further than the previous one.
                most += most / 3;
            }
        }
        assert!(kills < 200, "it comes to no end");
    }
    assert!(kills > 2, "it was killed {kills} times: the test proves little");
    let last = if there { open_database(&database, &folder).await } else { other.open().await };
    super::assert_same(&expected, &everything::of(&last).await, "after kills");
    close(last).await;
}

/// Reports whether the target opens; asserts that a refusal is one of the known ones.
async fn is_done(database: &Database, other: &Folder, there: bool) -> bool {
    let opened = if there {
        PgStore::open(database.options(), Arc::new(Still)).await.map(drop)
    } else {
        other.try_open().await.map(drop)
    };
    match opened {
        Ok(()) => true,
        Err(error) => {
            let told = error.to_string();
            // A complete database refuses to open without keys.
            if told.contains("encryption.enabled is false") {
                return true;
            }
            let known = ["is not complete", "is working on", "no connection", "no system.db"];
            assert!(known.iter().any(|part| told.contains(part)), "{told}");
            false
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_to_a_database_that_is_killed_goes_on() {
    Box::pin(killed_again_and_again(true, 1)).await;
    Box::pin(killed_again_and_again(true, 2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_to_a_folder_that_is_killed_goes_on() {
    Box::pin(killed_again_and_again(false, 3)).await;
    Box::pin(killed_again_and_again(false, 4)).await;
}
