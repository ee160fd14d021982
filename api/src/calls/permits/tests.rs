//! Tests of waiting for permits: turns, and that a call that gives up leaves nothing behind.

use futures::FutureExt as _;

use super::*;

fn permits(running: usize, waiting: usize) -> Permits {
    let bounds = Bounds {
        running,
        waiting,
        per_user: 100,
        longest_wait: Duration::from_secs(1),
        longest_wait_overloaded: Duration::from_secs(1),
    };
    Permits::new(bounds, LineMetrics { wait: "wait", waiting: "waiting" }, Metrics::detached())
}

const fn of(user: Key) -> Who {
    Who { caller: 0, user }
}

fn waiting(permits: &Permits) -> usize {
    permits.0.lock().waiting()
}

#[tokio::test]
async fn a_freed_permit_goes_to_the_next_in_turn() {
    let permits = permits(1, 10);
    let first = permits.take(of(1), None).await.unwrap();
    let mut second = Box::pin(permits.take(of(1), None));
    let mut third = Box::pin(permits.take(of(1), None));
    let mut other = Box::pin(permits.take(of(2), None));
    for waits in [&mut second, &mut third, &mut other] {
        assert!(waits.now_or_never().is_none());
    }
    drop(first);
    let second = second.await.unwrap();
    assert!((&mut other).now_or_never().is_none());
    drop(second);
    let other = other.await.unwrap();
    assert!((&mut third).now_or_never().is_none(), "the user who came last was served between");
    drop(other);
    drop(third.await.unwrap());
    assert!(permits.take(of(3), None).now_or_never().unwrap().is_ok(), "all places came back");
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_waiting_or_when_served_releases_its_permit() {
    let permits = permits(1, 10);
    let first = permits.take(of(1), None).await.unwrap();
    let mut gone = Box::pin(permits.take(of(1), None));
    let mut served = Box::pin(permits.take(of(2), None));
    let mut last = Box::pin(permits.take(of(3), None));
    for waits in [&mut gone, &mut served, &mut last] {
        assert!(waits.now_or_never().is_none());
    }
    assert_eq!(waiting(&permits), 3);
    drop(gone);
    assert_eq!(waiting(&permits), 2);
    drop(first);
    // Its turn comes now, but it has given up.
    drop(served);
    drop(last.await.unwrap());
    assert_eq!(waiting(&permits), 0);
    assert!(permits.take(of(1), None).now_or_never().unwrap().is_ok());
}

#[tokio::test]
async fn who_is_pushed_out_of_a_full_line_is_refused_at_once() {
    let permits = permits(1, 2);
    let _first = permits.take(of(1), None).await.unwrap();
    let mut second = Box::pin(permits.take(of(1), None));
    let mut third = Box::pin(permits.take(of(1), None));
    assert!((&mut second).now_or_never().is_none() && (&mut third).now_or_never().is_none());
    let mut other = Box::pin(permits.take(of(2), None));
    assert!((&mut other).now_or_never().is_none());
    assert_eq!(third.now_or_never().unwrap().unwrap_err(), Refusal::Server);
    assert!(second.now_or_never().is_none());
}

#[tokio::test]
async fn steps_of_streams_wait_where_calls_are_refused() {
    let permits = permits(1, 10);
    let first = permits.take(of(1), None).await.unwrap();
    assert_eq!(permits.take(of(2), Some(Duration::ZERO)).await.unwrap_err(), Refusal::Server);
    let mut step = Box::pin(permits.take_patiently(of(2)));
    assert!((&mut step).now_or_never().is_none());
    let mut calls: Vec<_> = (10..30).map(|user| Box::pin(permits.take(of(user), None))).collect();
    assert!(calls.iter_mut().any(|call| call.now_or_never().is_some()), "the line is full");
    assert!((&mut step).now_or_never().is_none(), "it keeps its place in line whatever comes");
    drop(first);
    assert!(step.await.is_ok());
}
