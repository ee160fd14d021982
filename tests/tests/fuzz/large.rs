//! Every method, valid and unmutated, about a vault whose tables and indices have hundreds of pages.

use std::time::Duration;

use kimberly_core::meditation::steps::{Step, pipeline};
use kimberly_proto::v1 as pb;
use kimberly_tests::corpus::Corpus;
use kimberly_tests::{System, User, drafts};
use tonic::Code;

use crate::fuzz::seeds::{self, USER};
use crate::fuzz::{json, raw};

const MEMORIES: usize = 6_000;
const BATCH: usize = 1_000;
/// Bytes of a memory; whole texts of the corpus are joined until one has as many.
const LONG: usize = 500;

/// Timeout of any call.
const PATIENCE: Duration = Duration::from_mins(1);

/// Faults of the server. All other codes refuse a request.
const FAULTS: [Code; 4] = [Code::Internal, Code::Unknown, Code::DataLoss, Code::Unimplemented];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_vault_of_six_thousand_long_memories_goes_through_every_method_and_step() {
    let system = System::start_with(&[("KIMBERLY_QUOTAS__LONG_TERM", "64MiB")]).await;
    let mut user = system.user(USER);
    fill(&mut user).await;
    for step in pipeline().map(Step::name) {
        user.plan_of(&[step]).await;
        let run = user.night_of(&[step]).await.meditation.expect("a run");
        assert_eq!(run.status(), pb::MeditationStatus::Complete, "{step}: {run:?}");
    }
    let json = json::seeds(&system).await;
    for seed in json {
        json::succeeds_or_is_refused(system.channel(), &seed).await;
    }
    for seed in seeds::all(&system).await {
        let method = seed.method;
        let sent = tokio::time::timeout(PATIENCE, raw::send(system.channel(), &seed, seed.body.clone())).await;
        let answer = sent.unwrap_or_else(|_| panic!("no answer to {method}"));
        assert!(!answer.as_ref().is_err_and(|status| FAULTS.contains(&status.code())), "{method}: {answer:?}");
    }
    let metrics = user.metrics().await;
    assert!(metrics.sqlite_index_bytes > 1 << 19, "{metrics:?}");
    assert!(user.everything().await.len() > MEMORIES / 2);
}

async fn fill(user: &mut User) {
    let mut corpus = Corpus::new(44);
    for first in (0..MEMORIES).step_by(BATCH) {
        user.remember_all((first..first + BATCH).map(|number| drafts::draft(&long(&mut corpus, number))).collect())
            .await;
    }
}

/// A text with words of its own, as names and numbers are in real ones.
fn long(corpus: &mut Corpus, number: usize) -> String {
    let mut text = format!("Note {number} of ward{}:", number * 7_919 % 100_003);
    while text.len() < LONG {
        text.push(' ');
        text.push_str(&corpus.text().content);
    }
    text
}
