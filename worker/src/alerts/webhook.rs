//! Notifies a program of the operator by a small POST. The configuration only accepts an address on this machine or in
//! a private network.

use std::time::Duration;

use kimberly_core::Timestamp;
use kimberly_core::alerts::Alert;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The timeout of a notification.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of the response up to and including the status code: `HTTP/1.1 200`.
const STATUS: usize = 12;

/// The receiver of notifications.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// Address and port.
    pub address: std::net::SocketAddr,
    /// The path of the request.
    pub path: String,
}

impl Webhook {
    /// Notifies that an alert was raised or cleared.
    pub(super) async fn tell(&self, alert: Alert, raised: bool, count: u64, at: Timestamp) -> std::io::Result<()> {
        let text = if raised { alert.text(count) } else { format!("{alert} has ended") };
        let state = if raised { "raised" } else { "cleared" };
        let at_seconds = at.0.div_euclid(1_000_000);
        let body = json!({"alert": alert, "state": state, "count": count, "at_seconds": at_seconds, "text": text});
        let sent = tokio::time::timeout(PATIENCE, self.post(&body.to_string())).await;
        sent.unwrap_or_else(|_| Err(std::io::Error::other("it did not answer within 5 s")))
    }

    async fn post(&self, body: &str) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(self.address).await?;
        let Self { address, path } = self;
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
             connection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut status = [0; STATUS];
        stream.read_exact(&mut status).await?;
        let taken = status.starts_with(b"HTTP/1.") && status[9] == b'2';
        if taken { Ok(()) } else { Err(std::io::Error::other(String::from_utf8_lossy(&status).into_owned())) }
    }
}
