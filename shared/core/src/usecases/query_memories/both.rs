//! Runs two futures at once, on one task.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Drives both futures until both are ready: while one waits, the other works.
pub(super) async fn both<A, B>(first: impl Future<Output = A>, second: impl Future<Output = B>) -> (A, B) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let (mut first_value, mut second_value) = (None, None);
    poll_fn(|cx| {
        // The second one only waits, so it is polled first, to be under way while the first one works.
        if second_value.is_none()
            && let Poll::Ready(value) = second.as_mut().poll(cx)
        {
            second_value = Some(value);
        }
        if first_value.is_none()
            && let Poll::Ready(value) = first.as_mut().poll(cx)
        {
            first_value = Some(value);
        }
        match (first_value.take(), second_value.take()) {
            (Some(first), Some(second)) => Poll::Ready((first, second)),
            (first, second) => {
                (first_value, second_value) = (first, second);
                Poll::Pending
            }
        }
    })
    .await
}

/// Awaits a future, and does work meanwhile. If the future is ready at once, the work is not begun.
pub(super) async fn meanwhile<A, B>(awaited: impl Future<Output = A>, work: impl Future<Output = B>) -> (A, Option<B>) {
    let mut awaited = pin!(awaited);
    match poll_fn(|cx| Poll::Ready(awaited.as_mut().poll(cx))).await {
        Poll::Ready(value) => (value, None),
        Poll::Pending => {
            let (worked, value) = both(work, awaited).await;
            (value, Some(worked))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Waker};

    use super::*;

    /// Returns a future that is ready at the given poll, counted from 1.
    fn at_poll(mut left: usize) -> impl Future<Output = usize> {
        let polls = left;
        poll_fn(move |_| {
            assert!(left > 0, "polled again after it was ready");
            left -= 1;
            if left == 0 { Poll::Ready(polls) } else { Poll::Pending }
        })
    }

    fn polls<T>(mut future: Pin<&mut impl Future<Output = T>>) -> (usize, T) {
        let cx = &mut Context::from_waker(Waker::noop());
        for count in 1.. {
            if let Poll::Ready(values) = future.as_mut().poll(cx) {
                return (count, values);
            }
        }
        unreachable!("a loop without an end")
    }

    #[test]
    fn both_go_on_until_the_later_is_ready() {
        for (first, second) in [(1, 1), (1, 3), (3, 1), (2, 2)] {
            let together = pin!(both(at_poll(first), at_poll(second)));
            assert_eq!(polls(together), (first.max(second), (first, second)));
        }
    }

    #[test]
    fn work_is_begun_only_where_there_is_something_to_wait_for() {
        for (awaited, work, polled, worked) in
            [(1, 1, 1, None), (3, 1, 2, Some(1)), (3, 4, 4, Some(4)), (9, 3, 8, Some(3))]
        {
            let together = pin!(meanwhile(at_poll(awaited), at_poll(work)));
            assert_eq!(polls(together), (polled, (awaited, worked)), "{awaited} {work}");
        }
    }
}
