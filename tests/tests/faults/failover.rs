//! The Postgres primary dies, and its standby takes over.

use kimberly_tests::System;
use kimberly_tests::oracle::Load;
use kimberly_tests::postgres::{APP, Cluster, Server};
use kimberly_tests::proxy::Proxy;

use crate::faults::{SETTINGS, USERS, assert_nothing_is_lost_or_doubled, cycles, dice, system, under_load};

/// Promotes the standby in one of three ways; `lead` directs clients to it.
fn fail_over(way: usize, leader: &mut Server<'_>, follower: &Server<'_>, lead: impl Fn()) {
    match way % 3 {
        // It dies before any client notices.
        0 => {
            leader.kill9();
            follower.promote();
            lead();
        }
        // Clients find only a standby until it is promoted.
        1 => {
            leader.kill9();
            lead();
            follower.promote();
        }
        // It was wrongly considered dead, and accepts writes for a while that it cannot acknowledge.
        _ => {
            follower.promote();
            lead();
            leader.kill9();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_takes_over_and_nothing_acknowledged_is_lost() {
    let (seed, mut dice) = dice("failover");
    let cluster = Cluster::new(true);
    let mut leader = cluster.server();
    let mut follower = cluster.follower(&leader);
    let proxy = Proxy::open(leader.port()).await;
    let mut system = system(&cluster, proxy.port()).await;
    let load = Load::start(&system, USERS, seed);
    for cycle in 0..cycles() {
        under_load(&system, &load, &mut dice).await;
        fail_over(cycle, &mut leader, &follower, || proxy.lead_to(follower.port()));
        leader = follower;
        follower = cluster.follower(&leader);
        system.wait_until_serving().await;
    }
    load.goes_on(200).await;
    assert_nothing_is_lost_or_doubled(system, load).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_know_both_servers_find_the_one_that_writes_without_a_proxy() {
    let (seed, mut dice) = dice("failover without a proxy");
    let cluster = Cluster::new(true);
    let mut leader = cluster.server();
    let mut follower = cluster.follower(&leader);
    // The first server in the list is the standby.
    let ports = [follower.port(), leader.port()];
    let [url, owner_url] = [APP, "postgres"].map(|role| cluster.url_of_all(role, &ports));
    let mut system = System::start_over(&url, &owner_url, &SETTINGS).await;
    let load = Load::start(&system, USERS, seed);
    for way in 0..3 {
        under_load(&system, &load, &mut dice).await;
        fail_over(way, &mut leader, &follower, || ());
        let port = leader.port();
        leader = follower;
        follower = cluster.follower_at(&leader, Some(port));
        system.wait_until_serving().await;
    }
    load.goes_on(200).await;
    assert_nothing_is_lost_or_doubled(system, load).await;
}
