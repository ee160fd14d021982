//! Graceful stop in three phases: asked (finish running work, accept nothing new), overdue (cancel it), left
//! (the process exits although work is still running).

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::config::LimitsConfig;
use crate::{Failure, MainResult};

/// Set by a supervisor that holds the process's stdin open while it lives.
pub const STOP_WITH_STDIN: &str = "KIMBERLY_STOP_WITH_STDIN";

/// Signals the parts of a process to stop. Clones share one state.
#[derive(Clone, Debug)]
pub struct Shutdown {
    asked: CancellationToken,
    overdue: CancellationToken,
    soft_bound: Duration,
    hard_bound: Duration,
}

impl Shutdown {
    /// The initial state, without a stop request.
    pub fn new(limits: &LimitsConfig) -> Self {
        let asked = CancellationToken::new();
        let (soft_bound, hard_bound) = (limits.shutdown_soft.0, limits.shutdown_hard.0);
        Self { asked, overdue: CancellationToken::new(), soft_bound, hard_bound }
    }

    /// Cancelled when the process should finish running work and accept nothing new.
    pub fn token(&self) -> CancellationToken {
        self.asked.clone()
    }

    /// Waits for a stop request.
    pub async fn requested(&self) {
        self.asked.cancelled().await;
    }

    /// Waits until running work should be cancelled.
    pub async fn overdue(&self) {
        self.overdue.cancelled().await;
    }

    /// Requests a stop.
    pub fn request(&self) {
        self.asked.cancel();
    }

    /// How long running work may continue after a stop request.
    pub const fn soft_bound(&self) -> Duration {
        self.soft_bound
    }

    /// How long cancellation may take after that.
    pub const fn hard_bound(&self) -> Duration {
        self.hard_bound
    }

    /// Under a supervisor (`KIMBERLY_STOP_WITH_STDIN` is set) the end of stdin requests a stop: the supervisor has
    /// closed it or died. The thread is never joined; it ends with the process.
    fn watch_parent(&self) {
        if std::env::var_os(STOP_WITH_STDIN).is_none() {
            return;
        }
        let asked = self.asked.clone();
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            asked.cancel();
        });
    }

    /// Runs the body of a process until it ends by itself, or until a signal and then the stop bounds end it.
    pub(crate) async fn supervise(&self, body: impl Future<Output = MainResult>) -> MainResult {
        let mut body = pin!(body);
        let mut signals = Signals::listen()?;
        self.watch_parent();
        tokio::select! {
            ended = &mut body => return ended,
            name = signals.next() => tracing::info!("{name}: stopping; send it again to stop immediately"),
            () = self.asked.cancelled() => {}
        }
        self.asked.cancel();
        tokio::select! {
            ended = &mut body => return ended,
            _ = signals.next() => return Err(at_once()),
            () = tokio::time::sleep(self.soft_bound) => {
                tracing::warn!("work is still running after {:?}; aborting it", self.soft_bound);
            }
        }
        self.overdue.cancel();
        tokio::select! {
            ended = &mut body => ended,
            _ = signals.next() => Err(at_once()),
            () = tokio::time::sleep(self.hard_bound) => Err(Failure::new(
                "stopped while work was still running",
                "nothing acknowledged is lost; if it happens again, raise limits.shutdown_soft",
            )),
        }
    }
}

fn at_once() -> Failure {
    Failure::new("stopped immediately by a second signal", "nothing acknowledged is lost; you may start it again")
}

/// The signals that request a stop.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Period;

    fn quick() -> Shutdown {
        Shutdown::new(&LimitsConfig {
            shutdown_soft: Period::millis(20),
            shutdown_hard: Period::millis(20),
            ..LimitsConfig::default()
        })
    }

    #[tokio::test]
    async fn a_body_that_heeds_the_request_ends_well() {
        let shutdown = quick();
        let body = shutdown.clone();
        shutdown.request();
        let ended = shutdown.supervise(async move {
            body.requested().await;
            Ok(())
        });
        assert_eq!(ended.await, Ok(()));
        assert!(!shutdown.overdue.is_cancelled(), "no work had to be cancelled");
    }

    #[tokio::test]
    async fn a_busy_body_is_asked_to_cancel_its_work() {
        let shutdown = quick();
        let body = shutdown.clone();
        shutdown.request();
        let ended = shutdown.supervise(async move {
            body.overdue().await;
            Ok(())
        });
        assert_eq!(ended.await, Ok(()));
    }

    #[tokio::test]
    async fn a_body_that_never_ends_is_left() {
        let shutdown = quick();
        shutdown.request();
        let ended = shutdown.supervise(std::future::pending()).await;
        assert!(ended.unwrap_err().message().contains("still running"));
    }
}
