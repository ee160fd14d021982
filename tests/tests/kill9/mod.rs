//! Kill -9 at random moments with writers running: no acknowledged write is lost, changed or duplicated, no job is
//! lost, and the counters equal a full count.

use std::time::Duration;

use kimberly_tests::oracle::{Load, assert_books_and_vaults_agree};
use kimberly_tests::{System, campaign};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

const USERS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_no_acknowledged_write_and_repeat_none() {
    // A small quota keeps the worker busy; the hard limit, ten times as much, does not interfere. By default a job
    // whose process keeps dying becomes a dead letter; here the test is the cause, so it must complete however often
    // it is interrupted.
    let settings = [
        ("KIMBERLY_QUOTAS__LONG_TERM", "1MiB"),
        ("KIMBERLY_QUOTAS__HARD_LIMIT_PERCENT", "1000"),
        ("KIMBERLY_WORKER__MAX_ATTEMPTS", "100"),
    ];
    let mut system = System::start_with(&settings).await;
    let load = Load::start(&system, USERS, 0);

    let mut dice = StdRng::seed_from_u64(9);
    for cycle in 0..campaign(20, 100) {
        tokio::time::sleep(Duration::from_millis(dice.random_range(20..500))).await;
        // The api is killed in every other cycle, the worker in the others, and both in every tenth.
        if cycle % 2 == 0 || cycle % 10 == 9 {
            system.api.kill9();
            system.api.start_again();
        }
        if cycle % 2 == 1 {
            system.worker.kill9();
            system.worker.start_again();
        }
        system.wait_until_serving().await;
        load.assert_no_writer_gave_up();
    }

    let found = assert_books_and_vaults_agree(&system, &load.stop().await).await;
    assert!(found.acknowledged > 500, "{found:?}: the test proves little");
}
