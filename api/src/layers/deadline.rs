//! Deadlines: the caller's (`grpc-timeout`), or else the server's. A call that exceeds its deadline is dropped and
//! answered with `DEADLINE_EXCEEDED`.

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

/// The gRPC header with the caller's deadline.
const HEADER: &str = "grpc-timeout";
/// Clients also time the deadline that they send, and some report it as CANCELLED. The response is sent this much
/// earlier, so that it arrives first.
const AHEAD: Duration = Duration::from_millis(2);
/// Maximum number of digits of a `grpc-timeout`; a unit follows them.
const MAX_DIGITS: usize = 8;

/// The deadline of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    asked: Option<Duration>,
    since: Instant,
    after: Duration,
}

impl Deadline {
    /// Returns the deadline of a request, which starts now.
    pub(crate) fn of<B>(request: &http::Request<B>, default: Duration) -> Self {
        let asked = request.headers().get(HEADER).and_then(|raw| parse(raw.to_str().ok()?));
        let after = asked.map_or(default, |asked| asked.min(default));
        Self { asked, since: Instant::now(), after }
    }

    /// Returns when the call must have been answered.
    pub(crate) fn ends(self) -> Instant {
        self.since + self.after
    }

    /// Returns when the caller's deadline passes, and how long after the start of the call that is. Used for streams,
    /// to which the server's deadline does not apply.
    pub fn of_caller(self) -> Option<(Instant, Duration)> {
        self.asked.and_then(|asked| Some((self.since.checked_add(asked)?, asked)))
    }

    /// Returns the result of `work`, or fails with the timeout of the call.
    pub(crate) async fn bound<T>(self, work: impl Future<Output = T>) -> Result<T, Duration> {
        let ahead = if self.asked.is_some() { AHEAD.min(self.after / 4) } else { Duration::ZERO };
        tokio::time::timeout_at(self.since + self.after.saturating_sub(ahead), work).await.map_err(|_| self.after)
    }
}

/// Parses a `grpc-timeout`: at most eight digits and a unit. Ignores anything else, as gRPC requires.
fn parse(raw: &str) -> Option<Duration> {
    let (digits, unit) = raw.split_at_checked(raw.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > MAX_DIGITS || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 3_600)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_as_grpc_writes_them() {
        assert_eq!(parse("5S"), Some(Duration::from_secs(5)));
        assert_eq!(parse("2H"), Some(Duration::from_hours(2)));
        assert_eq!(parse("3M"), Some(Duration::from_mins(3)));
        assert_eq!(parse("100m"), Some(Duration::from_millis(100)));
        assert_eq!(parse("7u"), Some(Duration::from_micros(7)));
        assert_eq!(parse("99999999n"), Some(Duration::from_nanos(99_999_999)));
        for nonsense in ["", "S", "5", "5s", "-5S", "123456789S", "5é", "é", "+1S"] {
            assert_eq!(parse(nonsense), None, "{nonsense}");
        }
    }
}
