//! `kimberly up`: starts api, worker and embedder, supervises them, and stops them in order.
//!
//! Restarts a process that ends, with a growing backoff. Each child's stdin is held open: it closes when `up` wants the
//! child to stop, and also when `up` itself is killed, so that nothing is left running.

mod banner;
mod child;
mod container;
mod lock;
mod printer;
mod restarter;

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kimberly_runtime::Config;
use kimberly_runtime::config::Environment;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::roles;
use crate::tls::Identity;
use child::Service;
use printer::Printer;
use restarter::Restarter;

#[derive(clap::Args)]
#[command(after_help = "Starts this program as `kimberly api`, `kimberly worker` and `kimberly embedder`.")]
pub(crate) struct Args {
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let env = Environment::of_process();
        let loaded =
            Config::load(self.config.as_deref(), &env).map_err(|problems| CliError::usage(problems.to_string()))?;
        let note = loaded.data_folder_note;
        let mut config = loaded.config;
        // An absolute path: the processes must use this folder even if another default appears while they run.
        config.data_dir = std::path::absolute(&config.data_dir)?;
        kimberly_runtime::prepare_data_dir(&config.data_dir).map_err(|failure| CliError::failed(failure.message()))?;
        let _lock = lock::take(&config.data_dir)?;
        let identity = context.identity.clone();
        if config.tls.requires_clients() && identity.is_none() {
            return Err(CliError::usage(
                "tls.client_auth is \"required\", so `kimberly up` needs a client certificate for its health checks; give one with \
                 --tls-cert and --tls-key",
            ));
        }
        let services = services(&config, self.config.as_deref(), identity.as_ref())?;
        for service in &services {
            free_port(service)?;
        }
        let printer = Printer::new(context.out.colour);
        if let Some(note) = &note {
            printer.say(note);
        }
        let bound = config.limits.shutdown_soft.0 + config.limits.shutdown_hard.0 + restarter::GRACE;
        let user = banner::User::of(context, &config);
        let key = container::Key::before_start(&config);
        Supervisor { user, key, stop: CancellationToken::new(), printer, bound }.watch(services, &config).await
    }
}

/// The three processes, in start order.
fn services(config: &Config, file: Option<&Path>, identity: Option<&Identity>) -> CliResult<Vec<Arc<Service>>> {
    let list = [
        ("api", "api.listen", config.api.listen, config.tls.certificate.clone()),
        ("worker", "worker.listen", config.worker.listen, None),
        ("embedder", "embedder.listen", config.embedder.listen, None),
    ];
    let data_dir = config.data_dir.clone();
    let service = |(name, key, address, certificate): (&'static str, &'static str, SocketAddr, Option<PathBuf>)| {
        let (binary, config) = (roles::program()?, file.map(Path::to_owned));
        let (identity, data_dir) = (identity.cloned(), data_dir.clone());
        Ok(Arc::new(Service { name, key, address, certificate, identity, binary, config, data_dir }))
    };
    list.into_iter().map(service).collect()
}

/// Detects a taken port before anything runs, so that the error is the only output.
fn free_port(service: &Service) -> CliResult {
    let taken = |error: std::io::Error| {
        let variable = format!("KIMBERLY_{}", service.key.to_uppercase().replace('.', "__"));
        CliError::failed(format!(
            "the {} cannot listen on {}: {error}; if another Kimberly runs there, use or stop that one, else choose another \
             port, such as {variable}={}:{}",
            service.name,
            service.address,
            service.address.ip(),
            service.address.port().wrapping_add(100),
        ))
    };
    TcpListener::bind(service.address).map(drop).map_err(taken)
}

struct Supervisor {
    /// The user for the printed commands and the console link.
    user: banner::User,
    /// The key that callers outside this container need.
    key: Option<container::Key>,
    stop: CancellationToken,
    printer: Printer,
    bound: std::time::Duration,
}

impl Supervisor {
    /// Runs until a signal, or until a process cannot be kept running.
    async fn watch(self, services: Vec<Arc<Service>>, config: &Config) -> CliResult {
        let mut signals = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let (ready, mut readies) = mpsc::unbounded_channel();
        let mut waiting = services.len();
        let mut running = JoinSet::new();
        for service in services {
            let (printer, stop, ready) = (self.printer, self.stop.clone(), ready.clone());
            running.spawn(Restarter { service, printer, stop, bound: self.bound, ready }.run());
        }
        let mut ended = Ok(());
        loop {
            tokio::select! {
                Some(()) = readies.recv() => {
                    waiting -= 1;
                    if waiting == 0 {
                        self.printer.say(&banner::text(config, &self.user));
                        if let Some(key) = &self.key {
                            self.printer.say(&key.text(config));
                        }
                    }
                }
                one = running.join_next() => match one {
                    None => return ended,
                    Some(one) => {
                        self.stop.cancel();
                        ended = ended.and(one.unwrap_or_else(|panic| Err(CliError::failed(panic.to_string()))));
                    }
                },
                () = asked(&mut signals) => {
                    if self.stop.is_cancelled() {
                        return Err(CliError::failed("killed at a second signal; nothing acknowledged is lost"));
                    }
                    self.printer.say("stopping; Ctrl-C again kills");
                    self.stop.cancel();
                }
            }
        }
    }
}

async fn asked(signals: &mut (Signal, Signal)) {
    tokio::select! {
        _ = signals.0.recv() => {}
        _ = signals.1.recv() => {}
    }
}
