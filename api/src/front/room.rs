//! Bounds on requests held in memory, in any dialect: their number and their bytes. A request beyond them is refused
//! before it is read, or as soon as it grows too large. Callers share the room (`shares`), so that none takes all of
//! it.

mod shares;

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::header::CONTENT_ENCODING;
use http::{HeaderName, StatusCode};
use http_body::{Frame, SizeHint};
use kimberly_runtime::Metrics;
use kimberly_runtime::config::{ApiConfig, MEMORY_PER_REQUEST_BYTE};
use tonic::Status;
use tonic::body::Body;
use tower::{Layer, Service};

use self::shares::Shares;
use super::dialect;
use crate::calls::Sharer;
use crate::paths;
use crate::status::{self, Limit};

/// One caller may hold at most half of the free requests. A caller alone can thus hold a third of all.
const REQUESTS_DIVISOR: u64 = 2;
/// One caller may hold at most as many bytes as are free. A caller alone can thus hold half of all.
const BYTES_DIVISOR: u64 = 1;

/// The header with the compression of gRPC messages. JSON bodies state theirs in `content-encoding`.
const ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");

/// Refuses requests for which there is no room.
#[derive(Clone, Debug)]
pub(crate) struct RoomLayer {
    room: Arc<Room>,
    metrics: Metrics,
}

impl RoomLayer {
    /// Creates the layer with the configured bounds.
    pub(crate) fn new(config: &ApiConfig, metrics: Metrics) -> Self {
        Self { room: Room::new(config, metrics.clone()), metrics }
    }
}

impl<S> Layer<S> for RoomLayer {
    type Service = Roomed<S>;

    fn layer(&self, inner: S) -> Roomed<S> {
        Roomed { inner, layer: self.clone() }
    }
}

/// A service wrapped by a [`RoomLayer`].
#[derive(Clone, Debug)]
pub(crate) struct Roomed<S> {
    inner: S,
    layer: RoomLayer,
}

impl<S> Service<http::Request<Body>> for Roomed<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<http::Response<Body>, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<Body>) -> Self::Future {
        if paths::always_served(request.uri().path()) {
            return Box::pin(self.inner.call(request));
        }
        let Some(held) = self.layer.room.take(&request) else {
            self.layer.metrics.add("grpc.refused", 1);
            self.layer.metrics.add("grpc.refused.room", 1);
            let refused = dialect::refused(&request, status::overloaded(Limit::Server), StatusCode::TOO_MANY_REQUESTS);
            return Box::pin(std::future::ready(Ok(refused)));
        };
        request.extensions_mut().insert(Arc::clone(&held));
        // A stream holds only the message that is being read.
        if !paths::streams_in(request.uri().path()) {
            request = request.map(|body| Body::new(Counted { inner: body, held: Arc::clone(&held) }));
        }
        let answer = self.inner.call(request);
        Box::pin(async move {
            let answer = answer.await;
            // Held until there is a response.
            drop(held);
            answer
        })
    }
}

/// The bounds, and what is taken of them.
#[derive(Debug)]
struct Room {
    requests: Mutex<Shares>,
    bytes: Mutex<Shares>,
    metrics: Metrics,
}

/// The room that one request takes, freed on drop.
#[derive(Debug)]
pub(crate) struct Held {
    room: Arc<Room>,
    sharer: Sharer,
    requests: u64,
    bytes: AtomicU64,
    compressed: bool,
    refused: AtomicBool,
}

fn lock(shares: &Mutex<Shares>) -> MutexGuard<'_, Shares> {
    shares.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Room {
    fn new(config: &ApiConfig, metrics: Metrics) -> Arc<Self> {
        let shares = |most, divisor| Mutex::new(Shares::new(most, divisor));
        let requests = shares(config.max_concurrent_requests as u64, REQUESTS_DIVISOR);
        let bytes = shares(config.max_held_bytes.0, BYTES_DIVISOR);
        Arc::new(Self { requests, bytes, metrics })
    }

    /// Takes room for a request, if there is any.
    fn take<B>(self: &Arc<Self>, request: &http::Request<B>) -> Option<Arc<Held>> {
        let sharer = Sharer::of(request.extensions());
        if !lock(&self.requests).take(&sharer, 1) {
            return None;
        }
        let packs = |header| request.headers().get(header).is_some_and(|encoding| encoding != "identity");
        let compressed = packs(ENCODING) || packs(CONTENT_ENCODING);
        let (bytes, refused) = (AtomicU64::new(0), AtomicBool::new(false));
        Some(Arc::new(Held { room: Arc::clone(self), sharer, requests: 1, bytes, compressed, refused }))
    }

    #[cfg(test)]
    fn taken(&self) -> (u64, u64) {
        (lock(&self.requests).taken(), lock(&self.bytes).taken())
    }
}

impl Held {
    /// Creates the room for messages that a stream gathers. The stream has its own permit, so it counts as no request.
    pub(crate) fn of_stream(&self) -> Self {
        let (bytes, refused) = (AtomicU64::new(0), AtomicBool::new(false));
        let (room, sharer) = (Arc::clone(&self.room), self.sharer.clone());
        Self { room, sharer, requests: 0, bytes, compressed: self.compressed, refused }
    }

    /// Takes room for more bytes of the request, or fails.
    pub(crate) fn grow(&self, bytes: usize) -> Result<(), Status> {
        if self.grows(bytes) {
            return Ok(());
        }
        if !self.refused.swap(true, Relaxed) {
            self.room.metrics.add("grpc.refused", 1);
            self.room.metrics.add("grpc.refused.bytes", 1);
        }
        Err(status::overloaded(Limit::Bytes))
    }

    /// Takes room for more bytes. Returns whether there was enough.
    pub(crate) fn grows(&self, bytes: usize) -> bool {
        let bytes = MEMORY_PER_REQUEST_BYTE.saturating_mul(bytes as u64);
        let has_room = lock(&self.room.bytes).take(&self.sharer, bytes);
        if has_room {
            self.bytes.fetch_add(bytes, Relaxed);
        }
        has_room
    }

    /// Frees the room that was taken for this many bytes.
    pub(crate) fn shrink(&self, bytes: usize) {
        let bytes = MEMORY_PER_REQUEST_BYTE.saturating_mul(bytes as u64).min(self.bytes.load(Relaxed));
        self.bytes.fetch_sub(bytes, Relaxed);
        lock(&self.room.bytes).give_back(&self.sharer, bytes);
    }

    /// Reports whether there was no room for its bytes, a refusal that gRPC-Web hides behind its own error.
    pub(crate) fn refused(&self) -> bool {
        self.refused.load(Relaxed)
    }

    /// Takes room for a compressed message, now that its decompressed size is known.
    pub(crate) fn unpacked(&self, message: &impl prost::Message) -> Result<(), Status> {
        if self.compressed { self.grow(message.encoded_len()) } else { Ok(()) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        lock(&self.room.requests).give_back(&self.sharer, self.requests);
        lock(&self.room.bytes).give_back(&self.sharer, self.bytes.load(Relaxed));
    }
}

/// A body that takes room for the bytes that arrive.
struct Counted {
    inner: Body,
    held: Arc<Held>,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
        if let Some(Ok(Some(data))) = frame.as_ref().map(|frame| frame.as_ref().map(Frame::data_ref)) {
            self.held.grow(data.len())?;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests;
