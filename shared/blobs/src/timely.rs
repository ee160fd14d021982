//! Timeouts for a store: a stalled store, or a stalled proxy in front of it, must not block callers forever.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};
use object_store::client::{HttpError, HttpErrorKind};
use tokio::time::Sleep;

/// Maximum time from sending a request to the start of the response, and maximum pause within the response.
const WITHIN: Duration = Duration::from_secs(30);
/// Minimum assumed network throughput, in bytes per second.
const SLOWEST: usize = 64 * 1024;

/// Returns the maximum time until the response to a request of this size starts.
pub(crate) fn answer_within(request_bytes: usize) -> Duration {
    WITHIN + Duration::from_secs(u64::try_from(request_bytes / SLOWEST).unwrap_or(u64::MAX))
}

/// A body that fails if no frame arrives for too long.
pub(crate) struct Timely<B> {
    body: Pin<Box<B>>,
    /// The timer, running while a frame is pending.
    patience: Option<Pin<Box<Sleep>>>,
}

impl<B> Timely<B> {
    pub(crate) fn new(body: B) -> Self {
        Self { body: Box::pin(body), patience: None }
    }
}

impl<B: Body<Error = HttpError>> Body for Timely<B> {
    type Data = B::Data;
    type Error = HttpError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let Self { body, patience } = self.get_mut();
        if let Poll::Ready(frame) = body.as_mut().poll_frame(cx) {
            *patience = None;
            return Poll::Ready(frame);
        }
        ready!(patience.get_or_insert_with(|| Box::pin(tokio::time::sleep(WITHIN))).as_mut().poll(cx));
        *patience = None;
        let late = std::io::Error::from(std::io::ErrorKind::TimedOut);
        Poll::Ready(Some(Err(HttpError::new(HttpErrorKind::Timeout, late))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures::{StreamExt as _, stream};
    use http_body_util::{BodyExt as _, StreamBody};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_answer_may_be_slow_and_may_not_stand_still() {
        let slow = stream::iter(0..5).then(|n| async move {
            tokio::time::sleep(Duration::from_secs(29)).await;
            Ok::<_, HttpError>(Frame::data(Bytes::from(vec![n])))
        });
        let mut body = Timely::new(StreamBody::new(slow.chain(stream::pending())));
        for n in 0..5 {
            assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), [n].as_slice());
        }
        let before = Instant::now();
        let late = body.frame().await.unwrap().unwrap_err();
        assert_eq!((late.kind(), before.elapsed().as_secs()), (HttpErrorKind::Timeout, 30));
    }

    #[test]
    fn a_request_has_the_time_that_a_slow_network_takes_to_send_it() {
        assert_eq!(answer_within(0), WITHIN);
        assert_eq!(answer_within(8 << 20), WITHIN + Duration::from_secs(128));
    }
}
