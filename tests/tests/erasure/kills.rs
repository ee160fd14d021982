//! Kill -9 at random moments of a purge: it resumes by itself and ends like an undisturbed one.

use std::time::Duration;

use kimberly_proto::v1 as pb;
use kimberly_tests::{Clients, System};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::purging::{ask, key_files, receipt, vaults};
use super::scan::{patiently, remember_surely};

const KILLS: u64 = 50;
/// Approximate duration of a purge, in milliseconds.
const LONGEST: u64 = 120;

/// Fills a vault with fixed content.
async fn fill(system: &System, id: &str) {
    let mut user = system.user(id);
    for n in 0..5 {
        remember_surely(&user, &format!("memory number {n}")).await;
    }
    user.pursue("sailing", &["sea"]).await;
    user.consent().await;
}

/// The counts that do not depend on timing.
fn lasting(purge: pb::Purge) -> pb::ErasedCounts {
    pb::ErasedCounts { file_bytes: 0, ..purge.erased.expect("counts") }
}

/// The requested purge of a user, if the request arrived: the api may have been killed before.
async fn asked(clients: &Clients, user: &str) -> String {
    let list = || async {
        let request = pb::ListPurgesRequest { user_id: user.to_owned(), ..Default::default() };
        clients.clone().erasure.list_purges(request).await.ok().map(|found| found.into_inner().purges)
    };
    let found = patiently("purges are listed", list).await;
    match found.last() {
        Some(purge) => purge.id.clone(),
        None => ask(&mut clients.clone(), user).await.id,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_purge_that_is_killed_anywhere_goes_on_and_ends_the_same() {
    // By default a job whose process keeps dying becomes a dead letter; here the test kills it.
    let mut system = System::start_with(&[("KIMBERLY_WORKER__MAX_ATTEMPTS", "100")]).await;
    fill(&system, "undisturbed").await;
    let clients = system.clients();
    let undisturbed = ask(&mut clients.clone(), "undisturbed").await;
    let undisturbed = lasting(receipt(&clients, &undisturbed.id).await);
    assert_eq!((undisturbed.rows["memories"], undisturbed.key_file), (5, true));

    let mut dice = StdRng::seed_from_u64(13);
    for n in 0..KILLS {
        let user = format!("user {n}");
        fill(&system, &user).await;
        let (mut asking, whom) = (clients.clone(), user.clone());
        let mut asking = tokio::spawn(async move {
            let request = pb::PurgeUserRequest { user_id: whom.clone(), confirm_user_id: whom };
            // The call may fail, since the api may be killed.
            drop(asking.erasure.purge_user(request).await);
        });
        // In a third of the cycles during the request, otherwise during the steps.
        let soon = n % 3 == 0;
        if !soon {
            (&mut asking).await.expect("the call ends");
        }
        let most = if soon { 20 } else { LONGEST };
        tokio::time::sleep(Duration::from_millis(dice.random_range(0..most))).await;
        if soon || n % 5 == 0 {
            system.api.kill9();
            system.api.start_again();
        }
        if !soon || n % 2 == 0 {
            system.worker.kill9();
            system.worker.start_again();
        }
        if soon {
            // A request that was not sent yet must not start another purge later.
            asking.await.expect("the call ends");
        }
        system.wait_until_serving().await;
        let id = asked(&clients, &user).await;
        assert_eq!(lasting(receipt(&clients, &id).await), undisturbed, "{user}");
        assert_eq!((vaults(&system.data_dir()), key_files(&system.data_dir())), (Vec::new(), Vec::new()), "{user}");
        assert!(system.user(&user).everything().await.is_empty());
    }
    let mut back = system.user("user 7");
    back.remember("a first memory").await;
    assert_eq!(back.everything().await.len(), 1);
    let request = pb::VerifyAuditRequest::default();
    let verdict = clients.clone().audit.verify_audit(request).await.expect("a verdict").into_inner();
    assert!(verdict.findings.is_empty(), "{verdict:?}");
}
