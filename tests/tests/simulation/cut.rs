//! Drops a future in the middle, like a killed process.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Runs a future to its end, or drops it after this many polls and returns `None`.
pub(crate) async fn cut_after<F: Future>(future: F, polls: Option<u32>) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|context| {
        if left == Some(0) {
            return Poll::Ready(None);
        }
        left = left.map(|polls| polls - 1);
        let polled = future.as_mut().poll(context).map(Some);
        if polled.is_pending() && left == Some(0) { Poll::Ready(None) } else { polled }
    })
    .await
}
