//! Runs a process, and restarts it whenever it ends.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::child::{Running, Service};
use super::printer::Printer;
use crate::error::{CliError, CliResult};
use crate::health::{self, Health};

/// Extra time beyond the process's own stop bounds before it is killed.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// Poll interval for the readiness of a starting process.
const ASK: Duration = Duration::from_millis(25);
/// Timeout of the first start.
const START: Duration = Duration::from_mins(1);
/// Exit code for an invalid configuration or arguments, which a restart cannot fix.
const MISCONFIGURED: i32 = 2;

/// A process to restart whenever it ends.
pub(super) struct Restarter {
    pub(super) service: Arc<Service>,
    pub(super) printer: Printer,
    pub(super) stop: CancellationToken,
    /// Maximum time for the process to stop.
    pub(super) bound: Duration,
    /// Notified once, when the process is ready for the first time.
    pub(super) ready: UnboundedSender<()>,
}

impl Restarter {
    /// Runs the process, restarting it whenever it ends, until a stop is requested. Fails if a needed process cannot be
    /// started or ends before it was ever ready.
    pub(super) async fn run(self) -> CliResult {
        let (name, mut served, mut pauses) = (self.service.name, false, Pauses::default());
        loop {
            let started = Instant::now();
            let Some(how) = self.live(&mut served).await? else { return Ok(()) };
            if !served && !self.service.is_needed() && how.code() != Some(MISCONFIGURED) {
                self.printer.say(&format!("the others keep running without the {name}: recall uses words alone"));
                served = true;
                let _ = self.ready.send(());
            }
            if !served || how.code() == Some(MISCONFIGURED) {
                let problem = format!("{name} ended before it was ready ({how}); its lines above say why");
                return Err(CliError::failed(problem));
            }
            let pause = pauses.after(started.elapsed());
            self.printer.say(&format!("{name} ended ({how}); restarting it in {:.1} s", pause.as_secs_f64()));
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.stop.cancelled() => return Ok(()),
            }
        }
    }

    /// Runs the process once; returns its exit status, or `None` if a stop was requested.
    async fn live(&self, served: &mut bool) -> CliResult<Option<ExitStatus>> {
        let mut process = Running::start(&self.service, self.printer).map_err(|error| {
            CliError::failed(format!("{} cannot be started: {error}", self.service.binary.display()))
        })?;
        loop {
            tokio::select! {
                how = process.ended() => return Ok(Some(how?)),
                answer = serves(&self.service), if !*served => match answer {
                    Ok(()) => {
                        *served = true;
                        let _ = self.ready.send(());
                    }
                    Err(late) => {
                        process.stop(self.bound).await;
                        return Err(late);
                    }
                },
                () = self.stop.cancelled() => {
                    self.finish(process).await;
                    return Ok(None);
                }
            }
        }
    }

    async fn finish(&self, process: Running) {
        if !process.stop(self.bound).await {
            let (name, bound) = (self.service.name, self.bound);
            self.printer
                .say(&format!("{name} did not stop within {bound:?} and was killed; nothing acknowledged is lost"));
        }
    }
}

/// Waits until the process reports that it is ready.
async fn serves(service: &Service) -> CliResult {
    let asking = async {
        while health::of(service.address, service.certificate.as_deref(), service.identity.as_ref()).await
            != Health::Serving
        {
            tokio::time::sleep(ASK).await;
        }
    };
    tokio::time::timeout(START, asking).await.map_err(|_| {
        let bound = START.as_secs();
        CliError::failed(format!("{} is not ready after {bound} s; its lines above may say why", service.name))
    })
}

/// Backoff before restarts: doubled from 0.2 s to 30 s while the process keeps ending soon.
#[derive(Debug, Default)]
struct Pauses {
    soon: u32,
}

impl Pauses {
    const FIRST: Duration = Duration::from_millis(200);
    const LONGEST: Duration = Duration::from_secs(30);
    /// A process that ran this long is healthy and resets the backoff.
    const HEALTHY: Duration = Duration::from_mins(1);

    fn after(&mut self, lived: Duration) -> Duration {
        self.soon = if lived >= Self::HEALTHY { 1 } else { self.soon.saturating_add(1) };
        Self::FIRST.saturating_mul(1 << (self.soon - 1).min(16)).min(Self::LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_their_bound_and_start_over_after_a_healthy_life() {
        let mut pauses = Pauses::default();
        let soon: Vec<f64> = (0..10).map(|_| pauses.after(Duration::from_secs(1)).as_secs_f64()).collect();
        assert_eq!(soon, [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0]);
        assert_eq!(pauses.after(Pauses::HEALTHY), Pauses::FIRST);
        assert_eq!(pauses.after(Duration::from_secs(1)), Pauses::FIRST * 2);
    }
}
