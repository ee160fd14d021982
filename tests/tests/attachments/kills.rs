//! Kill -9 during uploads: acknowledged attachments exist, and nothing is left of others.

use std::time::Duration;

use kimberly_tests::attachments::{download, list, messages, noise, start};
use kimberly_tests::{System, eventually};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use tokio_stream::StreamExt as _;

use super::files;

const KILLS: u64 = 20;
const BYTES: usize = 3_000_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_that_are_killed_leave_nothing_and_acknowledged_ones_stay() {
    let mut system =
        System::start_with(&[("KIMBERLY_ATTACHMENTS__UPLOAD_WITHIN", "5s"), ("KIMBERLY_WORKER__MAX_ATTEMPTS", "100")])
            .await;
    system.user("ada").remember("a memory").await;
    let mut dice = StdRng::seed_from_u64(5);
    let mut acknowledged = Vec::new();
    for n in 0..KILLS {
        let mut attachments = system.clients().attachments;
        let requests = messages(start("ada", &format!("file {n}")), &noise(n, BYTES));
        let uploading = tokio::spawn(async move {
            // Slowed down, so that a kill hits the upload.
            let requests = tokio_stream::iter(requests).throttle(Duration::from_millis(4));
            let mut answers = attachments.upload_attachment(requests).await.ok()?.into_inner();
            answers.message().await.ok().flatten()?.attachment
        });
        tokio::time::sleep(Duration::from_millis(dice.random_range(0..140))).await;
        system.api.kill9();
        if n % 4 == 0 {
            system.worker.kill9();
            system.worker.start_again();
        }
        system.api.start_again();
        if let Some(attachment) = uploading.await.expect("the upload ends") {
            acknowledged.push((n, attachment));
        }
        system.wait_until_serving().await;
    }
    let clients = system.clients();
    // If the response was lost, an unacknowledged attachment may exist; it is complete then.
    eventually("what uploads left goes", || async {
        let kept = list(&clients, "ada", "").await.len();
        (files(&system).len() == kept).then_some(())
    })
    .await;
    let kept = list(&clients, "ada", "").await;
    for attachment in &kept {
        let n: u64 = attachment.name.trim_start_matches("file ").parse().expect("a number");
        let bytes = download(&clients, "ada", &attachment.id, 0).await.expect("it is given out");
        assert!(bytes == noise(n, BYTES), "{n}");
    }
    for (n, attachment) in acknowledged {
        assert!(kept.contains(&attachment), "{n} was acknowledged and is gone");
    }
    assert!(kept.len() < usize::try_from(KILLS).expect("few"), "no kill fell into an upload");
}
