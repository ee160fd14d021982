//! Kill -9 at random moments with writers running: no acknowledged write is lost or changed, none happens twice, no job
//! is lost, and the counters equal a full count.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod audit;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kimberly_tests::System;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use writer::Writer;

const CYCLES: u32 = 100;
/// Two writers share each user, so that group commits are cut too.
const WRITERS: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_kills_lose_no_acknowledged_write_and_repeat_none() {
    // A quota that is crossed keeps the worker busy; the hard limit, ten times as much, stays out of the way. A job whose
    // process dies again and again is given up by default, as it may be what kills it; here we are, so it must end
    // however often it is cut.
    let settings = [
        ("KIMBERLY_QUOTAS__LONG_TERM", "1MiB"),
        ("KIMBERLY_QUOTAS__HARD_LIMIT_PERCENT", "1000"),
        ("KIMBERLY_WORKER__MAX_ATTEMPTS", "100"),
    ];
    let mut system = System::start_with(&settings).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|n| {
            let writer = Writer::new(system.user(&format!("user {}", n / 2)), n);
            tokio::spawn(writer.write_until(Arc::clone(&stop)))
        })
        .collect();

    let mut dice = StdRng::seed_from_u64(9);
    for cycle in 0..CYCLES {
        tokio::time::sleep(Duration::from_millis(dice.random_range(20..500))).await;
        // The api dies in every other cycle, the worker in the others, and both in every tenth.
        if cycle % 2 == 0 || cycle % 10 == 9 {
            system.api.kill9();
            system.api.start_again();
        }
        if cycle % 2 == 1 {
            system.worker.kill9();
            system.worker.start_again();
        }
        system.wait_until_serving().await;
        assert!(writers.iter().all(|writer| !writer.is_finished()), "a writer gave up in cycle {cycle}");
    }

    stop.store(true, Ordering::SeqCst);
    let mut books = Vec::new();
    for writer in writers {
        books.push(writer.await.expect("a writer ends well"));
    }
    let acknowledged: usize = books.iter().map(|book| book.memories.len()).sum();
    assert!(acknowledged > 500, "only {acknowledged} writes were acknowledged; the test proves little");
    audit::assert_books_and_vaults_agree(&system, &books).await;
}
