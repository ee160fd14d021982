//! Tests of waiting for slots: turns, and that a call that gives up leaves nothing behind.

use futures::FutureExt as _;

use super::*;

fn slots(running: usize, waiting: usize) -> Slots {
    let bounds = Bounds {
        running,
        waiting,
        per_user: 100,
        longest_wait: Duration::from_secs(1),
        longest_wait_overloaded: Duration::from_secs(1),
    };
    Slots::new(bounds, LineMetrics { wait: "wait", waiting: "waiting" }, Metrics::detached())
}

const fn of(user: Key) -> Who {
    Who { caller: 0, user }
}

fn waiting(slots: &Slots) -> usize {
    slots.0.lock().waiting()
}

#[tokio::test]
async fn a_freed_slot_goes_to_the_next_in_turn() {
    let slots = slots(1, 10);
    let first = slots.take(of(1), None).await.unwrap();
    let mut second = Box::pin(slots.take(of(1), None));
    let mut third = Box::pin(slots.take(of(1), None));
    let mut other = Box::pin(slots.take(of(2), None));
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
    assert!(slots.take(of(3), None).now_or_never().unwrap().is_ok(), "all places came back");
}

#[tokio::test]
async fn a_call_that_is_cancelled_while_waiting_or_when_served_releases_its_slot() {
    let slots = slots(1, 10);
    let first = slots.take(of(1), None).await.unwrap();
    let mut gone = Box::pin(slots.take(of(1), None));
    let mut served = Box::pin(slots.take(of(2), None));
    let mut last = Box::pin(slots.take(of(3), None));
    for waits in [&mut gone, &mut served, &mut last] {
        assert!(waits.now_or_never().is_none());
    }
    assert_eq!(waiting(&slots), 3);
    drop(gone);
    assert_eq!(waiting(&slots), 2);
    drop(first);
    // Its turn comes now, but it has given up.
    drop(served);
    drop(last.await.unwrap());
    assert_eq!(waiting(&slots), 0);
    assert!(slots.take(of(1), None).now_or_never().unwrap().is_ok());
}

#[tokio::test]
async fn who_is_pushed_out_of_a_full_line_is_refused_at_once() {
    let slots = slots(1, 2);
    let _first = slots.take(of(1), None).await.unwrap();
    let mut second = Box::pin(slots.take(of(1), None));
    let mut third = Box::pin(slots.take(of(1), None));
    assert!((&mut second).now_or_never().is_none() && (&mut third).now_or_never().is_none());
    let mut other = Box::pin(slots.take(of(2), None));
    assert!((&mut other).now_or_never().is_none());
    assert_eq!(third.now_or_never().unwrap().unwrap_err(), Refusal::Server);
    assert!(second.now_or_never().is_none());
}

#[tokio::test]
async fn steps_of_streams_wait_where_calls_are_refused() {
    let slots = slots(1, 10);
    let first = slots.take(of(1), None).await.unwrap();
    assert_eq!(slots.take(of(2), Some(Duration::ZERO)).await.unwrap_err(), Refusal::Server);
    let mut step = Box::pin(slots.take_patiently(of(2)));
    assert!((&mut step).now_or_never().is_none());
    let mut calls: Vec<_> = (10..30).map(|user| Box::pin(slots.take(of(user), None))).collect();
    assert!(calls.iter_mut().any(|call| call.now_or_never().is_some()), "the line is full");
    assert!((&mut step).now_or_never().is_none(), "it keeps its place in line whatever comes");
    drop(first);
    assert!(step.await.is_ok());
}
