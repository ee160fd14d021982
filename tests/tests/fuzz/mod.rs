//! Sends mutated requests over gRPC and as JSON over HTTP: 15,000 (150,000 with `tests/run --long`), unless
//! `KIMBERLY_FUZZ_REQUESTS` sets another number. None may cause a panic, a hang, INTERNAL or UNKNOWN, and no response
//! may contain a path, SQL or an internal name.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod attachments;
mod json;
mod large;
mod leaks;
mod mutate;
mod raw;
mod seeds;
mod streams;
mod wire;

use std::time::Duration;

use kimberly_tests::{System, campaign};
use leaks::Leaks;
use mutate::Mutator;
use seeds::Seed;
use tonic::{Code, Status};

const CALLERS: usize = 16;
/// Timeout of any request.
const PATIENCE: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mutated_requests_are_answered_in_order() {
    let mut system = System::start_with(&[("KIMBERLY_LOG", "warn")]).await;
    let (seeds, leaks) = (seeds::all(&system).await, Leaks::new(&system));
    let pid = system.api.pid();
    let json = json::seeds(&system).await;
    let each = requests() / CALLERS / 3;
    let mutator = |n: usize| Mutator::new(n as u64);
    let grpc_calls = (0..CALLERS)
        .map(|n| tokio::spawn(call(system.channel(), seeds.clone(), leaks.clone(), mutator(n), 2 * each)))
        .collect();
    judge("gRPC", grpc_calls, 2 * each * CALLERS).await;
    let json_calls = (0..CALLERS)
        .map(|n| tokio::spawn(json::call(system.channel(), json.clone(), leaks.clone(), mutator(n), each)))
        .collect();
    judge("JSON", json_calls, each * CALLERS).await;

    system.wait_until_serving().await;
    assert_eq!(system.api.pid(), pid, "the api was started again");
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        process.assert_running();
        let log = process.log();
        assert!(!log.contains("panicked"), "{} panicked:\n{log}", process.name());
    }
    let mut user = system.user(seeds::USER);
    user.remember("it still remembers").await;
    assert!(!user.recall("still remembers").await.is_empty());
}

/// Number of requests; two thirds of them over gRPC.
fn requests() -> usize {
    let wanted = std::env::var("KIMBERLY_FUZZ_REQUESTS").ok();
    wanted
        .map_or_else(|| campaign(15_000, 150_000), |number| number.parse().expect("KIMBERLY_FUZZ_REQUESTS is a number"))
}

/// Waits for the callers and checks their tallies.
async fn judge(what: &str, callers: Vec<tokio::task::JoinHandle<Tally>>, expected: usize) {
    let mut tally = Tally::default();
    for caller in callers {
        tally.add(&caller.await.expect("a caller ends well"));
    }
    assert_eq!(tally.total(), expected, "{what}");
    // If all mutations were refused, or all accepted, only one half would be tested.
    assert!(tally.taken > expected / 50 && tally.refused > expected / 5, "{what}: {tally:?}");
}

/// Numbers of responses by outcome.
#[derive(Debug, Default)]
struct Tally {
    taken: usize,
    refused: usize,
    undecodable: usize,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.taken += other.taken;
        self.refused += other.refused;
        self.undecodable += other.undecodable;
    }

    fn total(&self) -> usize {
        self.taken + self.refused + self.undecodable
    }
}

async fn call(
    channel: tonic::transport::Channel,
    seeds: Vec<Seed>,
    leaks: Leaks,
    mut mutator: Mutator,
    count: usize,
) -> Tally {
    let mut tally = Tally::default();
    for _ in 0..count {
        let seed = mutator.choose(&seeds);
        let body = mutator.mutate(&seed.body);
        let answered = tokio::time::timeout(PATIENCE, raw::send(channel.clone(), seed, body.clone())).await;
        let shown = || format!("{} {:?}", seed.method, String::from_utf8_lossy(&body[..body.len().min(2_000)]));
        match answered.unwrap_or_else(|_| panic!("no answer to {}", shown())) {
            Ok(()) => tally.taken += 1,
            Err(status) => {
                if let Some(leak) = leaks.find(&status) {
                    panic!("{} was answered with {leak:?} in {status:?}", shown());
                }
                if is_undecodable(&status) {
                    tally.undecodable += 1;
                    continue;
                }
                let bad = [Code::Internal, Code::Unknown, Code::DataLoss, Code::Unimplemented].contains(&status.code());
                assert!(!bad, "{} was answered with {status:?}", shown());
                tally.refused += 1;
            }
        }
    }
    tally
}

/// Bytes that are not a message of the method; the transport's codec refuses them before any handler runs.
fn is_undecodable(status: &Status) -> bool {
    [Code::Internal, Code::InvalidArgument].contains(&status.code())
        && status.message().starts_with("failed to decode Protobuf message")
}
