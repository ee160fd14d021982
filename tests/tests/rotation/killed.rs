//! Kill -9 at random moments of rotations, during reads and writes: each resumes and ends like an undisturbed one.

use std::time::Duration;

use kimberly_crypto::RingName;
use kimberly_tests::{System, campaign};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::load::Load;
use super::{audited, command, ids, opened, rotated, run, said, surveyed};

const USERS: u64 = 40;
/// Approximate duration of a rotation, in milliseconds.
const LONGEST: u64 = 1500;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rotation_that_is_killed_anywhere_goes_on_and_ends_the_same_while_callers_notice_nothing() {
    let mut system = System::start().await;
    let clients = system.clients();
    let users: Vec<String> = (0..USERS).map(|n| format!("user {n}")).collect();
    for user in &users {
        system.user(user).remember("something to keep").await;
    }
    let before = opened(&system, &users);
    let load = Load::begin(&system, &users[..2]);
    let mut dice = StdRng::seed_from_u64(17);
    let kills: u64 = campaign(12, 50);
    for n in 0..kills {
        let (ring, answered) = (if n % 2 == 0 { RingName::Master } else { RingName::Sensitive }, load.done());
        let old = ids(&system, ring);
        let mut rotating = command(&system, &["rings", "rotate", ring.as_str()]).spawn().expect("the command starts");
        // In a third of the cycles while the key is added, otherwise while files are rewrapped.
        let most = if n % 3 == 0 { 30 } else { LONGEST };
        tokio::time::sleep(Duration::from_millis(dice.random_range(0..most))).await;
        rotating.kill().expect("a child can be killed");
        rotating.wait().expect("a killed child is gone");
        system.worker.kill9();
        system.worker.start_again();
        if ids(&system, ring) == old {
            // It was killed before it had an effect.
            let resumed = said(&system, &["rings", "rotate", ring.as_str(), "--json"]);
            assert!(resumed.contains("\"done\":true"), "{resumed}");
        } else if dice.random_bool(0.5) {
            system.wait_until_worker_serves().await;
            system.worker.kill9();
            system.worker.start_again();
        }
        let current = rotated(&system, &clients, ring).await;
        let mut expected = old.clone();
        expected.push(current.clone());
        assert_eq!(ids(&system, ring), expected, "cycle {n}: one key was added, and none was lost");
        assert_eq!(opened(&system, &users), before, "cycle {n}: every vault opens, with the key that it had");
        said(&system, &["rings", "retire", ring.as_str(), "--destroy", "--yes"]);
        assert_eq!(ids(&system, ring), [current], "cycle {n}");
        assert_eq!(opened(&system, &users), before, "cycle {n}: without the old key, too");
        assert!(load.done() > answered, "cycle {n}: callers go on");
    }
    let made = load.end().await;
    assert!(!made.is_empty());
    // From now on the processes know only what is on the disk.
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        process.kill9();
        process.start_again();
    }
    system.wait_until_serving().await;
    for user in users.iter().chain(&made) {
        assert!(!system.user(user).everything().await.is_empty(), "{user}");
    }
    assert_eq!(surveyed(&system).files, 2 + USERS + made.len() as u64);
    for (action, times) in [("ring.key_added", kills), ("ring.rotated", kills)] {
        let entries = audited(&clients, action).await;
        assert_eq!(entries.len() as u64, times, "{action}: {entries:?}");
    }
    let doctor = run(&system, &["doctor", "--json"]);
    let doctor = String::from_utf8(doctor.stdout).expect("text");
    assert!(!doctor.contains("still to be rewrapped"), "{doctor}");
}
