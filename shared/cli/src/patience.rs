//! Retries while a server is away, with a growing backoff; refusals end at once.

use std::time::Duration;

use tonic::Status;

use crate::error::{CliError, CliResult};

/// Maximum attempts of a call while the server is away, and the first and longest pause between them.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The remaining attempts and the next pause.
#[derive(Debug)]
pub(crate) struct Patience {
    tries: u32,
    pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { tries: TRIES - 1, pause: PAUSE }
    }
}

impl Patience {
    /// Pauses before the next attempt; returns the error if retrying is pointless.
    pub(crate) async fn again(&mut self, error: CliError) -> CliResult {
        if !error.retryable || self.tries == 0 {
            return Err(error);
        }
        self.tries -= 1;
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }

    /// Resets the backoff after progress.
    pub(crate) fn renew(&mut self) {
        *self = Self::default();
    }
}

/// Repeats a call until the server answers. The call may reach it more than once.
pub(crate) async fn patiently<T, F>(mut call: impl FnMut() -> F) -> CliResult<T>
where
    F: Future<Output = Result<T, Status>>,
{
    let mut patience = Patience::default();
    loop {
        match call().await.map_err(CliError::of_stream) {
            Err(error) => patience.again(error).await?,
            answered => return answered,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_away_is_waited_for_and_a_refusal_is_not() {
        let calls = Cell::new(0);
        let answer = patiently(|| {
            calls.set(calls.get() + 1);
            let answer = match calls.get() {
                1 | 2 => Err(Status::unavailable("away")),
                // Like a connection that breaks before the answer.
                3 => Err(Status::unknown("transport error")),
                _ => Ok(7),
            };
            async { answer }
        });
        assert_eq!(answer.await.unwrap(), 7);
        let refused = Cell::new(0);
        let answer = patiently(|| {
            refused.set(refused.get() + 1);
            async { Err::<(), _>(Status::invalid_argument("no")) }
        });
        assert!(answer.await.is_err() && refused.get() == 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_stays_away_is_given_up() {
        let calls = Cell::new(0);
        let answer = patiently(|| {
            calls.set(calls.get() + 1);
            async { Err::<(), _>(Status::unavailable("away")) }
        });
        assert!(answer.await.unwrap_err().retryable);
        assert_eq!(calls.get(), TRIES);
    }
}
