//! Open-loop load: calls arrive at a fixed rate regardless of earlier ones, as from many independent users. Latency
//! counts from the due time, so that all waiting is included.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::Result;
use crate::load::Sample;

/// Capacity of the queue of due calls.
const DUE: usize = 65_536;
/// How long to wait for responses after the last call.
const LAST_ANSWER: Duration = Duration::from_secs(30);

/// The calls that were due after the warm-up, by outcome.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Served calls, from due time to response.
    pub(crate) served: Sample,
    /// Calls refused with `RESOURCE_EXHAUSTED`, from due time to response.
    pub(crate) refused: Sample,
    /// The same from sending to response, without delays of the generator.
    pub(crate) refused_from_sent: Sample,
    /// Delays between due time and sending, of all calls.
    pub(crate) late: Sample,
    /// Other failures.
    pub(crate) failed: usize,
}

#[derive(Default)]
struct Taken {
    served: Vec<Duration>,
    refused: Vec<Duration>,
    refused_from_sent: Vec<Duration>,
    late: Vec<Duration>,
    failed: usize,
}

/// Makes `per_second` calls for `warm_up` and then `time`, distributed over the channels; only the latter count.
pub(crate) async fn open_loop<F, R>(
    channels: &[Channel],
    per_second: f64,
    warm_up: Duration,
    time: Duration,
    call: F,
) -> Result<Outcome>
where
    F: Fn(Channel, usize) -> R,
    R: Future<Output = Result<(), Status>> + Send + 'static,
{
    let taken = Arc::new(Mutex::new(Taken::default()));
    let start = Instant::now();
    let mut due = schedule(start, per_second, warm_up + time);
    let mut calls = JoinSet::new();
    while let Some((number, due)) = due.recv().await {
        let counts = due >= start + warm_up;
        let (taken, call) = (Arc::clone(&taken), call(channels[number % channels.len()].clone(), number));
        calls.spawn(async move {
            let sent = Instant::now();
            let answer = call.await;
            if counts {
                taken.lock().unwrap_or_else(PoisonError::into_inner).note(due, sent, answer);
            }
        });
        while calls.try_join_next().is_some() {}
    }
    let answered = async { while calls.join_next().await.is_some() {} };
    if tokio::time::timeout(LAST_ANSWER, answered).await.is_err() {
        return Err(format!("{} calls have no answer {LAST_ANSWER:?} after the last one was due", calls.len()).into());
    }
    let taken = std::mem::take(&mut *taken.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(taken.outcome(time))
}

/// Yields call numbers at their due times. Uses its own thread, since the runtime's timers have millisecond
/// resolution.
fn schedule(start: Instant, per_second: f64, time: Duration) -> mpsc::Receiver<(usize, Instant)> {
    let (calls, receiver) = mpsc::channel(DUE);
    std::thread::spawn(move || {
        for number in 0.. {
            let after = Duration::from_secs_f64(count(number) / per_second);
            let due = start + after;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            if after >= time || calls.blocking_send((number, due)).is_err() {
                break;
            }
        }
    });
    receiver
}

impl Taken {
    fn note(&mut self, due: Instant, sent: Instant, answer: Result<(), Status>) {
        self.late.push(sent - due);
        match answer {
            Ok(()) => self.served.push(due.elapsed()),
            Err(status) if status.code() == Code::ResourceExhausted => {
                self.refused.push(due.elapsed());
                self.refused_from_sent.push(sent.elapsed());
            }
            Err(_) => self.failed += 1,
        }
    }

    fn outcome(self, time: Duration) -> Outcome {
        Outcome {
            served: Sample::during(self.served, time),
            refused: Sample::during(self.refused, time),
            refused_from_sent: Sample::during(self.refused_from_sent, time),
            late: Sample::during(self.late, time),
            failed: self.failed,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 calls")]
fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tonic::transport::Endpoint;

    use super::*;

    #[tokio::test]
    async fn calls_come_at_their_rate_although_none_is_answered_and_each_ends_in_its_sample() {
        let channel = [Endpoint::from_static("http://127.0.0.1:1").connect_lazy()];
        let running = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let call = |_, number: usize| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(200)).await;
                running.fetch_sub(1, Ordering::Relaxed);
                match number % 4 {
                    0 => Err(Status::resource_exhausted("full")),
                    1 => Err(Status::unavailable("gone")),
                    _ => Ok(()),
                }
            }
        };
        let (warm_up, time) = (Duration::from_millis(100), Duration::from_millis(200));
        let outcome = open_loop(&channel, 200.0, warm_up, time, call).await.unwrap();
        assert_eq!((outcome.served.calls(), outcome.refused.calls(), outcome.failed), (20, 10, 10));
        assert_eq!(outcome.late.calls(), 40);
        assert!(most.load(Ordering::Relaxed) > 20, "calls do not wait for each other");
        assert!(outcome.served.p50() >= 200.0);
    }
}
