//! Postgres is stopped or killed, and restarted.

use kimberly_tests::oracle::Load;
use kimberly_tests::postgres::Cluster;

use crate::faults::{USERS, assert_nothing_is_lost_or_doubled, cycles, dice, system, under_load};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_may_be_restarted() {
    let (seed, mut dice) = dice("restarts");
    let cluster = Cluster::new(false);
    let mut server = cluster.server();
    let mut system = system(&cluster, server.port()).await;
    let load = Load::start(&system, USERS, seed);
    for cycle in 0..cycles() {
        under_load(&system, &load, &mut dice).await;
        if cycle % 2 == 0 {
            server.stop();
        } else {
            server.kill9();
        }
        server.start_again();
        // None of the processes ended with it.
        system.wait_until_serving().await;
    }
    load.goes_on(200).await;
    assert_nothing_is_lost_or_doubled(system, load).await;
}
