//! Metrics in Prometheus' text format on a loopback address, only if configured.
//!
//! A scrape is one small GET; a full HTTP server would add more attack surface than value.

use std::net::SocketAddr;
use std::time::Duration;

use opentelemetry_prometheus::PrometheusExporter;
use prometheus::{Encoder as _, Registry, TextEncoder};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::config::TelemetryConfig;
use crate::{Boot, Failure, MainResult};

/// Maximum size of a request, in bytes.
const MAX_REQUEST: usize = 8 * 1024;
/// Timeout of a scrape.
const PATIENCE: Duration = Duration::from_secs(5);

/// The registry and the reader that fills it, if an address is configured.
pub(super) fn reader(config: &TelemetryConfig) -> Result<(Option<Registry>, Option<PrometheusExporter>), Failure> {
    if config.prometheus_listen.is_none() {
        return Ok((None, None));
    }
    let registry = Registry::new();
    let exporter = opentelemetry_prometheus::exporter().with_registry(registry.clone()).build()?;
    Ok((Some(registry), Some(exporter)))
}

/// Serves scrapes until the process stops. The processes use consecutive ports.
pub(super) fn serve(registry: Registry, first: SocketAddr, boot: &Boot) -> MainResult {
    let offset = match boot.process {
        "kimberly-worker" => 1,
        "kimberly-embedder" => 2,
        _ => 0,
    };
    let address = SocketAddr::new(first.ip(), first.port() + offset);
    let listener = std::net::TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    });
    let listener = listener.map_err(|error| {
        let advice = "stop the process that listens there, or choose another telemetry.prometheus_listen";
        Failure::new(format!("cannot serve metrics on {address}: {error}"), advice)
    })?;
    let stop = boot.shutdown.token();
    tokio::spawn(stop.run_until_cancelled_owned(accept(listener, registry)));
    tracing::info!("metrics on http://{address}/metrics");
    Ok(())
}

async fn accept(listener: TcpListener, registry: Registry) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let registry = registry.clone();
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(PATIENCE, answer(stream, &registry)).await;
                });
            }
            Err(error) => {
                tracing::warn!("no connection for a scrape: {error}");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

pub(super) async fn answer(mut stream: TcpStream, registry: &Registry) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if request.len() > MAX_REQUEST || stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let (status, body) = if request.starts_with(b"GET /metrics") { page(registry) } else { not_found() };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; version=0.0.4\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.shutdown().await
}

fn not_found() -> (&'static str, Vec<u8>) {
    ("404 Not Found", b"metrics are at /metrics\n".to_vec())
}

fn page(registry: &Registry) -> (&'static str, Vec<u8>) {
    let (mut text, mut families) = (Vec::new(), registry.gather());
    for family in &mut families {
        if let Some(name) = said_once(family.name()) {
            family.set_name(name);
        }
    }
    match TextEncoder::new().encode(&families, &mut text) {
        Ok(()) => ("200 OK", text),
        Err(error) => ("500 Internal Server Error", format!("{error}\n").into_bytes()),
    }
}

/// Removes a duplicate unit: the exporter appends one even if the published name (K-9.1) ends with it.
fn said_once(name: &str) -> Option<String> {
    let (rest, last) = name.rsplit_once('_')?;
    rest.strip_suffix(last).is_some_and(|before| before.ends_with('_')).then(|| rest.to_owned())
}
