//! The connections of a server: their number, their age, and how they end.
//!
//! A connection that reaches its maximum age, or whose server stops, is asked to end. Clients get a signal to reconnect
//! (GOAWAY, or `connection: close`), running calls continue for a bounded time, and streams are notified by
//! [`Leaving`]. tonic's own loop would cut connections that exceed their age all at once, without a signal first if a
//! bound follows.

mod leaving;
mod opening;
mod unread;

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http::Version;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulConnection;
use hyper_util::service::TowerToHyperService;
use kimberly_runtime::Metrics;
pub(crate) use leaving::Leaving;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tower::{Service, ServiceExt as _};

use crate::tls::{Peer, Tls};
use unread::{ReadToEnd, STREAM_WINDOW_BYTES};

/// HTTP/2 window of a connection.
const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/// Maximum number of streams that h2 itself resets over the life of a connection. For example, frames of a body
/// may arrive after the response although [`unread`] has read up to its bound. Many calls of many clients share a
/// proxy's connection. Each reset stream holds about 200 bytes until its reset was sent.
const MAX_STREAMS_ENDED_BY_ERRORS: usize = 16_384;
/// Maximum size of a request's headers, in bytes.
const MAX_HEADER_BYTES: u32 = 16 * 1024;
/// Buffer of an HTTP/1.1 connection, which also bounds its headers.
const HTTP1_BUFFER_BYTES: usize = 64 * 1024;
/// Maximum time for the headers of an HTTP/1.1 request to arrive, and for a kept connection to be reused.
const HTTP1_HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause after a failure to accept, such as too many open files.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);
/// The golden ratio's fraction, in thousandths. Its multiples are spread evenly.
const SPREAD: u64 = 618;

/// The bounds of connections.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Maximum number of open connections.
    pub most: usize,
    /// Maximum time for a client to show which HTTP version it speaks.
    pub opening: Duration,
    /// Maximum number of concurrent requests on an HTTP/2 connection.
    pub streams: u32,
    /// Age at which a connection is asked to end, plus or minus a tenth.
    pub age: Duration,
    /// How long its calls may then continue.
    pub grace: Duration,
    /// Interval at which an idle HTTP/2 connection is pinged.
    pub keepalive: Duration,
    /// Maximum time for the client to answer a ping.
    pub keepalive_timeout: Duration,
    /// Maximum time for all connections to end after a stop was requested.
    pub drain: Duration,
}

/// Serves until `stop`, then until the last connection has ended or was cut.
pub(crate) async fn serve<S>(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    service: S,
    bounds: Bounds,
    stop: CancellationToken,
    metrics: Metrics,
) where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    let (http, permits) = (http(&bounds), Arc::new(Semaphore::new(bounds.most)));
    let (tasks, cut) = (TaskTracker::new(), CancellationToken::new());
    let mut number = 0;
    while let Some(stream) = stop.run_until_cancelled(accepted(&listener)).await {
        let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else {
            metrics.add("grpc.connections.refused", 1);
            continue;
        };
        number += 1;
        let leaving = stop.child_token();
        let ends =
            Ends { age: spread(bounds.age, number), grace: bounds.grace, leaving: leaving.clone(), cut: cut.clone() };
        let opening = Opening { within: bounds.opening, leaving: leaving.clone(), metrics: metrics.clone() };
        let connection = Connection { number, ends: leaving.clone(), leaving: Leaving::new(leaving, stop.clone()) };
        let (http, tls, service) = (http.clone(), tls.clone(), service.clone());
        tasks.spawn(async move {
            match tls {
                None => {
                    if let Some(stream) = opening.of(opening::opened(stream)).await {
                        let service = TowerToHyperService::new(service.map_request(told(connection, None)));
                        ends.live(http.serve_connection(TokioIo::new(stream), service)).await;
                    }
                }
                Some(tls) => {
                    if let Some((stream, peer)) = opening.of(secured(&tls, stream, &opening.metrics)).await {
                        let service = TowerToHyperService::new(service.map_request(told(connection, peer)));
                        ends.live(http.serve_connection(TokioIo::new(stream), service)).await;
                    }
                }
            }
            drop(permit);
        });
    }
    // Refuses new connections instead of leaving them to wait.
    drop(listener);
    tasks.close();
    if tokio::time::timeout(bounds.drain, tasks.wait()).await.is_err() {
        tracing::info!("closed {} connections that were still open after {:?}", tasks.len(), bounds.drain);
        cut.cancel();
        tasks.wait().await;
    }
}

