//! Signals the end of a connection to the streams that use it.

use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::status;

/// In the extensions of every request: signals that its connection should end, so that streams can end in order.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    connection: CancellationToken,
    server: CancellationToken,
}

impl Leaving {
    /// `connection` is cancelled when the connection or the server ends, `server` only in the second case.
    pub(crate) const fn new(connection: CancellationToken, server: CancellationToken) -> Self {
        Self { connection, server }
    }

    /// Waits until it is time to end, and returns the status with the reason.
    pub(crate) async fn over(self) -> Status {
        self.connection.cancelled().await;
        if self.server.is_cancelled() { status::shutting_down() } else { status::reconnect() }
    }
}
