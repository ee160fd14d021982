//! Calls with a timeout.

use std::time::Duration;

use crate::error::{CliError, CliResult};

/// Timeout of one call.
const ANSWER: Duration = Duration::from_secs(3);

/// The response to a call; fails on timeout.
pub(super) async fn within<T>(call: impl Future<Output = Result<tonic::Response<T>, tonic::Status>>) -> CliResult<T> {
    match tokio::time::timeout(ANSWER, call).await {
        Ok(answered) => Ok(answered.map_err(CliError::of_stream)?.into_inner()),
        Err(_) => Err(CliError::failed("Kimberly did not answer in time; `kimberly doctor` says more").that_may_pass()),
    }
}
