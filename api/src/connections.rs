//! The connections of a server: how many, how old, and how they end.
//!
//! A connection that has reached its age, or whose server stops, is asked to end: clients get a signal to call elsewhere
//! (GOAWAY, or `connection: close`), calls that run go on for a bounded time, and streams learn it from [`Leaving`].
//! tonic's own loop would cut aged connections without telling them first whenever a bound follows, and all at once.

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
use unread::ReadToEnd;

/// Window of a stream: a batch of usual size needs no round trip for more room.
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
/// Window of a connection.
const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
/// Streams that h2 may end on its own over the life of a connection, such as those whose frames arrive after their answer
/// although [`unread`] has read what it may: many calls of many clients share the connection of a proxy. Each holds some
/// 200 bytes until its end was sent.
const MAX_STREAMS_ENDED_BY_ERRORS: usize = 16_384;
/// Most headers of a request, in bytes.
const MAX_HEADER_BYTES: u32 = 16 * 1024;
/// Buffer of an HTTP/1.1 connection, which bounds its headers too.
const HTTP1_BUFFER_BYTES: usize = 64 * 1024;
/// How long the headers of an HTTP/1.1 request may take to come, and a kept connection to be used again.
const HTTP1_HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// After a failure to accept, such as too many open files, this long is waited.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);
/// The golden ratio's fraction, in thousandths: its multiples spread evenly.
const SPREAD: u64 = 618;

/// The bounds of connections.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Open at once.
    pub most: usize,
    /// How long a client may take to say which version of HTTP it speaks.
    pub opening: Duration,
    /// Requests at once over one of HTTP/2.
    pub streams: u32,
    /// Age at which one is asked to end, give or take a tenth.
    pub age: Duration,
    /// How long its calls may then go on.
    pub grace: Duration,
    /// How often an idle one is asked whether its client is there.
    pub keepalive: Duration,
    /// How long the client may take to say so.
    pub keepalive_timeout: Duration,
    /// How long all of them may take to end after a stop was asked for.
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
    let (http, places) = (http(&bounds), Arc::new(Semaphore::new(bounds.most)));
    let (tasks, cut) = (TaskTracker::new(), CancellationToken::new());
    let mut number = 0;
    while let Some(stream) = stop.run_until_cancelled(accepted(&listener)).await {
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
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
            drop(place);
        });
    }
    // Nobody is let in any more, rather than left to wait.
    drop(listener);
    tasks.close();
    if tokio::time::timeout(bounds.drain, tasks.wait()).await.is_err() {
        tracing::info!("cut {} connections that were still open after {:?}", tasks.len(), bounds.drain);
        cut.cancel();
        tasks.wait().await;
    }
}

/// In the extensions of every request: the number of its connection, from 1 in the order in which they were accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ConnectionNumber(pub(crate) u64);

/// What the requests of a connection share.
#[derive(Clone)]
struct Connection {
    number: u64,
    ends: CancellationToken,
    leaving: Leaving,
}

/// Tells every request which connection it came over, when that ends, and who is at its other end if they showed a
/// certificate.
fn told(
    connection: Connection,
    peer: Option<Arc<Peer>>,
) -> impl Fn(http::Request<Incoming>) -> http::Request<Body> + Clone {
    move |request| {
        // Over HTTP/1.1 hyper reads on or closes by itself, and reading would ask for a body that the client holds back.
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
                // Small answers are not held back to be sent with more.
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

/// A secure connection whose client has begun to speak. What went wrong while it was made is counted and not told: it is
/// the clients' to know.
async fn secured(
    tls: &Tls,
    stream: TcpStream,
    metrics: &Metrics,
) -> io::Result<Option<(impl AsyncRead + AsyncWrite + Unpin + use<>, Option<Arc<Peer>>)>> {
    let (stream, peer) =
        tls.accept(stream).await.inspect_err(|_| metrics.add("grpc.connections.handshake_failed", 1))?;
    Ok(opening::opened(stream).await?.map(|stream| (stream, peer)))
}

/// How long a client may take to begin to speak.
struct Opening {
    within: Duration,
    leaving: CancellationToken,
    metrics: Metrics,
}

impl Opening {
    /// What was opened; none if the client does not speak within the bound, or the server stops before.
    async fn of<T>(&self, opening: impl Future<Output = io::Result<Option<T>>>) -> Option<T> {
        let opening = tokio::time::timeout(self.within, opening);
        let Ok(opened) = self.leaving.run_until_cancelled(opening).await? else {
            self.metrics.add("grpc.connections.silent", 1);
            return None;
        };
        opened.ok().flatten()
    }
}

/// The age of the connection of a number: from nine to eleven tenths of `age`, so that those that were opened together do
/// not end together.
fn spread(age: Duration, number: u64) -> Duration {
    let thousandths = number.wrapping_mul(SPREAD) % 1_000;
    age.mul_f64(0.9 + 0.000_2 * f64::from(u32::try_from(thousandths).unwrap_or(0)))
}

/// What ends a connection.
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
            () = overdue => tracing::debug!("cut a connection that had outlived its age"),
        }
    }
}

#[cfg(test)]
mod tests;
