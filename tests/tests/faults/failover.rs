//! The Postgres that leads dies, and the one that follows it takes its place.

use kimberly_tests::oracle::Load;
use kimberly_tests::postgres::Cluster;
use kimberly_tests::proxy::Proxy;

use crate::faults::{CYCLES, USERS, assert_nothing_is_lost_or_doubled, dice, system, under_load};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_takes_over_and_nothing_acknowledged_is_lost() {
    let (seed, mut dice) = dice("failover");
    let cluster = Cluster::new(true);
    let mut leader = cluster.server();
    let mut follower = cluster.follower(&leader);
    let proxy = Proxy::open(leader.port()).await;
    let mut system = system(&cluster, proxy.port()).await;
    let load = Load::start(&system, USERS, seed);
    for cycle in 0..CYCLES {
        under_load(&system, &load, &mut dice).await;
        match cycle % 3 {
            // It is dead before anybody notices.
            0 => {
                leader.kill9();
                follower.promote();
                proxy.lead_to(follower.port());
            }
            // Processes find one that only follows, until it leads.
            1 => {
                leader.kill9();
                proxy.lead_to(follower.port());
                follower.promote();
            }
            // It was only thought dead, and takes writes for a while that it cannot acknowledge.
            _ => {
                follower.promote();
                proxy.lead_to(follower.port());
                leader.kill9();
            }
        }
        leader = follower;
        follower = cluster.follower(&leader);
        system.wait_until_serving().await;
    }
    load.goes_on(200).await;
    assert_nothing_is_lost_or_doubled(system, load).await;
}
