//! Repeated faults under a Kimberly of several machines, with writers running: no acknowledged write is lost, changed
//! or duplicated, no job is lost, and the counters equal a full count.
//!
//! Moments are seeded and counted in acknowledged writes and in bytes: no test waits for a time to pass.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod cuts;
mod failover;
mod freeze;
mod kills;
mod restarts;

use kimberly_tests::oracle::{Load, ask_for_a_run, assert_books_and_vaults_agree, user};
use kimberly_tests::postgres::Cluster;
use kimberly_tests::{System, campaign};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Users, with two writers each.
const USERS: usize = 2;

/// A small quota keeps workers busy; the hard limit, ten times as much, does not interfere. Interrupted jobs do not
/// become dead letters here, since the test is the cause. Locks of a frozen process expire soon.
const SETTINGS: [(&str, &str); 5] = [
    ("KIMBERLY_QUOTAS__LONG_TERM", "128KiB"),
    ("KIMBERLY_QUOTAS__HARD_LIMIT_PERCENT", "1000"),
    ("KIMBERLY_WORKER__MAX_ATTEMPTS", "100"),
    ("KIMBERLY_POSTGRES__STATEMENT_TIMEOUT", "5s"),
    ("KIMBERLY_POSTGRES__LOCK_TIMEOUT", "2s"),
];

/// How often each fault is injected.
fn cycles() -> usize {
    campaign(6, 20)
}

/// A random generator whose seed is printed: it chooses the moments of faults. `KIMBERLY_TEST_SEED` sets the seed.
#[expect(clippy::print_stderr, reason = "the seed is needed to reproduce a failure")]
fn dice(what: &str) -> (u64, StdRng) {
    let chosen = std::env::var("KIMBERLY_TEST_SEED").ok();
    let seed = chosen.map_or(22, |seed| seed.parse().expect("KIMBERLY_TEST_SEED is a number"));
    eprintln!("{what}: KIMBERLY_TEST_SEED={seed}");
    (seed, StdRng::seed_from_u64(seed))
}

/// The processes of several machines over the server at a port.
async fn system(cluster: &Cluster, port: u16) -> System {
    System::start_over(&cluster.url(port), &cluster.owner_url(port), &SETTINGS).await
}

/// Waits for some more acknowledged writes, and gives a worker something to be interrupted at.
async fn under_load(system: &System, load: &Load, dice: &mut StdRng) {
    ask_for_a_run(&system.user(&user(dice.random_range(0..USERS)))).await;
    load.goes_on(dice.random_range(1..30)).await;
}

/// Stops the load and compares acknowledged writes with stored ones.
async fn assert_nothing_is_lost_or_doubled(mut system: System, load: Load) {
    let books = load.stop().await;
    for process in system.processes() {
        process.assert_running();
    }
    let found = assert_books_and_vaults_agree(&system, &books).await;
    assert!(found.acknowledged > 200 && found.runs > 0, "{found:?}: the test proves little");
}
