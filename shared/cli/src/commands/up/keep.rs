//! Keeps a process running.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Printer;
use super::child::{Running, Service};
use crate::error::{CliError, CliResult};
use crate::health::{self, Health};

/// What a process gets on top of its own bounds before it is killed.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// How often a process that starts is asked whether it is ready.
const ASK: Duration = Duration::from_millis(25);
/// How long a first start may take.
const START: Duration = Duration::from_mins(1);
/// The exit code for arguments or a configuration that starting again cannot mend.
const MISCONFIGURED: i32 = 2;

/// A process to keep running.
pub(super) struct Keeper {
    pub(super) service: Arc<Service>,
    pub(super) printer: Printer,
    pub(super) stop: CancellationToken,
    /// How long the process may take to stop.
    pub(super) bound: Duration,
    /// Told once, when the process first serves.
    pub(super) ready: UnboundedSender<()>,
}

impl Keeper {
    /// Starts the process, and starts it again whenever it ends, until a stop is asked for. An error if it ends before
    /// it ever served, or cannot be started; but the others do without one that is not needed.
    pub(super) async fn run(self) -> CliResult {
        let (name, mut served, mut pauses) = (self.service.name, false, Pauses::default());
        loop {
            let started = Instant::now();
            let Some(how) = self.live(&mut served).await? else { return Ok(()) };
            if !served && !self.service.is_needed() && how.code() != Some(MISCONFIGURED) {
                self.printer.say(&format!("the others go on without the {name}: memories are recalled by their words"));
                served = true;
                let _ = self.ready.send(());
            }
            if !served || how.code() == Some(MISCONFIGURED) {
                let problem = format!("{name} ended before it was ready ({how}); its lines above say why");
                return Err(CliError::failed(problem));
            }
            let pause = pauses.after(started.elapsed());
            self.printer.say(&format!("{name} ended ({how}); starting it again in {:.1} s", pause.as_secs_f64()));
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.stop.cancelled() => return Ok(()),
            }
        }
    }

    /// One life of the process: how it ended by itself, or `None` if it was stopped because that was asked for.
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

/// Waits until the process says that it serves.
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

/// Pauses before starts: doubled from 0.2 s to 30 s while the process keeps ending soon.
#[derive(Debug, Default)]
struct Pauses {
    soon: u32,
}

impl Pauses {
    const FIRST: Duration = Duration::from_millis(200);
    const LONGEST: Duration = Duration::from_secs(30);
    /// A process that lived this long is healthy: the pauses start over.
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
