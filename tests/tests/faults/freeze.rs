//! A worker is frozen during a job until another one has done the job, and then resumes.

use std::time::{Duration, Instant};

use kimberly_proto::v1::MeditationStatus::{Complete, Failed, Running};
use kimberly_tests::oracle::{Load, ask_for_a_run, user};
use kimberly_tests::postgres::Cluster;
use kimberly_tests::{System, User};
use rand::Rng as _;

use crate::faults::{USERS, assert_nothing_is_lost_or_doubled, cycles, dice, system};

/// Maximum attempts that fail to freeze a worker during a job, or freeze one that holds a needed lock.
const MISSES: usize = 100;
/// After this time, several leases, the frozen worker is assumed to hold something that the other one needs, such as
/// a file lock. That is no failure: both resume, and the test retries.
const HELD_UP: Duration = Duration::from_secs(15);

/// A run of a user.
type Run = (User, String);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_may_be_frozen_past_its_lease() {
    let (seed, mut dice) = dice("freeze");
    let cluster = Cluster::new(false);
    let server = cluster.server();
    let mut system = system(&cluster, server.port()).await;
    let load = Load::start(&system, USERS, seed);
    let users: Vec<User> = (0..USERS).map(|number| system.user(&user(number))).collect();
    load.goes_on(dice.random_range(200..400)).await;
    // One worker is always frozen and idle, so that the worker of a running job is known.
    let (mut awake, mut frozen) = (0, 1);
    rest(&mut system, &users, frozen).await;
    let mut misses = 0;
    for _ in 0..cycles() {
        while !takes_over(&mut system, &users, (awake, frozen)).await {
            misses += 1;
            assert!(misses < MISSES, "no worker was caught at a job");
        }
        (awake, frozen) = (frozen, awake);
        load.goes_on(dice.random_range(1..20)).await;
    }
    system.workers()[frozen].wake();
    load.goes_on(200).await;
    assert_nothing_is_lost_or_doubled(system, load).await;
}

/// Freezes the active worker during a job, and resumes the other one, which does that job. `false` if there was no
/// job, or if the other one could not do it.
async fn takes_over(system: &mut System, users: &[User], (awake, frozen): (usize, usize)) -> bool {
    let began = Instant::now();
    while running(users).await.is_empty() {
        if began.elapsed() > HELD_UP {
            system.workers()[frozen].wake();
            rest(system, users, frozen).await;
            return false;
        }
        // A waiting run is not duplicated; one may have ended unnoticed.
        for user in users {
            ask_for_a_run(user).await;
        }
    }
    system.workers()[awake].freeze();
    let held = running(users).await;
    if held.is_empty() {
        system.workers()[awake].wake();
        return false;
    }
    system.workers()[frozen].wake();
    let since = Instant::now();
    while since.elapsed() < HELD_UP {
        if all_ended(&held).await {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    system.workers()[awake].wake();
    rest(system, users, frozen).await;
    false
}

/// Freezes a worker outside of jobs, or waits until another one has done its job.
async fn rest(system: &mut System, users: &[User], worker: usize) {
    for _ in 0..MISSES {
        system.workers()[worker].freeze();
        let (held, since) = (running(users).await, Instant::now());
        while since.elapsed() < HELD_UP {
            if all_ended(&held).await {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        system.workers()[worker].wake();
    }
    panic!("a frozen worker holds up the other one each time");
}

/// The running meditations of all users.
async fn running(users: &[User]) -> Vec<Run> {
    let mut running = Vec::new();
    for user in users {
        let runs = user.clone().runs().await;
        let at_work = runs.into_iter().filter(|run| run.status() == Running);
        running.extend(at_work.map(|run| (user.clone(), run.id)));
    }
    running
}

async fn all_ended(runs: &[Run]) -> bool {
    for (user, id) in runs {
        let run = user.clone().run(id).await.meditation.expect("a run");
        if ![Complete, Failed].contains(&run.status()) {
            return false;
        }
    }
    true
}
