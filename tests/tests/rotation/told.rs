//! Reports about rings before and after a rotation, and refusals.

use std::fs;

use kimberly_crypto::RingName;
use kimberly_proto::v1 as pb;
use kimberly_tests::{System, eventually};

use super::{audited, ids, ring_file, rotated, run, said};

#[tokio::test]
async fn a_rotation_shows_is_reported_and_retains_the_old_key_for_backups() {
    let system = System::start().await;
    let clients = system.clients();
    system.user("ana").remember("something").await;
    for ring in [RingName::Master, RingName::Sensitive] {
        let old = ids(&system, ring).remove(0);
        let shown = said(&system, &["rings"]);
        assert!(shown.contains(&format!("{old}  ")) && shown.contains("wraps"), "{shown}");
        let output = run(&system, &["rings", "rotate", ring.as_str()]);
        let explained = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{explained}");
        assert!(explained.contains("earlier copies of the ring do not contain it"), "{explained}");
        let current = rotated(&system, &clients, ring).await;
        let shown = said(&system, &["rings"]);
        assert!(shown.contains(&format!("{old}  0 key files, nothing needs it")), "{shown}");
        assert!(shown.contains(&format!("{current}  ")), "{shown}");
        let found = clients.clone().maintenance.get_key_rings(pb::GetKeyRingsRequest {}).await.expect("rings");
        let found = found.into_inner();
        assert_eq!((found.files, found.unreadable), (3, 0));
        assert!(found.rings.iter().all(|ring| ring.left == 0), "{found:?}");

        let retired = said(&system, &["rings", "retire", ring.as_str()]);
        assert!(retired.contains("as backups of data/keys from before the rotation, which need it"), "{retired}");
        assert_eq!(ids(&system, ring), std::slice::from_ref(&current));
        let kept = ring_file(&system, ring).with_added_extension("removed");
        assert!(fs::read_to_string(&kept).expect("it is kept").contains("To open such a"));
        let gone = format!("{ring}/{old}");
        eventually("the removal of the old key is reported", || async {
            audited(&clients, "ring.key_removed").await.contains(&gone).then_some(())
        })
        .await;
        let secret = fs::read_to_string(ring_file(&system, ring)).expect("a ring");
        let secret = secret.lines().last().expect("a key");
        let logs = [&system.api, &system.worker, &system.embedder].map(kimberly_tests::process::Process::log).concat();
        assert!(!format!("{explained}{shown}{retired}{logs}").contains(secret));
    }
    assert_eq!(system.user("ana").everything().await.len(), 1);
}

#[tokio::test]
async fn an_old_key_stays_while_something_needs_it_and_one_that_was_lost_is_named() {
    let mut system = System::start().await;
    system.user("ana").remember("something").await;
    system.worker.kill9();
    said(&system, &["rings", "rotate", "master", "--no-wait"]);
    let refused = run(&system, &["rings", "retire", "master"]);
    let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.contains("3 of 3 key files still need an older master key"), "{refused}");
    let shown = said(&system, &["rings"]);
    assert!(shown.contains("3 of 3 key files are still to be rewrapped"), "{shown}");
    // The command tells an operator who removes the old key by hand what is lost.
    let whole = fs::read_to_string(ring_file(&system, RingName::Master)).expect("a ring");
    let [old, _] = ids(&system, RingName::Master).try_into().expect("two keys");
    let last = whole.lines().last().expect("a key").to_owned();
    fs::write(ring_file(&system, RingName::Master), &last).expect("the ring can be written");
    let shown = eventually("the api takes the ring", || async {
        let shown = said(&system, &["rings"]);
        shown.contains("MISSING").then_some(shown)
    })
    .await;
    assert!(shown.contains(&format!("{old}  3 key files, MISSING: restore it")), "{shown}");
    let doctor = run(&system, &["doctor"]);
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.contains(&format!("lacks the key {old}")), "{doctor}");
    fs::write(ring_file(&system, RingName::Master), whole).expect("the ring can be written");
    system.worker.start_again();
    system.wait_until_worker_serves().await;
    rotated(&system, &system.clients(), RingName::Master).await;
    assert_eq!(system.user("ana").everything().await.len(), 1);
}
