//! Reads the rest of request bodies that were answered early, such as those of refused calls.
//!
//! If a body is dropped, h2 resets its stream. Frames that the client sent before it received the reset arrive at a
//! stream that h2 has forgotten. Each counts as an error, and too many errors end the connection with all other calls
//! on it.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::body::Body;

/// HTTP/2 window of a stream. A batch of usual size needs no round trip for a window update.
pub(super) const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
/// Maximum bytes read of one body: what its client may have sent without hearing from the server.
const MOST_BYTES: usize = STREAM_WINDOW_BYTES as usize;
/// Maximum time for the client to send them.
const PATIENCE: Duration = Duration::from_secs(5);

/// A body that is read to its end if dropped early, within bounds and unless its connection ends.
pub(super) struct ReadToEnd {
    body: Body,
    leaving: CancellationToken,
    over: bool,
}

impl ReadToEnd {
    pub(super) fn new(body: Body, leaving: CancellationToken) -> Self {
        let over = body.is_end_stream();
        Self { body, leaving, over }
    }
}

impl http_body::Body for ReadToEnd {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        // After an error, the client sends nothing more.
        self.over |= matches!(frame, Poll::Ready(None | Some(Err(_))));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for ReadToEnd {
    fn drop(&mut self) {
        if self.over || self.body.is_end_stream() || self.leaving.is_cancelled() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let body = std::mem::take(&mut self.body);
        let leaving = self.leaving.clone();
        runtime.spawn(async move {
            let _ = leaving.run_until_cancelled(tokio::time::timeout(PATIENCE, read(body))).await;
        });
    }
}

/// Reads until the end, an error, or the bound.
async fn read(mut body: Body) {
    let mut left = MOST_BYTES;
    while let Some(Ok(frame)) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Some(rest) = left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) else { return };
        left = rest;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    /// An endless body that counts how many bytes were read.
    struct Endless(Arc<AtomicUsize>);

    impl http_body::Body for Endless {
        type Data = Bytes;
        type Error = Status;

        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
            self.0.fetch_add(1024, Relaxed);
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[0; 1024])))))
        }
    }

    #[tokio::test]
    async fn unread_body_is_read_up_to_the_bound_and_not_once_its_connection_ends() {
        let (read, leaving) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
        let unread = || ReadToEnd::new(Body::new(Endless(Arc::clone(&read))), leaving.clone());
        drop(unread());
        while read.load(Relaxed) <= MOST_BYTES {
            tokio::task::yield_now().await;
        }
        leaving.cancel();
        drop(unread());
        tokio::task::yield_now().await;
        assert_eq!(read.load(Relaxed), MOST_BYTES + 1024, "one frame more than the bound ends it");
    }
}