/// The number of a request's connection, from 1 in the order of acceptance. In the extensions of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ConnectionNumber(pub(crate) u64);

/// Data that all requests of a connection share.
#[derive(Clone)]
struct Connection {
    number: u64,
    ends: CancellationToken,
    leaving: Leaving,
}

/// Adds the connection's number and end to every request, and the peer if they presented a certificate.
fn told(
    connection: Connection,
    peer: Option<Arc<Peer>>,
) -> impl Fn(http::Request<Incoming>) -> http::Request<Body> + Clone {
    move |request| {
        // For HTTP/1.1, hyper itself reads on or closes. Reading here would request a body that the client holds back.
        let multiplexed = request.version() == Version::HTTP_2;
        let mut request = request.map(Body::new);
        if multiplexed {
            request = request.map(|body| Body::new(ReadToEnd::new(body, connection.ends.clone())));
        }
        request.extensions_mut().insert(ConnectionNumber(connection.number));
        request.extensions_mut().insert(connection.leaving.clone());
        if let Some(peer) = &peer {
            request.extensions_mut().insert(Arc::clone(peer));
        }
        request
    }
}

fn http(bounds: &Bounds) -> Builder<TokioExecutor> {
    let mut http = Builder::new(TokioExecutor::new());
    http.http1().timer(TokioTimer::new()).header_read_timeout(HTTP1_HEADER_TIMEOUT).max_buf_size(HTTP1_BUFFER_BYTES);
    http.http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(bounds.streams)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_header_list_size(MAX_HEADER_BYTES)
        .max_local_error_reset_streams(MAX_STREAMS_ENDED_BY_ERRORS)
        .keep_alive_interval(bounds.keepalive)
        .keep_alive_timeout(bounds.keepalive_timeout);
    http
}

async fn accepted(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Sends small responses at once, not together with later ones.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) => {
                tracing::warn!("a connection was not accepted: {error}");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}

/// Establishes TLS, and waits for the client's first bytes. Handshake errors are counted but not logged, since they
/// concern only the client.
async fn secured(
    tls: &Tls,
    stream: TcpStream,
    metrics: &Metrics,
) -> io::Result<Option<(impl AsyncRead + AsyncWrite + Unpin + use<>, Option<Arc<Peer>>)>> {
    let (stream, peer) =
        tls.accept(stream).await.inspect_err(|_| metrics.add("grpc.connections.handshake_failed", 1))?;
    Ok(opening::opened(stream).await?.map(|stream| (stream, peer)))
}

/// The time limit for a client's first bytes, and the signal that the server stops.
struct Opening {
    within: Duration,
    leaving: CancellationToken,
    metrics: Metrics,
}

impl Opening {
    /// Returns the opened stream. Returns `None` if the client is silent for too long, or the server stops first.
    async fn of<T>(&self, opening: impl Future<Output = io::Result<Option<T>>>) -> Option<T> {
        let opening = tokio::time::timeout(self.within, opening);
        let Ok(opened) = self.leaving.run_until_cancelled(opening).await? else {
            self.metrics.add("grpc.connections.silent", 1);
            return None;
        };
        opened.ok().flatten()
    }
}

/// Returns the maximum age of the connection with this number: nine to eleven tenths of `age`, so that connections
/// opened together do not end together.
fn spread(age: Duration, number: u64) -> Duration {
    let thousandths = number.wrapping_mul(SPREAD) % 1_000;
    age.mul_f64(0.9 + 0.000_2 * f64::from(u32::try_from(thousandths).unwrap_or(0)))
}

/// The conditions that end a connection.
struct Ends {
    age: Duration,
    grace: Duration,
    leaving: CancellationToken,
    cut: CancellationToken,
}

impl Ends {
    /// Serves a connection until its end.
    async fn live<C: GracefulConnection>(self, connection: C) {
        let mut connection = pin!(connection);
        let grace = tokio::select! {
            _ = connection.as_mut() => return,
            () = self.leaving.cancelled() => None,
            () = tokio::time::sleep(self.age) => Some(self.grace),
        };
        self.leaving.cancel();
        connection.as_mut().graceful_shutdown();
        let overdue = async {
            match grace {
                Some(grace) => tokio::time::sleep(grace).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = connection => {}
            () = self.cut.cancelled() => {}
            () = overdue => tracing::debug!("closed a connection that reached its maximum age"),
        }
    }
}

#[cfg(test)]
mod tests;
