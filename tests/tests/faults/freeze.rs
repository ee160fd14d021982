//! A worker is frozen in the midst of a job until another one has done it, and goes on where it stood.

use std::time::{Duration, Instant};

use kimberly_proto::v1::MeditationStatus::{Complete, Failed, Running};
use kimberly_tests::oracle::{Load, ask_for_a_run, user};
use kimberly_tests::postgres::Cluster;
use kimberly_tests::{System, User};
use rand::Rng as _;

use crate::faults::{USERS, assert_nothing_is_lost_or_doubled, cycles, dice, system};

/// How often a worker may be frozen in vain: its job had just ended, or it holds what the other one needs.
const MISSES: usize = 100;
/// After so long, which is several leases, the one that is frozen is taken to hold what the other one needs, such as the lock of a
/// file. That is no failure: both go on, and it is tried again.
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
    // One of them is always frozen, and has nothing to do while it is: so it is known who is at a job.
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

/// Freezes the worker that is awake in the midst of a job, and wakes the other one, which does that job. `false` if it was in
/// no job, or if nobody could do it before it was awake again.
async fn takes_over(system: &mut System, users: &[User], (awake, frozen): (usize, usize)) -> bool {
    let began = Instant::now();
    while running(users).await.is_empty() {
        if began.elapsed() > HELD_UP {
            system.workers()[frozen].wake();
            rest(system, users, frozen).await;
            return false;
        }
        // One that waits already is not doubled; one may have ended unseen.
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

/// Freezes a worker and waits until another one has done what it was at.
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

/// The runs that workers are at, of all users.
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
