//! Room for requests that are held: how many, and how many bytes. What finds no room is refused before it is read, or as
//! soon as it grows too large.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use kimberly_runtime::config::ApiConfig;
use tonic::Status;
use tonic::body::Body;

use crate::status::{self, Limit};

/// The header that says how a request's messages are compressed.
const ENCODING: &str = "grpc-encoding";

/// The room for requests.
#[derive(Debug)]
pub(super) struct Room {
    most: usize,
    most_bytes: u64,
    taken: AtomicUsize,
    taken_bytes: AtomicU64,
}

/// What one request takes of it, given back on drop.
#[derive(Debug)]
pub(crate) struct Held {
    room: Arc<Room>,
    bytes: AtomicU64,
    compressed: bool,
}

impl Room {
    pub(super) fn new(config: &ApiConfig) -> Arc<Self> {
        let (most, most_bytes) = (config.max_concurrent_requests, config.max_held_bytes.0);
        Arc::new(Self { most, most_bytes, taken: AtomicUsize::new(0), taken_bytes: AtomicU64::new(0) })
    }

    /// Room for a request, if there is some.
    pub(super) fn take<B>(self: &Arc<Self>, request: &http::Request<B>) -> Option<Arc<Held>> {
        let free = |taken: usize| (taken < self.most).then_some(taken + 1);
        self.taken.fetch_update(Relaxed, Relaxed, free).ok()?;
        let compressed = request.headers().get(ENCODING).is_some_and(|encoding| encoding != "identity");
        Some(Arc::new(Held { room: Arc::clone(self), bytes: AtomicU64::new(0), compressed }))
    }

    #[cfg(test)]
    pub(super) fn taken(&self) -> (usize, u64) {
        (self.taken.load(Relaxed), self.taken_bytes.load(Relaxed))
    }
}

impl Held {
    /// Takes room for more bytes.
    fn grow(&self, bytes: usize) -> Result<(), Status> {
        let bytes = bytes as u64;
        let fits = |taken: u64| taken.checked_add(bytes).filter(|&taken| taken <= self.room.most_bytes);
        match self.room.taken_bytes.fetch_update(Relaxed, Relaxed, fits) {
            Ok(_) => {
                self.bytes.fetch_add(bytes, Relaxed);
                Ok(())
            }
            Err(_) => Err(status::overloaded(Limit::Bytes)),
        }
    }

    /// Takes room for a message that came compressed, now that its size is known.
    pub(crate) fn unpacked(&self, message: &impl prost::Message) -> Result<(), Status> {
        if self.compressed { self.grow(message.encoded_len()) } else { Ok(()) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.room.taken.fetch_sub(1, Relaxed);
        self.room.taken_bytes.fetch_sub(self.bytes.load(Relaxed), Relaxed);
    }
}

/// A body that takes room for what arrives.
struct Counted {
    inner: Body,
    held: Arc<Held>,
}

/// The body, counted.
pub(super) fn counted(inner: Body, held: Arc<Held>) -> Body {
    Body::new(Counted { inner, held })
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
mod tests {
    use super::*;

    fn room(most: usize, most_bytes: u64) -> Arc<Room> {
        let config = ApiConfig {
            max_concurrent_requests: most,
            max_held_bytes: kimberly_runtime::config::Bytes(most_bytes),
            ..ApiConfig::default()
        };
        Room::new(&config)
    }

    fn request(encoding: &str) -> http::Request<()> {
        http::Request::builder().header(ENCODING, encoding).body(()).unwrap()
    }

    #[test]
    fn requests_are_bounded_in_number_and_bytes_and_give_both_back() {
        let room = room(2, 100);
        let first = room.take(&request("identity")).unwrap();
        let second = room.take(&request("identity")).unwrap();
        assert!(room.take(&request("identity")).is_none());
        assert!(first.grow(60).is_ok() && second.grow(40).is_ok());
        assert!(second.grow(1).is_err());
        drop(first);
        assert!(second.grow(1).is_ok());
        assert_eq!(room.taken(), (1, 41));
        drop(second);
        assert_eq!(room.taken(), (0, 0));
    }

    #[test]
    fn compressed_message_takes_room_for_what_it_is() {
        let room = room(2, 100);
        let message = "x".repeat(200);
        assert!(room.take(&request("gzip")).unwrap().unpacked(&message).is_err());
        assert!(room.take(&request("identity")).unwrap().unpacked(&message).is_ok(), "counted when it was read");
        assert!(room.take(&request("gzip")).unwrap().unpacked(&"x".repeat(50)).is_ok());
        assert_eq!(room.taken(), (0, 0));
    }
}
