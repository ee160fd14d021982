//! Any process is killed.

use kimberly_tests::oracle::Load;
use kimberly_tests::postgres::Cluster;
use rand::Rng as _;
use rand::seq::SliceRandom as _;

use crate::faults::{USERS, assert_nothing_is_lost_or_doubled, cycles, dice, system, under_load};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_process_may_be_killed() {
    let (seed, mut dice) = dice("kills");
    let cluster = Cluster::new(false);
    let server = cluster.server();
    let mut system = system(&cluster, server.port()).await;
    let load = Load::start(&system, USERS, seed);
    let mut order: Vec<usize> = Vec::new();
    for _ in 0..cycles() {
        if order.is_empty() {
            // Each in turn.
            order = (0..system.processes().len()).collect();
            order.shuffle(&mut dice);
        }
        let number = order.pop().expect("it was filled");
        under_load(&system, &load, &mut dice).await;
        system.processes()[number].kill9();
        // Meanwhile others do its work.
        load.goes_on(dice.random_range(1..20)).await;
        system.processes()[number].start_again();
        system.wait_until_serving().await;
    }
    load.goes_on(200).await;
    assert_nothing_is_lost_or_doubled(system, load).await;
}
