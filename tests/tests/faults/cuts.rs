//! Connections to Postgres are cut in the middle of any message.

use std::time::Duration;

use kimberly_tests::oracle::Load;
use kimberly_tests::postgres::Cluster;
use kimberly_tests::proxy::Proxy;
use rand::Rng as _;

use crate::faults::{USERS, assert_nothing_is_lost_or_doubled, cycles, dice, system, under_load};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_may_be_cut() {
    let (seed, mut dice) = dice("cuts");
    let cluster = Cluster::new(false);
    let server = cluster.server();
    let proxy = Proxy::open(server.port()).await;
    let mut system = system(&cluster, proxy.port()).await;
    let load = Load::start(&system, USERS, seed);
    for cycle in 0..cycles() {
        under_load(&system, &load, &mut dice).await;
        // One after the other, as fast as they are reopened.
        for _ in 0..4 {
            proxy.cut_behind(dice.random_range(1..10_000), false).await;
        }
        load.goes_on(dice.random_range(1..20)).await;
        proxy.cut_behind(dice.random_range(1..10_000), true).await;
        if cycle % 4 == 0 {
            // A network that loses everything for a while, with or without the connections.
            proxy.stall();
            tokio::time::sleep(Duration::from_millis(dice.random_range(1..300))).await;
            if cycle % 8 == 0 {
                proxy.cut();
            }
            proxy.go_on();
        }
        system.wait_until_serving().await;
    }
    load.goes_on(200).await;
    assert_nothing_is_lost_or_doubled(system, load).await;
}
