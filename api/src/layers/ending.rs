//! Ends streams of libraries, such as health watches and reflection, together with their connection. They would
//! otherwise hold the connection until it is cut, and delay a stopping server until its bound.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::future::BoxFuture;
use http_body::Frame;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::Status;
use tonic::body::Body;

use crate::connections::Leaving;
use crate::status;

/// The signals that connect a response to the end of its connection.
pub(super) struct End {
    leaving: Leaving,
    /// Cancelled when the response is over.
    answered: DropGuard,
}

/// Prepares a request that ends when its response is over. Otherwise the task that reads it would wait for its
/// client without a bound.
pub(super) fn prepare(leaving: Leaving, request: http::Request<Body>) -> (End, http::Request<Body>) {
    let answered = CancellationToken::new();
    let over = Box::pin(answered.clone().cancelled_owned());
    let request = request.map(|inner| Body::new(Ending { inner: Some(inner), over, last: |()| None, _answered: None }));
    (End { leaving, answered: answered.drop_guard() }, request)
}

/// Makes a response end with its connection, unless it has ended before.
pub(super) fn with(end: End, answer: http::Response<Body>) -> http::Response<Body> {
    let over = Box::pin(end.leaving.over());
    let last = |why: Status| Some(Frame::trailers(status::as_trailers(&why)));
    answer.map(|inner| Body::new(Ending { inner: Some(inner), over, last, _answered: Some(end.answered) }))
}

/// A body that ends with `last` of the outcome of `over`.
struct Ending<T> {
    /// `None` once it was ended.
    inner: Option<Body>,
    over: BoxFuture<'static, T>,
    last: fn(T) -> Option<Frame<Bytes>>,
    _answered: Option<DropGuard>,
}

impl<T> http_body::Body for Ending<T> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some(inner) = &mut self.inner else { return Poll::Ready(None) };
        // Frames that are ready are sent first, such as the response of a call that has begun.
        if let Poll::Ready(frame) = Pin::new(inner).poll_frame(context) {
            return Poll::Ready(frame);
        }
        let outcome = ready!(self.over.as_mut().poll(context));
        self.inner = None;
        Poll::Ready((self.last)(outcome).map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }
}
